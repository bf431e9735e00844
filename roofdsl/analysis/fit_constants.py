"""What is fitted: rates and start-ups of a machine, constants of models, each with its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.machine_statements import statements
from roofdsl.analysis.open_machine import opened
from roofdsl.analysis.rates import machine_rates, varies
from roofdsl.analysis.what_if import changed, sort_of, unit_of
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean, listing, raise_if_any
from roofdsl.expression.substitute import constant
from roofdsl.model.layer import Layer
from roofdsl.model.model_builder import variant
from roofdsl.model.startup import STARTUP
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source
from roofdsl.syntax import nodes
from roofdsl.syntax.parse import parse
from roofdsl.units.dimension import DIMENSIONLESS, SECOND, Dimension
from roofdsl.units.quantity import show_exact

Sort: TypeAlias = Literal["rate", "startup", "constant"]
_PLACEHOLDER = Fraction(10**9)
"""What is added to a machine has a value until it is fitted; which, does not matter."""


class Constant(NamedTuple):
    """Something that may be fitted: as people call it, and the symbol it is known by.

    `dimension` is that of its value, of a rate in units per second. `stated` is what the machine or
    model has [SI], None where it has none; a latency is a rate that is `inverse`. `model` is the
    one whose constant it is. A rate `varies` that depends on the work it serves.
    """

    name: str
    symbol: str
    sort: Sort
    dimension: Dimension
    stated: float | None = None
    inverse: bool = False
    model: str = ""
    varies: bool = False

    @property
    def own(self) -> str:
        """Its name on its machine or in its model: `memory.L2`, `words`."""
        return self.symbol.removeprefix(f"{self.model}.") if self.model else self.name


@dataclass(frozen=True, slots=True)
class Named:
    """A machine with all that is fitted on it and start-ups open, models with named constants open.

    `constants` are by symbol. Those in `asked` are fitted in any case, those in `kept` never.
    """

    machine: MachineDefinition
    models: Mapping[str, ModelDefinition]
    constants: Mapping[str, Constant]
    asked: frozenset[str]
    kept: frozenset[str]


def named(
    machine: MachineDefinition,
    models: Mapping[str, ModelDefinition],
    asked: Iterable[str],
    kept: Iterable[str],
) -> Named:
    """Find what is asked to be fitted, or to be kept, on a machine and in models by their names.

    What the machine lacks, such as a start-up, is added to it. Raises RoofError for a name that
    means nothing, several things, or no number (R1512).
    """
    stated = _on_machine(machine)
    whole, found = machine, dict[str, Constant]()
    wanted: list[str] = []
    open_models = dict(models)
    for name in dict.fromkeys(asked):
        key = name.removeprefix(f"{machine.name}.")
        owners = [] if key in stated else _owners(name, models)
        if owners:
            own = _of_model(name, owners, models)
            open_models[own.model] = _opened(own, open_models[own.model])
            found[own.symbol] = own
            wanted.append(own.symbol)
        else:
            if key in stated and stated[key].varies:
                raise RoofError([_varies(name, machine)])
            whole = whole if key in stated else _added(whole, key, name, models)
            wanted.append(_symbol(machine, key))
    for key, each in _on_machine(whole).items():
        before = stated[key].stated if key in stated else None
        found[each.symbol] = each._replace(stated=before)
    keep = [_symbol(machine, _kept(name, machine, stated)) for name in kept]
    keep += [symbol for symbol, each in found.items() if each.varies]
    starts = [each.name for each in found.values() if each.sort == "startup"]
    return Named(opened(whole, starts), open_models, found, frozenset(wanted), frozenset(keep))


def _symbol(machine: MachineDefinition, key: str) -> str:
    return f"{machine.name}.{key.replace(' ', '.')}"


def _on_machine(machine: MachineDefinition) -> dict[str, Constant]:
    """Return the rates and start-ups of a machine and its devices, by their names there."""
    found: dict[str, Constant] = {}
    places = {"": machine, **{f"{name}.": each for name, each in machine.devices.items()}}
    for place, each in places.items():
        values = machine_rates(each)
        for rate in each.rates:
            if rate.value is not None and rate.key in values:
                key, unit = f"{place}{rate.key}", rate.resource.dimension / SECOND
                symbol, value = _symbol(machine, key), values[rate.key]
                more = varies(rate) or any(x.key == rate.key for x in each.operation_rates)
                found[key] = Constant(key, symbol, "rate", unit, value, rate.inverse, "", more)
    for key, item in statements(machine).items():
        if STARTUP in key.replace(".", " ").split():
            time = constant(item.formula)
            seconds = None if time is None else float(time)
            found[key] = Constant(key, _symbol(machine, key), "startup", SECOND, seconds)
    return found


def _added(
    machine: MachineDefinition, key: str, name: str, models: Mapping[str, ModelDefinition]
) -> MachineDefinition:
    """Return a machine with one more rate or start-up; raise RoofError where it is neither."""
    unit = unit_of(machine, key)
    sort, _ = sort_of(key)
    if unit is None or sort in ("capacity", "energy") or key in machine.units():
        raise RoofError([_nothing(name, machine, models)])
    lead = f"{key} = "
    text = Source("the fit", f"{lead}{show_exact(_PLACEHOLDER, unit)}", begin=len(lead))
    problems: list[Diagnostic] = []
    found = changed(machine, key, text, problems.append)
    raise_if_any(problems)
    return found


def _varies(name: str, machine: MachineDefinition) -> Diagnostic:
    message = f"'{name}' of '{machine.name}' depends on the work that it serves: it is no constant"
    return Diagnostic("R1512", message, (), "it stays as it is stated; fit others beside it")


def _kept(name: str, machine: MachineDefinition, known: Mapping[str, Constant]) -> str:
    key = name.removeprefix(f"{machine.name}.")
    if key not in known:
        hint = did_you_mean(key, known) or f"it has {listing(known)}"
        message = f"'{name}' is to be kept, and is no rate or start-up of '{machine.name}'"
        raise RoofError([Diagnostic("R1512", message, (), hint)])
    return key


def _owners(name: str, models: Mapping[str, ModelDefinition]) -> list[str]:
    """Return the models that have a constant of a name, such as `words` or `stencil.words`."""
    return [
        key
        for key, model in models.items()
        if name.removeprefix(f"{key}.") in (*model.dimensions(), *model.truths())
    ]


def _of_model(name: str, owners: Sequence[str], models: Mapping[str, ModelDefinition]) -> Constant:
    if len(owners) > 1:
        message = f"'{name}' is a constant of {listing(owners)}"
        raise RoofError([Diagnostic("R1512", message, (), f"name one: `{owners[0]}.{name}`")])
    key, model = owners[0], models[owners[0]]
    own = name.removeprefix(f"{key}.")
    parameter = next((item for item in model.parameters if item.name == own), None)
    let = next((item for item in model.intermediates if item.name == own), None)
    default = parameter.default if parameter else let.formula.tree if let else None
    why = ""
    if own in model.truths():
        why = "is true or false"
    elif parameter is not None and not parameter.is_number:
        why = f"is a {parameter.kind}"
    elif parameter is not None and parameter.symbol.integer:
        why = "takes whole numbers alone"
    if why:
        message = f"'{own}' of '{model.name}' {why}: it cannot be fitted"
        hint = "least squares find numbers of 0 or more, whole or not"
        raise RoofError([Diagnostic("R1512", message, (), hint)])
    value = None if default is None else constant(default)
    stated = None if value is None else float(value)
    return Constant(name, f"{key}.{own}", "constant", model.dimensions()[own], stated, model=key)


def _opened(own: Constant, model: ModelDefinition) -> ModelDefinition:
    """Return a model in which a `let` is a parameter."""
    name = own.own
    if all(item.name != name for item in model.intermediates):
        return model
    unit = str(own.dimension) if own.dimension != DIMENSIONLESS else "real"
    text = f"model {model.name} = {model.name} with {{ param {name}: {unit} }}"
    (declaration, *_), problems = parse(Source("the fit", text))
    found: list[Diagnostic] = list(problems)
    assert isinstance(declaration, nodes.ModelDeclaration)
    layer = Layer(model.name, declaration.items, model.layers[0].words)
    open_model = variant(declaration, model, layer, found.append)
    raise_if_any(found)
    return open_model


def _nothing(
    name: str, machine: MachineDefinition, models: Mapping[str, ModelDefinition]
) -> Diagnostic:
    own = [*_on_machine(machine), STARTUP]
    for model in models.values():
        own += model.dimensions()
    message = f"'{name}' is nothing that '{machine.name}' or {listing(models)} has"
    hint = did_you_mean(name, own) or f"there is {listing(own)}"
    return Diagnostic("R1512", message, (), hint)
