"""A measured number as the language writes it: with the digits that its spread leaves, and ±."""

from __future__ import annotations

import math

from roofdsl.measure.timing import Rate
from roofdsl.units.dimension import Dimension
from roofdsl.units.quantity import prefixed_units

_FINEST = 2e-4
"""Part of a number that its last digit is at least, however little it was seen to scatter."""


def as_measured(rate: Rate, dimension: Dimension) -> str:
    """Return a rate or a latency with what it scatters by, in its unit with a prefix.

    The spread is rounded to one digit, to two where that is a 1, and the number to the same place.
    One that scatters by as much as itself, or more, has no ± of it.

    >>> from roofdsl.units.dimension import BYTE, FLOP, MESSAGE, SECOND
    >>> as_measured(Rate(22.0312e9, 0.38e9), FLOP / SECOND)
    '22 ± 0.4 GFLOP/s'
    >>> as_measured(Rate(9.8765e9, 0.14e9), BYTE / SECOND), as_measured(Rate(1e10, 0.0), BYTE)
    ('9.88 ± 0.14 GB/s', '10 ± 0.002 GB')
    >>> as_measured(Rate(5.2e-7, 2e-8), SECOND / MESSAGE), as_measured(Rate(2.0, 3.0), SECOND)
    ('520 ± 20 ns/message', '2 s')
    """
    units = prefixed_units(dimension)
    below = (each for each in units if 10.0**each <= rate.value * (1 + 1e-9))
    power = max(below, default=min(units))
    value = rate.value / 10.0**power
    spread = max(rate.spread / 10.0**power, _FINEST * value)
    place = _place(spread)
    shown, off = _rounded(value, place), _rounded(spread, place)
    unit = units[power].replace("\N{MICRO SIGN}", "u")
    if float(off) >= float(shown):
        return f"{_rounded(value, _place(value) + 2)} {unit}"
    return f"{shown} ± {off} {unit}"


def _place(spread: float) -> int:
    """Return the decimal place to which a spread is told: its first, behind a 1 its second."""
    first = -math.floor(math.log10(spread))
    leading = round(spread * 10.0**first, 6)
    return first + (leading < 1.95)


def _rounded(value: float, place: int) -> str:
    text = f"{round(value, place):.{max(0, place)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
