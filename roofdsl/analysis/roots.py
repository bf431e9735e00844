"""Closed forms of the places where what is the largest of several times changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from roofdsl.algebra.closed_form import closed_form
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import composed
from roofdsl.analysis.node import Node, is_joined, overlaps
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import Compared, RegimesOver, part_at
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.crossing import exchanged
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.regime import Crossing, Regimes
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.settle import active_branch

Root: TypeAlias = tuple[Expression | None, float | None]
"""The closed form of a root and its value, both None where none was found."""
NO_ROOT: Root = (None, None)
CLOSE = 1e-9
"""How near, relatively, a closed form's value must lie to the proven enclosure to be its root."""


class Rivals(NamedTuple):
    """Several times to compare: with every number put in, and with the names left in.

    `whole` are those, in numbers, of which the others are what they are near one place.
    """

    unknown: Unknown
    numbers: dict[str, Expression]
    symbols: dict[str, Expression]
    known: dict[str, Expression]
    whole: Mapping[str, Expression] = MappingProxyType({})

    def root_at(self, crossing: Crossing) -> Root:
        """Return the closed form of a crossing: the largest before equals the largest after."""
        pair = exchanged_at(crossing)
        return self.root(*pair, crossing.enclosure) if pair else NO_ROOT

    def root(self, left: str, right: str, enclosure: tuple[float, float]) -> Root:
        """Return closed form and value of the place in an enclosure where two times are equal."""
        for trees, known in ((self.symbols, self.known), (self.numbers, {})):
            if left not in trees or right not in trees:
                continue
            pairs = [(trees[left], trees[right])]
            asked = {x: self.whole.get(x, substitute(trees[x], known)) for x in (left, right)}
            branches = _branches(pairs[0], known, enclosure, self.unknown)
            for one, other in pairs if branches is None else [*pairs, branches]:
                for root in closed_form(one, other, self.unknown.name).roots:
                    value = _value(root, known, enclosure)
                    if value is not None and self._meet(asked[left], asked[right], value):
                        return root, value
        return NO_ROOT

    def _meet(self, left: Expression, right: Expression, value: float) -> bool:
        """Whether two formulas in the unknown alone are equal at a value, as nearly as it is known.

        Between two whole numbers there may be a root of another branch of a `max` as well, where
        the times themselves differ.
        """
        gaps = []
        for place in (value * (1 - CLOSE), value, value * (1 + CLOSE)):
            try:
                one, other = (evaluate(tree, {self.unknown.name: place}) for tree in (left, right))
            except EvaluationError:
                return False
            gaps.append(0.0 if abs(one - other) <= CLOSE * abs(one) else one - other)
        return min(gaps) <= 0 <= max(gaps)


class Leaders(NamedTuple):
    """What of several formulas is the largest where, and closed forms of the changes."""

    parts: Sequence[Compared]
    found: Regimes
    root_at: Callable[[Crossing], Root]


def leading_bound(over: RegimesOver, names: Sequence[str] = ()) -> Leaders:
    """Return what binds a prediction where, or which of some resources alone."""
    prediction, parts = over.prediction, over.parts(names)
    roots = Roots(prediction, over.unknown, parts, lambda opened: opened.rivals)

    def root_at(crossing: Crossing) -> Root:
        root = roots.at(crossing)
        return root if prediction.is_roofline or root != NO_ROOT else roots.of_meeting(crossing)

    return Leaders(parts, over.regimes(parts), root_at)


def leading_in(over: RegimesOver, kernel: Node) -> Leaders:
    """Return what binds a kernel of a composition where."""
    parts, symbols = over.parts(kernel=kernel), busy(kernel)
    known = over.unknown.known(over.prediction.rates)

    def root_at(crossing: Crossing) -> Root:
        times = part_at(parts, crossing.enclosure[0]).times
        return Rivals(over.unknown, {**times}, symbols, known).root_at(crossing)

    return Leaders(parts, over.regimes(parts, kernel=kernel), root_at)


