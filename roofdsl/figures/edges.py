"""What lies beyond a panel's frame: badges at its sides, each for a point or for several.

Nothing that was asked for is left out in silence: it is drawn, or it has a badge, or the key names
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import Subject, around
from roofdsl.figures.points import draw_ceiling

_SHAPES = {"W": "<", "E": ">", "S": "v", "N": "^"}
_INWARDS = {"W": "E", "E": "W", "S": "N", "N": "S"}
_GAP = 10.0
_NAME_WIDTH = 150.0
MOST_ENTRIES = 8
MOST_NAMES = 24


class Beyond(NamedTuple):
    """Points beyond the frame: the side they left it by, where, and what to say of them.

    `x` and `y` are values on the side; `value` says what lies beyond it: `(OI ∞)`; `ceiling` is
    the colour of what binds where nothing else there says it; `points` says how many of a
    trajectory they are.
    """

    edge: str
    x: float
    y: float
    name: str
    value: str
    colour: str
    face: str
    ceiling: str = ""
    points: int = 1


class _Badge(NamedTuple):
    members: tuple[Beyond, ...]
    along: float

    @property
    def points(self) -> int:
        return sum(member.points for member in self.members)


def draw_badges(panel: Panel, beyond: Sequence[Beyond], *, grounded: bool = False) -> list[Entry]:
    """Draw an arrow at the frame's side for all that lies beyond it; name them.

    Where a side has no room for one arrow each, neighbours share one, which says how many they are.
    Labels are `grounded` on a coloured panel. Returns what the key must say for want of room.
    """
    unnamed: list[tuple[str, _Badge]] = []
    for edge in _SHAPES:
        members = [each for each in beyond if each.edge == edge]
        for number, badge in enumerate(_apart(panel, edge, members)):
            colours = {member.colour for member in badge.members}
            colour = colours.pop() if len(colours) == 1 else panel.palette.muted
            place = (badge.members[0].x, badge.members[0].y)
            ((across, up),) = panel.at(*place)
            spot = (across, badge.along) if edge in "WE" else (badge.along, up)
            x, y = panel.value(*spot)
            panel.markers(
                x,
                y,
                colour,
                name=f"badge:{edge}:{number}:{badge.points}",
                shape=_SHAPES[edge],
                filled=False,
                face=badge.members[0].face,
                size=6.0,
            )
            if badge.members[0].ceiling:
                name = f"bound:badge:{edge}:{number}"
                draw_ceiling(panel, x, y, badge.members[0].ceiling, name)
            text = _text(badge.members)
            away = 12.0 if badge.members[0].ceiling else 6.0
            boxes = around(spot, extent(text), away, _INWARDS[edge])
            label = f"label:badge:{edge}:{number}"
            about = Subject(point=spot, rivals="trajectory:")
            if not panel.write(
                text, boxes, colour, name=label, dearest=0.9, grounded=grounded, about=about
            ):
                unnamed.append((edge, badge))
    return _entries(panel, unnamed)


def _apart(panel: Panel, edge: str, members: Sequence[Beyond]) -> list[_Badge]:
    """Return badges that do not touch, in order along their side."""
    reach = panel.height if edge in "WE" else panel.width
    places = [panel.at(each.x, each.y)[0] for each in members]
    alongs = [float(place[1 if edge in "WE" else 0]) for place in places]
    order = sorted(range(len(members)), key=lambda index: (alongs[index], index))
    room = int(reach // _GAP)
    looks = [(each.face, each.ceiling) for each in members]
    cells = max(1, room // max(1, len(set(looks))))
    groups: dict[tuple[object, ...], list[int]] = {}
    for rank, index in enumerate(order):
        # What is bound by another resource never shares a badge.
        shared = (int(alongs[index] * cells // reach), *looks[index])
        groups.setdefault((rank,) if len(order) <= room else shared, []).append(index)
    badges = [
        _Badge(tuple(members[index] for index in group), alongs[group[0]])
        for group in sorted(groups.values(), key=lambda group: alongs[group[0]])
    ]
    spread: list[float] = []
    for badge in badges:
        spread.append(max(badge.along, spread[-1] + _GAP) if spread else badge.along)
    limit = reach
    for index in reversed(range(len(spread))):
        spread[index] = limit = min(spread[index], limit)
        limit -= _GAP
    return [badge._replace(along=along) for badge, along in zip(badges, spread, strict=True)]


def _text(members: Sequence[Beyond]) -> str:
    if len(members) == 1:
        name = shortened(members[0].name, _NAME_WIDTH)
        return f"{name} {members[0].value}"
    count = sum(member.points for member in members)
    values = list(dict.fromkeys(member.value for member in members))
    return f"{count} points" + (f" {values[0]}" if len(values) == 1 else "")


def _entries(panel: Panel, unnamed: Sequence[tuple[str, _Badge]]) -> list[Entry]:
    """Return what the key says of badges without a label; those of several points, together."""
    entries = []
    single = [(edge, badge) for edge, badge in unnamed if len(badge.members) == 1]
    for edge, shape in _SHAPES.items():
        together = [badge for side, badge in unnamed if side == edge]
        if len(single) <= MOST_ENTRIES:
            alone = [badge for side, badge in single if side == edge]
            together = [badge for badge in together if len(badge.members) > 1]
            for badge in alone:
                colour = badge.members[0].colour
                text = _text(badge.members)
                entries.append(Entry(text, colour, marker=shape, filled=False))
        if together:
            text = _text([member for badge in together for member in badge.members])
            entries.append(Entry(text, panel.palette.muted, marker=shape, filled=False))
    return entries


def undrawn_entries(names: Sequence[str], why: str) -> list[Entry]:
    """Return what the key says of that which has no place in a figure.

    >>> [entry.text for entry in undrawn_entries(["relu", "pool"], "neither flops nor network")]
    ['not drawn, neither flops nor network:', 'relu', 'pool']
    """
    return listed_entries(f"not drawn, {why}", names)


def listed_entries(heading: str, names: Sequence[str]) -> list[Entry]:
    """Return a heading and the names below it, of which there may be none, or too many."""
    if not names:
        return []
    found = [Entry(f"{heading}:"), *(Entry(name) for name in names[:MOST_NAMES])]
    left = len(names) - MOST_NAMES
    return found + ([Entry(f"and {left} more")] if left > 0 else [])


def off_scale_entries(
    names: Sequence[str], values: ArrayLike, *, logarithmic: bool = True
) -> list[Entry]:
    """Return what the key says of values that an axis has no place for, each with its name.

    >>> [entry.text for entry in off_scale_entries(["P = 1", "P = 2"], [0.0, 3.0])]
    ['not drawn, no place on the axis:', 'P = 1 (0)']
    """
    numbers = np.ravel(np.asarray(values, dtype=float))
    kept = np.isfinite(numbers) & ((numbers > 0) | (not logarithmic))
    shown = ["undefined" if np.isnan(number) else three_digits(number) for number in numbers[~kept]]
    left = [
        f"{names[index]} ({value})"
        for index, value in zip(np.flatnonzero(~kept).tolist(), shown, strict=True)
    ]
    return undrawn_entries(left, "no place on the axis")
