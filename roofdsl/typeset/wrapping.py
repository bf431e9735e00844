"""Formulas as plain text over several lines, broken where they hold together least."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BREAKS = re.compile(r" (?:[-+]|[<>=!]=?|and|or|then|else|for|in|if) |, |(?<=[\w)])[*/](?=[\w(])| ")
"""Where a line may end: a sign goes with what is behind it, a comma with what is before."""
_TIGHTER = {", ": -2, "*": 9, "/": 9, " ": 5}
"""By how much a sign holds together more than those of sums and conditions, in parentheses / 10."""
_LEAST = 0.3
"""A line is filled to this share of its width at least, if it can be."""


def wrapped(formula: str, width: int, first: int = 0) -> list[str]:
    """Return a formula in lines of at most so many characters, longer where it has no sign.

    `first` is how many the first line has, if not as many as others. Of the places that fit, a line
    ends at the one with the fewest parentheses around it.

    >>> for line in wrapped("max(2*N^3/P, 8*N^2) + min(N, P)*(N + 1)", 24):
    ...     print(line)
    max(2*N^3/P, 8*N^2)
    + min(N, P)*(N + 1)
    """
    lines: list[str] = []
    while len(formula) > (room := width if lines else first or width):
        places = [place for place in _places(formula) if 0 < place[0] <= room]
        late = [place for place in places if place[0] > _LEAST * room]
        if not places:
            places = [next(_places(formula, room), (len(formula), len(formula), 0))]
        end, start, _ = min(late or places, key=lambda place: (place[2], -place[0]))
        if end >= len(formula):
            break
        lines.append(formula[:end])
        formula = formula[start:]
    return [*lines, formula]


def _places(formula: str, first: int = 0) -> Iterator[tuple[int, int, int]]:
    """Yield where a line may end and the next one begin, and how tightly it holds together there.

    That is counted in parentheses. Arguments are looser than the sums around them, and looser than
    the products of which they are factors.
    """
    depth, at = 0, 0
    for found in _BREAKS.finditer(formula):
        inside = formula[at : found.start()]
        depth += inside.count("(") - inside.count(")")
        at = found.start()
        sign = found[0]
        end = found.start() + (1 if sign == ", " else 0)
        start = found.end() if sign in (", ", " ") else found.start() + sign.startswith(" ")
        if end > first:
            yield end, start, 10 * depth + _TIGHTER.get(sign, 0)
