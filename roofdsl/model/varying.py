"""Operations, and what of a machine depends on a kernel: their rates, tables, start-ups."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from roofdsl.expression.tree import Expression
from roofdsl.source import Span
from roofdsl.units.dimension import DIMENSIONLESS, SECOND, Dimension


class Operation(NamedTuple):
    """Which operation a kernel is, for machines that have measured it."""

    name: str
    arguments: dict[str, Expression]
    span: Span


class OperationRate(NamedTuple):
    """How fast an operation runs on a resource, in units per second, by its arguments.

    `value` has the names `argument(0)`, … for these, in the order of `parameters`.
    """

    key: str
    operation: str
    parameters: tuple[str, ...]
    value: Expression
    doc: str
    span: Span

    @property
    def name(self) -> str:
        return f"{self.key} as {self.operation}"


def argument(place: int) -> str:
    """Return the name of an argument of a rate in its formula: no name of a file has a colon."""
    return f"argument:{place}"


class Startup(NamedTuple):
    """The time [s] that a machine takes to start a kernel or, if `key` is one, a resource in it."""

    key: str
    value: Expression
    doc: str
    span: Span
    uncertainty: Expression | None = None


class MeasuredTable(NamedTuple):
    """Measured times [s] or rates by their arguments; `interpolate` allows others between.

    They are those of an operation; or of the rate `key`, for an `operation` or, where that is "",
    by the work of a kernel. `units` are those of the arguments, `measure` is that of the values.
    """

    name: str
    parameters: tuple[str, ...]
    values: dict[tuple[Fraction, ...], Fraction]
    interpolate: bool
    file: str
    span: Span
    key: str = ""
    operation: str = ""
    units: tuple[Dimension, ...] = ()
    measure: Dimension = SECOND

    @property
    def of_rates(self) -> bool:
        """Whether it has rates, not times."""
        return self.measure != SECOND

    def unit(self, place: int) -> Dimension:
        """Return the unit of an argument: those of operations are plain numbers."""
        return self.units[place] if self.units else DIMENSIONLESS
