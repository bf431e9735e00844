"""A model on a machine, as definitions: what every answer is asked of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.diagnostic import Diagnostic, RoofError, raise_if_any
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.given import argument_of, held, is_several, no_number
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.model.uncertain_values import taken_up
from roofdsl.source import Source

if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from roofdsl.analysis.result import Result
    from roofdsl.answer.sweep import SweepPlan
    from roofdsl.answer.swept import Sweep

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
Given: TypeAlias = "Value | Mapping[str, Value]"
"""A value by a keyword; as `values` several by their names."""
Values: TypeAlias = "Value | Sequence[Numeric | str] | Sequence[Sequence[Numeric | str]] | HasArray"
"""One value of a parameter, or several."""
SeveralGiven: TypeAlias = "Values | Mapping[str, Values]"
_Given = TypeVar("_Given")
_NO_RATE = {"R0501", "R0505"}
_FEW = 4
_MOST_KEPT = 8
"""Of a model on a machine, predictions and what is laid out for sweeps are kept: the latest."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelOnMachine:
    """A model on a machine. Its methods raise RoofError for values that do not fit."""

    model: ModelDefinition
    machine: MachineDefinition
    _opened: list[Prediction] = field(default_factory=list)
    _plans: dict[object, SweepPlan] = field(default_factory=dict)
    _predictions: dict[object, Prediction] = field(default_factory=dict)

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

    def of_machine(self, name: str) -> str | None:
        """Return what of the machine a name means: `network` of `karst.network`."""
        start = f"{self.machine.name}."
        if name in self.parameters or not name.startswith(start):
            return None
        return name.removeprefix(start)

    def knows(self, name: str) -> bool:
        """Whether a name is that of a parameter, or of something that the machine may state."""
        return name in self.parameters or self.of_machine(name) is not None

    def parameters_of(self, values: Mapping[str, object]) -> dict[str, Parameter]:
        """Return the parameters by name, and what of the machine is given values as such.

        Raises RoofError for what the machine does not take.
        """
        found = self.parameters
        for name, value in values.items():
            if self.of_machine(name) is not None:
                found[name] = self._asked(name, value)[1]
        return found

    def _asked(self, name: str, value: object) -> tuple[MachineDefinition, Parameter]:
        """Return the machine with one thing given a value, the first of several, and that thing."""
        from roofdsl.analysis.open_machine import machine_parameter
        from roofdsl.analysis.what_if import given, written
        from roofdsl.answer.arrays import array_of

        problems: list[Diagnostic] = []
        swept, key = "", self.of_machine(name) or ""
        if is_several(value):
            several = array_of(name, value).ravel()[: _FEW + 1].tolist()
            value = several[0] if several else 1
            texts = [str(written(self.machine, key, each)) for each in several[:_FEW]]
            swept = ", ".join([*texts, *(["…"] if several[_FEW:] else [])])
        machine = given(self.machine, key, value, problems.append, swept, name)
        raise_if_any(problems)
        return machine, machine_parameter(machine, machine.changes[-1].key)

    def on(self, values: Mapping[str, _Given]) -> tuple[ModelOnMachine, dict[str, _Given]]:
        """Return this on the machine with the values that are for it, and those for the model."""
        found, own = self, dict[str, _Given]()
        for name, value in values.items():
            if self.of_machine(name) is None:
                own[name] = value
            elif is_several(value):
                raise RoofError([no_number(name, value)])
            else:
                found = ModelOnMachine(self.model, found._asked(name, value)[0])
        model, own = taken_up(self.model, own)
        return (found if model is self.model else ModelOnMachine(model, found.machine)), own

    def with_arguments(self, values: Mapping[str, object]) -> tuple[ModelOnMachine, Arguments]:
        """Return this with the values for its machine, and those with `±`; and the others read."""
        there, own = self.on(values)
        return there, there.arguments(own)

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
        """Return several values of a parameter, or of the machine, as numbers in SI base units."""
        from roofdsl.analysis.machine_statements import statements
        from roofdsl.answer.arrays import numbers_of

        def exactly(value: object) -> Fraction:
            if self.of_machine(name) is None:
                found = constant(self.arguments({name: value})[name][0])
            else:
                machine = self._asked(name, value)[0]
                stated = statements(machine).get(machine.changes[-1].key)
                found = stated and constant(stated.formula)
            if found is None:
                message = f"a value of {name} among several depends on another parameter"
                raise RoofError([Diagnostic("R0404", message, hint="give numbers alone")])
            return found

        return numbers_of(name, values, exactly)

    def bound(self, values: Mapping[str, object], free: Iterable[str] = ()) -> Prediction:
        """Return the prediction at some values, as formulas in the parameters named `free`."""
        there, arguments = self.with_arguments(values)
        return there.at(arguments, free)

    def at(
        self, arguments: Arguments, free: Iterable[str] = (), *, peaks: bool = True
    ) -> Prediction:
        """Return the prediction at values that are expressions, without `peaks` of memory or with.

        Peaks take longest where much is open. What is asked again is not worked out again.
        """
        opened = frozenset(free)
        values = frozenset((name, tree) for name, (tree, _) in arguments.items())
        found = self._predictions.get((values, opened, peaks))
        if found is None:
            found, problems = predict(self.model, self.machine, arguments, opened, peaks=peaks)
            raise_if_any(problems)
            _keep(self._predictions, (values, opened, peaks), found)
        return found

    def evaluate(self, values: Mapping[str, object]) -> Result:
        """Return the prediction in numbers."""
        from roofdsl.analysis.result import evaluated  # only answers in numbers need it

        return evaluated(self.bound(values))

    def sweep(self, values: Mapping[str, object], *, skip: bool = False) -> Sweep:
        """Return the prediction over arrays of values, which broadcast against one another.

        Points that are refused are left out if they are to be skipped, unless all are.
        """
        from roofdsl.answer.sweep import SweepPlan

        model, values = taken_up(self.model, values)
        if model is not self.model:
            return ModelOnMachine(model, self.machine).sweep(values, skip=skip)
        several = {name for name, value in values.items() if is_several(value)}
        if choosing := self._choosing(values, several):
            from roofdsl.answer.choices import swept_by_choice

            return swept_by_choice(self, values, choosing, skip=skip)
        on_machine = {name: x for name, x in values.items() if self.of_machine(name) is not None}
        there, by_points = self, False
        arrays: dict[str, NDArray[Any]] = {}
        if on_machine:
            there, arrays, by_points = self._opened_for(on_machine, several)
        known = several & self.parameters.keys()
        own = {name: x for name, x in values.items() if name not in known | on_machine.keys()}
        arguments = self.arguments(own)
        arrays |= {name: self.numbers(name, values[name]) for name in values if name in known}
        asked = frozenset(arrays), frozenset((name, tree) for name, (tree, _) in arguments.items())
        plan = there._plans.get(asked)
        if plan is None:
            free = frozenset(known)
            prediction, problems = predict(self.model, there.machine, arguments, free)
            raise_if_any([found for found in problems if found.code not in _NO_RATE])
            # Work that is 0 needs no rate: each point says by itself whether it is.
            plan = SweepPlan(prediction, by_points=by_points or bool(problems))
            _keep(there._plans, asked, plan)
        single = {name: x for name, x in values.items() if name not in several}
        return plan.sweep(arrays, lambda point: self.evaluate({**single, **point}), skip=skip)

    def _choosing(self, values: Mapping[str, object], several: Iterable[str]) -> list[str]:
        """Return the names given several values that choose among formulas: precisions, truths."""
        known = self.parameters_of({name: values[name] for name in values if name in several})
        return [
            name
            for name in values
            if name in several and name in known and not known[name].is_number
        ]

    def _opened_for(
        self, values: Mapping[str, object], several: Collection[str]
    ) -> tuple[ModelOnMachine, dict[str, NDArray[Any]], bool]:
        """Return this on the machine with values set, open where there are several, and these.

        The last says whether each point is to be evaluated alone: names that stand for something
        (`let`s) are not left open.
        """
        from roofdsl.analysis.machine_statements import statements
        from roofdsl.analysis.open_machine import opened

        found = self
        arrays: dict[str, NDArray[Any]] = {}
        for name, value in values.items():
            machine, parameter = found._asked(name, value)
            found = ModelOnMachine(self.model, machine)
            if name in several:
                arrays[parameter.name] = self.numbers(name, value)
        start = len(self.machine.name) + 1
        known = {key.replace(" ", "."): key for key in statements(found.machine)}
        keys = [known[name[start:]] for name in arrays if name[start:] in known]
        there = ModelOnMachine(self.model, opened(found.machine, keys))
        whole = {x.name for x in there.machine.parameters if x.symbol.integer}
        parts = any(name[start:] in whole and (array % 1).any() for name, array in arrays.items())
        return there, arrays, parts or len(keys) < len(arrays)


def _keep(kept: dict[object, _Given], key: object, value: _Given) -> None:
    """Keep a value among the latest ones."""
    for oldest in [*kept][: 1 - _MOST_KEPT]:
        kept.pop(oldest, None)  # another thread may have done so
    kept[key] = value
