"""What a `.roof` file defines, with names and units resolved. All numbers are in SI base units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.tree import ONE, Expression, Symbol
from roofdsl.model.kept import Keep, Tensor
from roofdsl.model.layer import Changed, Layer
from roofdsl.model.loop import LoopWord
from roofdsl.model.uncertain import Uncertain
from roofdsl.model.varying import MeasuredTable, Operation, OperationRate, Startup
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import Identifier
from roofdsl.syntax.nodes import FunctionDeclaration, MetricStatement, TestDeclaration
from roofdsl.units.dimension import DIMENSIONLESS, JOULE, SECOND, Dimension
from roofdsl.units.unit import OwnUnits, Unit

AROUND = "machine:"
"""What the names of a machine begin with in its devices that are written in place."""
KindName: TypeAlias = Literal["integer", "real", "boolean", "processes", "precision"]


class Formula(NamedTuple):
    """An expression with the dimension of its value; `truth` when the value is true or false."""

    tree: Expression
    dimension: Dimension = DIMENSIONLESS
    truth: bool = False


class Resource(NamedTuple):
    """Something work is done on: its unit, and the resource whose time its own adds to."""

    name: str
    dimension: Dimension
    shares: str | None = None


class Parameter(NamedTuple):
    """A parameter: its values are whole numbers, reals, truth values or precisions.

    `low` and `high` bound it, both included unless `low_open`; without a default it stays symbolic;
    `written` is the default as the file has it.
    """

    name: str
    kind: KindName
    dimension: Dimension
    unit: str
    low: Expression | None
    high: Expression | None
    low_open: bool
    default: Expression | None
    written: str
    doc: str
    span: Span
    symbol: Symbol

    @property
    def formula(self) -> Formula:
        """What its name stands for in other formulas."""
        return Formula(self.symbol, self.dimension, truth=self.kind == "boolean")

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers, not truth values or precisions."""
        return self.kind not in ("boolean", "precision")


class Intermediate(NamedTuple):
    """A `let`."""

    name: str
    formula: Formula
    doc: str
    span: Span


class Requirement(NamedTuple):
    """A `require`: what must hold, and how it was written."""

    condition: Expression
    text: str
    span: Span


class Work(NamedTuple):
    """What a model asks of a resource; `key` is the resource with its level: `memory.L2`.

    `selector` is the name of the precision in `flops[dtype]`, `precision` its formula. `adopted`
    says that a plain number was given and took the resource's unit.
    """

    key: str
    resource: Resource
    value: Expression
    selector: str | None
    precision: Expression | None
    adopted: bool
    doc: str
    span: Span

    @property
    def name(self) -> str:
        """What is worked on, as written: `flops.matrix[dtype]`."""
        return self.key if self.selector is None else f"{self.key}[{self.selector}]"


class Tally(Intermediate):
    """What a model adds up at no cost of time, such as its parameters or its footprint."""


class Metric(NamedTuple):
    """A `metric`: a formula in the names of results, such as `time` or `decode.attention.time`.

    `factor` is the stated unit in SI base units. The rest is what the formula was read from: its
    unit is read again for each machine that has values of its own.
    """

    name: str
    formula: Formula
    doc: str
    span: Span
    factor: Fraction
    statement: MetricStatement
    functions: dict[str, FunctionDefinition]
    units: OwnUnits


class Capacity(NamedTuple):
    """How much a machine's resource holds."""

    key: str
    formula: Formula
    span: Span
    uncertainty: Expression | None = None


class Rate(NamedTuple):
    """How fast a machine's resource is, in units per second; None means unlimited.

    `inverse` says that it was written the other way round, as a latency: `2 us/message`. Where it
    depends on the work of a kernel, it has `parameters`, for which `value` has the names
    `argument(0)`, …: the first is the work that it serves, the others are resources. `most` is
    what its rate of large work was set to.
    """

    key: str
    resource: Resource
    value: Expression | None
    uncertainty: Expression | None
    inverse: bool
    doc: str
    span: Span
    parameters: tuple[str, ...] = ()
    most: Expression | None = None

    @property
    def name(self) -> str:
        return self.key

    @property
    def besides(self) -> tuple[str, ...]:
        """The resources whose work a rate depends on besides its own."""
        return self.parameters[1:]


