"""A prediction laid out once, to be computed for many values of what is open."""

from __future__ import annotations

from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.node import stated_in
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.tree import Expression


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
