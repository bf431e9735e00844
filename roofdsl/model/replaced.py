"""Values that a definition gives to parameters and `let`s of the one it is made from."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Label
from roofdsl.expression.construct import multiply
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.arguments import argument, is_of_sort
from roofdsl.model.elaborate import fits
from roofdsl.model.limits import WHOLE, Limits, Values
from roofdsl.model.right_side import right_side
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, Parameter
from roofdsl.source import Span
from roofdsl.syntax.expressions import ExpressionSyntax


class Replacement(NamedTuple):
    """A value given to a name, and what it may use; or a factor of what it has."""

    value: ExpressionSyntax | Fraction
    scope: Scope
    span: Span


def parameter_given(parameter: Parameter, new: Replacement) -> Parameter | None:
    """Return a parameter with another default, None after reporting what does not fit."""
    if isinstance(new.value, Fraction):
        if parameter.default is None or not parameter.is_number:
            message = f"'{parameter.name}' has no number that could be multiplied"
            new.scope.refuse("R0408", message, parameter.span, hint="give it a value instead")
            return None
        factor = Number(new.value)
        return parameter._replace(default=multiply(factor, parameter.default))
    found = argument(parameter, new.value, new.scope, off=True)
    if found is None or not _is_allowed(parameter, found[0], new.value.span, new.scope):
        return None
    return parameter._replace(default=found[0], written=" ".join(new.value.span.text.split()))


def fixes(parameter: Parameter, formula: Formula, place: Span, scope: Scope) -> bool:
    """Whether a value suits a parameter that becomes a `let`; report where it does not."""
    suits = is_of_sort(parameter, formula, place, scope)
    return suits and _is_allowed(parameter, formula.tree, place, scope)


def _is_allowed(parameter: Parameter, value: Expression, place: Span, scope: Scope) -> bool:
    """Whether a value is one that a parameter may have, where both are known; report if not."""
    known = constant(value) if parameter.is_number else None
    limits = Limits(parameter.low, parameter.high, parameter.low_open)
    whole = parameter.kind in ("integer", "processes")
    wanted = known is not None and Values(whole, parameter.dimension, limits).objection(known)
    if not wanted:
        return True
    message = f"'{parameter.name}' must be {wanted}"
    code = "R0404" if wanted == WHOLE else "R0402"
    scope.refuse(code, message, place, Label(parameter.span, "declared here"))
    return False


def let_given(name: str, declared: Span, old: Formula, new: Replacement) -> Formula | None:
    """Return the formula of a `let` with another value, of the unit that it had."""
    if isinstance(new.value, Fraction):
        return old._replace(tree=multiply(Number(new.value), old.tree))
    found = right_side(f"'{name}'", new.value, new.scope)
    formula = found and found[0]
    if formula is None or not mismatch.same_sort(formula, old.truth, new.value.span, new.scope):
        return None
    if not fits(formula, old.dimension):
        place, wanted = new.value.span, old.dimension
        mismatch.assigned(f"'{name}'", formula, place, wanted, declared, new.scope)
        return None
    return formula._replace(dimension=old.dimension)
