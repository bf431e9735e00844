"""A model on a machine, as definitions: what every answer is asked of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.diagnostic import Diagnostic, RoofError, raise_if_any
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.given import argument_of, held, is_several
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.source import Source

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from roofdsl.analysis.result import Result
    from roofdsl.answer.sweep import Sweep, SweepPlan

    ZeroDimensional: TypeAlias = np.ndarray[tuple[()], np.dtype[Any]]

    class HasArray(Protocol):
        """What NumPy makes an array of: an array itself, a series of a data frame."""

        def __array__(self) -> NDArray[Any]: ...


Numeric: TypeAlias = (
    "int | float | Fraction | Decimal | np.integer[Any] | np.floating[Any] | ZeroDimensional"
)
"""A number as Python has it, in SI base units where it has a unit."""
Value: TypeAlias = "Numeric | bool | np.bool_ | str"
"""One value of a parameter."""
Values: TypeAlias = "Value | Sequence[Numeric | str] | Sequence[Sequence[Numeric | str]] | HasArray"
"""One value of a parameter, or several."""
_NO_RATE = {"R0501", "R0505"}
_MOST_PLANS = 8
"""Sweeps of a model on a machine with the same settings share what is laid out, the latest ones."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelOnMachine:
    """A model on a machine. Its methods raise RoofError for values that do not fit."""

    model: ModelDefinition
    machine: MachineDefinition
    _opened: list[Prediction] = field(default_factory=list)
    _plans: dict[object, SweepPlan] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The model's parameters by name, in the order written."""
        return {parameter.name: parameter for parameter in self.model.parameters}

    @property
    def opened(self) -> Prediction:
        """The prediction in which every parameter is free, for answers in formulas."""
        if not self._opened:
            self._opened.append(self.bound({}).opened())
        return self._opened[0]

    def arguments(self, values: Mapping[str, object]) -> dict[str, Argument]:
        """Return values as expressions; raise RoofError for one that cannot be."""
        plain = {name: held(value) for name, value in values.items()}
        texts = {name: value for name, value in plain.items() if isinstance(value, str | Source)}
        arguments, problems = read_arguments(self.model, texts)
        found = list(problems)
        for name, value in plain.items():
            if name in texts:
                continue
            parameter = self.parameters.get(name)
            # A name that is no parameter is given a value, for what binds them to refuse.
            tree = ONE if parameter is None else argument_of(parameter, value)
            if isinstance(tree, Diagnostic):
                found.append(tree)
            else:
                arguments[name] = (tree, None)
        raise_if_any(found)
        return arguments

    def numbers(self, name: str, values: object) -> NDArray[Any]:
        """Return several values of a parameter as numbers in SI base units."""
        from roofdsl.answer.arrays import numbers_of

        def exactly(value: object) -> Fraction:
            found = constant(self.arguments({name: value})[name][0])
            if found is None:
                message = f"a value of {name} among several depends on another parameter"
                raise RoofError([Diagnostic("R0404", message, hint="give numbers alone")])
            return found

        return numbers_of(name, values, exactly)

    def bound(self, values: Mapping[str, object], free: Iterable[str] = ()) -> Prediction:
        """Return the prediction at some values, as formulas in the parameters named `free`."""
        return self.at(self.arguments(values), free)

    def at(self, arguments: Arguments, free: Iterable[str] = ()) -> Prediction:
        """Return the prediction at values that are expressions."""
        prediction, problems = predict(self.model, self.machine, arguments, frozenset(free))
        raise_if_any(problems)
        return prediction

    def evaluate(self, values: Mapping[str, object]) -> Result:
        """Return the prediction in numbers."""
        from roofdsl.analysis.result import evaluated  # only answers in numbers need it

        return evaluated(self.bound(values))

    def sweep(self, values: Mapping[str, object]) -> Sweep:
        """Return the prediction over arrays of values, which broadcast against one another."""
        from roofdsl.answer.sweep import SweepPlan

        several = {name for name, value in values.items() if is_several(value)}
        known = several & self.parameters.keys()
        single = {name: value for name, value in values.items() if name not in known}
        for name, parameter in self.parameters.items():
            if name in known and not parameter.is_number:
                message = f"{name} is a {parameter.kind}, and is given several values"
                hint = "sweep once for each: it chooses among formulas and rates"
                raise RoofError([Diagnostic("R0404", message, hint=hint)])
        arguments = self.arguments(single)
        arrays = {name: self.numbers(name, values[name]) for name in values if name in known}
        asked = frozenset(arrays), frozenset((name, tree) for name, (tree, _) in arguments.items())
        plan = self._plans.get(asked)
        if plan is None:
            prediction, problems = predict(self.model, self.machine, arguments, frozenset(arrays))
            raise_if_any([found for found in problems if found.code not in _NO_RATE])
            # Work that is 0 needs no rate: each point says by itself whether it is.
            plan = SweepPlan(prediction, by_points=bool(problems))
            for oldest in [*self._plans][: 1 - _MOST_PLANS]:
                self._plans.pop(oldest, None)  # another thread may have done so
            self._plans[asked] = plan
        return plan.sweep(arrays, lambda point: self.evaluate({**single, **point}))
