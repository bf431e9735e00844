"""The sign of a difference at one exact point: by rational numbers, else at rising precision."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from roofdsl.allowance import Budget
from roofdsl.expression.construct import subtract
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.sign import sign
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Function, Number, Power, Sum
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.exact import ExactEvaluator, exact_evaluator
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.settle import has_choices, settled
from roofdsl.numeric.sums import added_up

# Bits: what is still not decided then is left undecided. More would hardly help: two numbers made
# of a few small ones that agree to a thousand digits are nearly always equal, and no precision can
# show that.
PRECISIONS = (100, 200, 400, 800, 1600, 3200)
_FIRST_PRECISION = 160
# What bounds of the lowest precision cost.
_BOUNDED = 20.0


class ExactSign:
    """The sign of `left - right` as a function of a name.

    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N")
    >>> log2 = Function("log2", (n,))
    >>> compare = ExactSign(log2, Number(Fraction(60)), "N")
    >>> compare(Fraction(2**60), Budget()), compare(Fraction(2**60 + 1), Budget())
    (0, 1)
    """

    def __init__(self, left: Expression, right: Expression, name: str) -> None:
        self._sides = left, right
        self._name = name

    # Most are never asked, or told by the quick way.

    @cached_property
    def _difference(self) -> Expression:
        return added_up(subtract(*self._sides), self._name)

    @cached_property
    def _exact(self) -> ExactEvaluator:
        return exact_evaluator(self._difference)

    @cached_property
    def _size(self) -> int:
        return len(bottom_up(self._difference))

    @cached_property
    def _irrational(self) -> bool:
        return _may_be_irrational(self._difference)

    def __call__(self, x: Fraction, budget: Budget) -> int | None:
        """Return -1, 0 or 1; None where it has no value, or it cannot be told from 0."""
        if self._irrational:
            budget.spend(_BOUNDED + self._size)
            # Rational numbers will hardly do, but for a tie, and a tie is rare: the quick way goes
            # first. Its bounds enclose the value, so a sign it finds is proven; 0 is not found.
            found = self._precise(x, budget)
            if found:
                return found
        try:
            value = self._exact({self._name: x}, budget)
        except EvaluationError:
            return None
        if value is not None:
            return (value > 0) - (value < 0)
        return constant_sign(substitute(self._difference, {self._name: Number(x)}), budget)

    def _precise(self, x: Fraction, budget: Budget) -> int:
        """Return the sign if it can be told quickly, else 0."""
        from roofdsl.expression.bounds import sign_by_bounds  # mpmath takes its time to import

        try:
            return sign_by_bounds(self._difference, _FIRST_PRECISION, self._name, x, budget)
        except (ArithmeticError, ValueError):
            return 0


def _may_be_irrational(tree: Expression) -> bool:
    """Whether bounds tell its sign sooner than exact numbers, as of long sums."""
    for node in bottom_up(tree):
        match node:
            case Function("log2" | "ln" | "log10" | "log" | "exp" | "lambertw", _):
                return True
            case Power(_, Number(value)):
                if value.denominator != 1:
                    return True
            case Power() | Sum():
                return True
    return False


def constant_sign(tree: Expression, budget: Budget) -> int | None:
    """Return the sign of a number expression; None where it cannot be told from 0.

    >>> from roofdsl.expression.construct import number
    >>> log2 = Function("log2", (number(3),))
    >>> constant_sign(subtract(log2, number("1.5849625007211561815")), Budget())
    -1
    """
    size = len(bottom_up(tree))
    budget.spend(_BOUNDED + size)
    if has_choices(tree):
        side = Enclosure(tree, "")
        side.over(1.0, 1.0)
        tree = settled(side)
    form = normal_form(tree)
    if form is not None:
        found = sign(form)
        if found is not None:
            return found
        tree = form.tree()
    from roofdsl.expression.bounds import (  # mpmath takes its time to import
        Undefined,
        sign_by_bounds,
    )

    # The width of the bounds shrinks with the precision, so any number but 0 is told some day; 0
    # itself was looked for above, by the normal form.
    for precision in PRECISIONS:
        if not budget.left:
            return None
        budget.spend((_BOUNDED + size) * precision / PRECISIONS[0])
        try:
            found = sign_by_bounds(tree, precision, budget=budget)
        except Undefined:
            return None
        except (ArithmeticError, ValueError):
            continue  # a jump, or a quotient by what may be 0: more bits may tell
        if found:
            return found
    return None
