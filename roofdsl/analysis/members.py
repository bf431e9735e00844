"""What a prediction, or ridge points, have by name: what a test writes behind a dot."""

from __future__ import annotations

import math
from fractions import Fraction

from roofdsl.analysis.result import Result, Ridge
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Number
from roofdsl.model.types import Formula
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension

MEMBERS: dict[str, Dimension] = {
    "flops": FLOP,
    "memory": BYTE,
    "network": BYTE,
    "OI": FLOP / BYTE,
    "CAI": FLOP / BYTE,
    "MI": DIMENSIONLESS,
    "time": SECOND,
    "attainable": FLOP / SECOND,
}
LIMITS = ("infinite", "undefined")


def member(holder: Result | Ridge, name: str) -> Formula | str | None:
    """Return what stands behind a dot: `time` of a prediction, `OI` of ridge points.

    It is one of `LIMITS` where it is no number that can be computed with, and None where nothing
    of that name is there.
    """
    value: float | None
    if isinstance(holder, Ridge):
        value = getattr(holder, name) if name in names_of(holder) else None
        dimension = MEMBERS.get(name, DIMENSIONLESS)
    elif name in MEMBERS:
        value, dimension = getattr(holder, name), MEMBERS[name]
    else:
        value, dimension = holder.named.get(name), holder.dimensions.get(name, DIMENSIONLESS)
    if value is None:
        return None
    if isinstance(value, bool):
        return Formula(truth(value), DIMENSIONLESS, truth=True)
    if math.isfinite(value):
        return Formula(Number(Fraction(value)), dimension)
    return "undefined" if math.isnan(value) else "infinite"


def names_of(holder: Result | Ridge) -> list[str]:
    """Return the names that may stand behind a dot."""
    if isinstance(holder, Ridge):
        return ["OI", "CAI", "MI"]
    return [*MEMBERS, "ridge", "bound", *holder.named]
