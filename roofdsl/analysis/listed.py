"""The parts of a composition that are listed: a choice is none, only what it runs."""

from __future__ import annotations

from roofdsl.analysis.composition import Composed
from roofdsl.model.loop import CHOICES


def listed(part: Composed[float]) -> tuple[Composed[float], ...]:
    """Return the parts of a part as tables and figures list them.

    An `if` has no row: what it runs stands in its place, and what it does not run is left out, as
    is a repeat or an overlap of nothing else.
    """
    found: list[Composed[float]] = []
    for child in part.children:
        inside = () if _is_step(child) or is_left_out(child) else listed(child)
        if not _is_step(child) and child.name in CHOICES:
            found += inside
        elif _is_step(child) or inside:
            found.append(child)
    return tuple(found)


def is_left_out(part: Composed[float]) -> bool:
    """Whether a part is what an `if` does not run, or braces with nothing in them."""
    if _is_step(part):
        return False
    return not part.children or (part.name in CHOICES and not part.count)


def _is_step(part: Composed[float]) -> bool:
    return bool(part.model) or part.arrangement == "kernel"
