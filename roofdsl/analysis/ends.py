"""What tests ask of the numbers with `±`: `r.time.low`, and whether a bound holds all over them."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from roofdsl.analysis.members import Member, Unanswered, member
from roofdsl.analysis.result import Result
from roofdsl.expression.tree import Number
from roofdsl.model.types import Formula

LOW: Final = "low"
HIGH: Final = "high"
FIRST_ORDER: Final = "first_order"


def end_asked(holder: Result, name: str) -> Member | None:
    """Return the end of a result, `time.low`, or how far it is off to first order.

    None where no such is asked for, or there is no such result.
    """
    of, _, end = name.rpartition(".")
    if not of or end not in (LOW, HIGH, FIRST_ORDER) or name in {*holder.work, *holder.times}:
        return None
    found = member(holder, of)
    if not isinstance(found, Formula) or found.truth:
        return found if isinstance(found, Unanswered) else None
    value = end_of(holder, of, end)
    if isinstance(value, Unanswered):
        return value
    if value is None:  # it depends on no such number
        return found._replace(tree=Number(Fraction())) if end == FIRST_ORDER else found
    return found._replace(tree=Number(Fraction(value)))


def end_of(holder: Result, name: str, end: str) -> float | Unanswered | None:
    """Return an end of a quantity in its unit, or why none is known.

    None where it depends on no number with `±`: the quantity is its own ends, and 0 off.
    """
    known = holder.uncertainty
    if known.why:
        return Unanswered(known.why)
    ends = known.get(name)
    if ends is None and not known.is_fixed(name):
        return Unanswered(f"what ± does to {name} is not worked out")
    if ends is None:
        return None
    value = {LOW: ends.low, HIGH: ends.high, FIRST_ORDER: ends.first_order}[end]
    if value is None:
        why = "is known at the numbers as stated, so no first order"
        return Unanswered(f"no slope of {name} {why}")
    if math.isinf(value):
        side = {LOW: "below", HIGH: "above", FIRST_ORDER: "to first order"}[end]
        return Unanswered(f"no bound of {name} {side} is known within the ±")
    return value


def bound_elsewhere(holder: Result) -> str | None:
    """Return what binds in part of what the numbers with `±` may be, where it is not one alone."""
    known = holder.uncertainty
    if known.why:
        return f"not known all over the uncertainty: {known.why}"
    if known.bound is None or known.bound.verdict == "all":
        return None
    if known.bound.verdict == "undecided":
        return f"{holder.bound or 'undefined'} as stated, and not decided all over the uncertainty"
    first, *others = known.bound.bounds
    return f"{first} in part of the uncertainty, {' or '.join(others)} in the rest"
