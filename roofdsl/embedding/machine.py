"""Machines as Python objects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from roofdsl.analysis.machine_ridge import machine_ridge, machine_roofs
from roofdsl.analysis.rates import machine_rates
from roofdsl.analysis.ridge import Ridge, ridge_formulas
from roofdsl.contract import as_given, constructed, public
from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.embedding.displayed import Defined, units_shown
from roofdsl.embedding.formulas import a_name
from roofdsl.model.given import by_name, each, joined, one_of
from roofdsl.model.library import find_machine
from roofdsl.model.types import MachineDefinition
from roofdsl.read_only import unchanging

if TYPE_CHECKING:
    import sympy

    from roofdsl.answer.asked import Value
    from roofdsl.answer.blocks import Block

NOTHING: Mapping[str, Value] = MappingProxyType({})
A_MACHINE = 'a Machine, which load_machine("karst") loads'


@constructed(
    definition=one_of(MachineDefinition, wanted="a definition, as another Machine has it"),
    warnings=each(one_of(Diagnostic, wanted="a Diagnostic")),
)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Machine(Defined[MachineDefinition]):
    """A machine: how fast each of its resources is.

    >>> karst = load_machine("karst")
    >>> karst.rates["memory"]
    13900000000.0
    >>> round(karst.ridge.CAI, 2)
    18.33
    """

    @property
    @unchanging
    def rates(self) -> Mapping[str, float]:
        """Each resource's rate in its unit per second [flop/s, B/s, …]."""
        return machine_rates(self.definition)

    @property
    @unchanging
    def units(self) -> Mapping[str, str]:
        """The SI base units of rates, parameters, `let`s and all else that it states.

        >>> load_machine("karst").units["network"]
        'B/s'
        """
        return units_shown(self.definition.units())

    @property
    @unchanging
    def ridge(self) -> Ridge:
        """The ridge points OI* [flop/B], CAI* [flop/B] and MI* [B/B]."""
        return machine_ridge(self.definition)

    @property
    @unchanging
    def ridge_expressions(self) -> Mapping[str, sympy.Expr]:
        """The ridge points OI*, CAI* and MI* in the machine's rates, those that it has.

        >>> load_machine("karst").ridge_expressions["OI"]
        karst.flops/karst.memory
        """
        from roofdsl.algebra.to_sympy import to_sympy

        machine = self.definition
        limited = {f"{self.name}.{rate.key}" for rate in machine.rates if rate.value is not None}
        formulas = ridge_formulas(machine_roofs(machine), limited)
        return {name: to_sympy(tree) for name, tree in formulas.items()}

    @public(changes=by_name(as_given))
    def changed(self, changes: Mapping[str, Value] = NOTHING, /, **values: Value) -> Machine:
        """Return this machine with other values, as `--set` changes one; what it lacks is added.

        Rates, parameters, `let`s, `capacity memory`, energies, or those of a device, `gpu.memory`:
        each gets a number in SI base units, or a text with its unit, or with a factor, `"2x"`. What
        is predicted on the machine says so in its notes. Raises RoofError for what does not fit.

        >>> fast = load_machine("karst").changed({"capacity memory": "64 GiB"}, network="2x")
        >>> fast.rates["network"], fast.definition.altered
        (2400000000.0, 'changed: karst with capacity memory = 64 GiB, network = 2x')
        """
        from roofdsl.analysis.what_if import given

        problems: list[Diagnostic] = []
        found = self.definition
        for name, value in joined(changes, values).items():
            found = given(found, name, value, problems.append)
        raise_if_any(problems)
        return replace(self, definition=found)

    @public()
    def named(self, name: str) -> Machine:
        """Return this machine under another name, such as that of a changed one.

        Raises RoofError for what is no name (R0101, R0108).

        >>> fast = load_machine("karst").changed(network="2x").named("fast")
        >>> fast, fast.definition.made_from
        (<Machine fast>, 'karst with network = 2x')
        """
        name = a_name("name", name, "a machine")
        old = self.definition
        changes = tuple(each._replace(asked=False) for each in old.changes)
        new = replace(old, name=name, base=old.base or old.name, changes=changes)
        sources = [line for line in old.sources if line != old.altered]
        told = (*sources, f"{new.name} is {new.made_from}") if sources else ()
        return replace(self, definition=replace(new, sources=told))

    def __repr__(self) -> str:
        return f"<Machine {self.name}>"

    def blocks(self) -> list[Block]:
        from roofdsl.embedding.cards import machine_card

        return machine_card(self.definition)


@public()
def load_machine(reference: str | os.PathLike[str]) -> Machine:
    """Load a machine by path, `path:name` or bundled name.

    Raises RoofError when there is no such machine or its file has errors.

    >>> load_machine("karst")
    <Machine karst>
    """
    definition, module = find_machine(os.fspath(reference))
    return Machine(definition, tuple(module.warnings))
