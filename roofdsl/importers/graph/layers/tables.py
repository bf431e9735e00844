"""Rows of a table that are looked up."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.values import NoRule, Operator, Value


def embedding(operator: Operator, to: Composer, table: Value, indices: Value) -> None:
    """Add the rows of a table of weights that indices ask for."""
    if table.weight is None:
        raise NoRule("its table is computed")
    V, d = table.of_rank(2)
    rest: dict[str, Argument] = {} if to.first_use(table.weight) else {"shared": True}
    if indices.dtype in ("int32",):
        rest["index"] = "4 B"
    step = to.add(operator, "embedding", [indices], {"B": indices.elements, "V": V, "d": d, **rest})
    to.becomes(operator.result, step)
