"""A formula over a box of several unknowns: what it is never below and never above there.

Over a box, a formula that only grows with an unknown is least at its low end, and greatest at its
high end; one that may do either is taken over ever smaller boxes. So the ends that are found always
enclose all values, and are values themselves but for what is said to be left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count, product
from math import inf, isfinite, nextafter, sqrt
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression.construct import add
from roofdsl.expression.normalise import constant_value
from roofdsl.expression.substitute import free_symbols, rebuild, rewritten
from roofdsl.expression.tree import Expression, Function, Number, Power
from roofdsl.numeric import interval
from roofdsl.numeric.enclosure import Enclosure, Ends
from roofdsl.numeric.interval import Bounds

Box: TypeAlias = dict[str, Ends]
Point: TypeAlias = dict[str, float]
_NEAR = 1e-3
"""An end is left where it is nearer to a value than this part of how far values are apart."""
_ROUNDING = 1e-12
"""A value differs from its bounds by less, relatively, by rounding alone."""
_ONE_SLOPE = 1e-9
"""Slopes that differ by less are one."""
_BESIDE = 1e-6
"""So far, relatively, are values on both sides of a point from it."""
_KINK = 1e-5
"""Slopes on both sides that differ by more of the value are two."""
_RAISED = 4
"""A formula is raised by so much of the farthest from 0 that it may be."""
_OPERATIONS = 8
"""So many, one after another, take a unit of work."""
_CORNERS = 4
"""Of more unknowns, only two corners are tried."""


class Range(NamedTuple):
    """What encloses the values of a formula; `attained`: both ends are values, or all but.

    `low_at` and `high_at` are the places that came nearest to the ends.
    """

    low: float
    high: float
    attained: bool
    low_at: Point
    high_at: Point


class OverBox:
    """A formula of several unknowns > 0 in a box, compiled; `is_positive`: it is certain to be.

    >>> from roofdsl.expression.construct import divide
    >>> from roofdsl.expression.tree import Symbol
    >>> ratio = OverBox(divide(Symbol("w"), Symbol("r")), {"w": (2.0, 4.0), "r": (1.0, 2.0)})
    >>> low, high, attained, low_at, _ = ratio.range(Budget())
    >>> round(low, 9), round(high, 9), attained, low_at
    (1.0, 4.0, True, {'w': 2.0, 'r': 2.0})
    """

    def __init__(self, tree: Expression, box: Mapping[str, Ends]) -> None:
        names = [symbol.name for symbol in free_symbols(tree)]
        self.box = {name: box[name] for name in names}
        self.raised = 0.0
        tree = _with_whole_numbers(tree)
        self._compile(tree)
        low, high = self._value(self.box)
        self.is_positive = low > 0
        if low <= 0 and isfinite(low) and isfinite(high):
            # Slopes are those of logarithms: a number is added that makes it positive.
            self.raised = _RAISED * max(abs(low), abs(high)) or 1.0
            self._compile(add(tree, Number(Fraction(self.raised))))

    def _compile(self, tree: Expression) -> None:
        self._along: dict[str, Enclosure] = {}
        for name in [*self.box] or [""]:
            others = {other: ends for other, ends in self.box.items() if other != name}
            self._along[name] = Enclosure(tree, name, beside=others)

    @property
    def size(self) -> int:
        """Its operations."""
        return sum(each.size for each in self._along.values())

    def slopes(self, point: Mapping[str, float]) -> dict[str, float] | None:
        """Return x ∂f/∂x at a point by the names of the x; None at a kink or jump.

        It is that of all places beside the point: `ceil` jumps on one side of a whole number.
        """
        beside = {
            name: (nextafter(point[name], 0), nextafter(point[name], inf)) for name in self.box
        }
        found = self._over(beside)
        slopes: dict[str, float] = {}
        for name, (low, high, least, most) in found.items():
            size, steep = max(abs(low), abs(high)), max(1.0, abs(least), abs(most))
            known = isfinite(size) and isfinite(steep)
            # What jumps or has a kink, but where another part is greater, does no harm.
            one = high - low <= _ONE_SLOPE * size and most - least <= _ONE_SLOPE * steep
            if known and one:
                slope = (least + most) / 2
                slopes[name] = slope * (low + high) / 2 if abs(slope) > _ROUNDING else 0.0
                continue
            found_beside = self._slope_beside(name, point)
            if found_beside is None:
                return None
            slopes[name] = found_beside
        return slopes

    def _slope_beside(self, name: str, point: Mapping[str, float]) -> float | None:
        """Return x ∂f/∂x from values on both sides, None where these differ, or f may jump there.

        Slopes of logarithms are not known where a part of f is 0, as (x - 2)² is at 2.
        """
        low, high = point[name] * (1 - _BESIDE), point[name] * (1 + _BESIDE)
        around = {each: (value, value) for each, value in point.items()}
        self._run(name, {**around, name: (low, high)})
        if self._along[name].jumps:
            return None
        below, here, above = (
            sum(self.at({**point, name: place})) / 2 for place in (low, point[name], high)
        )
        rising, falling = (above - here) / _BESIDE, (here - below) / _BESIDE
        if not abs(rising - falling) <= _KINK * abs(here):  # of what is not known, too
            return None
        slope = (rising + falling) / 2
        return slope if abs(slope) > _KINK * abs(here) * _BESIDE else 0.0

    def range(self, budget: Budget, near: float = _NEAR) -> Range:
        """Return the least and the greatest value over the box; unbounded where none is known.

        `near`: an end may be so much of the way between the values beyond them.
        """
        low, near_low, low_at = _Search(self, -1, budget.share(1 / 2), near).found()
        high, near_high, high_at = _Search(self, 1, budget, near).found()
        if self.raised:  # a difference is rounded by less than one float
            low, high = nextafter(low - self.raised, -inf), nextafter(high - self.raised, inf)
        return Range(low, high, near_low and near_high, low_at, high_at)

    def bounds(self, box: Box) -> tuple[Ends, dict[str, Ends] | None]:
        """Return the bounds of the values, and of x ∂f/∂x; None where f may jump in the box.

        Of a formula that is not positive, what was `raised`.
        """
        if not self.box:
            return self._value(box), {}
        found = self._over(box)
        low, high, _, _ = next(iter(found.values()))
        if any(self._along[name].jumps for name in found):
            return (low, high), None
        # Bounds have the slopes of logarithms, d ln f / d ln x: times f they are x ∂f/∂x.
        slopes = {
            name: interval.multiply([(*each[:2], 0.0, 0.0), (*each[2:], 0.0, 0.0)])[:2]
            for name, each in found.items()
        }
        return (low, high), slopes

    def at(self, point: Mapping[str, float]) -> Ends:
        """Return the bounds of the value at a point; of what was `raised`."""
        return self._value({name: (point[name], point[name]) for name in self.box})

    def _value(self, box: Box) -> Ends:
        return self._run(next(iter(self._along)), box)[:2]

    def _over(self, box: Box) -> dict[str, Bounds]:
        return {name: self._run(name, box) for name in self.box}

    def _run(self, name: str, box: Box) -> Bounds:
        along = self._along[name]
        along.put_beside(box)
        return along.over(*box.get(name, (1.0, 1.0)))


class _Search:
    """The least value over a box, with `side` -1, or the greatest, with 1.

    What is sought is the least of -side·f. Of the boxes that are left, that with the lowest bound
    is looked at first: no value lies beyond its bound.
    """

    def __init__(self, formula: OverBox, side: int, budget: Budget, near: float) -> None:
        self._formula = formula
        self._side = side
        self._budget = budget
        self._near = near
        self._number = count()
        self._waiting: list[tuple[float, int, Box, dict[str, Ends] | None]] = []
        self._least, self._most = inf, -inf
        """Of the values that were looked at; the least is at `_place`."""
        self._place: Point = {}
        self._add(formula.box)
        if not _is_point(self._waiting[0][2]):
            for point in _corners(formula.box):
                self._reach(self._formula.at(point), point)

    def found(self) -> tuple[float, bool, Point]:
        """Return the end, whether a value is as near to it as is asked for, and where that is."""
        while True:
            bound, _, box, slopes = self._waiting[0]
            near = bound >= self._least - self._slack()
            name = None if near or not self._budget.left else _widest(box, slopes)
            if name is None:
                return -self._side * bound, near, self._place
            heappop(self._waiting)
            low, high = box[name]
            middle = _middle(low, high)
            self._add({**box, name: (low, middle)})
            self._add({**box, name: (middle, high)})

    def _slack(self) -> float:
        if not isfinite(self._least):
            return 0.0
        return self._near * (self._most - self._least) + _ROUNDING * abs(self._least)

    def _add(self, box: Box) -> None:
        """Note what is left of a box: where f only grows with an unknown, its end alone."""
        ends, slopes = self._bounds(box)
        while slopes is not None:
            ends_of = {name: self._end(box[name], slope) for name, slope in slopes.items()}
            if all(box[name] == end for name, end in ends_of.items()):
                break
            box = {**box, **ends_of}
            ends, slopes = self._bounds(box)
        if _is_point(box):
            self._reach(ends, {name: low for name, (low, _) in box.items()})
        else:
            centre = {name: _middle(low, high) for name, (low, high) in box.items()}
            value = self._formula.at(centre)
            self._reach(value, centre)
            if slopes is not None:
                ends = _narrower(ends, _from_centre(value, centre, box, slopes))
        bound = ends[0] if self._side < 0 else -ends[1]
        heappush(self._waiting, (bound, next(self._number), box, slopes))

    def _bounds(self, box: Box) -> tuple[Ends, dict[str, Ends] | None]:
        self._budget.spend(self._formula.size / _OPERATIONS)
        return self._formula.bounds(box)

    def _end(self, ends: Ends, slope: Ends) -> Ends:
        low, high = ends
        if slope[0] >= 0:
            return (low, low) if self._side < 0 else (high, high)
        if slope[1] <= 0:
            return (high, high) if self._side < 0 else (low, low)
        return ends

    def _reach(self, value: Ends, place: Point) -> None:
        """Note a value; between its bounds it is as far from the end as it may be."""
        far = value[1] if self._side < 0 else -value[0]
        if far < self._least:
            self._least, self._place = far, place
        self._most = max(self._most, far)


def _middle(low: float, high: float) -> float:
    """Return the middle by ratio; of rounding it would lie outside, where nothing is known of f."""
    return min(max(sqrt(low) * sqrt(high), low), high)


def _with_whole_numbers(tree: Expression) -> Expression:
    """Return a formula with the roots and logarithms of numbers that are rational as numbers.

    Enclosed as any other, log2(64) might lie on either side of 6, where `ceil` jumps.
    """

    def found(node: Expression, operands: tuple[Expression, ...]) -> Expression | None:
        if not isinstance(node, Function | Power) or not operands:
            return None
        if not all(isinstance(each, Number) for each in operands):
            return None
        value = constant_value(rebuild(node, operands))
        return None if value is None else Number(value)

    return rewritten(tree, found)


def _is_point(box: Box) -> bool:
    return all(low == high for low, high in box.values())


def _corners(box: Box) -> Iterator[Point]:
    """Yield some corners of a box."""
    if len(box) <= _CORNERS:
        for values in product(*box.values()):
            yield dict(zip(box, values, strict=True))
        return
    for end in (0, 1):
        yield {name: ends[end] for name, ends in box.items()}


def _widest(box: Box, slopes: Mapping[str, Ends] | None) -> str | None:
    """Return the unknown that f may change most with; None where none can be cut."""
    far: dict[str, float] = {}
    for name, (low, high) in box.items():
        if low < _middle(low, high) < high:
            steep = 1.0 if slopes is None else max(map(abs, slopes[name]))
            far[name] = (high / low - 1) * steep
    return max(far, key=far.__getitem__, default=None)


def _narrower(one: Ends, other: Ends) -> Ends:
    return max(one[0], other[0]), min(one[1], other[1])


def _from_centre(
    value: Ends, centre: Mapping[str, float], box: Box, slopes: Mapping[str, Ends]
) -> Ends:
    """Return the bounds that lead from the value at the centre to all others of a box.

    By the mean value theorem, f(x) - f(c) is the sum of x ∂f/∂x, at a place between, times the
    logarithm of x/c. Where f has kinks the slopes are all those beside them, and it holds as well.
    """
    terms: list[Bounds] = [(*value, 0.0, 0.0)]
    for name, (low, high) in box.items():
        if low < high:
            middle = (centre[name], centre[name], 0.0, 0.0)
            way = interval.logarithm(interval.divide((low, high, 0.0, 0.0), middle), "ln")
            terms.append(interval.multiply([(*slopes[name], 0.0, 0.0), (*way[:2], 0.0, 0.0)]))
    return interval.add(terms)[:2]
