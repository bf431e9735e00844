"""Times that compete while two names are open: which leads where, stretch by stretch of the one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, groupby

from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.open_pair import OpenPair, Order, Plane, Signs, Stretch, refined
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.roots import Leaders, Rivals
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Comparison, Conditional, Expression, Function, Number, Sum
from roofdsl.numeric.place import Place

_STEPS = ("ceil", "floor", "is_integer")
_FEW = 16
"""So few values of the other parameter, where the method fails, are each solved by themselves."""


@dataclass(frozen=True, slots=True)
class OpenRoot:
    """Where the bound changes, as the other parameter varies: there two times are equal.

    `closed_form` is in the other parameters and the machine's rates, None where there is none that
    is proven to be the root; `numbers` is the same with values put in for all that is known.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    closed_form: Expression | None
    numbers: Expression | None


@dataclass(frozen=True, slots=True)
class OpenStretch:
    """Values of the other parameter for which the same binds in the same order.

    `bounds`: what binds from the low end of the unknown's range to the first of the `roots`, from
    there to the second, and so on; none where it is undecided. At a root both bind, and at the low
    end all that are `tied` there. `exact`: at a single value, the answer with that value given.
    """

    first: Place
    last: Place
    bounds: tuple[tuple[str, ...], ...]
    roots: tuple[OpenRoot, ...] = ()
    tied: tuple[str, ...] = ()
    exact: Crossovers | None = None

    @property
    def decided(self) -> bool:
        return bool(self.bounds) or (self.exact is not None and self.exact.complete)


