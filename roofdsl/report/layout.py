"""Tables that fit on a page of LaTeX: numbers of a column in one unit, side by side what fits.

What does not fit stands below, behind the first columns as far as they tell the rows apart, or else
behind the rows' numbers; long texts and formulas are broken into lines.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import takewhile
from typing import NamedTuple

from roofdsl.answer.blocks import Table
from roofdsl.answer.cells import ELLIPSIS, NOTHING, Cell, Code, Column, Printed, Quantity, Written
from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up
from roofdsl.expression.tree import Expression
from roofdsl.typeset.breaking import measured_lines
from roofdsl.typeset.latex import LATEX
from roofdsl.units.quantity import prefixed_units, show_quantity

# All lengths are in pt, about those of Computer Modern at 10 pt.
DIGIT = 5.0
_BREAK = 0.93  # how much of its room a formula fills before it is broken
GAP = 12.0  # between two columns
LINE = 12.0
_FRACTIONS = r"\dfrac"
_HEAD = 3 * LINE
_TALL = 32.0  # a line with a fraction, and the room below it
_CASES = re.compile(r"\\begin\{cases\}(.*?)\\end\{cases\}")
_CASE = 16.0  # one of several cases
_BRACKETS, _BRACKETED = r"\Big", 20.5  # brackets that are larger, and a line with them
_ALIGNED = LINE + 3.0  # a line of a formula, and amsmath's \jot below it
_TYPED = 5.3  # a character of a fixed width
_FRACTION = 4.0  # what is put around a fraction
_BROKEN = 90.0  # a text is not broken into shorter lines, but for long words
_HEADING = 48.0  # nor is a heading
_MOST_DECADES = 4
_MOST_PLACES = 4
_CHARACTERS = {
    **dict.fromkeys("ijl.,:;'|![]", 2.8),
    **dict.fromkeys("frst()- I_", 3.9),
    **dict.fromkeys("0123456789/", DIGIT),
    **dict.fromkeys("mw%@&#+=<>~∞≤≥×→√", 8.4),
    **dict.fromkeys("MW—…", 10.3),
}

_WORD = re.compile(r"[^\s_]+_*|_+")  # a name may be broken behind an underscore


class Size(NamedTuple):
    """How wide a cell is, how narrow it can be with its text broken into lines, and its lines."""

    natural: float
    least: float
    lines: int = 1


class Part(NamedTuple):
    """Rows of columns that stand side by side: how wide each is, and how high they are together.

    `broken` says which columns are narrower than their texts; with formulas, rows are `tall`.
    """

    table: Table
    widths: tuple[float, ...]
    broken: tuple[bool, ...]
    height: float
    tall: bool

    @property
    def width(self) -> float:
        return _side_by_side(self.widths)


class Page(NamedTuple):
    """A page, by which tables are parted; a formula's lines are no longer than `formula`."""

    width: float
    height: float
    formula: float

    def beside_keys(self, table: Table) -> Page:
        """Return the page with as much room for formulas as a table's first columns leave."""
        cells = [[self._size(row[place]) for place in _keys(table)] for row in table.rows]
        wide = max((_side_by_side(size.least for size in row) for row in cells), default=0.0)
        return self._replace(formula=max(self.width - wide - GAP - _FRACTION, self.width / 2))

    def formula_lines(self, tree: Expression) -> list[tuple[str, float]]:
        """Return the lines of a formula and their widths in digits; none, if there is no room."""
        lines = measured_lines(tree, LATEX, _BREAK * self.formula / DIGIT)
        high = sum(_high(line) for line, _ in lines)
        narrow = max(width for _, width in lines) <= self.formula / DIGIT
        return lines if narrow and high <= self.height - _HEAD else []

    def parts(self, table: Table) -> list[Part]:
        """Return a table in parts, none of them wider or higher than the page."""
        table = in_one_unit(table)
        keys = _keys(table)
        parts = self._parts(table, keys)
        told = len(parts[0].table.columns) == len(table.columns) or _tell(table, keys)
        if told and max(part.width for part in parts) <= self.width:
            return parts
        numbered = self._parts(_numbered(table), [0])
        narrower = max(part.width for part in numbered) <= self.width
        return numbered if narrower or not told else parts

    def _parts(self, table: Table, keys: list[int]) -> list[Part]:
        """Return a table in parts that begin with the same columns."""
        sizes = [[self._size(cell) for cell in row] for row in table.rows]
        columns = [_column_size(table, place, sizes) for place in range(len(table.columns))]
        found = [*self._columns(keys, columns)]
        shared = set.intersection(*map(set, found)) if len(found) > 1 else set[int]()
        return [
            part
            for places in found
            for part in self._rows(table, places, set(places) - shared, columns, sizes)
        ]

    def _size(self, cell: Cell) -> Size:
        match cell:
            case str():
                natural = text_width(cell)
                broken = min(_BROKEN, self.width / 3)
                words = max(map(text_width, _WORD.findall(cell)), default=0.0)
                return Size(natural, max(words, min(natural, broken)))
            case Code(text):
                return Size(_TYPED * len(text), _TYPED * len(text))
            case Printed(text):
                return Size(text_width(text), text_width(text))
            case Quantity(value, dimension, digits, _, remark):
                natural = text_width(f"{show_quantity(value, dimension, digits)} {remark}")
                return Size(natural, min(natural, _BROKEN) if remark else natural)
            case Written():
                return self._size(cell.shown)
        lines = self.formula_lines(cell) or [(ELLIPSIS, 2.0)]
        wide = min(DIGIT * max(width for _, width in lines), self.formula) + _FRACTION
        return Size(wide, wide, len(lines))

    def _columns(self, keys: list[int], sizes: Sequence[Size]) -> Iterator[list[int]]:
        """Yield the columns of each part: those by which one knows a row, and what fits."""
        places = [*keys]
        for place in range(len(sizes)):
            if place in keys:
                continue
            wide = _side_by_side(sizes[each].least for each in (*places, place))
            if places != keys and wide > self.width:
                yield sorted(places)
                places = [*keys]
            places.append(place)
        yield sorted(places)

    def _rows(
        self,
        table: Table,
        places: Sequence[int],
        saying: Iterable[int],
        columns: Sequence[Size],
        sizes: Sequence[Sequence[Size]],
    ) -> Iterator[Part]:
        """Yield columns in parts that are not too high, without rows that say nothing in them."""
        said = [any(row[place] not in ("", NOTHING) for place in saying) for row in table.rows]
        kept = [place for place, says in enumerate(said) if says or not any(said)]
        widths = self._narrowed({place: columns[place] for place in places})
        tall = any(_is_tall(table, place) for place in places)
        headings = (heading_lines(table.columns[each], widths[each]) for each in places)
        height = head = LINE * (1 + max(map(len, headings)))
        rows: list[int] = []
        for row in kept:
            lines = max(_lines(sizes[row][place], widths[place]) for place in places)
            high = lines * (_TALL if tall else LINE)
            if height + high > self.height and rows:
                yield _part(table, places, rows, widths, columns, height, tall)
                rows, height = [], head
            rows.append(row)
            height += high
        yield _part(table, places, rows, widths, columns, height, tall)

    def _narrowed(self, sizes: Mapping[int, Size]) -> dict[int, float]:
        """Return the widths of columns; if they are too wide, the widest are first to give way."""
        found = {place: size.natural for place, size in sizes.items()}
        bound = max(found.values())
        while _side_by_side(found.values()) > self.width and bound > _BROKEN / 2:
            bound *= 0.95
            found = {
                place: max(min(size.natural, bound), size.least) for place, size in sizes.items()
            }
        return found


