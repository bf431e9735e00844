"""A model on a machine: each resource's work, rate and time, as formulas.

Time on one resource is work / rate. A kernel overlaps its resources perfectly (Roofline), so its
time is the largest; resources that share, such as messages and network, add up first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from roofdsl.analysis.binding import Arguments, Binding, bind
from roofdsl.analysis.intensity import INTENSITIES, intensity, is_zero, work_formulas
from roofdsl.analysis.matching import Skipped, match
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.construct import add, divide, maximum, minimum, multiply
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Symbol
from roofdsl.model.precision import named
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter, Resource, Work


@dataclass(frozen=True, slots=True)
class Load:
    """One resource of a prediction: its work, and the symbol of the rate that serves it.

    `rate` is None where the machine's rate is unlimited, or where the work is 0.
    """

    key: str
    resource: Resource
    work: Expression
    rate: Symbol | None
    stated: Work

    @property
    def time(self) -> Expression:
        return ZERO if self.rate is None else divide(self.work, self.rate)

    @property
    def group(self) -> str:
        """What this load's time adds to: kinds of flops share, and what `shares` says."""
        if self.resource.shares is not None:
            return self.resource.shares
        return "flops" if self.resource.name == "flops" else self.key


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model on a machine with some parameters bound; `notes` say what was taken for what."""

    model: ModelDefinition
    machine: MachineDefinition
    binding: Binding
    machine_binding: Binding
    loads: tuple[Load, ...]
    rates: dict[str, Expression]
    notes: tuple[str, ...]

    @property
    def free(self) -> tuple[Parameter, ...]:
        return self.binding.free

    def opened(self) -> Prediction:
        """Return the prediction with no parameter bound, not even to its default."""
        stated = work_formulas(self.model)
        loads = tuple(replace(load, work=stated[load.stated.key]) for load in self.loads)
        return replace(
            self, binding=Binding(self.model.name, {}, {}, self.model.parameters), loads=loads
        )

    def load(self, key: str) -> Load | None:
        return next((load for load in self.loads if load.key == key), None)

    def work(self, resource: str) -> Expression:
        """Return the work on a resource, 0 where the model states none.

        Kinds of flops and links of the network add up; of the levels of memory, the one that counts
        is what plain `memory` means: the machine's default level, or else the last one stated.
        """
        loads = [load for load in self.loads if load.resource.name == resource]
        if resource == "memory" and len(loads) > 1:
            names = (resource, self.machine.defaults.get(resource))
            loads = [load for load in loads if load.key in names] or loads[-1:]
        return add(*(load.work for load in loads)) if loads else ZERO

    def with_rates(self, tree: Expression) -> Expression:
        """Return a formula with the machine's numbers put in for its rates."""
        return substitute(tree, self.rates)

    def groups(self) -> dict[str, tuple[Load, ...]]:
        """Return the loads that overlap one another, each with those that add to its time."""
        found: dict[str, tuple[Load, ...]] = {}
        for load in self.loads:
            found[load.group] = (*found.get(load.group, ()), load)
        return found

    def times(self) -> dict[str, Expression]:
        """Return the time of each group of resources, by its name."""
        return {name: add(*(load.time for load in loads)) for name, loads in self.groups().items()}

    def time(self) -> Expression:
        """Return the time of the kernel: the largest of its resources' times."""
        times = tuple(self.times().values())
        return maximum(*times) if times else ZERO

    def intensity(self, name: str) -> Expression | None:
        """Return OI, CAI or MI, or None where the denominator is no work at all."""
        return intensity({key: self.work(key) for key in INTENSITIES[name]}, name)

    def attainable(self) -> Expression:
        """Return the attainable performance: Cardwell 2019, Eq. 2.5, over all resources.

        The smallest of the peak and of each other resource's rate × flops / work.
        """
        roofs: list[Expression] = []
        flops = self.work("flops")
        for loads in self.groups().values():
            limited = [load for load in loads if load.rate is not None and not is_zero(load.work)]
            if len(limited) == 1 and limited[0].rate is not None:
                share = ONE if limited[0].group == "flops" else divide(flops, limited[0].work)
                roofs.append(multiply(limited[0].rate, share))
            elif limited:
                roofs.append(divide(flops, add(*(load.time for load in limited))))
        return minimum(*roofs) if roofs else ZERO

    def ridge(self, name: str) -> Expression | None:
        """Return the ridge point of OI, CAI or MI: the quotient of the two rates."""
        symbols = [default_rate(self.machine, key) for key in INTENSITIES[name]]
        if any(symbol is None or symbol.name not in self.rates for symbol in symbols):
            return None
        above, below = (symbol for symbol in symbols if symbol is not None)
        return divide(above, below)


