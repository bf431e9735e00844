"""Where one formula lies above another: proven, for all x of a range."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain
from math import inf, nextafter
from typing import NamedTuple

from roofdsl.allowance import Budget
from roofdsl.expression.construct import divide, negate
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, Expression, Function, Symbol
from roofdsl.numeric.certify import ExactSign
from roofdsl.numeric.dense import searched, without_short
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place, outer
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.run import STATES, SignRun, State, append
from roofdsl.numeric.sums import added_up, has_sums

# Real numbers from 0 to here are taken in one piece: below, products of floats underflow, and
# bounds in relative terms mean nothing.
_NEXT_TO_0 = 1e-300
# What an enclosure takes to be made and asked once, where to ask it takes 1.
_COMPILED = 5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SignRuns(Proven):
    """The whole range as runs; between two of a real unknown lies the enclosure of a change."""

    runs: tuple[SignRun, ...]

    @property
    def proof(self) -> Proof:
        """How far the order of the two is proven."""
        return Proof.of((run.last, run.state != "undecided") for run in self.runs)


def sign_runs(
    left: Expression,
    right: Expression,
    name: str,
    low: Place,
    high: Place,
    *,
    integer: bool,
    budget: Budget | None = None,
) -> SignRuns:
    """Return where `left` lies above, below and on `right`, for a name from `low` to `high`.

    The trees hold no other name. `integer`: the name takes whole values only, and the runs are
    exact; otherwise what lies between two runs is the enclosure of a root, about 1e-15 wide
    relatively. What the budget does not suffice for is left undecided. Raises ValueError if
    `low > high`.

    >>> from roofdsl.expression.construct import multiply, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N", integer=True)
    >>> square = multiply(n, n)
    >>> found = sign_runs(square, number(10**30 + 1), "N", 1, 10**18, integer=True)
    >>> [(run.first, run.last, run.state) for run in found.runs]
    [(1, 1000000000000000, 'below'), (1000000000000001, 1000000000000000000, 'above')]
    """
    if not low <= high:
        raise ValueError("an empty range")
    low, high = (int(low), int(high)) if integer else (float(low), float(high))
    # The search runs over x > 0 alone, where powers and logarithms are defined and can be taken
    # apart. For x < 0 it runs over -x, and 0 is decided by itself.
    known = Symbol(name, integer=integer, positive=low > 0)
    sides = _Comparison(left, right, name, budget or Budget()).of(lambda _: known)
    sides = sides._replace(left=added_up(sides.left, name), right=added_up(sides.right, name))
    tiniest: Place = 1 if integer else nextafter(0.0, 1)
    parts: list[Sequence[SignRun]] = []
    if low < 0:
        found = _joined(_positive(sides.of(negate), max(-high, tiniest), -low))
        parts.append(_turned(found.runs, operator.neg))
    if low <= 0 <= high:
        parts.append(_at(sides, 0 if integer else 0.0))
    if high > 0:
        parts += _positive(sides, max(low, tiniest), high)
    return _joined(parts)


class _Comparison(NamedTuple):
    """Two formulas to compare, their name, and the budget for it."""

    left: Expression
    right: Expression
    name: str
    budget: Budget

    def of(self, change: Callable[[Symbol], Expression]) -> _Comparison:
        """Return both sides with an expression substituted for the name."""

        def put_in(tree: Expression) -> Expression:
            own = (symbol for symbol in free_symbols(tree) if symbol.name == self.name)
            changed = {symbol.name: new for symbol in own if (new := change(symbol)) != symbol}
            return substitute(tree, changed)

        return self._replace(left=put_in(self.left), right=put_in(self.right))


def _at(sides: _Comparison, place: Place) -> list[SignRun]:
    """Compare at one place."""
    order = ExactSign(sides.left, sides.right, sides.name)(Fraction(place), sides.budget)
    return [SignRun(place, place, STATES[order])]


def _positive(sides: _Comparison, low: Place, high: Place) -> Iterator[Sequence[SignRun]]:
    """Compare for x > 0; below 1, where logarithms are negative, for 1/x."""
    if low == high:
        yield _at(sides, low)
        return
    # Next to 0 a real unknown is taken in one piece.
    start = low if isinstance(low, int) else min(max(low, _NEXT_TO_0), high)
    if low < start:
        yield [_in_one_piece(sides, low, start, 0.0)]
    if start == high:
        return
    if not isinstance(low, int) and low < 1 and _has_logarithm(sides.left, sides.right):
        # In 1/x, which is at least 1, log2 x is -log2 (1/x) and so of one sign, which the
        # enclosures of products of powers and logarithms need. The ends are taken outwards, and
        # what sticks out is cut off afterwards, as 1/low is seldom a float.
        first = nextafter(1 / high, 1) if high < 1 else 1.0
        last = min(nextafter(1 / low, inf), 1 / _NEXT_TO_0)
        inverted = _searched(sides.of(partial(divide, ONE)), first, last)
        yield _within(_turned(inverted, lambda x: 1 / x), start, min(high, 1.0))
        start = 1.0
    if start < high:
        yield _searched(sides, start, high)


def _searched(sides: _Comparison, low: Place, high: Place) -> list[SignRun]:
    """Compare for x > 0 by a search; before formulas stand for all sums, and from there on."""
    left, right, name, budget = sides
    # That one is always above the other often shows at once, without bringing them to any form.
    whole = _in_one_piece(sides, low, high, outer(low, high)[0])
    if whole.state != "undecided":
        return [whole]
    cut = None
    if has_sums(left) or has_sums(right):
        from roofdsl.numeric.rounding import sums_open_from  # few formulas have sums

        cut = sums_open_from((left, right), name, high)
    if cut is not None and low < cut:
        start, end = (cut, cut - 1) if isinstance(low, int) else (float(cut), float(cut))
        part = sides._replace(budget=budget.share(1 / 2))
        return [*_searched(part, low, end), *_searched(sides, start, high)]
    pair = Pair(left, right, name, integer=isinstance(low, int), budget=budget)
    # What few questions need is loaded where it is.
    if pair.may_jump:
        from roofdsl.numeric.ordered import ordered

        runs = ordered(pair, low, high, budget)
    else:
        runs = searched(pair, low, high, budget)
    if not pair.integer:
        from roofdsl.numeric.sliver import without_slivers

        return without_slivers(runs, pair, budget)
    if any(run.state in ("mixed", "undecided") for run in runs):
        from roofdsl.numeric.every_place import decided

        runs = decided(pair, runs, budget)
    return without_short(runs) if pair.may_jump else runs


def _in_one_piece(sides: _Comparison, low: Place, high: Place, bottom: float) -> SignRun:
    """Compare from `low` to `high` by bounds of the values all over it, and from `bottom` on."""
    both = [Enclosure(each, sides.name, integer=isinstance(low, int)) for each in sides[:2]]
    sides.budget.spend(_COMPILED * sum(each.size for each in both) / 8)
    one, other = (each.over(bottom, outer(low, high)[1]) for each in both)
    state: State = "above" if one[0] > other[1] else "below" if one[1] < other[0] else "undecided"
    return SignRun(low, high, state)


def _has_logarithm(*sides: Expression) -> bool:
    return any(
        isinstance(node, Function) and node.name in ("log", "log2", "ln", "log10")
        for tree in sides
        for node in bottom_up(tree)
    )


def _turned(runs: Sequence[SignRun], change: Callable[[Place], Place]) -> list[SignRun]:
    """Return runs of -x or 1/x as runs of x."""
    return [
        SignRun(
            change(run.last), change(run.first), run.state, run.ends and run.ends.turned(change)
        )
        for run in runs[::-1]
    ]


def _within(runs: Sequence[SignRun], low: Place, high: Place) -> list[SignRun]:
    """Cut runs that reach a little beyond a range to the range."""
    inside = [run for run in runs if low <= run.last and run.first <= high]
    if not inside:
        return [SignRun(low, high, "undecided")]
    # An end of the range may lie in the enclosure of a root, where nothing is told.
    if inside[0].first > low:
        inside.insert(0, SignRun(low, low, "undecided"))
    if inside[-1].last < high:
        inside.append(SignRun(high, high, "undecided"))
    inside[0] = inside[0]._replace(first=low)
    inside[-1] = inside[-1]._replace(last=high)
    return inside


def _joined(parts: Iterable[Sequence[SignRun]]) -> SignRuns:
    """Put runs of adjacent ranges together."""
    runs: list[SignRun] = []
    for run in chain.from_iterable(parts):
        append(runs, run)
    return SignRuns(tuple(runs))
