"""What the axes of a sweep are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

POINT = "point"


def axes_of(shapes: Mapping[str, tuple[int, ...]], shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return a name for each axis: of the one parameter that varies along it, and along no other.

    `shapes` are those of the arrays that were given by name, which broadcast to `shape`. An axis
    along which several change together is of points.

    >>> axes_of({"N": (2, 1), "P": (3,)}, (2, 3)), axes_of({"N": (3,), "P": (3,)}, (3,))
    (('N', 'P'), ('point',))
    """
    along: list[list[str]] = []
    for axis, length in enumerate(shape):
        back = axis - len(shape)  # arrays are aligned at their last axes
        along.append([x for x, own in shapes.items() if -back <= len(own) and own[back] == length])
    named = [names[0] if len(names) == 1 and _once(names[0], along) else "" for names in along]
    several = named.count("") > 1
    return tuple(
        name or (f"{POINT}_{axis}" if several else POINT) for axis, name in enumerate(named)
    )


def _once(name: str, along: Sequence[Sequence[str]]) -> bool:
    return sum(name in names for names in along) == 1