class Energy(NamedTuple):
    """The energy of one unit of work [J/flop, J/B, …] on a machine's resource."""

    key: str
    resource: Resource
    value: Expression
    uncertainty: Expression | None
    doc: str
    span: Span


class Standing(NamedTuple):
    """What a machine draws (`power` [W]) or costs (`price`) all the time, whatever it does."""

    name: str
    formula: Formula
    uncertainty: Expression | None
    doc: str
    span: Span


class Step(NamedTuple):
    """A step of a model: another model with arguments, or a kernel written in place.

    A kernel in place sees the names around it and has no arguments. `device` is where it runs, None
    where the machine itself is meant. `sources` are what it reads, () for what the step before
    makes; what it makes may take the place of what it reads (`overwrites`).
    """

    name: str
    model: ModelDefinition
    arguments: dict[str, tuple[Expression, Span | None]]
    in_place: bool
    device: str | None
    span: Span
    sources: tuple[Identifier, ...] = ()
    overwrites: bool = False


class Overlap(NamedTuple):
    """Parts that run at once."""

    parts: tuple[Part, ...]
    span: Span


class Repeat(NamedTuple):
    """Parts that run one after another, `times` times: alike (`repeat`), the same again, of which
    `keeping` are kept at once (`iterate`), of a mix (`job`), idle (`wait`), again (`recompute`).
    """

    times: Expression
    parts: tuple[Part, ...]
    span: Span
    word: LoopWord = "repeat"
    keeping: Expression = ONE


