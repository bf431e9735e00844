"""Names of steps, as a graph calls its operators, mended so that the language has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from roofdsl.source import Source
from roofdsl.syntax.expressions import NameUse
from roofdsl.syntax.parse import parse_expression

_LONGEST = 40


class Names:
    """The names of one model; each is given out once.

    >>> names = Names(["batch"])
    >>> [names.take(text, "conv2d") for text in ("gpu_0/conv1", "GPU_0/conv1", "3x3", "step", "")]
    ['gpu_0_conv1', 'gpu_0_conv1_2', 'conv2d_3x3', 'conv2d_step', 'conv2d']
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def take(self, text: str, otherwise: str) -> str:
        """Return a name like a text, or with `otherwise` before it, that nothing else has."""
        wanted = _mended(text, otherwise)
        name = wanted
        number = self._next.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._next[wanted] = number
        self._taken.add(name)
        return name


def _mended(text: str, otherwise: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[-_LONGEST:].strip("_")
    if not name:
        return otherwise
    return name if _is_name(name) else f"{otherwise}_{name}"


@lru_cache(maxsize=4096)
def _is_name(text: str) -> bool:
    if not text[0].isalpha():
        return False
    node = parse_expression(Source("name", text))
    return isinstance(node, NameUse) and node.name == text
