"""The core of attention, where it is one operator."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.size import times
from roofdsl.importers.graph.values import NoRule, Operator, Value

CAUSAL = "no query sees later keys; false: all pairs, as counters have"
FUSED = "scores never leave the chip"


def attention(
    operator: Operator, to: Composer, queries: Value, keys: Value, values: Value, *, causal: bool
) -> None:
    """Add softmax(Q Kᵀ) V of tensors that have heads before tokens and features."""
    q, k, v = (each.of_rank(3, 99) for each in (queries, keys, values))
    if causal and q[-2] != k[-2]:
        raise NoRule("it is causal, with other keys than queries")
    arguments: dict[str, Argument] = {"B": times(q[:-3]), "a": q[-3], "s": q[-2], "d": q[-1]}
    if k[-2] != q[-2]:
        arguments["t"] = k[-2]
    if k[-3] != q[-3]:
        arguments["kv"] = k[-3]
    if v[-1] != q[-1]:
        arguments["v"] = v[-1]
    if causal:
        arguments["causal"] = to.option("causal", CAUSAL)
    arguments["fused"] = to.option("fused", FUSED)
    sources = tuple(dict.fromkeys(map(to.source, (queries, keys, values))))
    if len(sources) > 1:
        # Of three tensors keys and values count together, in the second one's place.
        arguments["apart"] = True
    step = to.add(operator, "attention", list(sources), arguments)
    to.becomes(operator.result, step)