@dataclass(frozen=True)  # no slots: the pairs are derived once
class Contest:
    """Times that compete over a plane."""

    prediction: Prediction
    plane: Plane
    rivals: Rivals
    allowed: Domain
    _compared: dict[tuple[Expression, Expression, Stretch], Signs] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> dict[tuple[str, str], OpenPair]:
        numbers, symbols = self.rivals.numbers, self.rivals.symbols
        known = self.rivals.known
        return {
            (one, two): OpenPair(
                self.plane,
                numbers[one],
                numbers[two],
                (symbols.get(one, numbers[one]), symbols.get(two, numbers[two])),
                known,
            )
            for one, two in combinations(numbers, 2)
        }

    def stretches(self) -> Iterator[OpenStretch]:
        """Yield the stretches of the other parameter in order."""
        cut: list[Stretch] = [(self.plane.first, self.plane.last)]
        for pair in self.pairs.values():
            for signs in (*pair.ends, *pair.signs.values()):
                cut = refined(cut, signs)
        for pair in self.pairs.values():
            if any(pair.order(stretch) is None for stretch in cut):
                for signs in pair.signs_beyond.values():
                    cut = refined(cut, signs)
        found = [each for stretch in cut for each in self._at(stretch)]
        yield from _joined(found) if self._is_continuous else found

    @property
    def _is_continuous(self) -> bool:
        """Whether nothing lies between neighbouring stretches that could bind differently.

        Between those of whole numbers lies none that the model allows. Between those of a real one
        lies an enclosure; where no time jumps in it, what is the largest on both sides is so there,
        too, though others may be equal to it.
        """
        jumps = (Conditional, Comparison, Sum)
        return self.plane.other.integer or not any(
            isinstance(node, jumps) or (isinstance(node, Function) and node.name in _STEPS)
            for tree in self.rivals.numbers.values()
            for node in bottom_up(tree)
        )

    def _at(self, stretch: Stretch) -> Iterator[OpenStretch]:
        """Yield the answer on a stretch in which no fact of a pair changes."""
        trimmed = self._trimmed(stretch)
        if trimmed is None:
            return
        first, last = trimmed
        if self.plane.other.integer and first == last:
            exact = self._exactly(int(first))
            if exact is not None:
                found = [*self._swept(trimmed)]
                swept = found[0] if len(found) == 1 else OpenStretch(first, last, ())
                yield replace(swept, exact=exact)
            return
        found = [*self._swept(trimmed)]
        few = self.plane.other.integer and last - first < _FEW
        if few and not all(each.decided for each in found):
            for value in range(int(first), int(last) + 1):
                yield from self._at((value, value))
        else:
            yield from found

    def _trimmed(self, stretch: Stretch) -> Stretch | None:
        """Return a stretch from the first to the last value that the model allows, if any is."""
        if not self.plane.other.integer:
            return stretch
        first, last = self.allowed.first(*stretch), self.allowed.last(*stretch)
        if first.value is None and first.proven:
            return None
        return (
            stretch[0] if first.value is None else first.value,
            stretch[1] if last.value is None else last.value,
        )

    def _exactly(self, value: int) -> Crossovers | None:
        """Return the answer at one value of the other parameter, None where it is refused."""
        plane, prediction, trees = self.plane, self.prediction, self.prediction.binding.trees
        put_in: dict[str, Expression] = {plane.other.name: Number(Fraction(value))}
        own = {p.name: trees.get(p.name) for p in prediction.model.parameters} | put_in
        given = {name: (tree, None) for name, tree in own.items() if tree is not None}
        if plane.other.parameter in prediction.free:
            free = frozenset(plane.along.free)
            prediction, problems = predict(prediction.model, prediction.machine, given, free)
            if problems:
                return None
        domain = domain_of(prediction, plane.along).at(put_in)
        numbers = {n: substitute(tree, put_in) for n, tree in self.rivals.numbers.items()}
        rivals = self.rivals._replace(numbers=numbers, known=self.rivals.known | put_in)
        leaders = Leaders((), rivals.compare(plane.low, plane.high), rivals.root_at)
        return Crossovers.of(leaders, domain, plane.low, plane.high)

    def _swept(self, stretch: Stretch) -> Iterator[OpenStretch]:
        """Yield what binds along the unknown, the stretch cut where roots change their order."""
        orders = self._orders(stretch)
        names = [*self.rivals.numbers]
        current = next((name for name in names if _leads(name, names, orders)), None)
        if current is None:
            yield OpenStretch(*stretch, ())
            return
        tied = tuple(name for name in names if name == current or orders[current, name].tied)
        bounds, roots = [_alike(current, names, orders)], list[OpenRoot]()
        while True:
            # At this place the current time is the largest, and each pair turns once at most: what
            # overtakes it does so further on, and the first to do so is the next.
            known = {name: orders.get((current, name)) for name in names if name != current}
            over = [name for name, order in known.items() if order and order.overtaken]
            following, cut = self._first_of(over, current, stretch, orders)
            if cut:
                for part in cut:
                    trimmed = self._trimmed(part)
                    if trimmed is not None:
                        yield from self._swept(trimmed)
                return
            if not over and None not in known.values():
                break
            if following is None or None in known.values():
                yield OpenStretch(*stretch, ())
                return
            bounds.append(_alike(following, names, orders))
            pair = self._pair(current, following)
            form, numbers = next(pair.roots(stretch), (None, None))
            roots.append(OpenRoot(bounds[-2], bounds[-1], form, numbers))
            current = following
        yield OpenStretch(*stretch, tuple(bounds), tuple(roots), tied if len(tied) > 1 else ())

    def _orders(self, stretch: Stretch) -> dict[tuple[str, str], Order]:
        """Return the orders that are known, from both sides of each pair."""
        found: dict[tuple[str, str], Order] = {}
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
        orders: Mapping[tuple[str, str], Order],
    ) -> tuple[str | None, list[Stretch]]:
        """Return which of several overtakes the current one first, or where that changes."""
        best = names[0] if names else None
        for name in names[1:]:
            assert best is not None
            signs = self._root_order(current, best, name, stretch)
            if len(signs) > 1:
                return None, [part for part, _ in signs]
            sign = signs[0][1]
            if sign == 0:
                # All three meet there, so the pair of the two has its root there, or is equal.
                order = orders.get((best, name))
                sign = None if order is None or (order.sign and not order.turns) else order.sign
            if sign is None:
                return None, []
            if sign > 0:
                best = name
        return best, []

    def _pair(self, one: str, two: str) -> OpenPair:
        return self.pairs[(one, two) if (one, two) in self.pairs else (two, one)]

    def _root_order(self, current: str, one: str, two: str, stretch: Stretch) -> Signs:
        """Return the sign of the difference of the places where two overtake the current one."""
        first = next(self._pair(current, one).roots(stretch), None)
        second = next(self._pair(current, two).roots(stretch), None)
        if first is not None and second is not None:
            signs = self._signs(first[1], second[1], stretch)
            if all(sign is not None for _, sign in signs):
                return signs
        if first is not None:
            # If at the one root the other has overtaken already, then that is the earlier.
            return self._behind(first[1], two, current, stretch, 1)
        if second is not None:
            return self._behind(second[1], one, current, stretch, -1)
        return [(stretch, None)]

    def _behind(
        self, place: Expression, name: str, current: str, stretch: Stretch, sign: int
    ) -> Signs:
        put = {self.plane.along.name: place}
        numbers = self.rivals.numbers
        found = self._signs(
            substitute(numbers[name], put), substitute(numbers[current], put), stretch
        )
        return [(part, None if each is None else sign * each) for part, each in found]

    def _signs(self, left: Expression, right: Expression, stretch: Stretch) -> Signs:
        key = left, right, stretch
        if key not in self._compared:
            self._compared[key] = self.plane.signs(left, right, stretch)
        return self._compared[key]


def _leads(name: str, names: Sequence[str], orders: Mapping[tuple[str, str], Order]) -> bool:
    """Whether a time is known to be the largest behind the low end."""
    known = (orders.get((name, other)) for other in names if other != name)
    return all(order is not None and order.sign >= 0 for order in known)


def _alike(
    name: str, names: Sequence[str], orders: Mapping[tuple[str, str], Order]
) -> tuple[str, ...]:
    """Return a time and those that are equal to it everywhere."""
    return tuple(
        other
        for other in names
        if other == name or ((order := orders.get((name, other))) is not None and not order.sign)
    )


def _joined(stretches: Sequence[OpenStretch]) -> Iterator[OpenStretch]:
    """Join neighbours with one answer; what is left of single values is told exactly."""
    for (*_, single), row in groupby(stretches, _answer):
        together = [*row]
        if single is None and len(together) > 1:
            yield replace(together[0], last=together[-1].last, exact=None)
            continue
        for each in together:
            yield each if each.exact is None else replace(each, bounds=(), roots=(), tied=())


def _answer(each: OpenStretch) -> tuple[object, ...]:
    """Return what neighbours have in common; a value that is told exactly alone stands alone."""
    single = each.first if each.exact is not None and not each.bounds else None
    return each.bounds, each.roots, each.tied, single
