"""Predictions at the settings a figure shows them at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias, runtime_checkable

from numpy.typing import NDArray

from roofdsl.analysis.binding import refuse_unknown, setting, show_setting
from roofdsl.analysis.result import Result
from roofdsl.answer.arrays import array_of
from roofdsl.answer.asked import ModelOnMachine, Values
from roofdsl.answer.blocks import in_a_row
from roofdsl.answer.swept import Sweep
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.tree import Number
from roofdsl.figures.axis_unit import AxisName
from roofdsl.model.given import exact, held, is_several
from roofdsl.model.types import MachineDefinition, Parameter

Item: TypeAlias = MachineDefinition | ModelOnMachine
"""What a figure shows: a machine, or a model on one."""


@runtime_checkable
class MachineHolder(Protocol):
    """A machine as Python has it, which holds its definition."""

    @property
    def definition(self) -> MachineDefinition: ...


@runtime_checkable
class PredictionHolder(Protocol):
    """A prediction as Python has it, which holds the model and the machine it is of."""

    @property
    def asked(self) -> ModelOnMachine: ...


ItemLike: TypeAlias = Item | MachineHolder | PredictionHolder
PredictionLike: TypeAlias = ModelOnMachine | PredictionHolder
Settings: TypeAlias = Mapping[str, Values]
NOWHERE: Settings = MappingProxyType({})
MOST_TRAJECTORIES = 24


@dataclass(frozen=True, slots=True)
class Case:
    """A model on a machine at one setting (`result`), or along one parameter (`sweep`).

    `ends` are the results at the two ends of a sweep; `results` are those of all its points, of a
    model with several levels of memory, where arrays do not say enough.
    """

    name: str
    asked: ModelOnMachine
    result: Result | None = None
    sweep: Sweep | None = None
    parameter: Parameter | None = None
    results: tuple[Result, ...] = ()
    ends: tuple[Result, ...] = ()

    @property
    def outermost(self) -> tuple[Result, ...]:
        """Its result; of a range, those at its ends."""
        return self.ends if self.result is None else (self.result,)

    @property
    def peaks(self) -> list[float]:
        """The peaks of its flops [flop/s]: of a range, those at its ends."""
        return [each.peak for each in self.outermost if each.peak is not None and each.flops]


def asked_of(shown: PredictionLike) -> ModelOnMachine:
    """Return the model on a machine that is shown."""
    return shown if isinstance(shown, ModelOnMachine) else shown.asked


def item_of(shown: ItemLike) -> Item:
    """Return the machine, or the model on a machine, that is shown."""
    if isinstance(shown, PredictionHolder):
        return shown.asked
    return shown.definition if isinstance(shown, MachineHolder) else shown


def cases_of(items: Iterable[Item], at: Settings) -> list[Case]:
    """Put models on machines at their settings; each takes those of its own parameters.

    What a machine states is one, too: `karst.network`. The first parameter given several numbers is
    swept; each combination of the others makes a case. Names, such as precisions, are not swept.
    Raises RoofError for a name no model has (R0401) and whatever `evaluate` and `sweep` do.
    """
    known = models_of(items)
    of_models = (x for x in at if all(asked.of_machine(x) is None for asked in known))
    refuse_unknown(of_models, [asked.model for asked in known])
    found: list[Case] = []
    for asked in known:
        own = {name: value for name, value in at.items() if name in asked.parameters_of(at)}
        found += _cases(asked, own)
    return found


def under_roofs(items: Iterable[Item], at: Settings) -> list[Case]:
    """Return cases for a figure that draws what machines do at most.

    Raises RoofError for a value of a machine (R0807): it would have other roofs.
    """
    asked = models_of(items)
    for name in at:
        if any(each.of_machine(name) is not None for each in asked):
            message = f"{name} is a value of the machine, whose roofs this figure draws"
            hint = "draw a curve, a breakdown or a regime map along it; or the figure at one value"
            raise RoofError([Diagnostic("R0807", message, hint=hint)])
    return cases_of(items, at)


def _cases(asked: ModelOnMachine, at: Settings) -> Iterator[Case]:
    single, several = divided(at)
    if not several:
        yield Case(asked.model.name, asked, asked.evaluate(single))
        return
    # A name has no place along a line.
    numbers = [name for name, values in several.items() if values.dtype.kind in "biuf"]
    swept = numbers[0] if numbers else None
    rest = [name for name in several if name != swept]
    combinations = list(product(*(several[name].tolist() for name in rest)))
    if len(combinations) > MOST_TRAJECTORIES:
        message = (
            f"that is {len(combinations):,} trajectories; at most {MOST_TRAJECTORIES} are drawn"
        )
        hint = f"give {rest[0]} fewer values"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])
    parameters = asked.parameters_of(at)
    for values in combinations:
        chosen = dict(zip(rest, values, strict=True))
        shown = [shown_setting(parameters[name], value) for name, value in chosen.items()]
        name = ", ".join([asked.model.name, *shown])
        settings = {**single, **chosen}
        if swept is None:
            yield Case(name, asked, asked.evaluate(settings))
            continue
        sweep = asked.sweep({**settings, swept: several[swept]})
        along = [{**settings, swept: value} for value in several[swept].tolist()]
        first, last = (asked.evaluate(along[end]) for end in (0, -1))
        levels = {key for key in first.work if "memory" in key.split(".")}
        results = tuple(asked.evaluate(one) for one in along) if len(levels) > 1 else ()
        yield Case(name, asked, None, sweep, parameters[swept], results, (first, last))


def divided(at: Settings) -> tuple[dict[str, Values], dict[str, NDArray[Any]]]:
    """Return the parameters that are given one value, and the values of those given several.

    Raises RoofError for a parameter that is given no value at all (R0404).
    """
    several = {name: array_of(name, at[name]).ravel() for name in at if is_several(at[name])}
    for name in (name for name, values in several.items() if not values.size):
        problem = Diagnostic("R0404", f"{name} is given no values", hint=f"give {name} one value")
        raise RoofError([problem])
    return {name: value for name, value in at.items() if name not in several}, several


def told_apart(found: Sequence[Case]) -> list[str]:
    """Return names for cases: by what they differ in, machines, models and settings, or both."""
    if len({case.name for case in found}) == 1:
        return [case.asked.machine.name for case in found]
    if len({case.asked.machine.name for case in found}) == 1:
        return [case.name for case in found]
    return [f"{case.name} on {case.asked.machine.name}" for case in found]


def swept_names(found: Iterable[Case]) -> AxisName:
    """Return the names of the parameters that cases go along; of different units, with these."""
    parameters = [case.parameter for case in found if case.parameter is not None]
    names = dict.fromkeys(AxisName(each.name, each.dimension) for each in parameters)
    dimensions = {name.dimension for name in names}
    if len(dimensions) == 1:
        return AxisName(", ".join(name.text for name in names), dimensions.pop())
    return AxisName(", ".join(name.in_base_units for name in names))


def shown_setting(parameter: Parameter, value: object) -> str:
    number = exact(value)
    if number is None or not parameter.is_number:
        return f"{parameter.name} = {held(value)}"
    found = setting(parameter, float(number), Number(number))
    return f"{parameter.name} = {show_setting(found, parameter)}"


def models_of(items: Iterable[Item]) -> list[ModelOnMachine]:
    """Return what of a figure's items is a model on a machine."""
    return [item for item in items if isinstance(item, ModelOnMachine)]