def _high(line: str) -> float:
    """Return how high a line of a formula is."""
    cases = max((_CASE * (1 + inside.count(r"\\")) for inside in _CASES.findall(line)), default=0.0)
    if _FRACTIONS in line:
        return _TALL + max(0.0, cases - LINE)
    return max(cases, _BRACKETED if _BRACKETS in line else _ALIGNED)


def _part(
    table: Table,
    places: Sequence[int],
    rows: Sequence[int],
    widths: Mapping[int, float],
    columns: Sequence[Size],
    height: float,
    tall: bool,
) -> Part:
    shown = table._replace(
        columns=tuple(table.columns[place] for place in places),
        rows=tuple(tuple(table.rows[row][place] for place in places) for row in rows),
        emphasised=frozenset(at for at, row in enumerate(rows) if row in table.emphasised),
    )
    broken = tuple(widths[place] < columns[place].natural for place in places)
    return Part(shown, tuple(widths[place] for place in places), broken, height, tall)


def text_width(text: str) -> float:
    """Return about how wide a text is.

    >>> text_width("karst")
    22.3
    """
    return round(sum(_CHARACTERS.get(each, 7.2 if each.isupper() else 5.3) for each in text), 1)


def _formulas(table: Table, place: int) -> list[Expression]:
    shown = (row[place] for row in table.rows)
    cells = (cell.shown if isinstance(cell, Written) else cell for cell in shown)
    return [cell for cell in cells if not isinstance(cell, str | Code | Printed | Quantity)]


def _is_tall(table: Table, place: int) -> bool:
    """Whether formulas in a column are higher than a line of text."""
    high = trees.Divide | trees.Conditional | trees.Sum
    formulas = _formulas(table, place)
    return any(isinstance(part, high) for tree in formulas for part in bottom_up(tree))


