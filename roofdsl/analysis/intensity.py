"""Intensities: how much of one kind of work a model does for each unit of another."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.expression.construct import divide
from roofdsl.expression.tree import ZERO, Expression, Number
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension

INTENSITIES = {
    "OI": ("flops", "memory"),
    "CAI": ("flops", "network"),
    "MI": ("memory", "network"),
}
"""Operational intensity [flop/B], communication arithmetic intensity [flop/B], memory intensity
[B/B]: work over work (Cardwell 2019, Eq. 2.2 and 2.4; Checconi et al., Ridgeline)."""

INTENSITY_UNITS: dict[str, Dimension] = {
    "OI": FLOP / BYTE,
    "CAI": FLOP / BYTE,
    "MI": DIMENSIONLESS,
}
QUANTITIES: dict[str, Dimension] = {
    "flops": FLOP,
    "memory": BYTE,
    "network": BYTE,
    **INTENSITY_UNITS,
    "time": SECOND,
    "attainable": FLOP / SECOND,
}
"""The numbers that every result has, with their units."""


def intensity(work: Mapping[str, Expression], name: str) -> Expression | None:
    """Return an intensity from the work by resource, or None where its denominator is 0."""
    above, below = (work.get(key, ZERO) for key in INTENSITIES[name])
    return None if is_zero(below) else divide(above, below)


def is_zero(tree: Expression) -> bool:
    """Whether an expression is the number 0."""
    return isinstance(tree, Number) and tree.value == 0
