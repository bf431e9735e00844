"""Finds boxes that the checker of certificates accepts: it cuts until they are.

The search found the regimes; what is asked here is no more than how to show them. Nothing of the
search is believed: each box is one that the checker has accepted.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_DOWN, Context
from fractions import Fraction
from itertools import pairwise
from math import isqrt, nextafter

from flint import arb, ctx

from roofdsl.analysis.certificate_nodes import NoCertificate
from roofdsl.units.quantity import show_number
from roofdsl.verify.box import ANY_SIGN, Box, Sides, Signs
from roofdsl.verify.certificate import STATES, Comparison, Item, Node
from roofdsl.verify.check import DIGITS, LARGEST_MARGIN, Checker

MOST_BOXES = 20_000
_MOST_OF_A_CHOICE = 300
# Narrower boxes of a real unknown, relatively, are left out where a choice changes.
_NARROW = Fraction(1, 10**13)
_NAMES = {signs: state for state, signs in STATES.items()}
_WORK = 2 * 10**7


class Boxes:
    """Finds the boxes of comparisons, one after another; each may use those before it."""

    def __init__(
        self, nodes: tuple[Node, ...], low: Fraction, high: Fraction, *, integer: bool
    ) -> None:
        self.nodes = nodes
        self.low, self.high = low, high
        self.integer = integer
        self.checker = Checker(nodes, integer=integer, work=_WORK)
        self.comparisons: list[Comparison] = []
        self._cuts: list[Fraction] = []
        self._left = MOST_BOXES

    def choices(self, within: Iterable[int]) -> None:
        """Find the boxes of all choices that some nodes hang on, as far as there are few."""
        asked = {pair for place in within for pair in _compared(self.nodes[place])}
        for pair in sorted(asked, key=lambda each: each[::-1]):
            self._add(*pair, self._choice(*pair))

    def _add(self, left: int, right: int, items: Sequence[tuple[bool, Item]]) -> None:
        for (_, one), (_, other) in pairwise(items):
            self._cut(one.last)
            self._cut(other.first)
        for turned, pair in ((False, (left, right)), (True, (right, left))):
            own = tuple(item for each, item in items if each == turned)
            if own:
                self.comparisons.append(Comparison(*pair, own))
                self.checker.accept(self.comparisons[-1])

    def _cut(self, place: Fraction) -> None:
        if place not in self._cuts:
            insort(self._cuts, place)

    def _choice(self, left: int, right: int) -> list[tuple[bool, Item]]:
        found: list[tuple[bool, Item]] = []
        waiting, left_over = [(self.low, self.high)], _MOST_OF_A_CHOICE
        while waiting and left_over:
            left_over -= 1
            first, last = waiting.pop()
            item = self.item(left, right, first, last)
            if item is not None:
                found.append(item)
            elif first < last and (self.integer or last - first > _NARROW * last):
                waiting += [*self._halves(left, right, first, last)][::-1]
        return found

    def _halves(
        self, left: int, right: int, first: Fraction, last: Fraction
    ) -> list[tuple[Fraction, Fraction]]:
        """Cut a box in two, where a choice changes if it is another at its two ends."""
        signs = [self._sign(left, right, end) for end in (first, last)]
        inner = [cut for cut in self._cuts if first < cut < last]
        if signs[0] == signs[1] or None in signs or inner:
            cut = inner[len(inner) // 2] if inner else middle(first, last, integer=self.integer)
            return [(first, cut), (cut + self.integer, last)]
        low, high = first, last
        while (high - low > 1) if self.integer else (high - low > _NARROW * high):
            cut = max(middle(low, high, integer=self.integer), low + self.integer)
            if self._sign(left, right, cut) == signs[0]:
                low = cut
            else:
                high = cut
        return [(first, low), (high, last)]

    def _sign(self, left: int, right: int, place: Fraction) -> int | None:
        signs = self._box(place, place).signs(left, right)
        return next(iter(signs)) if len(signs) == 1 else None

    def _box(self, first: Fraction, last: Fraction) -> Box:
        return Box(self.checker, first, last)

    def regime(
        self, left: int, right: int, wanted: Signs, first: Fraction, last: Fraction
    ) -> list[Item]:
        """Find boxes that show how two nodes lie to each other over a part of the range."""
        waiting, start = [], first
        for cut in [*(each for each in self._cuts if first < each < last), last]:
            if start <= cut:
                waiting.append((start, cut))
                start = cut + self.integer
        waiting.reverse()
        found: list[Item] = []
        while waiting:
            self._left -= 1
            start, end = waiting.pop()
            if self._left < 0:
                raise NoCertificate(f"it takes more than {MOST_BOXES:,} boxes")
            item = self.item(left, right, start, end, wanted)
            if item is not None:
                found.append(item[1])
            elif start < end and (self.integer or end - start > _NARROW * end):
                cut = middle(start, end, integer=self.integer)
                waiting += [(cut + self.integer, end), (start, cut)]
            else:
                raise NoCertificate(f"no box is found that shows it at {show_number(start, 15)}")
        return found

    def item(
        self, left: int, right: int, first: Fraction, last: Fraction, wanted: Signs = ANY_SIGN
    ) -> tuple[bool, Item] | None:
        """Return a box that the checker accepts, with the two nodes as they are or turned round.

        None where this is none, or shows of the nodes as they are other than `wanted` signs.
        """
        algebra = self.checker.algebra
        with ctx.workprec(DIGITS):
            box = self._box(first, last)
            form = algebra.plus(box.form(left), box.form(right), -1)
            if first == last or not form:
                found = algebra.sign(form)
                if found is None or found not in wanted:
                    return None
                state = _NAMES[frozenset({abs(found)})]
                return found < 0, Item(first, last, state, "point" if first == last else "same")
            for turned in (False, True):
                difference = algebra.plus({}, form, -1 if turned else 1)
                for state, reason, margin in Sides(box, difference).proofs():
                    signs = STATES[state]
                    if wanted >= (frozenset(-each for each in signs) if turned else signs):
                        return turned, Item(first, last, state, reason, rounded(margin))
        return None


def _compared(node: Node) -> Iterator[tuple[int, int]]:
    """Yield the pairs that a node which chooses compares."""
    kind, of, _ = node
    values = of[: len(of) // 2] if kind == "pick" else of[:2] if kind.startswith("if ") else ()
    for n, one in enumerate(values):
        yield from ((min(one, other), max(one, other)) for other in values[n + 1 :] if one != other)


def rounded(value: arb) -> Fraction:
    """Return a margin to three digits, rounded towards 0."""
    if not abs(value) < LARGEST_MARGIN:
        return Fraction(LARGEST_MARGIN if value > 0 else -LARGEST_MARGIN)
    # The float may lie beyond the number itself.
    inside = nextafter(float(value), 0.0)
    return Fraction(Context(prec=3, rounding=ROUND_DOWN).create_decimal(inside))


def middle(low: Fraction, high: Fraction, *, integer: bool) -> Fraction:
    """Return the geometric middle, of whole numbers one below the high end."""
    if integer:
        return Fraction(min(max(isqrt(int(low * high)), int(low)), int(high) - 1))
    found = Fraction(repr((float(low) * float(high)) ** 0.5))
    return found if low < found < high else (low + high) / 2


def made_of(nodes: Sequence[Node], roots: Iterable[int], *, in_sums: bool = True) -> set[int]:
    """Return the nodes that some are made of, also those that are summed, if asked for."""
    found: set[int] = set()
    waiting = [*roots]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            kind, of, _ = nodes[place]
            waiting += of[2:] if kind == "sum" and not in_sums else of
    return found