# No slots: the opened prediction is derived once, when it is asked for.
@dataclass(frozen=True, eq=False, repr=False)
class Roots:
    """Closed forms of the places where what leads changes.

    `parts`: what is compared, in numbers; `named`: the same of a prediction with its names left in.
    """

    prediction: Prediction
    unknown: Unknown
    parts: Sequence[Compared]
    named: Callable[[Prediction], dict[str, Expression]]

    @cached_property
    def opened(self) -> Prediction:
        return self.prediction.opened()

    def at(self, crossing: Crossing) -> Root:
        """Return closed form and value of the place of a crossing, as far as they are found."""
        if exchanged_at(crossing) is None:
            return NO_ROOT
        times = part_at(self.parts, crossing.enclosure[0]).times
        known = known_of(self.prediction, self.unknown)
        return Rivals(self.unknown, {**times}, self.named(self.opened), known).root_at(crossing)

    def of_meeting(self, crossing: Crossing) -> Root:
        """Return the closed form of where two overlapped children take equally long.

        There the time is charged to the other child, so what binds the whole changes by a jump.
        """
        prediction, unknown = self.prediction, self.unknown
        low, high = crossing.enclosure
        middle = (low + high) / 2
        nodes = overlaps(prediction.root)
        if not nodes or high - low > max(CLOSE * abs(middle), float(unknown.integer)):
            return NO_ROOT
        opened = overlaps(self.opened.root)
        for node, open_node in zip(nodes, opened, strict=False):
            sides = []
            for child, named in zip(node.children, open_node.children, strict=False):
                alone = child.start is None and not is_joined(child)
                if child.arrangement == "kernel" and alone:
                    numbers = unknown.put_in(prediction.rates, busy(child))
                    name = largest_at(numbers, unknown, middle)
                    if name is not None:
                        sides.append((numbers[name], name, named))
            for (one, first, left), (other, second, right) in combinations(sides, 2):
                rivals = Rivals(unknown, {"l": one, "r": other}, {}, {})
                if rivals.root("l", "r", crossing.enclosure) != NO_ROOT:
                    symbols = {"l": busy(left)[first], "r": busy(right)[second]}
                    rivals = rivals._replace(symbols=symbols, known=known_of(prediction, unknown))
                    return rivals.root("l", "r", crossing.enclosure)
        return NO_ROOT


def largest_at(times: Mapping[str, Expression], unknown: Unknown, at: float) -> str | None:
    """Return which time is the largest at a value of the unknown, None where none has a value."""
    values: dict[str, float] = {}
    for name, tree in times.items():
        with suppress(EvaluationError):
            values[name] = evaluate(tree, {unknown.name: at})
    return max(values, key=values.__getitem__, default=None)


def exchanged_at(crossing: Crossing) -> tuple[str, str] | None:
    """Return the names that cross where two times are equal, None where it is a jump."""
    if crossing.kind not in ("switch", "tie") or not (crossing.before and crossing.after):
        return None
    return exchanged(crossing.before, crossing.after)


def _branches(
    pair: tuple[Expression, Expression],
    known: Mapping[str, Expression],
    enclosure: tuple[float, float],
    unknown: Unknown,
) -> tuple[Expression, Expression] | None:
    """Return a pair with its `min`, `max` and `if` as they are at the root, None if not known."""
    try:
        numbers = {name: tree for name, tree in known.items() if not free_symbols(tree)}
        values = {name: evaluate(tree, {}) for name, tree in numbers.items()}
        values[unknown.name] = (enclosure[0] + enclosure[1]) / 2
        return active_branch(pair[0], values), active_branch(pair[1], values)
    except EvaluationError:
        return None


def known_of(prediction: Prediction, unknown: Unknown) -> dict[str, Expression]:
    """Return what the names in an opened prediction stand for, all but the unknown."""
    return unknown.known({**prediction.binding.trees, **prediction.rates})


def busy(node: Node) -> dict[str, Expression]:
    """Return how long a step keeps each resource busy."""
    return composed(node, Formulas(), charging=False).busy


def competing_in(kernel: Node) -> dict[str, Expression]:
    """Return the times that compete to bind a kernel: where resources are joined, its charges."""
    return composed(kernel, Formulas(), charging=is_joined(kernel)).rivals


def _value(
    root: Expression, known: Mapping[str, Expression], enclosure: tuple[float, float]
) -> float | None:
    """Return the value of a closed form, None where it has none in the enclosure."""
    low, high = enclosure
    with suppress(EvaluationError):
        value = evaluate(substitute(root, known), {})
        if low * (1 - CLOSE) <= value <= high * (1 + CLOSE):
            return value
    return None