def predict(
    model: ModelDefinition,
    machine: MachineDefinition,
    arguments: Arguments,
    free: frozenset[str] = frozenset(),
) -> tuple[Prediction, tuple[Diagnostic, ...]]:
    """Put a model on a machine; return every problem with the arguments or the machine.

    Parameters in `free` stay without a value even if they have a default.
    """
    machine_binding, found = bind(machine, {})
    rates = rates_of(machine, machine_binding)
    values, missing = machine_values(model, machine, machine_binding, arguments)
    binding, problems = bind(model, arguments, values, free)
    diagnostics = [*found, *missing, *problems]
    loads: list[Load] = []
    notes: list[str] = []
    for work in model.work:
        key = _key(work, binding)
        if isinstance(key, Diagnostic):
            diagnostics.append(key)
            continue
        load = _load(key, work, model, machine, binding.expand(work.value), notes)
        if isinstance(load, Diagnostic):
            diagnostics.append(load)
        elif load is not None:
            loads.append(load)
    prediction = Prediction(
        model, machine, binding, machine_binding, tuple(loads), rates, tuple(notes)
    )
    return prediction, tuple(diagnostics)


def _key(work: Work, binding: Binding) -> str | Diagnostic:
    """Return the resource that work is on, with the kind a precision selects: `flops.fp64`."""
    if work.selector is None:
        return work.key
    if work.selector in binding.values:
        return f"{work.key}.{named(binding.values[work.selector])}"
    return Diagnostic(
        "R0406",
        f"'{binding.owner}' needs a value for {work.selector}",
        (Label(work.span, "the kind of flops depends on it"),),
        f"give it one: {work.selector}=fp64",
    )


def _load(
    key: str,
    work: Work,
    model: ModelDefinition,
    machine: MachineDefinition,
    tree: Expression,
    notes: list[str],
) -> Load | Diagnostic | None:
    found = match(key, work, machine, model)
    if isinstance(found, Diagnostic):
        # No work needs no rate.
        return Load(key, work.resource, tree, None, work) if is_zero(tree) else found
    if found.note is not None:
        notes.append(found.note)
    if isinstance(found, Skipped):
        return None
    limited = found.rate.value is not None
    symbol = rate_symbol(machine, found.rate.key) if limited else None
    return Load(key, work.resource, tree, symbol, work)


def rates_of(machine: MachineDefinition, binding: Binding) -> dict[str, Expression]:
    """Return a machine's limited rates by the name of their symbol."""
    return {
        rate_symbol(machine, rate.key).name: binding.expand(rate.value)
        for rate in machine.rates
        if rate.value is not None
    }


def default_rate(machine: MachineDefinition, resource: str) -> Symbol | None:
    """Return the symbol of the rate that a plain resource means on a machine, if it has one."""
    levels = [rate.key for rate in machine.rates if rate.resource.name == resource]
    for key in (resource, machine.defaults.get(resource)):
        if key in levels:
            return rate_symbol(machine, key)
    return rate_symbol(machine, levels[0]) if len(levels) == 1 else None


def rate_symbol(machine: MachineDefinition, key: str) -> Symbol:
    """Return the symbol of a machine's rate: `karst.network`."""
    return Symbol(f"{machine.name}.{key}", integer=False, positive=True)


def machine_values(
    model: ModelDefinition,
    machine: MachineDefinition,
    binding: Binding,
    arguments: Arguments,
) -> tuple[dict[str, Expression], list[Diagnostic]]:
    """Return what `machine.name` means in the defaults of a model, checked against their units."""
    values: dict[str, Expression] = {}
    problems: list[Diagnostic] = []
    dimensions = machine.dimensions()
    for parameter in model.parameters:
        if parameter.name in arguments or not isinstance(parameter.default, Symbol):
            continue
        prefix, _, name = parameter.default.name.partition(".")
        if prefix != "machine" or not name:
            continue
        if name in binding.trees and dimensions.get(name) == parameter.dimension:
            values[parameter.default.name] = binding.trees[name]
            continue
        known = ", ".join(dimensions) or "no values at all"
        unit = dimensions.get(name)
        problems.append(
            Diagnostic(
                "R0503",
                f"'{parameter.name}' of '{model.name}' is by default machine.{name}, but "
                + (
                    f"machine '{machine.name}' has no '{name}'"
                    if unit is None
                    else f"that is {unit.describe()} on '{machine.name}', "
                    f"not {parameter.dimension.describe()}"
                ),
                (Label(parameter.span), Label(machine.span, "the machine")),
                f"give {parameter.name} a value; '{machine.name}' has {known}",
            )
        )
    return values, problems
