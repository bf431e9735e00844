"""What a prediction needs to have numbers, besides what is required of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.node import walk
from roofdsl.analysis.plan import Plan
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.totals import totals
from roofdsl.expression import tree as trees
from roofdsl.expression.construct import multiply, number
from roofdsl.expression.defined import Definedness
from roofdsl.expression.substitute import free_symbols, substitute_each
from roofdsl.expression.tree import ZERO, Expression, Number
from roofdsl.numeric.decision import NEARLY
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate_each, evaluator_of_each

# A little above the largest float, so that rounding does not bring what is beyond it below.
_BEYOND_FLOATS = Fraction(2**1024) * (1 + Fraction(1, 10**13))


class Demands(NamedTuple):
    """What a prediction needs besides what is required of its parameters.

    Formulas that must have a value, those among them that must not be below 0, and conditions on
    the totals that a model states.
    """

    valued: tuple[Expression, ...]
    unsigned: tuple[Expression, ...]
    stated: tuple[Expression, ...]

    @classmethod
    def of(cls, prediction: Prediction) -> Demands:
        """Return what `eval` demands at each value of what is open in a prediction."""
        plan = Plan(prediction)
        unsigned = [x for x, signed in zip(plan.amounts, plan.signed, strict=True) if not signed]
        valued = {id(tree): tree for tree in (*plan.amounts, *plan.settings.values())}
        return cls(
            tuple(tree for tree in valued.values() if _may_fail(tree)),
            tuple(tree for tree in unsigned if _may_fail(tree)),
            tuple(condition for _, condition in possible_totals(prediction)),
        )

    def at(self, values: Mapping[str, Expression]) -> Demands:
        """Return the demands with values put in for names."""
        sizes = len(self.valued), len(self.valued) + len(self.unsigned)
        found = substitute_each((*self.valued, *self.unsigned, *self.stated), values)
        return Demands(found[: sizes[0]], found[sizes[0] : sizes[1]], found[sizes[1] :])

    def also(self, other: Demands) -> Demands:
        """Return the demands of both."""
        return Demands(*((*one, *more) for one, more in zip(self, other, strict=True)))

    def about(self, name: str) -> Demands:
        """Return those that depend on one name alone, or on none."""
        return Demands(
            *(
                tuple(tree for tree in row if {s.name for s in free_symbols(tree)} <= {name})
                for row in self
            )
        )

    def conditions(self, name: str, *, whole: bool) -> list[Expression]:
        """Return conditions on one name, besides those stated, that hold where demands are met."""
        defined = Definedness(self.valued, name, whole=whole)
        least = (
            trees.Comparison(">=", tree, ZERO)
            for tree in self.unsigned
            if defined.may_be_negative(tree)
        )
        return [*defined.needed(), *least]

    def beyond(self, name: str, top: Fraction) -> list[Expression]:
        """Return that what is beyond a float at a number is not: conditions that hold before it."""
        compute = evaluator_of_each(self.valued, (name,))
        found = zip(self.valued, compute(_plain(top)), strict=True)
        limit = Number(_BEYOND_FLOATS)
        large = (tree for tree, value in found if isinstance(value, EvaluationError))
        return [trees.Comparison("<", tree, limit) for tree in large]

    def test(self, name: str, *, by_form: bool) -> Callable[[Fraction], bool]:
        """Return a function that says whether the demands are met, computed as `eval` does.

        `by_form`: they are by the form of the formulas, but for numbers that are no floats.
        """
        every = (*self.valued, *self.unsigned, *self.stated)
        compute = evaluator_of_each(every, (name,))
        first, last = len(self.valued), len(self.valued) + len(self.unsigned)

        def met(value: Fraction) -> bool:
            if by_form:
                found = compute(_plain(value))
            else:
                # `eval` puts a number in first and is exact where that is rational: floats would
                # take one side of a jump for the other.
                found = evaluate_each(substitute_each(every, {name: number(value)}))
            numbers = [each for each in found if not isinstance(each, EvaluationError)]
            if len(numbers) < len(found):
                return False
            return all(each >= 0 for each in numbers[first:last]) and all(numbers[last:])

        return met


def possible_totals(prediction: Prediction) -> Iterator[tuple[str, Expression]]:
    """Yield what the totals that are stated must lie between, in words and as a condition.

    It is what `totals.refuted` asks of numbers.
    """
    if not any(node.together is not None and node.together.work for node in walk(prediction.root)):
        return
    for claim in totals(prediction.root, prediction.formulas, Formulas()).claims:
        stated, total, processes, work = claim
        least = multiply(number(1 - Fraction(NEARLY)), work)
        most = multiply(number(1 + Fraction(NEARLY)), processes, work)
        within = (trees.Comparison("<=", least, total), trees.Comparison("<=", total, most))
        text = f"total {stated.key} must lie between what one process does and what all can do"
        yield text, trees.Logic("and", within)


def _may_fail(tree: Expression) -> bool:
    return not isinstance(tree, Number) or tree.value < 0


def _plain(value: Fraction) -> float:
    return value.numerator if value.denominator == 1 else float(value)
