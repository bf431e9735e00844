"""Tables that fit a terminal: cells are broken, spare columns left out, others put below.

Columns that tell the rows apart stand again before those that are put below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from roofdsl.lines import Line, columns_of, like, within, words_of

Rows: TypeAlias = Sequence[Sequence[str]]

GAP = 2
_EASY, _NARROW = 24, 12
"""How narrow a column of texts is made before columns are left out, and after."""
_LEAST = 4
_OF_KEYS = 0.6
"""How much of the width the columns take at most that tell the rows apart."""


class Fitted(NamedTuple):
    """The lines of a table, and the places of the columns that are left out."""

    lines: list[Line]
    left_out: list[int]


def aligned(rows: Rows, gap: int = GAP) -> list[Line]:
    """Return rows of cells as columns, each as wide as its widest cell.

    >>> for line in aligned([["N", "bound"], ["4096", "network"]]):
    ...     print("".join(line))
    N     bound
    4096  network
    """
    widths = [max(map(columns_of, cells)) for cells in zip(*rows, strict=True)]
    return [_line(row, widths, gap) for row in rows]


def fitted(rows: Rows, fixed: Sequence[bool], spare: Sequence[int], width: int) -> Fitted:
    """Return rows, headings first, in lines of at most so many columns.

    Cells of `fixed` columns are not broken, their headings are. `spare` are the columns that may
    be left out, the first one first.
    """
    columns = [*zip(*rows, strict=True)]
    naturals = [max(map(columns_of, cells)) for cells in columns]
    places = [*range(len(columns))]
    if _together(naturals, places) <= width:
        return Fitted(aligned(rows), [])
    easy, narrow = (_leasts(columns, fixed, most) for most in (_EASY, _NARROW))
    left_out: list[int] = []
    for each in spare:
        if _together(easy, places) <= width:
            break
        places.remove(each)
        left_out.append(each)
    leasts = easy if _together(easy, places) <= width else narrow
    lines: list[Line] = []
    for part in _parts(rows, leasts, places, width):
        widths = _shared_out(naturals, leasts, part, width)
        lines += [("",)] if lines else []
        for row in rows:
            lines += _row([row[place] for place in part], widths)
    return Fitted(lines, left_out)


def cut(text: str, width: int) -> str:
    """Return a text in one line of at most so many columns.

    >>> cut("a ring sends nearly twice the vector", 20)
    'a ring sends nearly…'
    """
    if columns_of(text) <= width:
        return text
    shown = ""
    for char in text:
        if columns_of(shown + char) >= width:
            break
        shown += char
    return f"{shown.rstrip()}…"


def one_line_each(rows: Rows, width: int) -> list[Line]:
    """Return rows of a name and a sentence, a line each, cut where it is too long."""
    room = min(max(columns_of(row[0]) for row in rows), width // 2)
    return [(cut(_ended(row, room), width),) for row in rows]


def _ended(row: Sequence[str], room: int) -> str:
    """Return a name and a sentence; where the name is longer than its room, behind that."""
    return "".join(_line(row, [max(room, columns_of(row[0])), 0], GAP))


def _line(cells: Sequence[str], widths: Sequence[int], gap: int) -> Line:
    pieces: list[str] = []
    last = max((place for place, cell in enumerate(cells) if cell.strip()), default=0)
    for cell, wide in zip(cells[:last], widths, strict=False):
        pieces += [cell, " " * (wide - columns_of(cell) + gap)]
    return (*pieces, like(cells[last].rstrip(), cells[last]))


def _row(cells: Sequence[str], widths: Sequence[int]) -> Iterator[Line]:
    """Yield the lines of a row whose cells are broken."""
    broken = [
        [part for (part,) in within((cell,), wide, 0 if place else None)]
        for place, (cell, wide) in enumerate(zip(cells, widths, strict=True))
    ]
    for at in range(max(map(len, broken))):
        yield _line([parts[at] if at < len(parts) else "" for parts in broken], widths, GAP)


def _together(widths: Sequence[int], places: Sequence[int]) -> int:
    return sum(widths[place] + GAP for place in places) - GAP


def _leasts(columns: Sequence[Sequence[str]], fixed: Sequence[bool], most: int) -> list[int]:
    """Return how narrow columns can be whose texts are broken into no less than `most`."""
    return [
        max(
            columns_of(cell) if whole and place else _least(cell, most)
            for place, cell in enumerate(cells)
        )
        for cells, whole in zip(columns, fixed, strict=True)
    ]


def _least(cell: str, most: int) -> int:
    """Return how narrow a text can be; a word of usual length stays whole."""
    wide = columns_of(cell)
    if wide <= most:
        return wide
    return max(most, min(_EASY, max(columns_of(word) for word in words_of(cell))))


def _parts(
    rows: Rows, leasts: Sequence[int], places: Sequence[int], width: int
) -> Iterator[list[int]]:
    """Yield the columns that stand side by side."""
    keys = _keys(rows, leasts, places, width)
    part = [*keys]
    for place in places:
        if place in keys:
            continue
        if part != keys and _together(leasts, [*part, place]) > width:
            yield part
            part = [*keys]
        part.append(place)
    yield part


def _keys(rows: Rows, leasts: Sequence[int], places: Sequence[int], width: int) -> list[int]:
    """Return the first columns that tell the rows apart, the first alone where there is no room."""
    for count in range(1, len(places)):
        keys = [*places[:count]]
        if _together(leasts, keys) > _OF_KEYS * width:
            break
        if len({tuple(row[key] for key in keys) for row in rows}) == len(rows):
            return keys
    return [places[0]]


def _shared_out(
    naturals: Sequence[int], leasts: Sequence[int], places: Sequence[int], width: int
) -> list[int]:
    """Return the widths of columns side by side; the widest give way first."""
    widths = [min(naturals[place], width) for place in places]
    least = [min(leasts[place], width) for place in places]
    while sum(widths) + GAP * (len(widths) - 1) > width:
        giving = [at for at, wide in enumerate(widths) if wide > least[at]]
        if not giving:
            if max(least) <= _LEAST:
                break
            least = [max(_LEAST, each - 1) for each in least]
            continue
        widths[max(giving, key=lambda at: widths[at])] -= 1
    return widths
