"""A table of measurements as a formula of arguments that are open: piece by piece, as at a point.

Which cell a point lies in depends only on how its arguments compare with the measured ones. So the
range of each is cut there, and each piece has the formula of its cell. Where the table has no value
the formula is that of a piece beside it: whoever uses it asks for the conditions, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, groupby
from math import prod
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.interpolation import Ends, Key, cell_of, formula_in
from roofdsl.expression.condition import conditional, decided, truth
from roofdsl.expression.tree import ZERO, Comparison, Expression, Logic, Number, Operator
from roofdsl.model.varying import MeasuredTable

_Range: TypeAlias = tuple[Fraction, Fraction]
MOST_PIECES = 1000
"""Into more pieces no table is cut."""


class _Stretch(NamedTuple):
    """The values of an argument from where the last stretch ends to `end`; None is without end."""

    end: Fraction | None
    with_end: bool
    part: _Part

    def reaches(self, argument: Expression) -> Comparison:
        """Return the condition that an argument does not lie beyond it."""
        assert self.end is not None
        return Comparison("<=" if self.with_end else "<", argument, Number(self.end))


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell, or a point of one: the ends of it along each argument."""

    ends: Ends


_Part: TypeAlias = "_Cell | tuple[_Stretch, ...] | None"
"""A cell; or the stretches of the next argument; None where nothing was measured."""


class TableFormula(NamedTuple):
    """The value of a table by open arguments, and where it has one.

    `ends` are the least and the largest value of each argument; `where` are conditions besides.
    """

    value: Expression
    ends: Mapping[Expression, _Range]
    where: tuple[Expression, ...]

    @property
    def conditions(self) -> list[Expression]:
        """What must hold, all of it, for the table to have a value."""
        return [*chain(*map(_between, self.ends.items())), *self.where]


def table_formula(
    table: MeasuredTable,
    arguments: Sequence[Expression],
    made: Callable[[Expression], Expression] = lambda value: value,
) -> TableFormula | None:
    """Return what `made` makes of a table's values, by open arguments; None: in too many pieces.

    `where` is `false` if it has none, whatever they are.
    """
    cut = _Cut(table, arguments)
    if prod(2 * len(known) + 1 for known in cut.known) > MOST_PIECES:
        return None
    whole = cut.part({}) if all(cut.known) else None
    if _is_empty(whole):
        return TableFormula(ZERO, {}, (truth(False),))
    where = _operands(_where(whole, cut.open))
    pairs = zip(cut.open, cut.known, strict=True)
    ends: dict[Expression, _Range] = {x: (known[0], known[-1]) for x, known in pairs}
    box = [*chain(*map(_between, ends.items()))]
    value = _formula(whole, cut.open, lambda cell: made(cut.value(cell)))
    return TableFormula(value, ends, tuple(each for each in where if each not in box))


