"""The bounds of a parameter, as a reader is shown them."""

from __future__ import annotations

from roofdsl.expression.tree import Comparison, Expression, Logic, Relation
from roofdsl.model.types import Parameter


def bounds_condition(parameter: Parameter) -> Expression | None:
    """Return the condition that bounds a parameter, `1 <= N and N <= 9`; None where nothing does.

    >>> from roofdsl.model.library import find_model
    >>> from roofdsl.typeset.text import text
    >>> model, _ = find_model("summa")
    >>> text(bounds_condition(model.parameters[0]))
    'N >= 2'
    """
    if parameter.kind in ("boolean", "precision"):
        return None
    limits: list[Expression] = []
    if parameter.low is not None:
        relation: Relation = ">" if parameter.low_open else ">="
        limits.append(Comparison(relation, parameter.symbol, parameter.low))
    if parameter.high is not None:
        limits.append(Comparison("<=", parameter.symbol, parameter.high))
    if len(limits) == 2:
        return Logic("and", tuple(limits))
    return limits[0] if limits else None
