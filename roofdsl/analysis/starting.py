"""A time that is taken where there is work, such as that of a start-up."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.analysis.algebras import constant
from roofdsl.analysis.intensity import is_zero
from roofdsl.expression.condition import conditional
from roofdsl.expression.construct import add
from roofdsl.expression.order import fold
from roofdsl.expression.product import is_positive
from roofdsl.expression.substitute import rebuild
from roofdsl.expression.tree import ZERO, Comparison, Expression, Logic, Number


def where_working(works: Sequence[Expression], time: Expression) -> Expression:
    """Return a time that is taken where there is some work: `if a + b > 0 then time else 0`.

    >>> from roofdsl.expression.tree import ONE, Symbol
    >>> where_working([ZERO, Symbol("N")], ONE) == ONE
    True
    """
    open_ones: list[Expression] = []
    for work in works:
        known = constant(fold(work, rebuild))
        if is_positive(known):
            return time
        if not is_zero(known):
            open_ones.append(known)
    if not open_ones:
        return ZERO
    return conditional(Comparison(">", add(*open_ones), ZERO), time, ZERO)


def where_idle(work: Expression, condition: Expression) -> Expression:
    """Return a condition that is asked where there is some work: `work <= 0 or condition`."""
    match condition:
        case Comparison("<=", left, Number()) if left == work:
            return condition  # no work is less than any that was measured
    if is_positive(constant(fold(work, rebuild))):
        return condition
    return Logic("or", (Comparison("<=", work, ZERO), condition))
