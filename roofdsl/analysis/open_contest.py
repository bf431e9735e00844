"""Times that compete while two names are open: which leads where, stretch by stretch of the one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, groupby
from operator import attrgetter

from roofdsl.analysis.domain import Domain
from roofdsl.analysis.open_pair import OpenPair, OpenRanges, PairOrder, Signs, Stretch
from roofdsl.analysis.regimes import without_slivers
from roofdsl.analysis.roots import Rivals
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Comparison, Conditional, Expression, Function, Number, Sum
from roofdsl.numeric.crossover import crossovers
from roofdsl.numeric.place import Place
from roofdsl.numeric.refinement import merged, refined
from roofdsl.numeric.regime import RegimeKind

_STEPS = ("ceil", "floor", "is_integer")
_FEW = 16
"""So few values of the other parameter, where the method fails, are each solved by themselves."""


@dataclass(frozen=True, slots=True)
class OpenRoot:
    """Where the bound changes, as the other parameter varies: there two times are equal.

    `at` is what is told of the place itself, in the order given. `closed_form` is in the other
    parameters and the machine's rates, None where there is none that is proven to be the root;
    `numbers` is the same with values put in for all that is known.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    at: tuple[str, ...]
    closed_form: Expression | None
    numbers: Expression | None


@dataclass(frozen=True, slots=True)
class OpenRegime:
    """What binds along the unknown, from a number or a root to another.

    The labels and kinds are those of regimes along one name; a root itself is in neither of two.
    """

    first: Place | OpenRoot
    last: Place | OpenRoot
    labels: tuple[str, ...]
    kind: RegimeKind


@dataclass(frozen=True, slots=True)
class OpenStretch:
    """Values of the other parameter for which the same binds in the same order."""

    first: Place
    last: Place
    regimes: tuple[OpenRegime, ...]

    @property
    def decided(self) -> bool:
        return all(each.kind != "undecided" for each in self.regimes)

    @property
    def roots(self) -> tuple[OpenRoot, ...]:
        """Where one regime gives way to another, those that are no numbers."""
        return tuple(each.last for each in self.regimes if isinstance(each.last, OpenRoot))


