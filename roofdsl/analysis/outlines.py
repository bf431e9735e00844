"""Predictions in outline: their names and units with made-up numbers, for tests not run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from roofdsl.analysis.balance import Balance
from roofdsl.analysis.binding import Arguments, no_parameter
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.intensity import QUANTITIES
from roofdsl.analysis.names_of_tests import TestScope
from roofdsl.analysis.result import Result
from roofdsl.analysis.ridge import Ridge
from roofdsl.analysis.step_results import StepsOf
from roofdsl.analysis.tariff import spending_units, stated_by
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.model.results import own_resources, resources_of
from roofdsl.model.tally import steps_in, tallies_of
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Span
from roofdsl.units.dimension import FLOP

# Each number is another one, so that no difference of two is 0.
_NUMBERS: Iterator[int] = count(2)


class OutlineScope(TestScope):
    """The names of a test whose predictions have their names and units, and made-up numbers."""

    def without_value(self, place: Span, reason: str) -> None:
        """Say nothing: made-up numbers may have no root; a run has the right ones."""

    def predicted(
        self,
        model: ModelDefinition,
        machine: MachineDefinition,
        arguments: Arguments,
    ) -> Result:
        known = {parameter.name: parameter for parameter in model.parameters}
        for name in arguments:
            if name not in known:
                raise RoofError([no_parameter(name, self.at, model)])
        missing = [name for name, x in known.items() if x.default is None and name not in arguments]
        if missing:
            message = f"'{model.name}' needs a value for {', '.join(missing)}"
            hint = f"give {missing[0]} a number"
            raise RoofError([Diagnostic("R0406", message, (Label(self.at),), hint)])
        return _outline(model, machine)


def _number() -> float:
    return float(next(_NUMBERS))


class _Outline(Result):
    """A result with made-up numbers, which knows the model that it would be of."""

    __slots__ = ("_made_of",)
    _made_of: tuple[ModelDefinition, MachineDefinition]

    @property
    def steps(self) -> _OutlinedSteps:
        return _OutlinedSteps(*self._made_of)


class _Anything(dict[str, float]):
    """Work, or times, whose names only a machine tells: each that has a resource in it is there."""

    def __init__(self, resources: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(resources, 0.0))

    def __contains__(self, name: object) -> bool:
        return any(map(super().__contains__, str(name).split(".")))

    def __missing__(self, _: str) -> float:
        return float(next(_NUMBERS))


class _OutlinedSteps(StepsOf[Result]):
    """The steps of a model in outline."""

    def __init__(self, model: ModelDefinition, machine: MachineDefinition) -> None:
        self._machine = machine
        self._models = {step.name: step.model for step in steps_in(model.parts)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)

    def __getitem__(self, name: str) -> Result:
        return _outline(self._models[name], self._machine)

    def count(self, _: str) -> float:
        return _number()

    def share(self, _: str) -> float:
        return _number()


def _three() -> tuple[float, float, float]:
    return _number(), _number(), _number()


def _outline(model: ModelDefinition, machine: MachineDefinition) -> Result:
    tallies = tallies_of(model)
    resources = resources_of(model)
    metrics = {item.name: item.formula for item in model.metrics}
    units = {name: formula.dimension for name, formula in metrics.items()}
    own = {**units, **tallies, **model.dimensions()}
    truths = {*model.truths(), *(name for name, formula in metrics.items() if formula.truth)}
    declared = own_resources(model)
    made_up = {name: _number() for name in declared}
    per = {name: FLOP / unit for name, unit in declared.items()}
    nothing = Composed(model.name, "kernel", 1.0, 0.0, {}, {}, {})
    found = _Outline(
        model=model.name,
        machine=machine.name,
        parameters={},
        named={name: name in truths or _number() for name in own},
        dimensions={**spending_units(stated_by(machine)), **resources, **own},
        work=_Anything(resources),
        rates={},
        times=_Anything([*resources, "startup", "wait"]),
        bound=None,
        ties=(),
        peak=None,
        shares={},
        breakdown=nothing,
        ridge=Ridge(*_three(), made_up, per, *(Balance(*_three(), made_up) for _ in range(2))),
        processes=1.0,
        totals=dict.fromkeys(("flops", "memory", "network"), _number()),
        tallies={},
        fits={},
        notes=(),
        metrics={},
        shown_in={},
        rivalry=None,
        prices={},
        spending=_Anything(["energy", "power", "cost"]),
        unanswered={},
        varied={},
        own=declared,
        own_work=made_up,
        intensity=made_up,
        kind_alone=None,
        **{name: _number() for name in QUANTITIES},
    )
    object.__setattr__(found, "_made_of", (model, machine))
    return found
