"""A model on a machine: each resource's work, rate and time, as formulas.

Time on one resource is work / rate. A kernel overlaps its resources perfectly (Roofline), so its
time is the largest; a composition adds up its steps (see `node`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from roofdsl.analysis.algebra import Telling
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.binding import Arguments, Binding, computed
from roofdsl.analysis.composition import Composed, Composing, composed
from roofdsl.analysis.default_rate import default_rate
from roofdsl.analysis.energy import Spender, Spending, spending
from roofdsl.analysis.intensity import intensity, intensity_units, is_zero, own_units, quotient_of
from roofdsl.analysis.joints import Parts
from roofdsl.analysis.load import Load, grouped, lowest_roof, rate_key
from roofdsl.analysis.node import Node, Tallied, first_of_each, is_joined, walk, working
from roofdsl.analysis.placing import Placing
from roofdsl.analysis.rates import without_limit
from roofdsl.analysis.tariff import NO_TARIFF, Tariff, spending_units
from roofdsl.analysis.totals import totals
from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import INFINITY, ZERO, Divide, Expression, Number, Symbol
from roofdsl.model.layer import Varied
from roofdsl.model.types import KindName, MachineDefinition, ModelDefinition, Parameter
from roofdsl.numeric.failure import double
from roofdsl.numeric.scalar import evaluate
from roofdsl.units.dimension import Dimension

if TYPE_CHECKING:
    from roofdsl.analysis.uncertainty import Opened

V = TypeVar("V")
C = TypeVar("C")


# No slots: formulas are derived once, when they are asked for.
@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """A model on a machine with some parameters bound; `notes` say what was taken for what.

    `root` is the tree of its steps, a single kernel for most models. `checks` are the conditions
    that the model and its steps put on what is open; `unmeasured` says that a measured time was
    left to the roof as its formula would be too long; `tabled` are those of them for a formula of a
    table to have a value. `device` is where a step of another prediction runs, None where that is
    the machine itself; `around` how many processes run a step that is written in place; `within`
    that prediction, and the step's name. `given` are the arguments of the whole, `parts` what was
    placed of it, and `composing` says how its formulas combine times.
    """

    model: ModelDefinition
    machine: MachineDefinition
    binding: Binding
    machine_binding: Binding
    root: Node
    rates: dict[str, Expression]
    notes: tuple[str, ...]
    checks: dict[str, Expression] = field(default_factory=dict)
    unmeasured: bool = False
    tabled: tuple[Expression, ...] = ()
    device: str | None = None
    tariff: Tariff = NO_TARIFF
    around: Expression | None = None
    within: tuple[Prediction, str] | None = None
    given: Arguments = field(default_factory=dict)
    composing: Composing = "written"
    parts: Parts | None = None

    @property
    def free(self) -> tuple[Parameter, ...]:
        return self.binding.free

    @property
    def runs_on(self) -> MachineDefinition:
        """The machine, or the device of it that this runs on."""
        return self.machine if self.device is None else self.machine.devices[self.device]

    @property
    def is_kernel(self) -> bool:
        return self.root.arrangement == "kernel"

    @property
    def is_mix(self) -> bool:
        return self.root.arrangement == "mix"

    @property
    def is_roofline(self) -> bool:
        """Whether it is a kernel in which all resources overlap, so that the longest binds."""
        return self.is_kernel and not is_joined(self.root)

    def is_tabled(self, name: str | None) -> bool:
        """Whether a measured time depends on an open name: there is none beyond the table."""
        return any(name == each.name for tree in self.tabled for each in free_symbols(tree))

    def opened(self, *, decided: bool = False, peaks: bool = True) -> Prediction:
        """Return the prediction with no parameter bound, not even to its default.

        `decided`: what is true or false keeps its value, as precisions do, and so chooses. Without
        `peaks` it has no peak of memory.
        """
        kept: tuple[KindName, ...] = ("precision", "boolean") if decided else ("precision",)
        root = Placing(self.machine, self.parts).opened(self.model, self.binding, kept, peaks=peaks)
        binding = Binding(self.model.name, {}, {}, self.model.parameters)
        return replace(self, binding=binding, root=root)

    @property
    def is_largest(self) -> bool:
        """Whether the time is the largest of busy times: nothing has to start, nothing adds up."""
        return self.is_roofline and self.root.start is None

    @cached_property
    def formulas(self) -> Composed[Expression]:
        """The law of composition applied, as formulas in the rates and in what is open."""
        return composed(self.root, Formulas(), self.composing, charging=False)

    @cached_property
    def charged(self) -> Composed[Expression]:
        """The same, with what the time is charged to: resources and steps."""
        return composed(self.root, Formulas(), self.composing, by_step=True)

    @cached_property
    def rivals(self) -> dict[str, Expression]:
        """What competes for the bound: busy times of a kernel, charges of a composition."""
        if self.is_roofline:
            return self.formulas.rivals
        return composed(self.root, Formulas(), self.composing).rivals

    @cached_property
    def placed(self) -> tuple[Load, ...]:
        """The loads of all kernels, in the order written."""
        return tuple(load for node in walk(self.root) for load in node.loads)

    @cached_property
    def working(self) -> tuple[Load, ...]:
        """The loads that are work of the whole, in the order written."""
        return tuple(load for node in working(self.root) for load in node.loads)

    @cached_property
    def served(self) -> tuple[Load, ...]:
        """The resources that are worked on, each with the load of the first kernel that does."""
        if self.is_kernel:
            return self.root.loads
        return tuple(replace(load, spent=None) for load in first_of_each(self.working))

    @cached_property
    def loads(self) -> tuple[Load, ...]:
        """The work of all steps by resource, as formulas."""
        return tuple(replace(each, work=self.formulas.work[each.name]) for each in self.served)

    @cached_property
    def kinds_within(self) -> dict[str, list[str]]:
        """The kinds of work on what may bind, by its name; of a mix, those of its jobs."""
        found: dict[str, dict[str, None]] = {}
        for node in working(self.root, jobs=True):
            for load in node.loads:
                found.setdefault(load.group, {})[load.name] = None
        return {name: [*kinds] for name, kinds in found.items()}

    @cached_property
    def own(self) -> dict[str, Dimension]:
        """The resources that files declare and the model works on, with the units of their work."""
        return own_units(load.resource for load in self.working)

    @cached_property
    def intensity_units(self) -> dict[str, Dimension]:
        """The units of the intensities by name: of OI, CAI, MI and those of `own` resources."""
        return intensity_units(self.own)

    def work(self, resource: str) -> Expression:
        """Return the work on a resource, 0 where the model states none.

        That of all steps and devices adds up; what of a step's levels counts, `counting` says.
        """
        return self.formulas.counted.get(resource, ZERO)

    @cached_property
    def tallied(self) -> tuple[Tallied, ...]:
        """The tallies of the model and of all its steps by name, as the first one states it."""
        return first_of_each(item for node in working(self.root) for item in node.tallies)

    @cached_property
    def dimensions(self) -> dict[str, Dimension]:
        """The units of tallies, parameters and intermediates by name; of power and cost, too."""
        tallies = {item.name: item.dimension for item in self.tallied}
        metrics = {item.name: item.formula.dimension for item in self.model.metrics}
        return {**metrics, **spending_units(self.tariff), **tallies, **self.model.dimensions()}

    @cached_property
    def together(self) -> dict[str, Expression]:
        """The work of all processes by resource, as formulas, where it is known."""
        return totals(self.root, self.formulas, Formulas()).work

    @cached_property
    def spending(self) -> Spending[Expression]:
        """Energy and cost of all processes by name, as formulas, and why others have none."""
        return self.spending_in(Formulas(), self.formulas)

    def spending_in(self, algebra: Telling[V, C], parts: Composed[V]) -> Spending[V]:
        """Return energy and cost by name of what was composed in an algebra, as `parts`."""
        return spending(self.spender, parts, algebra)

    @property
    def spender(self) -> Spender:
        """What the law of energy asks of it."""
        return Spender(self.root, self.machine, self.tariff, self.processes)

    @property
    def processes(self) -> Expression | None:
        """How many processes there are, None for a model that does not count them."""
        own = self.root.together
        return self.around if own is None or own.processes is None else own.processes

    @cached_property
    def prices(self) -> dict[str, float]:
        """The energies, powers and prices of the machine in numbers, without open ones."""
        stated = self.tariff.formulas.items()
        return {name: evaluate(tree, {}) for name, tree in stated if name not in self.open_values}

    def tallies(self) -> tuple[Tallied, ...]:
        """Return the tallies of the model and of all its steps, summed by name."""
        sums = self.formulas.tallies
        return tuple(x._replace(amount=sums[x.name]) for x in self.tallied if x.name in sums)

    @cached_property
    def by_rates(self) -> bool:
        """Whether every time is work / rate: none is stated, none was measured or has a start."""
        stated = any(node.stated is not None for node in walk(self.root))
        return not stated and all(load.follows for load in self.placed)

    def groups(self) -> dict[str, tuple[Load, ...]]:
        """Return the loads by what their times add to; the groups overlap one another."""
        return grouped(self.loads)

    def times(self) -> dict[str, Expression]:
        """Return the busy time of each group of resources, by its name."""
        return self.formulas.busy

    def time(self) -> Expression:
        """Return the time as composed: of a kernel, the largest of its resources' times."""
        return self.formulas.time

    def intensity(self, name: str) -> Expression | None:
        """Return OI, CAI, MI or `flops/nvme`, None where the denominator is no work at all."""
        return intensity({key: self.work(key) for key in quotient_of(name)}, name)

    def attainable(self) -> Expression:
        """Return the attainable performance, flops / time.

        Of a kernel it is Cardwell 2019, Eq. 2.5, over all resources: the smallest of the peak and
        of each other resource's rate × flops / work.
        """
        flops, time = self.work("flops"), self.time()
        if is_zero(time):
            return Divide(ZERO, ZERO) if is_zero(flops) else INFINITY
        if not self.is_largest or self.root.stated is not None or self.composing == "sum":
            return divide(flops, time)
        return lowest_roof(self.groups().values(), flops)

    def roof(self, resource: str) -> Symbol | None:
        """Return the rate that stands for a resource.

        It is the one rate that serves all that counts as work on it; where there is no such work,
        what the plain name means on the machine. Where several rates serve it there is none, but
        for flops: those of one kind have its rate, a mix has a peak of its own.
        """
        if resource == "flops":
            used: tuple[Symbol, ...] = self.kinds if len(self.kinds) == 1 else ()
        else:
            counted = [x for x in self.working if x.resource.name == resource and x.counted]
            used = tuple({x.roof.name: x.roof for x in counted if x.roof is not None}.values())
        if len(used) > 1:
            return None
        if used:
            return used[0]
        return default_rate(self.machine, resource, self.device)

    @cached_property
    def roofs(self) -> dict[str, Symbol | None]:
        """The rates that stand for flops, memory, network and the model's own resources."""
        return {name: self.roof(name) for name in ("flops", "memory", "network", *self.own)}

    @cached_property
    def rate_values(self) -> dict[str, float]:
        """The machine's rates in numbers, by their symbols; without those that are open."""
        return {
            name: double(tree) if isinstance(tree, Number) else evaluate(tree, {})
            for name, tree in self.rates.items()
            if name not in self.open_values
        }

    @cached_property
    def open_values(self) -> dict[str, Expression]:
        """The machine's rates, energies and prices in what is open on it, by their symbols."""
        stated = {**self.rates, **self.tariff.formulas}
        return {name: tree for name, tree in stated.items() if free_symbols(tree)}

    @cached_property
    def named_rates(self) -> dict[str, float]:
        """The machine's rates in numbers, by their names on it: `memory.DRAM`."""
        scales = without_limit(self.machine)
        values = self.rate_values.items()
        return {rate_key(name): value for name, value in values if name not in scales}

    @cached_property
    def with_numbers_open(self) -> Opened:
        """The prediction with every number that has `±` left open."""
        from roofdsl.analysis.uncertainty import opened  # few answers need it

        return opened(self)

    @cached_property
    def varied(self) -> dict[str, Varied]:
        """What the machine has of several values that are asked for, by its name."""
        if not any(change.swept for change in self.machine.changes):
            return {}
        from roofdsl.analysis.varied import varied  # few machines are one of several

        return varied(self.machine, self.machine_binding)

    @cached_property
    def roof_rates(self) -> dict[str, float | None]:
        """The `roofs` in numbers, None where a rate is unlimited."""
        return {
            name: None if symbol is None else self.rate_values.get(symbol.name)
            for name, symbol in self.roofs.items()
        }

    @cached_property
    def truths(self) -> frozenset[str]:
        """The names of what is true or false: parameters and intermediates."""
        parameters = [item.name for item in self.model.parameters if item.kind == "boolean"]
        conditions = [item.name for item in self.model.intermediates if item.formula.truth]
        return frozenset([*parameters, *conditions])

    @cached_property
    def capacity_formula(self) -> Expression | None:
        """How much the machine's memory holds [B], in what is open on it."""
        memory = self.runs_on.memory_capacity
        return memory and self.machine_binding.expand(memory.formula.tree)

    @cached_property
    def capacity(self) -> float | None:
        """How much the machine's memory holds [B], None where that is not known.

        Raises RoofError where it has no value (R0407).
        """
        memory, tree = self.runs_on.memory_capacity, self.capacity_formula
        if memory is None or tree is None:
            return None
        problems: list[Diagnostic] = []
        value = computed(tree, f"the capacity of {memory.key}", memory.span, problems)
        raise_if_any(problems)
        return value

    @cached_property
    def kinds(self) -> tuple[Symbol, ...]:
        """The rates of flops, of all kinds and devices, that the model asks for."""
        found = {
            load.roof.name: load.roof
            for load in self.working
            if load.resource.name == "flops" and load.roof and not is_zero(load.work)
        }
        return tuple(found.values())


def predict(
    model: ModelDefinition,
    machine: MachineDefinition,
    arguments: Arguments,
    free: frozenset[str] = frozenset(),
    *,
    peaks: bool = True,
) -> tuple[Prediction, tuple[Diagnostic, ...]]:
    """Put a model on a machine; return every problem with the arguments or the machine.

    Parameters in `free` stay without a value even if they have a default. Without `peaks` it has
    no peak of memory, which takes longest where much is open.
    """
    placing = Placing(machine)
    binding, root = placing.root(model, arguments, free, peaks=peaks)
    placed = (model, machine, binding, placing.binding, root, placing.rates, tuple(placing.notes))
    asked = (placing.checks, placing.unmeasured, tuple(placing.tabled))
    found = Prediction(*placed, *asked, None, placing.tariff, given=arguments, parts=placing.parts)
    if model.metrics:
        from roofdsl.model.metric import misfits  # few models have any

        placing.problems += misfits(model, machine)
    return found, tuple(placing.problems)
