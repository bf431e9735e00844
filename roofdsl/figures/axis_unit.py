"""The unit in which numbers read best on one axis."""

from __future__ import annotations

from roofdsl.units.dimension import SECOND, Dimension
from roofdsl.units.quantity import prefixed_units


def in_unit(largest: float, dimension: Dimension = SECOND) -> tuple[str, float]:
    """Return the unit for numbers of SI base units up to `largest`, and what to multiply them by.

    >>> from roofdsl.units.dimension import BYTE, FLOP
    >>> in_unit(3.0), in_unit(0.0042), in_unit(0.0)
    (('s', 1.0), ('ms', 1000.0), ('s', 1.0))
    >>> in_unit(2.2e10, FLOP / SECOND), in_unit(1583.0, FLOP / BYTE)
    (('GFLOP/s', 1e-09), ('flop/B', 1.0))
    """
    units = prefixed_units(dimension)
    fitting = [exponent for exponent in units if float(f"1e{exponent}") <= largest]
    exponent = max(fitting, default=min(units)) if largest else 0
    return units[exponent], float(f"1e{-exponent}")


def with_unit(name: str, unit: str) -> str:
    """Return a name with its unit, as axes and columns have it.

    >>> with_unit("OI", "flop/B"), with_unit("N", "")
    ('OI [flop/B]', 'N')
    """
    return f"{name} [{unit}]" if unit else name
