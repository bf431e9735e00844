"""A prediction laid out once, to be computed for many values of what is open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.node import stated_in
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result, result_at
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.jump import as_written
from roofdsl.numeric.scalar import evaluator_of_each


class Plan:
    """All formulas of a prediction, what they share computed once.

    `names` are the parameters that are open, in order. `amounts` are what the model states, without
    repetition, `settings` its parameters and intermediates by name, `checks` the conditions on what
    is open; `signed` says of each amount whether it may be below 0.
    """

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction
        self.names = tuple(parameter.name for parameter in prediction.free)
        stated = list(stated_in(prediction.root))
        self.amounts = tuple({id(x.amount): x.amount for x in stated}.values())
        unsigned = {id(item.amount) for item in stated if not item.signed}
        self.signed = tuple(id(tree) not in unsigned for tree in self.amounts)
        trees = prediction.binding.trees
        open_ones = {p.name: trees.get(p.name, p.symbol) for p in prediction.model.parameters}
        lets = {x.name: trees[x.name] for x in prediction.model.intermediates if x.name in trees}
        self.settings: dict[str, Expression] = {**open_ones, **lets}
        own = [x for p in prediction.free for x in own_conditions(p, prediction.binding)]
        self.checks = (*own, *prediction.checks.values())

    @property
    def formulas(self) -> tuple[Expression, ...]:
        """Everything that is to be computed: amounts, then settings, then checks."""
        return (*self.amounts, *self.settings.values(), *self.checks)


class Rows:
    """A plan computed for one row of values after another."""

    def __init__(self, plan: Plan, composing: Composing = "written") -> None:
        self._plan = plan
        self._composing = composing
        self._places = [id(tree) for tree in plan.amounts]
        self._compute = evaluator_of_each(plan.formulas, plan.names)

    def result(self, values: Mapping[str, Number]) -> Result | None:
        """Return the prediction at values of the plan's names.

        None where something has no value, or is not allowed: `predict` says what.
        """
        plan = self._plan
        given = [_plain(values[name].value) for name in plan.names]
        if None in given:
            return None
        found = self._compute(*given)
        numbers = [value for value in found if not isinstance(value, EvaluationError)]
        first, last = len(plan.amounts), len(plan.amounts) + len(plan.settings)
        if len(numbers) < len(found) or not all(numbers[last:]):
            return None
        amounts = dict(zip(self._places, numbers[:first], strict=True))
        if min(amounts.values(), default=0) < 0 and any(
            value < 0 and not signed
            for value, signed in zip(amounts.values(), plan.signed, strict=True)
        ):
            return None
        amounts[id(ONE)] = 1.0
        settings = dict(zip(plan.settings, numbers[first:last], strict=True))
        try:
            return result_at(plan.prediction, amounts, settings, self._composing, values)
        except (OverflowError, RoofError):
            return None


def _plain(value: Fraction) -> float | None:
    """Return a number for the evaluator, None if it could take it for another one at a jump."""
    if value.denominator == 1:
        return value.numerator
    return float(value) if as_written(float(value)) == value else None
