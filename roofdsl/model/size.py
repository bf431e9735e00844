"""How large a composition is with its steps written out: analysis goes through all of them."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.model.types import Part, Step

DEEPEST_PARTS = 60
MOST_STEPS = 100_000


class Size(NamedTuple):
    """How many steps there are, those of a `repeat` once, and how deep they nest."""

    steps: int
    depth: int


def size_of(parts: tuple[Part, ...], known: dict[int, Size] | None = None) -> Size:
    """Return the size of parts; `known` holds that of models, which are counted once."""
    known = {} if known is None else known
    steps, depth = 0, 0
    for part in parts:
        if not isinstance(part, Step):
            inner = size_of(part.parts, known)
        elif id(part.model) in known:
            inner = known[id(part.model)]
        else:
            inner = size_of(part.model.parts, known)
            inner = known[id(part.model)] = Size(max(1, inner.steps), inner.depth)
        steps += inner.steps
        depth = max(depth, 1 + inner.depth)
    return Size(steps, depth)
