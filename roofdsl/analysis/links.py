"""Which link plain `network` means on a machine that is one process of a node.

Such a machine says how many processes a node holds, by a parameter of the kind `processes`, and has
a link inside the node and one between nodes. A process of a model that fits in a node sends by the
first, one of more processes by the second: which of them sit together nobody has said, unless a
step does, `on network.intra`. Where the machine says `default inter`, that is the link of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from roofdsl.analysis.binding import Binding
from roofdsl.expression.condition import decided
from roofdsl.expression.construct import multiply
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ZERO, Comparison, Conditional, Expression
from roofdsl.model.types import AROUND, MachineDefinition, ModelDefinition
from roofdsl.typeset.text import text

NETWORK, MESSAGES = "network", "messages"
INSIDE, BETWEEN = "network.intra", "network.inter"


class Shares(NamedTuple):
    """The parts of some work that go by the link inside a node, and by that between nodes."""

    inside: Expression
    between: Expression


def is_node(machine: MachineDefinition) -> bool:
    """Whether plain `network` means either link of a machine, by the number of processes."""
    keys = {rate.key for rate in machine.rates}
    both = {INSIDE, BETWEEN} <= keys and NETWORK not in keys
    return both and machine.defaults.get(NETWORK, INSIDE) == INSIDE and bool(_sizes(machine))


def _sizes(machine: MachineDefinition) -> list[str]:
    own = (item for item in machine.parameters if not item.name.startswith(AROUND))
    return [item.name for item in own if item.kind == "processes"]


def shares(
    work: Expression, processes: Expression, machine: MachineDefinition, binding: Binding
) -> Shares:
    """Return which part of some work goes by which link: all of it by one of them."""
    size = multiply(*(binding.trees[name] for name in _sizes(machine)))
    fits = Comparison("<=", processes, size)
    known = decided(fits)
    if known is not None:
        return Shares(work, ZERO) if known else Shares(ZERO, work)
    return Shares(Conditional(fits, work, ZERO), Conditional(fits, ZERO, work))


def placed_on(
    where: str | None, devices: Mapping[str, MachineDefinition]
) -> tuple[str | None, str | None]:
    """Return the device and the link that a step is placed on, if it is on one.

    >>> placed_on("network.intra", {}), placed_on("gpu", {})
    ((None, 'network.intra'), ('gpu', None))
    """
    first, _, rest = (where or "").partition(".")
    if where is not None and first == NETWORK and first not in devices:
        return None, where
    if first in devices and rest.startswith(f"{NETWORK}."):
        return first, rest
    return where, None


def sends_by(model: ModelDefinition, link: str | None) -> str | None:
    """Return the link to whose time adds what a kernel sends; None if that is plain `network`.

    It is the one that the kernel names itself, of several that between nodes; else `link`, on which
    its step is placed.
    """
    keys = [work.key for work in model.work if work.resource.name == NETWORK]
    if not keys or NETWORK in keys or link in keys:
        return link
    return keys[0] if len({*keys}) == 1 else BETWEEN if BETWEEN in keys else None


def latency_of(link: str | None, machine: MachineDefinition) -> str:
    """Return the rate of the messages that go by a link; plain `messages` where it has none."""
    key = f"{MESSAGES}.{(link or NETWORK).partition('.')[2]}"
    return MESSAGES if machine.rate(key) is None else key


def free(machine: MachineDefinition) -> str:
    """Return a note that messages take no time."""
    return f"messages take no time on '{machine.name}': it states `{MESSAGES} = unlimited`"


def crowded(
    model: str, processes: Expression, machine: MachineDefinition, binding: Binding
) -> str | None:
    """Return a note where more processes send by the link inside a node than there is room for."""
    sizes = _sizes(machine)
    if not sizes:
        return None
    size = multiply(*(binding.trees[name] for name in sizes))
    known = decided(Comparison("<=", processes, size))
    held = " * ".join(sizes) if free_symbols(size) else text(size)
    room = f"and a node of '{machine.name}' holds {held}"
    if known is None:
        return f"'{model}' sends by {INSIDE} whatever {text(processes)} is, {room}"
    return (
        None if known else f"'{model}' sends by {INSIDE} among {text(processes)} processes, {room}"
    )


def note(machine: MachineDefinition, served: str, *, counted: bool) -> str:
    """Return a note of the link that serves plain `network`; `counted`: processes are counted."""
    if is_node(machine) and counted:
        size = " * ".join(_sizes(machine))
        where = f"where all processes fit in a node of {size}, {BETWEEN} else"
        return f"network is {INSIDE} of '{machine.name}' {where}"
    said = f"network is {served} of '{machine.name}'"
    if is_node(machine):
        return f"{said}: how many processes there are is not said"
    if served == INSIDE and machine.rate(BETWEEN) is None:
        return f"{said} for any number of processes: it states no {BETWEEN}"
    return said