def heading_lines(column: Column, room: float) -> list[str]:
    """Return the lines of a heading, no wider than the column if they can be; the last is its unit.

    >>> heading_lines(Column("Communication arithmetic intensity", "flop/B"), 30.0)
    ['Communication', 'arithmetic', 'intensity', '[flop/B]']
    """
    heading = column.heading
    if isinstance(heading, Written | Printed | Code):
        heading = heading.text
    room = max(room, _HEADING)
    lines: list[str] = []
    for word in heading.split() if isinstance(heading, str) else [""]:
        if lines and text_width(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [*lines, f"[{column.unit}]"] if column.unit else lines


def _keys(table: Table) -> list[int]:
    """Return the first columns that tell the rows apart, of those that hold texts and differ."""
    columns = enumerate(table.columns)
    left = takewhile(
        lambda pair: pair[1].align == "left" and not _formulas(table, pair[0]), columns
    )
    keys: list[int] = []
    for place, _ in left:
        if len(table.rows) == 1 or len({row[place] for row in table.rows}) > 1:
            keys.append(place)
        if _tell(table, keys):
            break
    return keys if 0 < len(keys) < len(table.columns) else [0]


def _tell(table: Table, keys: Sequence[int]) -> bool:
    """Whether columns tell the rows apart."""
    return len({tuple(row[key] for key in keys) for row in table.rows}) == len(table.rows)


def _numbered(table: Table) -> Table:
    rows = [(str(place), *row) for place, row in enumerate(table.rows, 1)]
    return table._replace(columns=(Column("row"), *table.columns), rows=tuple(rows))


def _column_size(table: Table, place: int, sizes: Sequence[Sequence[Size]]) -> Size:
    column = table.columns[place]
    cells = [row[place] for row in sizes]
    natural = max((size.natural for size in cells), default=0.0)
    least = max((size.least for size in cells), default=0.0)
    if column.align == "number":
        least = natural
    head = max(map(text_width, heading_lines(column, natural)), default=0.0)
    return Size(max(head, natural), max(head, least))


def _side_by_side(widths: Iterable[float]) -> float:
    found = [*widths]
    return sum(found) + GAP * (len(found) - 1)


def _lines(size: Size, width: float) -> int:
    return max(size.lines, math.ceil(size.natural / width)) if width else size.lines


def in_one_unit(table: Table) -> Table:
    """Return a table in which the numbers of a column have one unit, which stands in its heading.

    A column stays as it is where there are too many decades between its numbers, or no heading.
    """
    columns, changed = list(table.columns), [list(row) for row in table.rows]
    for place, column in enumerate(table.columns):
        cells = (row[place] for row in table.rows)
        found = _printed([cell for cell in cells if isinstance(cell, Quantity)])
        if column.align != "right" or column.unit or not column.heading or found is None:
            continue
        unit, texts = found
        columns[place] = column._replace(unit=unit, align="number")
        for row, old in zip(changed, table.rows, strict=True):
            if isinstance(old[place], Quantity):
                row[place] = next(texts)
    return table._replace(columns=tuple(columns), rows=tuple(map(tuple, changed)))


def _printed(numbers: Sequence[Quantity]) -> tuple[str, Iterator[Cell]] | None:
    """Return numbers in one unit, and the unit; None where they have none in common."""
    if not numbers or len({number.dimension for number in numbers}) > 1:
        return None
    if any(number.uncertainty is not None or number.remark for number in numbers):
        return None
    rounded = [
        Decimal(f"{number.value:.{number.digits - 1}e}")
        for number in numbers
        if math.isfinite(number.value)
    ]
    decades = [each.adjusted() for each in rounded if each]
    if decades and max(decades) - min(decades) > _MOST_DECADES:
        return None
    units = prefixed_units(numbers[0].dimension)
    (too_long, _), shift = min((_places_taken(rounded, shift), shift) for shift in units)
    if too_long:
        return None
    left = iter(rounded)
    return units[shift], (
        Printed(_plain(next(left).scaleb(-shift)))
        if math.isfinite(number.value)
        else show_quantity(number.value, number.dimension).partition(" ")[0]
        for number in numbers
    )


def _places_taken(numbers: Sequence[Decimal], shift: int) -> tuple[bool, int]:
    """Return whether numbers are too long with such a prefix, and how many places they take."""
    shown = [_plain(number.scaleb(-shift)).lstrip("-").partition(".") for number in numbers]
    before = max((len(whole) for whole, _, _ in shown), default=1)
    after = max((len(rest) for _, _, rest in shown), default=0)
    return before > _MOST_PLACES or after > _MOST_PLACES + 1, before + after


def _plain(value: Decimal) -> str:
    """Return a number without an exponent, and without zeros at its end.

    >>> _plain(Decimal("2.480e+2")), _plain(Decimal("0.000"))
    ('248', '0')
    """
    shown = f"{value:f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown
