"""Settings all tests share."""

from hypothesis import settings

# No deadline: a slow machine is not a wrong answer.
settings.register_profile("default", deadline=None)
settings.register_profile("fuzz", deadline=None, max_examples=10_000)
settings.load_profile("default")
