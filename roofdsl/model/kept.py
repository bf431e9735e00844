"""The tensors that a model states, and what it keeps from one of its steps to another."""

from __future__ import annotations

from typing import Literal, NamedTuple

from roofdsl.expression.tree import Expression
from roofdsl.source import Span


class Tensor(NamedTuple):
    """A tensor of a model by its word: `in`, it is read; `out`, made; `keep`, made for gradients.

    What is `kept` the gradients need. `hold` is there all the time, or, `here`, from its model on.
    `of` is the tensor in whose place it lies, "" for one of its own. What a composition reads may
    have no size: that of what its step reads.
    """

    word: Literal["in", "out", "keep", "hold"]
    name: str
    size: Expression | None
    kept: bool
    here: bool
    of: str
    doc: str
    span: Span


class Keep(NamedTuple):
    """What is kept from a step to another, named by their paths: `size` bytes, a tensor `name`.

    Without a name it is what all steps inside the first keep.
    """

    name: str
    size: Expression | None
    begins: tuple[str, ...]
    ends: tuple[str, ...]
    span: Span
