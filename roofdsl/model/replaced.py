"""Values that a machine gives to parameters and `let`s of the one it is made from."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Number
from roofdsl.model import mismatch
from roofdsl.model.arguments import argument
from roofdsl.model.elaborate import fits
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
    if found is None:
        return None
    return parameter._replace(default=found[0], written=" ".join(new.value.span.text.split()))


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
