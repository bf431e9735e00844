"""What a test may write behind a dot: the numbers of a prediction or of ridge points."""

from __future__ import annotations

import math
from fractions import Fraction

from roofdsl.analysis.intensity import QUANTITIES
from roofdsl.analysis.result import Result, Ridge
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Number
from roofdsl.model.types import Formula
from roofdsl.units.dimension import DIMENSIONLESS

LIMITS = ("infinite", "undefined")


def member(holder: Result | Ridge, name: str) -> Formula | str | None:
    """Return what stands behind a dot: `time` of a prediction, `OI` of ridge points.

    It is one of `LIMITS` where it is no number that can be computed with, and None where nothing
    of that name is there.
    """
    value: float | None
    if isinstance(holder, Ridge):
        value = getattr(holder, name) if name in names_of(holder) else None
        dimension = QUANTITIES.get(name, DIMENSIONLESS)
    elif name in QUANTITIES:
        value, dimension = getattr(holder, name), QUANTITIES[name]
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
    return [*QUANTITIES, "ridge", "bound", *holder.named]
