"""Checks a certificate: every box, then that the boxes prove the answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, pairwise

from flint import arb, ctx

from roofdsl.verify.box import ANY_SIGN, Box, Sides, Signs
from roofdsl.verify.certificate import STATES, Certificate, Comparison, Item, Node, Regime, span
from roofdsl.verify.forms import TooMuchError
from roofdsl.verify.intervals import Exact, of_number

DIGITS = 128
"""Binary digits of the ends of intervals."""
MOST_WORK = 5_000_000
LARGEST_MARGIN = 10**6
# A margin is stated to three digits, rounded towards 0; one that is stated as less is another.
_ROUNDED_BY = arb("0.98")


class Checker:
    """Checks boxes, and knows those that were accepted; `integer`: of whole values only."""

    def __init__(self, nodes: tuple[Node, ...], *, integer: bool, work: int = MOST_WORK) -> None:
        self.nodes, self.integer, self.algebra = nodes, integer, Exact(work)
        self._proven: dict[tuple[int, int], tuple[Item, ...]] = {}

    def known(self, one: int, other: int, low: Fraction, high: Fraction) -> Signs:
        """Return which signs the difference of two nodes may have, as accepted boxes say."""
        turned = self._known((other, one), low, high)
        return self._known((one, other), low, high) & frozenset(-each for each in turned)

    def _known(self, pair: tuple[int, int], low: Fraction, high: Fraction) -> Signs:
        items, found = self._proven.get(pair, ()), frozenset[int]()
        start = bisect_right(items, low, key=lambda each: each.first) - 1
        for n in range(max(0, start), len(items)):
            self.algebra.spend(1)
            if not items[n].first <= low <= items[n].last:
                break
            found |= STATES[items[n].state]
            if items[n].last >= high:
                return found
            low = items[n].last + self.integer
        return ANY_SIGN

    def accept(self, comparison: Comparison) -> None:
        """Take the boxes of two nodes as proven from now on."""
        self._proven[comparison[:2]] = comparison.items

    def proves(self, left: int, right: int, item: Item) -> bool:
        """Whether the nodes lie to each other as a box says, for the reason that it gives."""
        first, last, state, reason, margin = item
        if self.integer and first.denominator * last.denominator > 1:
            return False
        with ctx.workprec(DIGITS):
            box = Box(self, first, last)
            form = self.algebra.plus(box.form(left), box.form(right), -1)
            if reason == "point":
                return first == last and not margin and self.algebra.sign(form) in STATES[state]
            if reason == "same":
                return state == "equal" and not form and not margin
            shown = Sides(box, form).proofs()
            return any(each[:2] == (state, reason) and _is(each[2], margin) for each in shown)


def _is(value: arb, margin: Fraction) -> bool:
    """Whether a margin is the value rounded towards 0, or the largest where that is beyond."""
    stated = of_number(margin)[0 if value >= 0 else 1]
    if value < 0:
        stated, value = -stated, -value
    return 0 <= stated <= value and (stated == LARGEST_MARGIN or stated >= _ROUNDED_BY * value)


def check(certificate: Certificate) -> str | None:
    """Return what does not hold of a certificate, and where; None where all of it is proven."""
    checker = Checker(certificate.nodes, integer=certificate.whole)
    try:
        return next(chain(_boxes(certificate, checker), _regimes(certificate, checker)), None)
    except TooMuchError:
        return "it takes more work than is done for a certificate"


def _boxes(certificate: Certificate, checker: Checker) -> Iterator[str]:
    """Yield the boxes that are not proven, and have the checker accept the others."""
    labels = {node: label for label, node in certificate.rivals.items()}
    for number, comparison in enumerate(certificate.comparisons, 1):
        left, right, items = comparison
        of = f"of {' and '.join(labels.get(each, f'f{each}') for each in (left, right))}"
        before = Fraction(0)
        for place, item in enumerate(items, 1):
            at = f"box {place} of comparison {number}, {of}, {span(certificate, item)}"
            if not (0 < item.first <= item.last and before + certificate.whole <= item.first):
                yield f"{at}: it does not stand behind the box before it"
            if not checker.proves(left, right, item):
                yield f"{at}: '{item.state}' is not shown by its {item.reason}"
            before = item.last
        checker.accept(comparison)


def _regimes(certificate: Certificate, checker: Checker) -> Iterator[str]:
    """Yield the regimes that the boxes do not prove."""
    whole, ends = certificate.whole, [end for each in certificate.regimes for end in each[:2]]
    apart = [(n % 2 and whole, one, other) for n, (one, other) in enumerate(pairwise(ends))]
    outside = (certificate.low, certificate.high) != (*ends[:1], *ends[-1:])
    if outside or any(other < one or (gap and other != one + 1) for gap, one, other in apart):
        yield "the answer: its regimes do not follow one another from end to end of the range"
    for number, regime in enumerate(certificate.regimes, 1):
        for left, right, state, what in claims(certificate, regime):
            signs = checker.known(left, right, regime.first, regime.last)
            if left != right and not signs <= STATES[state]:
                at = f"regime {number}, {span(certificate, regime)}"
                yield f"{at}: no boxes show all over it that {what}"


def claims(certificate: Certificate, regime: Regime) -> Iterator[tuple[int, int, str, str]]:
    """Yield what a regime says of pairs of nodes: left, right, state, and that in words."""
    own = [certificate.rivals[label] for label in regime.labels]
    if not own:
        return
    leader, led = own[0], regime.labels[0]
    state = "above" if regime.kind in ("largest", "tie") else "not below"
    if regime.kind == "one of":
        largest = Node("pick", (*own, *own))
        leader = next((n for n, node in enumerate(certificate.nodes) if node == largest), -1)
        led = "the largest of these"
    if regime.kind == "tie":
        for label, node in zip(regime.labels[1:], own[1:], strict=True):
            yield leader, node, "equal", f"{led} and {label} are equal"
    for label, node in certificate.rivals.items():
        if label not in regime.labels or (regime.kind == "at least" and label != led):
            yield leader, node, state, f"{led} is {state} {label}"
