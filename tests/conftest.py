"""Settings all tests share."""

from hypothesis import settings

from tests.counts import inputs

# No deadline: a slow machine is not a wrong answer. The default run tries the same inputs every
# time, so that it fails for a change and not by chance; `make fuzz` looks for new ones, in several
# processes, since one keeps in memory what it has tried.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=inputs(40, 100))
settings.register_profile("fuzz", deadline=None, derandomize=False, max_examples=500)
settings.load_profile("default")
