"""Machines as Python objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofdsl.analysis.result import Ridge, machine_rates, machine_ridge
from roofdsl.embedding.displayed import Defined
from roofdsl.model.library import find_machine
from roofdsl.model.types import MachineDefinition

if TYPE_CHECKING:
    from roofdsl.answer.blocks import Block


class Machine(Defined[MachineDefinition]):
    """A machine: how fast each of its resources is.

    >>> karst = load_machine("karst")
    >>> karst.rates["memory"]
    13900000000.0
    >>> round(karst.ridge.CAI, 2)
    18.33
    """

    @property
    def rates(self) -> dict[str, float]:
        """Each resource's rate in its unit per second [flop/s, B/s, …]."""
        return machine_rates(self._definition)

    @property
    def ridge(self) -> Ridge:
        """The ridge points OI* [flop/B], CAI* [flop/B] and MI* [B/B]."""
        return machine_ridge(self._definition)

    def __repr__(self) -> str:
        return f"<Machine {self.name}>"

    def blocks(self) -> list[Block]:
        from roofdsl.embedding.cards import machine_card

        return machine_card(self._definition)


def load_machine(reference: str) -> Machine:
    """Load a machine by path, `path:name` or bundled name.

    Raises RoofError when there is no such machine or its file has errors.

    >>> load_machine("karst")
    <Machine karst>
    """
    definition, module = find_machine(reference)
    return Machine(definition, tuple(module.warnings))