def machines_of(items: Iterable[Item]) -> list[MachineDefinition]:
    """Return the machines of a figure's items, each once, in their order."""
    found: dict[str, MachineDefinition] = {}
    for item in items:
        machine = item.machine if isinstance(item, ModelOnMachine) else item
        found.setdefault(machine.name, machine)
    return list(found.values())


def titles(items: Sequence[Item], at: Settings) -> tuple[str, str]:
    """Return the title and subtitle of a figure: `summa on karst`, and what all points share."""
    models = dict.fromkeys(asked.model.name for asked in models_of(items))
    what = _few(list(models), "models")
    where = _few([machine.name for machine in machines_of(items)], "machines")
    return f"{what} on {where}" if what else where, _shared(items, at)


def _few(names: list[str], noun: str) -> str:
    if len(names) > 3:
        return f"{len(names)} {noun}"
    return in_a_row(names)


def _shared(items: Sequence[Item], at: Settings) -> str:
    """Return the settings that all points share: `P = 121`."""
    texts = []
    parameters: dict[str, Parameter] = {}
    for asked in models_of(items):
        parameters |= asked.parameters_of(at)
    for name, value in at.items():
        if name in parameters and not is_several(value):
            texts.append(shown_setting(parameters[name], value))
    return ", ".join(texts)


def one_value_each(at: Settings, why: str) -> dict[str, Values]:
    """Return the settings of a figure that takes one value for each parameter.

    Raises RoofError for a parameter with several (R0807); `why` says what speaks against them.
    """
    single, several = divided(at)
    for name in several:
        message = f"{name} has several values, but {why}"
        raise RoofError([Diagnostic("R0807", message, hint=f"give {name} one value")])
    return single
