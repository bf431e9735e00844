"""A model on a machine, as definitions: what every answer is asked of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.diagnostic import Diagnostic, RoofError, raise_if_any
from roofdsl.model.arguments import Argument, Value, python_value, read_arguments
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.source import Source

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from roofdsl.analysis.result import Result
    from roofdsl.answer.sweep import Sweep, SweepPlan

_NO_RATE = {"R0501", "R0505"}
_MOST_PLANS = 8
"""Sweeps of a model on a machine with the same settings share what is laid out, the latest ones."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelOnMachine:
    """A model on a machine. Its methods raise RoofError for values that do not fit."""

    model: ModelDefinition
    machine: MachineDefinition
    _plans: dict[object, SweepPlan] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The model's parameters by name, in the order written."""
        return {parameter.name: parameter for parameter in self.model.parameters}

    def arguments(self, values: Mapping[str, Value | Source]) -> dict[str, Argument]:
        """Return values as expressions; raise RoofError for one that cannot be."""
        texts = {name: value for name, value in values.items() if isinstance(value, str | Source)}
        arguments, problems = read_arguments(self.model, texts)
        found = list(problems)
        precisions = {p.name for p in self.model.parameters if p.kind == "precision"}
        for name, value in values.items():
            if name in texts:
                continue
            tree = python_value(value)
            if name in precisions:
                hint = f'give its name: {name}="fp64"'
                found.append(Diagnostic("R0308", f"{name} = {value} is not a precision", (), hint))
            elif tree is None:
                found.append(Diagnostic("R0404", f"{name} = {value} is not a finite number"))
            else:
                arguments[name] = (tree, None)
        raise_if_any(found)
        return arguments

    def bound(self, values: Mapping[str, Value | Source], free: Iterable[str] = ()) -> Prediction:
        """Return the prediction at some values, as formulas in the parameters named `free`."""
        return self.at(self.arguments(values), free)

    def at(self, arguments: Arguments, free: Iterable[str] = ()) -> Prediction:
        """Return the prediction at values that are expressions."""
        prediction, problems = predict(self.model, self.machine, arguments, frozenset(free))
        raise_if_any(problems)
        return prediction

    def evaluate(self, values: Mapping[str, Value]) -> Result:
        """Return the prediction in numbers."""
        from roofdsl.analysis.result import evaluated  # only answers in numbers need it

        return evaluated(self.bound(values))

    def sweep(self, values: Mapping[str, Value | ArrayLike]) -> Sweep:
        """Return the prediction over arrays of values, which broadcast against one another."""
        from roofdsl.answer.sweep import SweepPlan

        single: dict[str, Value] = {}
        arrays: dict[str, ArrayLike] = {}
        for name, value in values.items():
            if isinstance(value, int | float | str | Fraction):
                single[name] = value
            else:
                arrays[name] = value
        # A name that is no parameter is given a value, for what binds them to refuse.
        unknown = dict.fromkeys(arrays.keys() - self.parameters.keys(), 1)
        for name, parameter in self.parameters.items():
            if name in arrays and not parameter.is_number:
                message = f"{name} is a {parameter.kind}, and is given several values"
                hint = "sweep once for each: it chooses among formulas and rates"
                raise RoofError([Diagnostic("R0404", message, hint=hint)])
        arguments = self.arguments({**single, **unknown})
        asked = frozenset(arrays), frozenset((name, tree) for name, (tree, _) in arguments.items())
        if asked not in self._plans:
            prediction, problems = predict(self.model, self.machine, arguments, frozenset(arrays))
            raise_if_any([found for found in problems if found.code not in _NO_RATE])
            # Work that is 0 needs no rate: each point says by itself whether it is.
            plan = SweepPlan(prediction, by_points=bool(problems))
            while len(self._plans) >= _MOST_PLANS:
                del self._plans[next(iter(self._plans))]
            self._plans[asked] = plan
        plan = self._plans[asked]
        return plan.sweep(arrays, lambda point: self.evaluate({**single, **point}))
