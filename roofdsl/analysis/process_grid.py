"""Grids of processes: of all that the model allows, the fastest; and that with so many processes.

A grid is Pr × Pc where a model counts its processes along several sides, or p × q = P where it
requires that of parameters that are left open.

All grids are compared at once, by boxes. With the outer sides (all but the last) anywhere between
two ends, the time is never below a formula of the last side. Where that lies above the time of the
best grid so far, no grid of the box is faster; any other box is halved, the one that promises most
first. With one value for each outer side, what is left is a question about one count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count as numbers
from itertools import takewhile
from math import inf, isqrt, prod
from typing import NamedTuple

from roofdsl.analysis.branches import Branch
from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.demands import Demands
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.most_useful import CountSearch, Fastest, MostUseful
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling_law import FAR, Counts, equal
from roofdsl.analysis.unknown import unknown_named
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import truth
from roofdsl.expression.construct import multiply, number
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.decision import NEARLY
from roofdsl.numeric.exact import exact, exact_evaluator
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.fraction_bounds import FractionBounds
from roofdsl.numeric.proof import Proof
from roofdsl.numeric.scalar import evaluate, evaluator_of_each
from roofdsl.numeric.sign_runs import sign_runs

# What it takes to compute a time in floats, and conditions exactly; and to bound a time in a box.
_COMPUTED, _EXACT, _BOUNDED = 1, 4, 2
# Of what is left, for the search, for that of fewer, and for the comparison of one box.
_FOR_LOOKING, _FOR_FEWER, _FOR_BOX = 3 / 4, 1 / 8, 1 / 16
# So far from a power of two a count that is allowed is looked for.
_MOST_STEPS = 64


class GridSides(NamedTuple):
    """The parameters whose product is the number of processes, and the one that must equal it."""

    names: tuple[str, ...]
    total: str | None = None

    @property
    def free(self) -> tuple[str, ...]:
        """The parameters that a prediction leaves open."""
        return self.names if self.total is None else (self.total, *self.names)

    def at(self, sides: Sequence[int]) -> Counts:
        """Return the values of what is open."""
        own = {} if self.total is None else {self.total: prod(sides)}
        return {**own, **dict(zip(self.names, sides, strict=True))}


class Grid(NamedTuple):
    """The processes along each side, and the time [s]."""

    sides: tuple[int, ...]
    time: float

    @property
    def places(self) -> int:
        """How many places it has."""
        return prod(self.sides)


def sides_of(
    model: ModelDefinition, name: str | None, open_names: Sequence[str]
) -> GridSides | None:
    """Return the sides of a grid where more than a count of processes is left open, else None.

    `open_names` are the numbers without a value.
    """
    counts = [p.name for p in model.parameters if p.kind == "processes"]
    others = [each for each in open_names if each != name]
    first = [] if name is None else [name]
    if len({*first, *others}) > 1 and {*first, *others} <= {*counts}:
        return GridSides(tuple(each for each in counts if each in (*first, *others)))
    whole = {p.name for p in model.parameters if p.kind == "integer"}
    if name is None and len(counts) == 1:
        name, others = counts[0], [each for each in others if each != counts[0]]
    if name in counts and len(others) > 1 and {*others} <= whole and _ties(model, name, others):
        return GridSides(tuple(others), name)
    return None


def _ties(model: ModelDefinition, total: str, sides: Sequence[str]) -> bool:
    """Whether a model requires that the product of some parameters is another one."""
    symbols = {p.name: p.symbol for p in model.parameters}
    product = multiply(*(symbols[name] for name in sides))
    for item in model.requirements:
        match item.condition:
            case trees.Comparison("==", left, right):
                if any(
                    one == symbols[total] and equal(other, product)
                    for one, other in ((left, right), (right, left))
                ):
                    return True
    return False


class GridSearch:
    """The grids of a prediction in which the sides are open."""

    def __init__(self, prediction: Prediction, sides: GridSides, budget: Budget) -> None:
        self.sides = sides
        self.budget = budget
        model, binding = prediction.model, prediction.binding
        self.most = _most(prediction, sides)
        symbols = {p.name: p.symbol for p in model.parameters}
        product = multiply(*(symbols[name] for name in sides.names))
        self._total = {} if sides.total is None else {sides.total: product}
        self.time = substitute(substitute(prediction.time(), prediction.rates), self._total)
        opened = [p for p in model.parameters if p.name in sides.free]
        own = [each for p in opened for each in own_conditions(p, binding)]
        asked = [substitute(x, self._total) for x in (*own, *prediction.checks.values())]
        self._demands = Demands.of(prediction).at(self._total)
        last = unknown_named(sides.names[-1], model, prediction.machine)
        self.domain = Domain(last, tuple(asked), self._demands, (prediction,))
        every = (truth(True), *dict.fromkeys(asked))
        self._conditions = exact_evaluator(trees.Logic("and", every))
        amounts = (*self._demands.valued, *self._demands.unsigned, *self._demands.stated)
        self._computed = evaluator_of_each((self.time, *amounts), sides.names)

    def best(self, places: int) -> Grid | None:
        """Return the fastest grid of so many places that is allowed, None without one.

        Of equally fast ones it is the most square.
        """
        every = factorisations(places, len(self.sides.names))
        found = [grid for sides in every if (grid := self._timed(sides)) is not None]
        allowed = filter(self._allows, sorted(found, key=lambda grid: grid.time))
        first = next(allowed, None)
        if first is None:
            return None
        near = takewhile(lambda grid: grid.time <= first.time * (1 + NEARLY), allowed)
        return min([first, *near], key=lambda grid: max(grid.sides))

    def _allows(self, grid: Grid) -> bool:
        self.budget.spend(_EXACT)
        named = zip(self.sides.names, map(Fraction, grid.sides), strict=True)
        return self._conditions(dict(named)) is True

    def _timed(self, sides: tuple[int, ...]) -> Grid | None:
        """Return a grid with its time, None where it has none, or an amount has none."""
        self.budget.spend(_COMPUTED)
        time, *found = self._computed(*sides)
        amounts = [each for each in found if not isinstance(each, EvaluationError)]
        first, last = len(self._demands.valued), len(found) - len(self._demands.stated)
        if isinstance(time, EvaluationError) or len(amounts) < len(found):
            return None
        met = all(each >= 0 for each in amounts[first:last]) and all(amounts[last:])
        return Grid(sides, time) if met else None


def factorisations(count: int, sides: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to write a number as an ordered product.

    >>> [*factorisations(6, 2)]
    [(1, 6), (2, 3), (3, 2), (6, 1)]
    """
    if sides == 1:
        yield (count,)
        return
    small = [each for each in range(1, isqrt(count) + 1) if count % each == 0]
    divisors = dict.fromkeys([*small, *(count // each for each in small[::-1])])
    for divisor in divisors:
        for rest in factorisations(count // divisor, sides - 1):
            yield (divisor, *rest)


def grids_near_powers(search: GridSearch, most: int) -> list[Grid]:
    """Return the fastest grids of counts near each power of two up to `most`, the fewest first."""
    found: dict[int, Grid] = {}
    most = most if search.most is None else min(most, search.most)
    for exponent in range(most.bit_length()):
        power = 2**exponent
        for step in range(min(power // 2, _MOST_STEPS) + 1):
            beside = (best for c in (power + step, power - step) if (best := search.best(c)))
            best = next(beside, None)
            if best is not None:
                found[best.places] = best
                break
    return [found[places] for places in sorted(found)]


class _Box(NamedTuple):
    """Grids with the outer sides between two ends each, and the last from `first` to `last`.

    `rank`: about the least time in it; `least`: what the time is never below, None if not known.
    """

    rank: float
    number: int
    outer: tuple[tuple[int, int], ...]
    first: int
    last: int
    least: Expression | None

    @property
    def fewest(self) -> int:
        """The fewest places of a grid in it."""
        return prod(low for low, _ in self.outer) * self.first


def most_useful_grid(search: GridSearch, seen: Sequence[Grid], fixed: int) -> MostUseful:
    """Return the fastest grid; `seen` are some that are allowed.

    Of equally fast ones it is the one with the fewest processes, as far as the budget allows to
    look. `fixed`: how many processes there are for each place of a grid.
    """
    boxes = _Boxes(search, min(seen, key=lambda grid: (grid.time, grid.places)))
    open_from = boxes.settle()
    up_to = boxes.end if open_from is None else open_from - 1
    if open_from is None:
        boxes.settle(fewer=True)
    proof = Proof(open_from is None, fixed * up_to or None)
    ends, count = search.most is not None, fixed * prod(boxes.best)
    return MostUseful(count, fixed * boxes.end, ends, False, proof, boxes.best)


class _Boxes:
    """A search by boxes: the best grid so far, and its time."""

    def __init__(self, search: GridSearch, best: Grid) -> None:
        self.search = search
        self.budget = search.budget
        self.name = search.sides.names[-1]
        self.end = search.most or FAR
        self.best = best.sides
        self.time = self._at(best.sides)
        self._numbers = numbers()

    def _at(self, sides: Sequence[int]) -> Expression:
        named = zip(self.search.sides.names, map(number, sides), strict=True)
        return substitute(self.search.time, dict(named))

    def settle(self, *, fewer: bool = False) -> int | None:
        """Look for faster grids, or as fast ones with fewer places, until there are none.

        Return from how many places on it is undecided whether there are any, None if it is not.
        """
        whole = tuple((1, self.end) for _ in self.search.sides.names[1:])
        heap = [_Box(0.0, next(self._numbers), whole, 1, self.end, None)]
        undecided: list[int] = []
        looked = self.budget.share(_FOR_FEWER if fewer else _FOR_LOOKING)
        if not fewer:  # the better the best is known, the larger the boxes that need no look
            outer = self.best[:-1]
            ends = tuple((side, side) for side in outer)
            column = _Box(0.0, 0, ends, 1, self.end // prod(outer), None)
            self._column(column, looked.share(_FOR_BOX), fewer=False)
        while heap and looked.left:
            box = heappop(heap)
            low = prod(low for low, _ in box.outer)
            if fewer:
                box = box._replace(last=min(box.last, (prod(self.best) - 1) // low))
            if box.first > box.last:
                continue
            if all(low == high for low, high in box.outer):
                open_from = self._column(box, looked, fewer=fewer)
                undecided += [] if open_from is None else [low * open_from]
                continue
            share = looked.share(_FOR_BOX)
            for half in self._halves(self._open(box, share, fewer=fewer), looked, fewer=fewer):
                heappush(heap, half)
        # By now a better grid is known than when they were put there.
        for box in sorted(heap, key=lambda box: box.fewest):
            if box.fewest >= min(undecided, default=self.end + 1):
                break
            left = self._open(box, self.budget.share(_FOR_BOX), fewer=fewer)
            undecided += [left.fewest] if left.first <= left.last else []
        return min(undecided, default=None)

    def _open(self, box: _Box, share: Budget, *, fewer: bool) -> _Box:
        """Return what is not settled of a box."""
        if box.least is None:
            return box
        ends = box.first, box.last
        runs = sign_runs(box.least, self.time, self.name, *ends, integer=True, budget=share).runs
        settled = ("above",) if fewer else ("above", "equal")
        left = [run for run in runs if run.state not in settled]
        if not left:
            return box._replace(last=box.first - 1)
        return box._replace(first=int(left[0].first), last=int(left[-1].last))

    def _halves(self, box: _Box, budget: Budget, *, fewer: bool) -> Iterator[_Box]:
        """Yield the halves of a box, cut where the ends of a side are farthest apart."""
        if box.first > box.last:
            return
        widest = max(
            range(len(box.outer)), key=lambda side: box.outer[side][1] / box.outer[side][0]
        )
        low, high = box.outer[widest]
        middle = min(isqrt(low * high), high - 1)
        for half in ((low, middle), (middle + 1, high)):
            outer = (*box.outer[:widest], half, *box.outer[widest + 1 :])
            last = min(box.last, self.end // prod(low for low, _ in outer))
            if last < box.first:
                continue
            budget.spend(_BOUNDED)
            least = self._least(outer, box.first, last)
            places = {box.first, isqrt(box.first * last), last}
            rank = min(self._rank(least, place) for place in places)
            rank = float(box.first * prod(low for low, _ in outer)) if fewer else rank
            yield _Box(rank, next(self._numbers), outer, box.first, last, least)

    def _rank(self, least: Expression | None, place: int) -> float:
        try:
            return 0.0 if least is None else evaluate(least, {self.name: place})
        except EvaluationError:
            return inf

    def _least(self, outer: Sequence[tuple[int, int]], first: int, last: int) -> Expression | None:
        """Return a formula of the last side that the time in a box is never below."""
        ends = [(Fraction(low), Fraction(high)) for low, high in outer]
        box = dict(zip(self.search.sides.names, ends, strict=False))
        try:
            return FractionBounds(box, self.name, first, last).of(self.search.time)[0]
        except ValueError:
            return None

    def _column(self, box: _Box, budget: Budget, *, fewer: bool) -> int | None:
        """Look among the grids with given outer sides; return from where on it is undecided."""
        outer = [low for low, _ in box.outer]
        values = dict(zip(self.search.sides.names, map(number, outer), strict=False))
        time = substitute(self.search.time, values)
        domain = self.search.domain.at(values)
        if any(not free_symbols(each) and exact(each, {}) is False for each in domain.conditions):
            return None
        search = CountSearch([Branch(box.first, box.last, time)], domain, budget)
        if fewer:
            found = search.first_as_fast(self.time, box.first, box.last)
            best = Fastest(found or 0, self.time, None)
        else:
            best = search.fastest(Fastest(0, self.time, None), box.first, box.last)
        if best.processes:
            self.best, self.time = (*outer, best.processes), best.time
        return best.open_from


def _most(prediction: Prediction, sides: GridSides) -> int | None:
    """Return a product of the sides above which none is allowed, None where none is known."""
    unknowns = [
        unknown_named(name, prediction.model, prediction.machine)
        for name in (sides.names if sides.total is None else (sides.total,))
    ]
    ends = [domain_of(prediction, unknown).limits.high for unknown in unknowns]
    known = [int(end) for end in ends if end is not None]
    return prod(known) if len(known) == len(ends) else None
