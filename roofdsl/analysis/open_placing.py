"""Place a model on a machine with everything left open, for those who compute numbers later.

Where `Placing` needs numbers, as for a table of measurements, or tells of a problem that depends on
them, this leaves a name or a load without a rate, and notes what it stands for.
"""

from __future__ import annotations

from dataclasses import replace

from roofdsl.analysis.binding import Arguments, Binding, bind_open
from roofdsl.analysis.load import Load
from roofdsl.analysis.measuring import Lookup
from roofdsl.analysis.node import Site
from roofdsl.analysis.peak import with_peaks
from roofdsl.analysis.placing import Placing, selected
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.substitute import substitute_each
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.types import AROUND, MachineDefinition, ModelDefinition, Work

MEASURED = "measured:"
"""What the names of measured times begin with."""


class OpenPlacing(Placing):
    """Places a model with no parameter bound but its precisions, on a machine with none bound.

    A machine's parameters are names such as `karst:cores`, a measured time is one such as
    `measured:0`, the place of its lookup. `unserved` are loads without a rate of the machine; they
    cost nothing where their work is 0, and cannot be else. `checks` say what steps ask of what they
    are given.
    """

    def __init__(self, machine: MachineDefinition) -> None:
        self.lookups: list[Lookup] = []
        self.unserved: list[Load] = []
        super().__init__(machine)
        self.asking = True

    def place(
        self, model: ModelDefinition, precisions: Arguments, *, peaks: bool = True
    ) -> tuple[Prediction, dict[str, Expression]]:
        """Return the open prediction, and what `machine.name` stands for in the model's defaults.

        A peak of memory that is the largest of too many sums is left out.
        What is in `problems` afterwards does not depend on what is open.
        """
        values = self._machine_values(model, {}, None)
        binding = bind_open(model, precisions)
        root = self._sharing.named(self._node(model.name, Site(model, binding, None)))
        root = with_peaks(root, self.notes, in_short=True) if peaks else root
        notes = tuple(self.notes)
        found = Prediction(
            model,
            self.machine,
            binding,
            self.binding,
            root,
            self.rates,
            notes,
            tariff=self.tariff,
        )
        return found, values

    def _bound(self, machine: MachineDefinition) -> Binding:
        super()._bound(machine)  # for the problems with it
        trees: dict[str, Expression] = {
            p.name: replace(p.symbol, name=machine_name(machine, p.name))
            for p in machine.parameters
        }
        trees |= machine.numbers
        formulas = substitute_each([item.formula.tree for item in machine.intermediates], trees)
        names = [item.name for item in machine.intermediates]
        trees |= dict(zip(names, formulas, strict=True))
        return Binding(machine.name, trees, {}, machine.parameters)

    def _measured(self, site: Site) -> Expression | None:
        operation = site.model.operation
        table = self._machines[site.device].tables.get(operation.name) if operation else None
        if operation is None or table is None or {*operation.arguments} != {*table.parameters}:
            return super()._measured(site)
        given = [operation.arguments[name] for name in table.parameters]
        arguments = tuple(site.binding.expand(tree) for tree in given)
        return self._named(Lookup(table, arguments, operation.span))

    def looked_up(self, lookup: Lookup) -> Expression:
        return self._named(lookup)

    def _named(self, lookup: Lookup) -> Symbol:
        self.lookups.append(lookup)
        return Symbol(f"{MEASURED}{len(self.lookups) - 1}", integer=False, positive=True)

    def _load(self, work: Work, site: Site, measured: Expression | None) -> Load | None:
        known = len(self.problems)
        self._lacking.clear()  # each load that lacks a rate is to be told of
        load = super()._load(work, site, measured)
        codes = {problem.code for problem in self.problems[known:]}
        if load is not None or not codes & {"R0501", "R0505"}:
            return load
        del self.problems[known:]
        key = selected(work, site.binding)
        assert isinstance(key, str)  # or its problem were another
        tree = site.binding.expand(work.value)
        found = Load(key, work.resource, tree, None, work, site.device)
        self.unserved.append(found)
        return found


def machine_name(machine: MachineDefinition, parameter: str) -> str:
    """Return the name of a machine's parameter in open formulas.

    No name of a model has a colon in it. What a device has of the machine around it, `node` for
    `node.gpu`, is called as it is there.
    """
    if parameter.startswith(AROUND):
        return f"{machine.name.rpartition('.')[0]}:{parameter.removeprefix(AROUND)}"
    return f"{machine.name}:{parameter}"
