"""How many random inputs the tests try: by default a part, with ROOFDSL_ALL set all of them.

`make fuzz` sets it. The law of composition and the rules are asked about a thousand programs each
time: those are the tests that nothing else stands in for.
"""

from __future__ import annotations

import os

ALL = bool(os.environ.get("ROOFDSL_ALL"))


def inputs(usual: int, most: int) -> int:
    """Return how many inputs to try, `most` if all are wanted."""
    return most if ALL else usual
