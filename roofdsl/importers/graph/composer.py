"""Operators, one after another, to the steps of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from roofdsl.importers.graph.naming import Names
from roofdsl.importers.graph.size import Size
from roofdsl.importers.graph.values import NoRule, Operator, Value, Weight
from roofdsl.model.precision import PRECISIONS

Argument: TypeAlias = Size | int | bool | str


class Step(NamedTuple):
    """A step of the model: the layer, its arguments as they are written, and what it reads."""

    name: str
    layer: str
    arguments: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]


class LeftOut(NamedTuple):
    """An operator that is in no number: what it is, its shape, why, and before which step."""

    kind: str
    name: str
    shape: str
    reason: str
    place: int


class Composer:
    """The steps of one model, as rules add them; each weight is counted where it is used first."""

    def __init__(self, dtype: str, taken: Sequence[str] = ()) -> None:
        self.dtype = dtype
        self.steps: list[Step] = []
        self.left_out: list[LeftOut] = []
        self.given: dict[str, Value] = {}
        """The tensors that no step makes, by their names in the model."""
        self.options: dict[str, str] = {}
        """The parameters that rules ask for, with their documentation."""
        self.remarks: dict[str, None] = {}
        self.names = Names(["dtype", "left_out", "other_parameters", *taken])
        self._sources: dict[str, str] = {}
        self._counted: dict[str, dict[str, int]] = {}
        self._claimed: list[tuple[str, str]] = []
        self._asked_for: list[str] = []

    def apply(self, operator: Operator, rule: Rule | None) -> None:
        """Add what a rule makes of an operator, or leave it out."""
        steps, self._claimed, self._asked_for = len(self.steps), [], []
        try:
            if rule is None:
                raise NoRule
            rule(operator, self)
        except NoRule as reason:
            del self.steps[steps:]
            for root, part in self._claimed:
                del self._counted[root][part]
            for value in self._asked_for:
                del self.given[self._sources.pop(value)]
            self._leave_out(operator, str(reason))

    def add(
        self,
        operator: Operator,
        layer: str,
        reads: Sequence[Value | str],
        arguments: Mapping[str, Argument],
        *,
        suffix: str = "",
    ) -> str:
        """Add a step, which reads tensors or results of steps; return its name."""
        sources = tuple(each if isinstance(each, str) else self.source(each) for each in reads)
        name = self.names.take(f"{operator.name}{suffix}", layer)
        written = [(key, _written(value)) for key, value in arguments.items()]
        written.append(("dtype", self.precision(operator.result)))
        self.steps.append(Step(name, layer, tuple(written), sources))
        return name

    def source(self, value: Value) -> str:
        """Return what makes a tensor: a step, or what the model is given."""
        found = self._sources.get(value.name)
        if found is None:
            found = self.names.take(value.name.rpartition("/")[2], "given")
            self._sources[value.name] = found
            self.given[found] = value
            self._asked_for.append(value.name)
        return found

    def becomes(self, value: Value, source: Value | str) -> None:
        """Say what makes a tensor: a step, or what makes the tensor it lies in."""
        self._sources[value.name] = source if isinstance(source, str) else self.source(source)

    def first_use(self, weight: Weight) -> bool:
        """Whether a weight is not counted yet; from now on it is."""
        counted = self._counted.setdefault(weight.root, {})
        left = weight.whole - sum(counted.values())
        if weight.part in counted or weight.elements > left:
            return False
        counted[weight.part] = weight.elements
        self._claimed.append((weight.root, weight.part))
        return True

    def uncounted(self, root: str, whole: int) -> int:
        """Return the elements of a parameter that no step counts."""
        return whole - sum(self._counted.get(root, {}).values())

    def remark(self, text: str) -> None:
        """Say something of the whole model, once."""
        self.remarks[text] = None

    def option(self, name: str, documentation: str) -> str:
        """Return the name of a parameter of the model that a rule asks for."""
        self.options[name] = documentation
        return name

    def _leave_out(self, operator: Operator, reason: str) -> None:
        shape = operator.result.shape
        shown = " × ".join(map(str, shape)) if shape is not None else "unknown shape"
        found = LeftOut(
            operator.kind, operator.name, shown or "one number", reason, len(self.steps)
        )
        self.left_out.append(found)
        before = next((each for each in operator.inputs if each and each.computed), None)
        for output in operator.outputs:
            if before is not None:
                self.becomes(output, before)

    def precision(self, value: Value) -> str:
        """Return the precision of a tensor as it is written: `dtype` where it is that of most."""
        if value.dtype == self.dtype:
            return "dtype"
        if value.dtype not in (*PRECISIONS, "bool"):
            raise NoRule(f"it is in '{value.dtype}'")
        return "int8" if value.dtype == "bool" else value.dtype


Rule: TypeAlias = Callable[[Operator, Composer], None]
"""Adds the steps of an operator to a model, or raises NoRule."""


def _written(value: Argument) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
