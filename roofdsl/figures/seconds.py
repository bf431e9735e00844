"""The unit in which times read best on one axis."""

from __future__ import annotations

UNITS = (("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9), ("ps", 1e12))


def in_unit(longest: float) -> tuple[str, float]:
    """Return the unit for times up to `longest` seconds, and what to multiply seconds by.

    >>> in_unit(3.0), in_unit(0.0042), in_unit(0.0)
    (('s', 1.0), ('ms', 1000.0), ('s', 1.0))
    """
    for unit, factor in UNITS:
        if longest * factor >= 1:
            return unit, factor
    return UNITS[0] if longest == 0 else UNITS[-1]