Part: TypeAlias = Step | Overlap | Repeat


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Definition:
    """What models and machines have in common; units of their files, uncertain numbers by name.

    `base` is what it is made from, if anything, `changes` what it states otherwise or adds;
    `layers` are the statements of all these definitions, those of the first one first.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    intermediates: tuple[Intermediate, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    sources: tuple[str, ...] = ()
    own_units: Mapping[str, Unit] = field(default_factory=dict)
    uncertain: Mapping[str, Uncertain] = field(default_factory=dict)
    doc: str
    span: Span
    base: str = ""
    changes: tuple[Changed, ...] = ()
    layers: tuple[Layer, ...] = ()

    @property
    def identity(self) -> tuple[object, ...]:
        """What two have in common that are the same: the name, the text, changes of that."""
        return self.name, self.span.source.digest

    @property
    def made_from(self) -> str:
        """What it is made from in its file: `karst with network = 10 GB/s`; "" if from nothing."""
        changes = ", ".join(change.text for change in self.changes if not change.asked)
        return f"{self.base} with {changes}" if changes else self.base

    @property
    def numbers(self) -> dict[str, Expression]:
        """The numbers of intermediates that may be off, by what stands for them in formulas."""
        return {item.symbol.name: item.tree for item in self.uncertain.values()}

    def dimensions(self) -> dict[str, Dimension]:
        """Return the dimension of each parameter and intermediate."""
        found = {parameter.name: parameter.dimension for parameter in self.parameters}
        found.update((item.name, item.formula.dimension) for item in self.intermediates)
        return found

    def truths(self) -> frozenset[str]:
        """Return the parameters and intermediates that are true or false."""
        stated = (item.name for item in self.intermediates if item.formula.truth)
        return frozenset((*stated, *(p.name for p in self.parameters if p.kind == "boolean")))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModelDefinition(Definition):
    """A model: parameters, intermediates, requirements, work or parts, tallies, as written.

    A kernel has `work`, and `time` where that is stated rather than derived; a composition has
    `parts`. Work is that of the busiest process: `totals` is that of all, by resource, and `even`
    says that all do the same. The parts of a mix are jobs, each a run of its own.
    """

    work: tuple[Work, ...]
    time: Expression | None
    operation: Operation | None = None
    parts: tuple[Part, ...] = ()
    tallies: tuple[Tally, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    keeps: tuple[Keep, ...] = ()
    totals: tuple[Work, ...] = ()
    even: bool = False
    metrics: tuple[Metric, ...] = ()
    is_mix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MachineDefinition(Definition):
    """A machine: parameters, intermediates, requirements, rates, devices, capacities, as written.

    `defaults` names the level that plain `memory` (or `flops`, …) means: `memory` → `memory.DRAM`.
    `serial` are resources, levels and units whose times add up; `concurrent` are the units of flops
    that run at once.
    `power` and `price` are those of one process, as rates are; a device has its own. `startups` are
    of a kernel, and of resources.
    """

    rates: tuple[Rate, ...]
    defaults: dict[str, str]
    devices: dict[str, MachineDefinition]
    tables: dict[str, MeasuredTable]
    capacities: tuple[Capacity, ...]
    serial: tuple[tuple[str, ...], ...] = ()
    concurrent: tuple[str, ...] = ()
    energies: tuple[Energy, ...] = ()
    power: Standing | None = None
    price: Standing | None = None
    startups: tuple[Startup, ...] = ()
    operation_rates: tuple[OperationRate, ...] = ()

    @property
    def memory_capacity(self) -> Capacity | None:
        """How much `memory` holds, or the level that it means; None where neither is stated."""
        known = {item.key: item for item in self.capacities}
        return known.get("memory") or known.get(self.defaults.get("memory", ""))

    def units(self) -> dict[str, Dimension]:
        """Return the unit of each value of its own: parameters, `let`s, rates, capacities."""
        found = self.dimensions()
        for rate in self.rates:
            unit = rate.resource.dimension / SECOND
            found[rate.key] = found[rate.resource.name] = unit
        found |= {f"capacity.{x.key}": x.formula.dimension for x in self.capacities}
        found |= {f"energy.{x.key}": JOULE / x.resource.dimension for x in self.energies}
        standing = (each for each in (self.power, self.price) if each)
        return found | {each.name: each.formula.dimension for each in standing}

    def rate(self, key: str) -> Rate | None:
        return next((rate for rate in self.rates if rate.key == key), None)

    def operation_rate(self, key: str, operation: str) -> OperationRate | None:
        """Return the rate of an operation on a resource, where it has one of its own."""
        found = (x for x in self.operation_rates if (x.key, x.operation) == (key, operation))
        return next(found, None)

    def startup(self, key: str = "") -> Startup | None:
        """Return what a resource takes to start, or without a key a kernel, where it is stated."""
        return next((item for item in self.startups if item.key == key), None)

    @property
    def identity(self) -> tuple[object, ...]:
        return self.name, self.span.source.digest, *((x.key, x.written) for x in self.changes)

    @property
    def altered(self) -> str:
        """A note of what no file has: `changed: karst with network = 2x`; "" if nothing."""
        changes = ", ".join(change.text for change in self.changes if change.asked)
        return changes and f"changed: {self.name} with {changes}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FunctionDefinition:
    """A function as declared, and what its body sees: functions and units where it was written.

    `functions` is the whole table of that place, this function among them. One that is not `sound`
    has been reported: a call of it says nothing more.
    """

    declaration: FunctionDeclaration
    functions: dict[str, FunctionDefinition]
    units: OwnUnits
    sound: bool = True


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Module:
    """A `.roof` file: what it declares by name, and the modules it uses by the name given them.

    `units` and `resources` are also those of the modules it uses, `functions` what these declare,
    behind the module's name: `mine.misses`. `warnings` are of all these files.
    """

    source: Source
    models: dict[str, ModelDefinition] = field(default_factory=dict)
    machines: dict[str, MachineDefinition] = field(default_factory=dict)
    tests: tuple[TestDeclaration, ...] = ()
    units: OwnUnits = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    functions: dict[str, FunctionDefinition] = field(default_factory=dict)
    imports: dict[str, Module] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)
