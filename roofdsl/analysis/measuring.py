"""What a machine has measured, as it is asked for while a model is placed on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.analysis.algebras import constant
from roofdsl.analysis.asking import Asking
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.node import Site
from roofdsl.analysis.starting import where_idle, where_working
from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.construct import divide
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.model.types import MachineDefinition
from roofdsl.model.varying import MeasuredTable
from roofdsl.source import Span

if TYPE_CHECKING:
    from roofdsl.analysis.lookup import Found


class Lookup(NamedTuple):
    """What is looked up: a table, the arguments in order, and who asks.

    `work` is what it is the time of, if it is by a table of a rate: no work takes no time.
    """

    table: MeasuredTable
    arguments: Sequence[Expression]
    span: Span
    work: Expression | None = None


class Measuring(Asking):
    """Looks up measurements; collects problems, and notes on what stands in for what.

    `unmeasured` says that a measurement was not looked up, as its formula would be too long;
    `tabled` are the conditions for formulas of tables to have values.
    """

    def __init__(self, machine: MachineDefinition) -> None:
        super().__init__()
        self.machine = machine
        self.problems: list[Diagnostic] = []
        self.notes = dict.fromkeys([machine.altered] if machine.altered else [])
        self.unmeasured = False
        self.tabled: list[Expression] = []
        self._machines: dict[str | None, MachineDefinition] = {None: machine}
        self._machines.update(machine.devices.items())

    def _measured(self, site: Site) -> Expression | None:
        """Return the measured time of the operation a model says it is, if the machine has it."""
        operation, machine = site.model.operation, self._machines[site.device]
        if operation is None:
            return None
        from roofdsl.analysis.lookup import look_up  # few models name an operation

        expand = site.binding.expand
        arguments = {name: constant(expand(tree)) for name, tree in operation.arguments.items()}
        in_table = operation.name in machine.tables
        return self._noted(look_up(operation, arguments, machine), in_table=in_table)

    def _noted(
        self, found: Found | Diagnostic, *, in_table: bool, work: Expression | None = None
    ) -> Expression | None:
        """Return what was measured, 0 where there is a problem: one is enough."""
        if isinstance(found, Diagnostic):
            self.problems.append(found)
            return ZERO
        self.notes.update(dict.fromkeys(found.notes))
        self.unmeasured = self.unmeasured or (in_table and found.value is None)
        for said, condition in found.where.items():
            needed = condition if work is None else where_idle(work, condition)
            self.tabled.append(needed)
            if self.asking:
                self._check(said, "", needed)
        return found.value

    def looked_up(self, lookup: Lookup) -> Expression | None:
        """Return the time of some work by a table of its rate; None where the roof is used."""
        from roofdsl.analysis.lookup import measured

        table, arguments, span, work = lookup

        def time(value: Expression) -> Expression:
            return divide(work, value) if work is not None and table.of_rates else value

        found = measured(table, [*map(constant, arguments)], self.machine, span, time)
        value = self._noted(found, in_table=True, work=work)
        if value is None or work is None or is_zero(value):
            return value
        return where_working([work], value)
