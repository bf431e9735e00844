"""A network as a graph, and its text in the language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from roofdsl.importers.graph.composer import Composer, LeftOut, Rule
from roofdsl.importers.graph.values import Operator, Value
from roofdsl.importers.graph.writing import Written, text_of

_MOST_NAMED = 12


class Network(NamedTuple):
    """A graph of operators in the order they run.

    `sizes` are the parameters of the model that shapes name, with what they count; `weights` the
    elements of each parameter by its root.
    """

    name: str
    heading: str
    source: str
    sizes: Mapping[str, str]
    inputs: tuple[Value, ...]
    operators: tuple[Operator, ...]
    weights: Mapping[str, int]
    notes: tuple[str, ...] = ()


class Composed(NamedTuple):
    """The text of a network as a model, its number of steps, and what is to be said of it."""

    text: str
    steps: int
    notes: tuple[str, ...]


def composed(network: Network, rule_of: Callable[[Operator], Rule | None]) -> Composed:
    """Return a network as a model of layers, and notes on what is left out.

    An operator that hangs on constants and weights alone is computed before the network runs.
    """
    composer = Composer(_precision(network.operators), tuple(network.sizes))
    for value in network.inputs:
        composer.source(value)
    for operator in network.operators:
        composer.apply(operator, rule_of(operator))
    roots = {root: composer.uncounted(root, whole) for root, whole in network.weights.items()}
    held = {root: left for root, left in roots.items() if left > 0}
    notes = (*network.notes, *_notes(composer.left_out, held), *composer.remarks)
    heading = (network.heading, *notes)
    written = Written(network.name, heading, network.source, network.sizes, composer, held)
    return Composed(text_of(written), len(composer.steps), notes)


def _precision(operators: Sequence[Operator]) -> str:
    """Return the precision that most results are in."""
    counts = Counter(each.dtype for op in operators for each in op.outputs if each.is_real)
    return counts.most_common(1)[0][0] if counts else "fp32"


def _notes(left_out: Sequence[LeftOut], held: Mapping[str, int]) -> list[str]:
    notes = []
    kinds: dict[tuple[str, str, str], int] = {}
    for each in left_out:
        key = each.kind, each.shape, each.reason
        kinds[key] = kinds.get(key, 0) + 1
    for (kind, shape, reason), count in list(kinds.items())[:_MOST_NAMED]:
        times = f"{count} × " if count > 1 else ""
        why = f": {reason}" if reason else ""
        notes.append(f"left out, in no number: {times}{kind} to {shape}{why}")
    if len(kinds) > _MOST_NAMED:
        notes.append(f"left out besides: {len(kinds) - _MOST_NAMED} more, named in the file")
    if held:
        total = sum(held.values())
        notes.append(f"counted as held alone: {total} parameters that no layer reads")
    return notes
