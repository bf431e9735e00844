"""What long formulas of a page have in common, named once: `c1`, and what it stands for below."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from roofdsl.answer.blocks import Block, Equation, Equations, Form, label
from roofdsl.answer.forms import LINE, stated
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import is_condition
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import free_symbols, rewritten
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.typeset.text import text

LONG = 2 * LINE
"""Formulas of more characters, two lines and more, are told in shared parts."""
LEAST = 30
"""What is shorter has no name of its own."""
_LETTERS = "cqkuvw"


def with_shared_parts(found: Sequence[Block], place: str) -> list[Block]:
    """Return the blocks of a page with names for what its long formulas have in common.

    What they stand for is told below the last of these formulas.
    """
    forms = [tree for block in found for tree in _formulas(block)]
    long = [tree for tree in dict.fromkeys(forms) if len(text(tree)) > LONG]
    names = _named(long, forms)
    if not names:
        return [*found]
    blocks = [_renamed(block, names) for block in found]
    parts = [stated(name, _in_names(part, names, part)) for part, name in names.items()]
    where = Equations("Where", label(place, "where"), tuple(parts), "where")
    last = max(at for at, block in enumerate(found) if blocks[at] is not block)
    return [*blocks[: last + 1], where, *blocks[last + 1 :]]


def _formulas(block: Block) -> Iterator[Expression]:
    if isinstance(block, Equations):
        for item in block.items:
            yield from (x.value for x in item.lines if isinstance(x.value, Expression))


def _named(long: Sequence[Expression], all_: Iterable[Expression]) -> dict[Expression, Symbol]:
    """Return names for parts of formulas that stand in several places, in the order written."""
    uses = Counter[Expression]()
    order: dict[Expression, None] = {}
    for tree in long:
        for node in bottom_up(tree, outside_sums):
            if node not in order:
                order[node] = None
                uses.update(outside_sums(node))
    kept = [
        node
        for node in order
        if uses[node] > 1
        and isinstance(node, trees.Add | trees.Function | trees.Conditional | trees.Sum)
        and not is_condition(node)
        and len(text(node)) >= LEAST
    ]
    taken = {symbol.name for tree in all_ for symbol in free_symbols(tree)}
    letter = next(x for x in _LETTERS if not any(re.fullmatch(rf"{x}\d+", y) for y in taken))
    return {node: Symbol(f"{letter}{at}") for at, node in enumerate(kept, 1)}


def _renamed(block: Block, names: Mapping[Expression, Symbol]) -> Block:
    if not isinstance(block, Equations):
        return block
    items = tuple(_equation(item, names) for item in block.items)
    return block._replace(items=items) if items != block.items else block


def _equation(item: Equation, names: Mapping[Expression, Symbol]) -> Equation:
    return item._replace(lines=tuple(_form(line, names) for line in item.lines))


def _form(line: Form, names: Mapping[Expression, Symbol]) -> Form:
    if not isinstance(line.value, Expression) or len(text(line.value)) <= LONG:
        return line
    return line._replace(value=_in_names(line.value, names))


def _in_names(
    tree: Expression, names: Mapping[Expression, Symbol], itself: Expression | None = None
) -> Expression:
    """Return a formula in the names of its parts; what is named is not replaced by its own."""

    def named(node: Expression, _: tuple[Expression, ...]) -> Expression | None:
        return None if node is itself else names.get(node)

    return rewritten(tree, named)
