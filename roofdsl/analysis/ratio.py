"""Ratios of amounts that may be 0: infinite, or undefined."""

from __future__ import annotations

import math

from roofdsl.numeric.failure import in_range


def quotient(above: float, below: float) -> float:
    """Return a ratio; raise ArithmeticError where it is beyond what a float holds."""
    return in_range(above / below, above, below) if above and below else ratio(above, below)


def ratio(above: float, below: float) -> float:
    """Return above / below, infinite where only `below` is 0 and NaN where both are.

    >>> ratio(3.0, 2.0), ratio(1.0, 0.0), ratio(0.0, 0.0), ratio(math.nan, 0.0)
    (1.5, inf, nan, nan)
    """
    if below:
        return above / below
    return math.inf if above and not math.isnan(above) else math.nan