class _Cut:
    """A table cut along its open arguments; equal ones are cut together."""

    def __init__(self, table: MeasuredTable, arguments: Sequence[Expression]) -> None:
        self._table, self._arguments = table, arguments
        self.open = [*dict.fromkeys(x for x in arguments if not isinstance(x, Number))]
        self._places = [[n for n, x in enumerate(arguments) if x == each] for each in self.open]
        fixed = {n: x.value for n, x in enumerate(arguments) if isinstance(x, Number)}
        rows = [
            key
            for key in table.values
            if table.interpolate or all(key[n] == value for n, value in fixed.items())
        ]
        self.known = [sorted({key[n] for key in rows for n in places}) for places in self._places]

    def value(self, cell: _Cell) -> Expression:
        return formula_in(self._table.values, self._arguments, cell.ends)

    def part(self, chosen: dict[Expression, Fraction]) -> _Part:
        """Return what there is where some arguments lie as they were chosen."""
        if len(chosen) == len(self.open):
            asked = tuple(x.value if isinstance(x, Number) else chosen[x] for x in self._arguments)
            return self._cell(asked)
        place = len(chosen)
        return tuple(self._stretches(place, chosen))

    def _cell(self, asked: Key) -> _Cell | None:
        if asked in self._table.values:
            return _Cell(tuple((each, each) for each in asked))
        found = cell_of(self._table.values, asked) if self._table.interpolate else None
        return None if found is None else _Cell(found)

    def _stretches(self, place: int, chosen: dict[Expression, Fraction]) -> Iterator[_Stretch]:
        """Yield stretches of an argument without gaps, each as long as one formula is its own."""
        argument, known = self.open[place], self.known[place]

        def at(value: Fraction) -> _Part:
            return self.part({**chosen, argument: value})

        last = _Stretch(None, False, at(known[0] / 2))
        for low, high in zip(known, [*known[1:], 3 * known[-1]], strict=True):
            point, after = at(low), at((low + high) / 2)
            if self._reaches(after, point, place, low):
                if last.part != after:
                    yield last._replace(end=low)
                    last = _Stretch(None, False, after)
                continue
            if not self._reaches(last.part, point, place, low):
                yield last._replace(end=low)
                last = _Stretch(None, False, point)
            yield last._replace(end=low, with_end=True)
            last = _Stretch(None, False, after)
        yield last

    def _reaches(self, part: _Part, point: _Part, place: int, value: Fraction) -> bool:
        """Whether a part is what there is at one value of an argument, within it or at its edge."""
        return point in (part, self._edge(part, place, value))

    def _edge(self, part: _Part, place: int, value: Fraction) -> _Part:
        """Return what the cells are for one value of an argument."""
        if part is None:
            return None
        if not isinstance(part, _Cell):
            return tuple(x._replace(part=self._edge(x.part, place, value)) for x in part)
        ends = [*part.ends]
        for n in self._places[place]:
            if value in ends[n]:
                ends[n] = value, value
        return _Cell(tuple(ends))


def _formula(
    part: _Part, arguments: Sequence[Expression], value: Callable[[_Cell], Expression]
) -> Expression:
    assert part is not None
    if isinstance(part, _Cell):
        return value(part)
    argument, *others = arguments
    places = [place for place, each in enumerate(part) if not _is_empty(each.part)]
    formulas = [_formula(part[place].part, others, value) for place in places]
    found = formulas.pop()
    for formula, following in zip(reversed(formulas), reversed(places), strict=False):
        found = conditional(part[following - 1].reaches(argument), formula, found)
    return found


def _is_empty(part: _Part) -> bool:
    if part is None or isinstance(part, _Cell):
        return part is None
    return all(_is_empty(each.part) for each in part)


def _where(part: _Part, arguments: Sequence[Expression]) -> Expression:
    """Return the condition that something was measured."""
    if part is None or isinstance(part, _Cell):
        return truth(part is not None)
    # What neighbours ask of the other arguments alike, is asked once.
    before: _Stretch | None = None
    cases: list[Expression] = []
    asked = [_where(each.part, arguments[1:]) for each in part]
    for condition, run in groupby(zip(part, asked, strict=True), key=lambda pair: pair[1]):
        stretches = [each for each, _ in run]
        if decided(condition) is not False:
            low, high = before, stretches[-1]
            parts = _ends(low, high, arguments[0])
            parts += [] if decided(condition) else _operands(condition)
            cases.append(_joined("and", parts))
        before = stretches[-1]
    return _joined("or", cases)


def _ends(before: _Stretch | None, last: _Stretch, argument: Expression) -> list[Expression]:
    found: list[Expression] = []
    if before is not None and before.end is not None:
        if before.end == last.end:
            return [Comparison("==", argument, Number(before.end))]
        found.append(Comparison(">" if before.with_end else ">=", argument, Number(before.end)))
    return found + ([] if last.end is None else [last.reaches(argument)])


def _between(item: tuple[Expression, _Range]) -> list[Expression]:
    argument, (low, high) = item
    if low == high:
        return [Comparison("==", argument, Number(low))]
    above, below = Comparison(">=", argument, Number(low)), Comparison("<=", argument, Number(high))
    return [above, below]


def _operands(condition: Expression) -> list[Expression]:
    if isinstance(condition, Logic) and condition.operator == "and":
        return [*condition.operands]
    return [condition]


def _joined(operator: Operator, operands: Sequence[Expression]) -> Expression:
    if not operands:
        return truth(operator == "and")
    return operands[0] if len(operands) == 1 else Logic(operator, tuple(operands))
