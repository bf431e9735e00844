"""What is made from another definition says so, and what it states otherwise or adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from roofdsl.model.layer import Changed, Layer
from roofdsl.model.stacked import stated
from roofdsl.model.types import Definition, MachineDefinition
from roofdsl.syntax import nodes

MOST_SHOWN = 6
"""So many changes are told in a source; of more, what was stated last is left to its file."""
_Definition = TypeVar("_Definition", bound=Definition)


def made_from(base: Definition, made: _Definition, own: Sequence[Layer]) -> _Definition:
    """Return a definition that says what it is made from, and what its own layers change or add.

    It has the sources of the other one, and a line that says what was changed; a machine without
    sources has none.

    >>> from roofdsl.model.library import find_machine
    >>> karst = find_machine("karst")[0]
    >>> made_from(karst, karst, karst.layers).sources[-1].partition(",")[0]
    'karst is karst with cores_per_socket = 8'
    """
    found = replace(made, base=base.name, changes=changes_of(base, own))
    items = (item for layer in own for item in layer.items)
    new = (item.text.value for item in items if isinstance(item, nodes.SourceStatement))
    sources = (*base.sources, *new)
    told = sources or not isinstance(found, MachineDefinition)
    return replace(found, sources=(*sources, _line(found)) if told else ())


def changes_of(
    base: Definition, own: Iterable[Layer], *, asked: bool = False
) -> tuple[Changed, ...]:
    """Return what layers on top of a definition change or add."""
    below = [item for layer in base.layers for item in layer.items]
    known = {key for key, _ in stated(below)}
    known |= {item.name.name for item in below if isinstance(item, nodes.ParameterStatement)}
    devices = base.devices.items() if isinstance(base, MachineDefinition) else ()
    for name, device in devices:
        known |= {f"{name}.{key}" for layer in device.layers for key, _ in stated(layer.items)}
    found = {
        key: Changed(key, written, key not in known, asked)
        for layer in own
        for key, written in stated(layer.items)
    }
    return tuple(found.values())


def _line(made: Definition) -> str:
    more = len(made.changes) - MOST_SHOWN
    if more <= 1:
        return f"{made.name} is {made.made_from}"
    shown = ", ".join(change.text for change in made.changes[:MOST_SHOWN])
    return f"{made.name} is {made.base} with {shown} and {more} more values"
