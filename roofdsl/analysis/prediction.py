"""A model on a machine: each resource's work, rate and time, as formulas.

Time on one resource is work / rate. A kernel overlaps its resources perfectly (Roofline), so its
time is the largest; a composition adds up its steps (see `node`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from roofdsl.analysis import node
from roofdsl.analysis.binding import Arguments, Binding
from roofdsl.analysis.breakdown import Measured
from roofdsl.analysis.counting import counted
from roofdsl.analysis.intensity import INTENSITIES, intensity, is_zero
from roofdsl.analysis.load import Load, grouped, rate_symbol
from roofdsl.analysis.node import Node, Tallied
from roofdsl.analysis.placing import Placing
from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.construct import add, divide, minimum, multiply
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model on a machine with some parameters bound; `notes` say what was taken for what.

    `root` is the tree of its steps, a single kernel for most models; `loads` are the work of all
    steps by resource.
    """

    model: ModelDefinition
    machine: MachineDefinition
    binding: Binding
    machine_binding: Binding
    root: Node
    loads: tuple[Load, ...]
    rates: dict[str, Expression]
    notes: tuple[str, ...]

    @property
    def free(self) -> tuple[Parameter, ...]:
        return self.binding.free

    @property
    def is_kernel(self) -> bool:
        return self.root.arrangement == "kernel"

    def opened(self) -> Prediction:
        """Return the prediction with no parameter bound, not even to its default."""
        root = Placing(self.machine).opened(self.model, self.binding)
        binding = Binding(self.model.name, {}, {}, self.model.parameters)
        return replace(self, binding=binding, root=root, loads=node.total_loads(root))

    def load(self, key: str) -> Load | None:
        return next((load for load in self.loads if load.name == key), None)

    def work(self, resource: str) -> Expression:
        """Return the work on a resource, 0 where the model states none.

        That of all steps and devices adds up; what of a step's levels counts, `counted` says.
        """
        parts = [
            multiply(runs, load.work)
            for kernel, runs in node.kernels(self.root)
            for load in self.counted_loads(kernel, resource)
        ]
        return add(*parts) if parts else ZERO

    def total(self, resource: str, measured: Measured) -> float:
        """Return the same in numbers, from the measured tree."""
        return self._total(resource, self.root, measured)

    def _total(self, resource: str, part: Node, measured: Measured) -> float:
        if part.arrangement == "kernel":
            loads = self.counted_loads(part, resource)
            return math.fsum(measured.work[load.name] for load in loads)
        pairs = zip(part.children, measured.children, strict=True)
        return measured.times * math.fsum(self._total(resource, *pair) for pair in pairs)

    def counted_loads(self, kernel: Node, resource: str) -> list[Load]:
        """Return the loads of a kernel that count as its work on a resource."""
        device = next((x.device for x in kernel.loads if x.resource.name == resource), None)
        machine = self.machine if device is None else self.machine.devices[device]
        return counted(kernel.loads, resource, machine.defaults.get(resource))

    def tallies(self) -> tuple[Tallied, ...]:
        """Return the tallies of the model and of all its steps, summed by name."""
        return node.tallied(self.root)

    def with_rates(self, tree: Expression) -> Expression:
        """Return a formula with the machine's numbers put in for its rates."""
        return substitute(tree, self.rates)

    def groups(self) -> dict[str, tuple[Load, ...]]:
        """Return the loads by what their times add to; the groups overlap one another."""
        return grouped(self.loads)

    def times(self) -> dict[str, Expression]:
        """Return the busy time of each group of resources, by its name."""
        return node.busy(self.root)

    def time(self) -> Expression:
        """Return the time as composed: of a kernel, the largest of its resources' times."""
        return node.time(self.root)

    def intensity(self, name: str) -> Expression | None:
        """Return OI, CAI or MI, or None where the denominator is no work at all."""
        return intensity({key: self.work(key) for key in INTENSITIES[name]}, name)

    def attainable(self) -> Expression:
        """Return the attainable performance, flops / time.

        Of a kernel it is Cardwell 2019, Eq. 2.5, over all resources: the smallest of the peak and
        of each other resource's rate × flops / work.
        """
        flops = self.work("flops")
        if not self.is_kernel or self.root.stated is not None:
            return divide(flops, self.time())
        roofs: list[Expression] = []
        for loads in self.groups().values():
            limited = [load for load in loads if not is_zero(load.time)]
            if len(limited) == 1 and limited[0].rate is not None and limited[0].spent is None:
                share = ONE if limited[0].group == "flops" else divide(flops, limited[0].work)
                roofs.append(multiply(limited[0].rate, share))
            elif limited:
                roofs.append(divide(flops, add(*(load.time for load in limited))))
        return minimum(*roofs) if roofs else ZERO

    def roof(self, resource: str) -> Symbol | None:
        """Return the rate that stands for a resource.

        Of flops it is that of the one kind the model asks for; else what the plain name means.
        """
        used = {
            load.rate.name: load.rate
            for load in self.loads
            if load.resource.name == resource == "flops" and load.rate and not is_zero(load.work)
        }
        if len(used) == 1:
            return next(iter(used.values()))
        return default_rate(self.machine, resource)

    def ridge(self, name: str) -> Expression | None:
        """Return the ridge point of OI, CAI or MI: the quotient of the two rates."""
        symbols = [self.roof(key) for key in INTENSITIES[name]]
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
    placing = Placing(machine)
    binding, root = placing.root(model, arguments, free)
    prediction = Prediction(
        model,
        machine,
        binding,
        placing.binding,
        root,
        node.total_loads(root),
        placing.rates,
        tuple(placing.notes),
    )
    return prediction, tuple(placing.problems)


def default_rate(machine: MachineDefinition, resource: str) -> Symbol | None:
    """Return the symbol of the rate that a plain resource means on a machine, if it has one."""
    levels = [rate.key for rate in machine.rates if rate.resource.name == resource]
    for key in (resource, machine.defaults.get(resource)):
        if key in levels:
            return rate_symbol(machine, key)
    return rate_symbol(machine, levels[0]) if len(levels) == 1 else None
