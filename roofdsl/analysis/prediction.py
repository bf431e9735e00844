"""A model on a machine: each resource's work, rate and time, as formulas.

Time on one resource is work / rate. A kernel overlaps its resources perfectly (Roofline), so its
time is the largest; resources that share, such as messages and network, add up first.
"""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.analysis.binding import Arguments, Binding, bind
from roofdsl.analysis.intensity import INTENSITIES, intensity, is_zero, work_formulas
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.construct import add, divide, maximum, minimum, multiply
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ZERO, Expression, Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter, Resource, Work


@dataclass(frozen=True, slots=True)
class Load:
    """One resource of a prediction: its work in the model's parameters, and the rate's symbol."""

    key: str
    resource: Resource
    work: Expression
    rate: Symbol | None

    @property
    def time(self) -> Expression:
        return ZERO if self.rate is None else divide(self.work, self.rate)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model on a machine with some parameters bound."""

    model: ModelDefinition
    machine: MachineDefinition
    binding: Binding
    loads: tuple[Load, ...]
    rates: dict[str, Expression]

    @property
    def free(self) -> tuple[Parameter, ...]:
        return self.binding.free

    def opened(self) -> Prediction:
        """Return the prediction with no parameter bound, not even to its default."""
        stated = work_formulas(self.model)
        loads = tuple(
            Load(load.key, load.resource, stated[load.key], load.rate) for load in self.loads
        )
        binding = Binding(self.model.name, {}, {}, self.model.parameters)
        return Prediction(self.model, self.machine, binding, loads, self.rates)

    def load(self, key: str) -> Load | None:
        return next((load for load in self.loads if load.key == key), None)

    def work(self, key: str) -> Expression:
        """Return the work on a resource, 0 where the model states none."""
        load = self.load(key)
        return load.work if load else ZERO

    def with_rates(self, tree: Expression) -> Expression:
        """Return a formula with the machine's numbers put in for its rates."""
        return substitute(tree, self.rates)

    def groups(self) -> dict[str, tuple[Load, ...]]:
        """Return the loads that overlap one another, each with those that add to its time."""
        found: dict[str, tuple[Load, ...]] = {}
        for load in self.loads:
            name = load.resource.shares or load.key
            found[name] = (*found.get(name, ()), load)
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
        return intensity({load.key: load.work for load in self.loads}, name)

    def attainable(self) -> Expression:
        """Return the attainable performance: Cardwell 2019, Eq. 2.5, over all resources.

        The smallest of the peak and of each other resource's rate × flops / work.
        """
        roofs: list[Expression] = []
        flops = self.work("flops")
        for name, loads in self.groups().items():
            (first, *others) = loads
            if first.rate is None:
                continue
            if name == "flops":
                roofs.append(first.rate)
            elif others:
                roofs.append(divide(flops, add(*(load.time for load in loads))))
            elif not is_zero(first.work):
                roofs.append(multiply(first.rate, divide(flops, first.work)))
        return minimum(*roofs) if roofs else ZERO

    def ridge(self, name: str) -> Expression | None:
        """Return the ridge point of OI, CAI or MI: the quotient of the two rates."""
        symbols = [rate_symbol(self.machine, key) for key in INTENSITIES[name]]
        if any(symbol.name not in self.rates for symbol in symbols):
            return None
        return divide(*symbols)


def predict(
    model: ModelDefinition,
    machine: MachineDefinition,
    arguments: Arguments,
) -> tuple[Prediction, tuple[Diagnostic, ...]]:
    """Put a model on a machine; return every problem with the arguments or the machine."""
    binding, problems = bind(model, arguments)
    rates, machine_problems = rates_of(machine)
    known = {rate.key: rate for rate in machine.rates}
    loads: list[Load] = []
    found = [*problems, *machine_problems]
    for work in model.work:
        tree = binding.expand(work.value)
        rate = known.get(work.key)
        if rate is None and not is_zero(tree):
            found.append(_no_rate(work, model, machine))
            continue
        limited = rate is not None and rate.value is not None
        symbol = rate_symbol(machine, work.key) if limited else None
        loads.append(Load(work.key, work.resource, tree, symbol))
    return Prediction(model, machine, binding, tuple(loads), rates), tuple(found)


def rates_of(
    machine: MachineDefinition,
) -> tuple[dict[str, Expression], tuple[Diagnostic, ...]]:
    """Return a machine's limited rates by the name of their symbol, its parameters bound."""
    binding, problems = bind(machine, {})
    rates = {
        rate_symbol(machine, rate.key).name: binding.expand(rate.value)
        for rate in machine.rates
        if rate.value is not None
    }
    return rates, problems


def rate_symbol(machine: MachineDefinition, key: str) -> Symbol:
    """Return the symbol of a machine's rate: `karst.network`."""
    return Symbol(f"{machine.name}.{key}", integer=False, positive=True)


def _no_rate(work: Work, model: ModelDefinition, machine: MachineDefinition) -> Diagnostic:
    rates = ", ".join(rate.key for rate in machine.rates) or "none"
    return Diagnostic(
        "R0501",
        f"'{model.name}' works on {work.key}, but machine '{machine.name}' has no rate for it",
        (Label(work.span, "work stated here"), Label(machine.span, "the machine")),
        f"rates of '{machine.name}': {rates}; `{work.key} = unlimited` is legal",
    )
