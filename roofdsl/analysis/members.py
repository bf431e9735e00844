"""What a test can ask of a prediction, or of a machine's ridge points, by name."""

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
NO_SUCH = "is nothing that a prediction has"
LIMITS = ("infinite", "undefined")


def member(holder: Result | Ridge, name: str) -> Formula | str:
    """Return what a prediction has under a name, or what is wrong with that."""
    value, dimension = _value(holder, name)
    if value is None:
        return NO_SUCH
    if isinstance(value, bool):
        return Formula(truth(value), DIMENSIONLESS, truth=True)
    beyond = _beyond(value)
    return f"is {beyond}" if beyond else Formula(Number(Fraction(value)), dimension)


def beyond_numbers(holder: Result | Ridge, name: str) -> str | None:
    """Return "infinite" or "undefined" where that is what a member is, "" where it is a number.

    None where there is no such number.
    """
    value, _ = _value(holder, name)
    return None if value is None or isinstance(value, bool) else _beyond(value)


def names_of(holder: Result | Ridge) -> list[str]:
    """Return what can be asked."""
    if isinstance(holder, Ridge):
        return ["OI", "CAI", "MI"]
    return [*MEMBERS, "ridge", "bound", *holder.named]


def _value(holder: Result | Ridge, name: str) -> tuple[float | None, Dimension]:
    if isinstance(holder, Ridge):
        known = name in names_of(holder)
        return getattr(holder, name) if known else None, MEMBERS.get(name, DIMENSIONLESS)
    if name in MEMBERS:
        return getattr(holder, name), MEMBERS[name]
    return holder.named.get(name), holder.dimensions.get(name, DIMENSIONLESS)


def _beyond(value: float) -> str:
    if math.isfinite(value):
        return ""
    return "undefined" if math.isnan(value) else "infinite"
