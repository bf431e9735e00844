"""What can be said of bounds and defaults before there is a value: constants that do not fit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, Reporter
from roofdsl.expression.condition import compare
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import Comparison, Expression, Logic, Relation
from roofdsl.model.types import Parameter
from roofdsl.syntax.nodes import ParameterStatement
from roofdsl.units.dimension import Dimension
from roofdsl.units.quantity import show_exact

IN_WORDS: dict[Relation, str] = {">": "more than", ">=": "at least", "<=": "at most"}
WHOLE = "a whole number"


class Limits(NamedTuple):
    """The bounds of a parameter, both included unless `low_open`; None where there is none."""

    low: Expression | None
    high: Expression | None
    low_open: bool = False


class Values(NamedTuple):
    """The values a parameter may take, as far as they are known from the text."""

    whole: bool
    dimension: Dimension
    limits: Limits

    def leave_something(self) -> bool:
        """Whether a value lies between the bounds."""
        low, high = _known(self.limits.low), _known(self.limits.high)
        if low is None or high is None:
            return True
        if self.whole:
            return math.ceil(low) <= math.floor(high)
        return low < high or (low == high and not self.limits.low_open)

    def objection(self, value: Fraction) -> str | None:
        """Return what a value must be and is not."""
        if self.whole and value.denominator != 1:
            return WHOLE
        for relation, bound in relations(self.limits):
            limit = constant(bound)
            if limit is not None and not compare(relation, value, limit):
                return f"{IN_WORDS[relation]} {show_exact(limit, self.dimension)}"
        return None


def relations(bounded: Limits | Parameter) -> Iterator[tuple[Relation, Expression]]:
    """Yield the bounds there are, each with how values lie to it."""
    if bounded.low is not None:
        yield ">" if bounded.low_open else ">=", bounded.low
    if bounded.high is not None:
        yield "<=", bounded.high


def fitting(
    statement: ParameterStatement,
    values: Values,
    default: Expression | None,
    report: Reporter,
) -> bool:
    """Whether bounds and default agree, where they are constants; report what does not."""
    name, bounds = statement.name.name, statement.kind.bounds if statement.kind else None
    if bounds is not None and not values.leave_something():
        what = "whole number" if values.whole else "value"
        message = f"no {what} lies between the bounds of '{name}'"
        low, high = _known(values.limits.low), _known(values.limits.high)
        turned_round = low is not None and high is not None and low > high
        hint = "the lower bound comes first" if turned_round else None
        report(Diagnostic.at("R0223", message, bounds.span, hint=hint))
        return False
    value = _known(default)
    wanted = None if value is None else values.objection(value)
    if value is None or wanted is None or statement.default is None:
        return True
    advice: str | None = None
    kind = statement.kind.unit.name if statement.kind else str(values.dimension)
    if (bounds is None or bounds.low is None) and kind != "processes":
        least = "0" if value == 0 else show_exact(value, values.dimension)
        advice = f"to allow it, give bounds: `{name}: {'real' if kind == '1' else kind}[{least}..]`"
    code, hint = ("R0404", None) if wanted == WHOLE else ("R0402", advice)
    labels = (Label(statement.default.span), Label(statement.name.span, "declared here"))
    report(Diagnostic(code, f"the default of '{name}' must be {wanted}", labels, hint))
    return False


def _known(tree: Expression | None) -> Fraction | None:
    return None if tree is None else constant(tree)


def bounds_condition(parameter: Parameter) -> Expression | None:
    """Return the condition that bounds a parameter, `1 <= N and N <= 9`; None where nothing does.

    >>> from roofdsl.model.library import find_model
    >>> from roofdsl.typeset.text import text
    >>> model, _ = find_model("summa")
    >>> text(bounds_condition(model.parameters[0]))
    'N >= 2'
    """
    if not parameter.is_number:
        return None
    limits = [Comparison(sign, parameter.symbol, bound) for sign, bound in relations(parameter)]
    return Logic("and", tuple(limits)) if len(limits) == 2 else next(iter(limits), None)
