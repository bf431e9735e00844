"""The unit in which numbers read best on one axis."""

from __future__ import annotations

import math
from typing import NamedTuple

from roofdsl.figures.formula import followed
from roofdsl.figures.lettering import raised
from roofdsl.units.dimension import DIMENSIONLESS, SECOND, Dimension
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


def unit_between(
    low: float, high: float, dimension: Dimension, per: float = 1.0
) -> tuple[str, float]:
    """Return the unit of a logarithmic axis between two numbers, and how much of theirs it is.

    They are in `per` SI base units. In a unit that fits, plain numbers reach as far along the axis
    as they can, and in its middle are from 1 to 1000.

    >>> from roofdsl.units.dimension import FLOP
    >>> unit_between(1e9, 1e11, FLOP / SECOND), unit_between(1e8, 1e16, FLOP / SECOND)
    (('GFLOP/s', 1000000000.0), ('TFLOP/s', 1000000000000.0))
    >>> unit_between(1e9, 1e10, FLOP / SECOND, per=1e9)
    ('EFLOP/s', 1000000000.0)
    """
    first, last = math.log10(low * per), math.log10(high * per)

    def strain(exponent: int) -> tuple[float, float]:
        beyond = max(0.0, -3 - (first - exponent)) + max(0.0, last - exponent - 4)
        return round(beyond, 6), round(abs((first + last) / 2 - exponent - 1.5), 6)

    units = prefixed_units(dimension)
    exponent = min(units, key=strain)
    return units[exponent], float(f"1e{exponent}") / per


def with_unit(name: str, unit: str) -> str:
    """Return a name with its unit, as axes and columns have it.

    >>> with_unit("OI", "flop/B"), with_unit("N", "")
    ('OI [flop/B]', 'N')
    """
    return followed(name, f" [{unit}]") if unit else name


class AxisName(NamedTuple):
    """What an axis is of: its name, and the dimension of its numbers, which are in SI base units.

    >>> from roofdsl.units.dimension import BYTE
    >>> network = AxisName("karst.network", BYTE / SECOND)
    >>> network.in_base_units, network.fitting((1e8, 1e12)), network.fitting((1e8, 1e12), base=2)
    ('karst.network [B/s]', ('karst.network [GB/s]', 1000000000.0), ('karst.network [B/s]', 1.0))
    """

    text: str
    dimension: Dimension = DIMENSIONLESS

    @property
    def in_base_units(self) -> str:
        """The name with its unit in data."""
        return with_unit(self.text, in_unit(0.0, self.dimension)[0])

    def fitting(self, ends: tuple[float, float] | tuple[()], base: int = 10) -> tuple[str, float]:
        """Return the name with the unit that fits between the ends, and how much that unit is.

        Of powers of two it is the base unit: 2^20 B are none of a kB.
        """
        if not ends or base == 2:
            return self.in_base_units, 1.0
        unit, size = unit_between(*ends, self.dimension)
        return with_unit(self.text, raised(unit)), size