@dataclass(frozen=True)  # no slots: the pairs are derived once
class Contest:
    """Times that compete over the ranges of two names, some values of the other being allowed.

    `told` says of those that are the largest together what is told of them.
    """

    ranges: OpenRanges
    rivals: Rivals
    allowed: Domain
    told: Callable[[tuple[str, ...]], tuple[str, ...]] = tuple
    _solved: dict[int, tuple[OpenRegime, ...]] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> dict[tuple[str, str], OpenPair]:
        numbers, symbols = self.rivals.numbers, self.rivals.symbols
        known = self.rivals.known
        return {
            (one, two): OpenPair(
                self.ranges,
                numbers[one],
                numbers[two],
                (symbols.get(one, numbers[one]), symbols.get(two, numbers[two])),
                known,
            )
            for one, two in combinations(numbers, 2)
        }

    def stretches(self) -> tuple[OpenStretch, ...]:
        """Return the stretches of the other parameter in order."""
        pairs = [*self.pairs.values()]
        whole: Signs = [(self.ranges.first, self.ranges.last, None)]
        rows = [whole, *(row for pair in pairs for row in (*pair.ends, *pair.signs.values()))]
        cut = _cut(rows)
        unsure = [pair for pair in pairs if any(pair.order(each) is None for each in cut)]
        rows += [row for pair in unsure for row in pair.signs_between.values()]
        swept = (each for stretch in _cut(rows) for each in self._at(stretch))
        found = [
            part
            for each in swept
            for part in ([each] if each.decided else self._value_by_value(each))
        ]
        if not self._is_continuous:
            return tuple(
                part
                for decided, row in groupby(found, attrgetter("decided"))
                for part in (row if decided else _joined(row))
            )
        # What is alike beside a single value is told of both, what is not, of the value in numbers.
        joined = _joined(found)
        alone = (
            self._value_by_value(each) if each.first == each.last else [each] for each in joined
        )
        return tuple(_joined(chain.from_iterable(alone)))

    @property
    def _is_continuous(self) -> bool:
        """Whether nothing lies between neighbouring stretches that could bind differently.

        Between those of whole numbers lies none that the model allows. Between those of a real one
        lies an enclosure; where no time jumps in it, what is the largest on both sides is so there,
        too, though others may be equal to it.
        """
        jumps = (Conditional, Comparison, Sum)
        return self.ranges.other.integer or not any(
            isinstance(node, jumps) or (isinstance(node, Function) and node.name in _STEPS)
            for tree in self.rivals.numbers.values()
            for node in bottom_up(tree)
        )

    def _at(self, stretch: Stretch) -> Iterator[OpenStretch]:
        """Yield the answer on a stretch in which no fact of a pair changes, where it is allowed.

        It begins and ends with values that the model allows.
        """
        if self.ranges.other.integer:
            budget = self.ranges.budget.share(1 / 4)
            first, last = (ask(*stretch, budget) for ask in (self.allowed.first, self.allowed.last))
            if first.value is None and first.proven:
                return
            stretch = (
                stretch[0] if first.value is None else first.value,
                stretch[1] if last.value is None else last.value,
            )
        yield from self._swept(stretch)

    def _value_by_value(self, stretch: OpenStretch) -> Iterator[OpenStretch]:
        """Yield a stretch as it is, or its values one by one where each is solved by itself."""
        first, last = stretch.first, stretch.last
        if not self.ranges.other.integer or last - first >= _FEW:
            yield stretch
            return
        for value in range(int(first), int(last) + 1):
            if self.allowed.first(value, value, self.ranges.budget).value is not None:
                if value not in self._solved:
                    self._solved[value] = self._exactly(value)
                found = OpenStretch(value, value, self._solved[value])
                yield found if found.decided else replace(stretch, first=value, last=value)

    def _exactly(self, value: int) -> tuple[OpenRegime, ...]:
        """Return what binds at one value of the other parameter."""
        put_in = {self.ranges.other.name: Number(Fraction(value))}
        numbers = {name: substitute(tree, put_in) for name, tree in self.rivals.numbers.items()}
        unknown, budget = self.ranges.unknown, self.ranges.budget.share(1 / 2)
        ends, integer = (self.ranges.low, self.ranges.high), unknown.integer
        found = crossovers([*numbers.items()], unknown.name, *ends, integer=integer, budget=budget)
        if not integer:
            found = without_slivers(found)
        return self._told(
            OpenRegime(each.first, each.last, each.labels, each.kind) for each in found.regimes
        )

    def _swept(self, stretch: Stretch) -> Iterator[OpenStretch]:
        """Yield what binds along the unknown, the stretch cut where roots change their order."""
        orders, names = self._orders(stretch), [*self.rivals.numbers]
        current = next((name for name in names if _leads(name, names, orders)), None)
        if current is None:
            yield OpenStretch(*stretch, self._told(self._one_against_all(stretch, orders)))
            return
        low, high = self.ranges.low, self.ranges.high
        tied = tuple(name for name in names if name == current or orders[current, name].tied)
        found = [OpenRegime(low, low, tied, "tie")] if len(tied) > 1 else []
        begin: Place | OpenRoot = low
        while True:
            # At this place the current time is the largest, and each pair turns once at most: what
            # overtakes it does so further on, and the first to do so is the next.
            known = {name: orders.get((current, name)) for name in names if name != current}
            over = [name for name, order in known.items() if order and order.overtaken]
            following, cut = self._first_of(over, current, stretch, orders)
            if cut:
                for part in cut:
                    yield from self._at(part)
                return
            if None in known.values() or (over and following is None):
                yield OpenStretch(*stretch, self._told(self._one_against_all(stretch, orders)))
                return
            bound = _alike(current, names, orders)
            kind: RegimeKind = "tie" if len(bound) > 1 else "largest"
            if following is None:
                found.append(OpenRegime(begin, high, bound, kind))
                break
            after = _alike(following, names, orders)
            form = self._pair(current, following).root(stretch) or (None, None)
            at = self._told_of((*bound, *after))
            end = OpenRoot(self.told(bound), self.told(after), at, *form)
            found.append(OpenRegime(begin, end, bound, kind))
            current, begin = following, end
        yield OpenStretch(*stretch, self._told(found))

    def _one_against_all(
        self, stretch: Stretch, orders: Mapping[tuple[str, str], PairOrder]
    ) -> list[OpenRegime]:
        """Return the regimes where one is to be told from the others, which are told alike.

        Where it is above some of them at the low end, and the others are below it all along, it
        leads up to the first of the roots, whichever that is, and never again. So it is the other
        way round.
        """
        low, high, names = self.ranges.low, self.ranges.high, [*self.rivals.numbers]
        for name in names:
            known = {each: orders.get((name, each)) for each in names if each != name}
            ways = {self.told((each,)) for each in known}
            pairs = {each: order for each, order in known.items() if order and order.sign}
            tied = any(order.tied for order in pairs.values())
            if len(ways) > 1 or self.told((name,)) in ways or len(pairs) < len(known) or tied:
                continue
            one, others = (name,), (names[names[0] == name],)
            turning = {each: order.sign for each, order in pairs.items() if order.turns}
            if any(order.sign < 0 and not order.turns for order in pairs.values()):
                return [OpenRegime(low, high, others, "largest")]
            if len({*turning.values()}) == 1:
                before, after = (one, others) if 1 in turning.values() else (others, one)
                form = self._pair(name, next(iter(turning))).root(stretch)
                at = {self._told_of((name, each)) for each in turning}
                end = OpenRoot(
                    self.told(before),
                    self.told(after),
                    at.pop() if len(at) == 1 else (),
                    *(form if form and len(turning) == 1 else (None, None)),
                )
                return [
                    OpenRegime(low, end, before, "largest"),
                    OpenRegime(end, high, after, "largest"),
                ]
        return [OpenRegime(low, high, (*names,), "undecided")]

    def _told(self, regimes: Iterable[OpenRegime]) -> tuple[OpenRegime, ...]:
        """Return regimes as they are told, neighbours of which the same is told as one."""
        found: list[OpenRegime] = []
        last: tuple[str, ...] = ()
        for each in regimes:
            labels, kind = self._labels(each)
            # Between two whole numbers lies none where both are the largest, unlike at a root.
            beside = self.ranges.unknown.integer and not isinstance(each.first, OpenRoot)
            between = labels if beside else self._told_of((*last, *each.labels))
            if found and found[-1].labels == labels == between and found[-1].kind == kind:
                found[-1] = replace(found[-1], last=each.last)
            else:
                found.append(OpenRegime(each.first, each.last, labels, kind))
            last = each.labels
        return tuple(found)

    def _told_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return what is told where all of these are the largest."""
        return self.told(tuple(name for name in self.rivals.numbers if name in names))

    def _labels(self, regime: OpenRegime) -> tuple[tuple[str, ...], RegimeKind]:
        """Return what is told of a regime."""
        labels, kind = self.told(regime.labels), regime.kind
        if kind not in ("largest", "tie"):
            ways = [self.told((name,)) for name in regime.labels]
            each = tuple(dict.fromkeys(chain(*ways, labels)))
            if kind == "shared" and len(each) > len(labels):
                kind = "band"  # what is told is one thing here, another there
            labels = each
        if len(labels) < 2:
            return labels, "largest" if labels else "idle"
        return labels, "tie" if kind == "largest" else kind

    def _orders(self, stretch: Stretch) -> dict[tuple[str, str], PairOrder]:
        """Return the orders that are known, from both sides of each pair."""
        found: dict[tuple[str, str], PairOrder] = {}
        for (one, two), pair in self.pairs.items():
            order = pair.order(stretch)
            if order is not None:
                found[one, two], found[two, one] = order, order.turned()
        return found

    def _first_of(
        self,
        names: Sequence[str],
        current: str,
        stretch: Stretch,
        orders: Mapping[tuple[str, str], PairOrder],
    ) -> tuple[str | None, list[Stretch]]:
        """Return which of several overtakes the current one first, or where that changes."""
        best = names[0] if names else None
        for name in names[1:]:
            assert best is not None
            order = orders.get((best, name))
            if order is not None and not order.turns:
                # Where the larger of the two reaches the current one, the other is still below it.
                best = name if order.sign < 0 else best
                continue
            signs = self._root_order(current, best, name, stretch)
            if len(signs) > 1:
                return None, [(first, last) for first, last, _ in signs]
            sign = signs[0][2]
            if sign == 0:
                # All three meet there, so the pair of the two has its root there.
                sign = None if order is None else order.sign
            if sign is None:
                return None, []
            if sign > 0:
                best = name
        return best, []

    def _pair(self, one: str, two: str) -> OpenPair:
        return self.pairs[(one, two) if (one, two) in self.pairs else (two, one)]

    def _root_order(self, current: str, one: str, two: str, stretch: Stretch) -> Signs:
        """Return the sign of the difference of the places where two overtake the current one."""
        for first, second, sign in ((one, two, 1), (two, one, -1)):
            root = self._pair(current, first).root(stretch)
            if root is not None:
                # If at the one root the other has overtaken already, then that is the earlier.
                put = {self.ranges.unknown.name: root[1]}
                numbers = self.rivals.numbers
                left, right = (substitute(numbers[each], put) for each in (second, current))
                found = self.ranges.signs(left, right, stretch)
                if all(each is not None for *_, each in found):
                    return [(low, high, each and sign * each) for low, high, each in found]
        return [(*stretch, None)]


def _cut(rows: Sequence[Signs]) -> list[Stretch]:
    """Return the stretches in which no row changes."""
    return [(first, last) for first, last, _ in refined(rows)]


def _leads(name: str, names: Sequence[str], orders: Mapping[tuple[str, str], PairOrder]) -> bool:
    """Whether a time is known to be the largest behind the low end."""
    known = (orders.get((name, other)) for other in names if other != name)
    return all(order is not None and order.sign >= 0 for order in known)


def _alike(
    name: str, names: Sequence[str], orders: Mapping[tuple[str, str], PairOrder]
) -> tuple[str, ...]:
    """Return a time and those that are equal to it everywhere."""
    return tuple(
        other
        for other in names
        if other == name or ((order := orders.get((name, other))) is not None and not order.sign)
    )


def _joined(stretches: Iterable[OpenStretch]) -> Iterator[OpenStretch]:
    """Yield stretches, neighbours with one answer as one."""
    yield from (
        OpenStretch(*each) for each in merged((s.first, s.last, s.regimes) for s in stretches)
    )
