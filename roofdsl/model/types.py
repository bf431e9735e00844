"""What a `.roof` file defines, with names and units resolved. All numbers are in SI base units."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.expression.tree import Expression, Symbol
from roofdsl.source import Source, Span
from roofdsl.syntax.nodes import TestDeclaration
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

KindName: TypeAlias = Literal["integer", "real", "boolean", "processes"]


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
    """A parameter: its values are whole numbers, reals or truth values.

    `low` and `high` bound it, both included unless `low_open`; without a default it stays symbolic.
    """

    name: str
    kind: KindName
    dimension: Dimension
    unit: str
    unit_factor: Fraction
    low: Expression | None
    high: Expression | None
    low_open: bool
    default: Expression | None
    doc: str
    span: Span
    symbol: Symbol


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
    """What a model asks of a resource; `key` is the resource with its level: `memory.L2`."""

    key: str
    resource: Resource
    value: Expression
    doc: str
    span: Span


class Rate(NamedTuple):
    """How fast a machine's resource is, in units per second; None means unlimited."""

    key: str
    resource: Resource
    value: Expression | None
    uncertainty: Expression | None
    doc: str
    span: Span


@dataclass(frozen=True, slots=True)
class ModelDefinition:
    """A model: parameters, intermediates, requirements and work, in the order written."""

    name: str
    parameters: tuple[Parameter, ...]
    intermediates: tuple[Intermediate, ...]
    requirements: tuple[Requirement, ...]
    work: tuple[Work, ...]
    sources: tuple[str, ...]
    doc: str
    span: Span

    def dimensions(self) -> dict[str, Dimension]:
        """Return the dimension of each parameter and intermediate."""
        found = {parameter.name: parameter.dimension for parameter in self.parameters}
        found.update((item.name, item.formula.dimension) for item in self.intermediates)
        return found


@dataclass(frozen=True, slots=True)
class MachineDefinition:
    """A machine: parameters, intermediates, requirements and rates, in the order written."""

    name: str
    parameters: tuple[Parameter, ...]
    intermediates: tuple[Intermediate, ...]
    requirements: tuple[Requirement, ...]
    rates: tuple[Rate, ...]
    sources: tuple[str, ...]
    doc: str
    span: Span


@dataclass(frozen=True, slots=True)
class Module:
    """A `.roof` file: its models, machines and tests by name, and the units it declares."""

    source: Source
    models: dict[str, ModelDefinition] = field(default_factory=dict)
    machines: dict[str, MachineDefinition] = field(default_factory=dict)
    tests: tuple[TestDeclaration, ...] = ()
    units: dict[str, Dimension] = field(default_factory=dict)
