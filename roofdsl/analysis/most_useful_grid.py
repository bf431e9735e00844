"""The fastest grid of processes of all that the model allows: compared at once, by boxes.

With the outer sides (all but the last) anywhere between two ends, the time is never below a formula
of the last side. Where that lies above the time of the best grid so far, no grid of the box is
faster; any other box is halved, the one that promises most first. With one value for each outer
side, what is left is a question about one count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count as numbers
from math import inf, isqrt, prod
from typing import NamedTuple

from roofdsl.allowance import Budget, ran_out
from roofdsl.analysis.branches import Branch
from roofdsl.analysis.most_useful import CountSearch, Fastest, MostUseful
from roofdsl.analysis.process_grid import Grid, GridSearch
from roofdsl.analysis.scaling_law import FAR
from roofdsl.expression.construct import number
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.fraction_bounds import FractionBounds
from roofdsl.numeric.proof import Proof
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sign_runs import sign_runs

# What it takes, in units of work, to bound a time in a box.
_BOUNDED = 2
# Of what is left, for the search, for that of fewer, and for the comparison of one box.
_FOR_LOOKING, _FOR_FEWER, _FOR_BOX = 3 / 4, 1 / 2, 1 / 16


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
    proof = Proof(open_from is None, fixed * up_to or None, ran_out())
    ends, count = search.most is not None, fixed * prod(boxes.best)
    return MostUseful(count, fixed * boxes.end, ends, proof, boxes.best)


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
