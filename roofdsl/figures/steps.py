"""The kernels of a breakdown, as figures show them."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.listed import listed

Timed = Composed[float]


def leaves(part: Timed, runs: float = 1.0, path: str = "") -> Iterator[tuple[str, Timed, float]]:
    """Yield each kernel below a step: its path, itself, and how often what holds it runs."""
    if not part.children:
        yield path or part.name, part, runs
    for child in listed(part):
        below = path if child.is_loop else f"{path}.{child.name}".lstrip(".")
        yield from leaves(child, runs * part.count, below)
