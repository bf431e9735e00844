"""How many random inputs the tests try: by default a part, with ROOFDSL_ALL set all of them.

`make fuzz` sets it. The law of composition and the rules are asked about a thousand programs in
either case: nothing else stands in for those tests. CONTRIBUTING.md has the table of all counts.
"""

from __future__ import annotations

import os

ALL = bool(os.environ.get("ROOFDSL_ALL"))


def inputs(usual: int, most: int) -> int:
    """Return how many inputs to try, `most` if all are wanted."""
    return most if ALL else usual
