"""What models ask of the values that they are given, as conditions on what is still open."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.binding import Binding
from roofdsl.analysis.node import Node
from roofdsl.analysis.placing import Placing
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Comparison, Expression, Function, Number, Relation, Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.typeset.text import text as written


def conditions_on(prediction: Prediction, name: str) -> list[Expression]:
    """Return what a model and its steps ask of a name: kinds, bounds and `require`s.

    >>> from roofdsl.analysis.prediction import predict
    >>> from roofdsl.model.library import find_machine, find_model
    >>> (summa, _), (karst, _) = find_model("summa"), find_machine("karst")
    >>> prediction, _ = predict(summa, karst, {})
    >>> [written(condition) for condition in conditions_on(prediction, "P")]
    ['sqrt(P) is integer']
    """
    asking = _Asking(prediction.machine)
    asking.look_into(prediction.model, prediction.binding)
    return [
        condition
        for condition in asking.conditions
        if name in {symbol.name for symbol in free_symbols(condition)}
    ]


class _Asking(Placing):
    """Places a model again, and notes what each of its steps asks."""

    def __init__(self, machine: MachineDefinition) -> None:
        self.conditions: dict[Expression, None] = {}
        super().__init__(machine)

    def look_into(self, model: ModelDefinition, binding: Binding) -> None:
        self._node(model.name, model, binding, None)

    def _node(
        self, name: str, model: ModelDefinition, binding: Binding, device: str | None
    ) -> Node:
        self.conditions.update((condition, None) for _, condition in conditions(model, binding))
        return super()._node(name, model, binding, device)


def conditions(model: ModelDefinition, binding: Binding) -> Iterator[tuple[str, Expression]]:
    """Yield what a step's model asks of its parameters: in words, and as a condition."""
    for parameter in model.parameters:
        value = binding.trees.get(parameter.name)
        if value is None or isinstance(value, Number) or parameter.kind in ("boolean", "precision"):
            continue
        limits: tuple[tuple[Relation, Expression | None], ...] = (
            (">" if parameter.low_open else ">=", parameter.low),
            ("<=", parameter.high),
        )
        for relation, bound in limits:
            if bound is not None:
                text = f"{model.name} requires {parameter.name} {relation} {written(bound)}"
                yield text, Comparison(relation, value, binding.expand(bound))
        if parameter.symbol.integer and not (isinstance(value, Symbol) and value.integer):
            whole = Function("is_integer", (value,))
            yield f"{model.name} requires a whole {parameter.name}", whole
    for item in model.requirements:
        yield f"{model.name} requires {item.text}", binding.expand(item.condition)
