"""What binds a prediction where, over a whole range: its law, piece by piece, then compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from roofdsl.allowance import Budget
from roofdsl.analysis.binding import NOTHING
from roofdsl.analysis.branches import Branched, Branching
from roofdsl.analysis.composition import Composed, Composing, composed
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.node import Node, is_joined, walk
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.refused import Hole, cut, demanded_of, refused
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import add
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, ZERO, Expression
from roofdsl.numeric.crossing import ChangeBetween, change_of, crossings, exchanged
from roofdsl.numeric.every_place import MOST_PLACES
from roofdsl.numeric.interval import around
from roofdsl.numeric.order_change import OrderChange
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Crossing, Regime, Regimes, joined_regimes
from roofdsl.numeric.run import SignRun
from roofdsl.numeric.sign_runs import sign_runs
from roofdsl.numeric.sliver import is_narrow

IDLE = "nothing"
"""The name of 0 among times: where none is above it, nothing binds."""
# What is left is for the comparison of the charges, and for the places of the changes.
FOR_PIECES = 1 / 2
# Of what is left, for each comparison beyond those that were foreseen.
_FOR_MORE = 1 / 4
# Of what is left, to look at every number of a small part: that is the last that can be done.
_FOR_NUMBERS = 3 / 4
# An undecided stretch of a real unknown that is narrower, relatively, is taken for a jump's place.
_NARROW = 1e-9


class Compared(NamedTuple):
    """A part of a range in which the times to compare are the same formulas, by their names.

    `plain`: no choice that they hang on is open.
    """

    first: Place
    last: Place
    times: Mapping[str, Expression]
    plain: bool = True


class RegimesOver:
    """What binds a prediction and its steps over one range; each comparison is made once.

    `values` are those of other names that are open.
    """

    def __init__(
        self,
        prediction: Prediction,
        unknown: Unknown,
        low: Place,
        high: Place,
        budget: Budget | None = None,
        composing: Composing = "written",
        values: Mapping[str, Expression] = NOTHING,
    ) -> None:
        self.prediction = prediction
        self.unknown = unknown
        self.budget = budget or Budget()
        self._composing = composing
        choices = {id(node) for node in walk(prediction.root) if node.arrangement != "sequence"}
        pieces = self.budget if prediction.is_roofline else self.budget.share(FOR_PIECES)
        shares = pieces.shares_without_end(len(choices))
        rates = {name: substitute(tree, values) for name, tree in prediction.rates.items()}
        self.values = values
        self.algebra = Branching(unknown, {**rates, **values}, low, high, shares)
        self.low, self.high = self.algebra.low, self.algebra.high

    @cached_property
    def whole(self) -> Composed[Branched]:
        return composed(self.prediction.root, self.algebra, self._composing)

    def parts(self, names: Sequence[str] = (), kernel: Node | None = None) -> tuple[Compared, ...]:
        """Return what competes for the bound: all of it, or some by their names.

        Of a `kernel`, that of one run: how often it runs does not change what binds it.
        """
        rivals = self.whole.rivals if kernel is None else self._rivals(self.algebra, kernel)
        asked, plain = [*(names or rivals)], self.algebra.is_plain
        values = [rivals.get(name, self.algebra.zero) for name in asked]
        return tuple(
            Compared(first, last, dict(zip(asked, trees, strict=True)), plain(first, last))
            for first, last, trees in self.algebra.overlaid(values)
        )

    def _rivals(self, algebra: Branching, kernel: Node | None) -> dict[str, Branched]:
        root = self.prediction.root if kernel is None else replace(kernel, count=ONE)
        charging = kernel is None or is_joined(kernel)
        return composed(root, algebra, self._composing, charging=charging).rivals

    def regimes(
        self,
        parts: Sequence[Compared],
        budget: Budget | None = None,
        *,
        bounds: bool = True,
        kernel: Node | None = None,
    ) -> Regimes:
        """Return which of the times is the largest where, and where that changes.

        `bounds`: that binds, if it is more than 0; it binds the `kernel`, if they are of one.
        """
        joined = self.runs(parts, budget, bounds=bounds, kernel=kernel)
        integer = self.unknown.integer
        whole = Regimes.of(
            joined, crossings(joined, self._change(parts, bounds=bounds), integer=integer)
        )
        return whole if integer else without_slivers(whole)

    def runs(
        self,
        parts: Sequence[Compared],
        budget: Budget | None = None,
        *,
        bounds: bool = True,
        kernel: Node | None = None,
    ) -> list[Regime]:
        """Return the same without the places of the changes."""
        # The pieces are done: the rest of the work is for these.
        self.algebra.shares = (budget or self.budget).shares_without_end(len(parts))
        found: list[Regime] = []
        for part in parts:
            for own in self._with_idle(part) if bounds else [part]:
                names = [*own.times]
                for each in self.algebra.regimes([*own.times.values()], own.first, own.last):
                    told = each._replace(labels=tuple(names[int(label)] for label in each.labels))
                    if not own.plain and _is_narrow(told):
                        told = self._in_every_case(told, names, kernel)
                    found += map(_without_label, self._with_holes(told, own.times, self.holes))
        return [*joined_regimes(found, integer=self.unknown.integer)]

    def _in_every_case(self, regime: Regime, names: Iterable[str], kernel: Node | None) -> Regime:
        """Return a regime that lies in the enclosure of a change, decided if one binds there."""
        from roofdsl.analysis.every_case import bounds_in_every_case

        def rivals(algebra: Branching) -> dict[str, Branched]:
            found = self._rivals(algebra, kernel)
            return {name: found.get(name, algebra.zero) for name in names}

        ends, share = (regime.first, regime.last), self.budget.share(_FOR_MORE)
        found = bounds_in_every_case(rivals, self.algebra, *ends, share)
        return Regime(*ends, found) if len(found) == 1 else regime

    def _with_idle(self, part: Compared) -> Iterator[Compared]:
        """Yield a part cut where all times may be 0, so that nothing binds: 0 competes there."""
        # Where there is a value none is below 0: all are 0 where their sum is.
        for tree in (*part.times.values(), add(*part.times.values())):
            runs = self._above_zero(tree, part.first, part.last)
            if [run.state for run in runs] == ["above"]:
                break
        for run in runs:
            idle = {} if run.state == "above" else {IDLE: ZERO}
            times = idle if run.state == "equal" else {**idle, **part.times}
            yield part._replace(first=run.first, last=run.last, times=times)

    def _above_zero(self, tree: Expression, first: Place, last: Place) -> tuple[SignRun, ...]:
        name, integer, share = self.unknown.name, self.unknown.integer, self.budget.share(_FOR_MORE)
        return sign_runs(tree, ZERO, name, first, last, integer=integer, budget=share).runs

    @cached_property
    def domain(self) -> Domain:
        """What the prediction demands, which may be put in from outside."""
        domain = domain_of(self.prediction, self.unknown)
        return domain.at(self.values) if self.values else domain

    @cached_property
    def holes(self) -> tuple[Hole, ...]:
        """Where the prediction has no value, or none at some places."""
        return self._refused(self.low, self.high)

    def _refused(self, first: Place, last: Place) -> tuple[Hole, ...]:
        return refused(self.domain, first, last, self.budget.share(_FOR_MORE))

    def refuses_some(self, first: Place, last: Place) -> bool:
        """Whether it is proven that the prediction has no value at some places of a part."""
        found = {hole.refusal for hole in cut(first, last, self.holes)}
        if found <= {"none", "perhaps"} and found != {"none"}:
            found = {hole.refusal for hole in self._refused(first, last)}
        return bool(found & {"all", "some"})

    def _with_holes(
        self, regime: Regime, times: Mapping[str, Expression], holes: Sequence[Hole]
    ) -> Iterator[Regime]:
        """Yield a regime with what has no value taken out of it."""
        real, undecided = not self.unknown.integer, regime.kind == "undecided"
        sure = [hole for hole in holes if hole.refusal == "all"] if real and undecided else holes
        for first, last, refusal in cut(regime.first, regime.last, sure):
            told = regime._replace(first=first, last=last)
            anew = told != regime and regime.kind in ("band", "shared")
            if refusal == "all":
                yield Regime(first, last, (), "refused")
            elif refusal == "none" and not (undecided or anew):
                yield told
            elif refusal == "some" and regime.kind in ("largest", "tie"):
                # What leads everywhere does so wherever there is a value.
                yield told._replace(some_refused=True)
            elif self.unknown.integer and last - first < MOST_PLACES:
                from roofdsl.analysis.every_number import at_every_number  # few questions need it

                ends, share = (int(first), int(last)), self.budget.share(_FOR_NUMBERS)
                # Where it is undecided, nothing else can be the largest.
                own = {name: times[name] for name in regime.labels} if undecided else times
                demanded = demanded_of(self.domain)
                yield from at_every_number(own, demanded, self.unknown.name, ends, share)
            elif refusal == "none" and anew:
                # What is known of the whole need not be so in a part of it.
                trees = [times[name] for name in regime.labels]
                for each in self.algebra.regimes(trees, first, last):
                    labels = tuple(regime.labels[int(label)] for label in each.labels)
                    yield each._replace(labels=labels)
            elif refusal == "perhaps" and holes is self.holes:
                yield from self._with_holes(told, times, self._refused(first, last))
            else:
                yield Regime(first, last, regime.labels, "undecided")

    def _change(self, parts: Sequence[Compared], *, bounds: bool) -> ChangeBetween:
        """Return what encloses the place where a regime gives way to the next."""
        name, integer, budget = self.unknown.name, self.unknown.integer, self.budget

        def change(one: Regime, other: Regime) -> OrderChange:
            both = part_at(parts, one.last), part_at(parts[::-1], other.first)
            names = exchanged(one.leading, other.leading)
            alike = all(both[0].times[name] == both[1].times[name] for name in names)
            before, *others = (
                change_of(part.times, name, integer=integer, budget=budget)(one, other)
                for part in both[: 1 if alike else 2]
            )
            if not others:
                return before
            # The formulas change there: what was charged to one is charged to another. Times
            # themselves go on from one formula to the next, unless one of them jumps.
            jump = bounds or before.jump or others[0].jump
            ends = around(Fraction(one.last))[0], around(Fraction(other.first))[1]
            return OrderChange(*ends, jump)

        return change


def part_at(parts: Sequence[Compared], place: Place) -> Compared:
    """Return the first part that a place lies in; between two whole numbers, the one before it."""
    before = [part for part in parts if part.first <= place]
    inside = (part for part in before if place <= part.last)
    return next(inside, None) or max(before, key=lambda part: part.first)


def _without_label(regime: Regime) -> Regime:
    """Return a regime in which all times are 0 as one of which nothing is said to bind."""
    idle = regime.certain and regime.labels[0] == IDLE
    return regime._replace(labels=(), kind="idle") if idle else regime


def without_slivers(found: Regimes) -> Regimes:
    """Take undecided stretches hardly wider than a point for places of jumps, where they are.

    What is the largest before such a stretch is not after it, so it changes in there; it stays
    undecided where it is the same.
    """
    if found.complete:
        return found
    regimes: list[Regime] = []
    changes = list(found.crossings)
    parts = [_together(list(row)) for _, row in groupby(found.regimes, _is_narrow)]
    for place, row in enumerate(parts):
        inside = 0 < place < len(parts) - 1
        if not (inside and _is_jump(row[0], parts[place - 1][-1], parts[place + 1][0])):
            regimes += row
            continue
        before, after = parts[place - 1][-1], parts[place + 1][0]
        # The jump may also lie beside it, between the neighbours.
        enclosure = (float(before.last), float(after.first))
        changes.append(Crossing(before.labels, after.labels, enclosure, None, "jump"))
    changes.sort(key=lambda crossing: crossing.enclosure)
    return Regimes.of(regimes, changes)


def _is_narrow(regime: Regime) -> bool:
    """Whether a regime is undecided, and hardly wider than a point."""
    width = float(regime.last) - float(regime.first)
    return regime.kind == "undecided" and width <= _NARROW * abs(float(regime.last))


def _together(row: list[Regime]) -> list[Regime]:
    """Put undecided regimes around one point together."""
    if not _is_narrow(row[0]) or len(row) == 1:
        return row
    labels = tuple(dict.fromkeys(label for each in row for label in each.labels))
    return [Regime(row[0].first, row[-1].last, labels, "undecided")]


def _is_jump(regime: Regime, before: Regime, after: Regime) -> bool:
    """Whether the neighbours of a narrow regime change over in it."""
    if not _is_narrow(regime) or before.labels == after.labels:
        return False
    if not (before.certain and after.certain):
        return False
    # Between two proven places of an enclosure nothing is told; in a wider one no third may bind.
    enclosed = is_narrow(regime.first, regime.last)
    return enclosed or {*before.labels, *after.labels} >= {*regime.labels}
