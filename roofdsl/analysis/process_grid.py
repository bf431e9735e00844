"""Grids of processes: of all that the model allows with so many processes, the fastest.

A grid is Pr × Pc where a model counts its processes along several sides, or p × q = P where it
requires that of parameters that are left open. There is no search that proves anything about all
grids at once: they are compared one by one, from the fewest processes on, as far as the work
allowed reaches. Floats sort out those that are slower by more than rounding; what is left is
compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import isqrt, prod
from typing import NamedTuple

from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.demands import Demands
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.most_useful import MostUseful
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling_law import NOT_PROVEN, equal
from roofdsl.analysis.unknown import unknown_named
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import truth
from roofdsl.expression.construct import multiply, number, subtract
from roofdsl.expression.substitute import substitute
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.certify import constant_sign
from roofdsl.numeric.exact import exact_evaluator
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.proof import Proof
from roofdsl.numeric.scalar import evaluator_of_each

# Times that differ by more, relatively, floats can tell apart.
_NEAR = 1e-9
# What it takes to compute a time in floats and exactly, in units of work.
_COMPUTED, _EXACT = 1, 4
# So far from a power of two a count that is allowed is looked for.
_MOST_STEPS = 64


class Sides(NamedTuple):
    """The parameters whose product is the number of processes, and the one that must equal it."""

    names: tuple[str, ...]
    total: str | None = None

    def of(self, at: Mapping[str, int]) -> tuple[int, ...]:
        """Return the sides of a grid."""
        return tuple(at[name] for name in self.names)

    @property
    def free(self) -> tuple[str, ...]:
        """The parameters that a prediction leaves open."""
        return self.names if self.total is None else (self.total, *self.names)


class Best(NamedTuple):
    """The fastest grid of so many processes, its sides by name, and its time [s]."""

    at: dict[str, int]
    time: float


def sides_of(model: ModelDefinition, name: str | None, open_names: Sequence[str]) -> Sides | None:
    """Return the sides of a grid where more than a count of processes is left open, else None.

    `open_names` are the numbers without a value.
    """
    counts = [p.name for p in model.parameters if p.kind == "processes"]
    others = [each for each in open_names if each != name]
    first = [] if name is None else [name]
    if len({*first, *others}) > 1 and {*first, *others} <= {*counts}:
        return Sides(tuple(each for each in counts if each in (*first, *others)))
    whole = {p.name for p in model.parameters if p.kind == "integer"}
    if name is None and len(counts) == 1:
        name, others = counts[0], [each for each in others if each != counts[0]]
    if name in counts and len(others) > 1 and {*others} <= whole and _ties(model, name, others):
        return Sides(tuple(others), name)
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
    """The grids of a prediction in which the sides are open, the fastest of each count first."""

    def __init__(self, prediction: Prediction, sides: Sides, budget: Budget) -> None:
        self.sides = sides
        self.budget = budget
        self.names = sides.free
        self.most = _most(prediction, sides)
        parameters = [p for p in prediction.model.parameters if p.name in self.names]
        own = [each for p in parameters for each in own_conditions(p, prediction.binding)]
        conditions = [truth(True), *own, *prediction.checks.values()]
        self._conditions = exact_evaluator(trees.Logic("and", tuple(dict.fromkeys(conditions))))
        self._demands = Demands.of(prediction)
        self.time = substitute(prediction.time(), prediction.rates)
        amounts = (*self._demands.valued, *self._demands.unsigned, *self._demands.stated)
        self._computed = evaluator_of_each((self.time, *amounts), self.names)
        self._exact_time = exact_evaluator(self.time)
        self._known: dict[tuple[int, ...], Fraction | None] = {}

    def best(self, count: int) -> Best | None:
        """Return the fastest grid that is allowed with a product of its sides, None without one.

        Of equally fast ones it is the most square.
        """
        found: list[Best] = []
        for sides in factorisations(count, len(self.sides.names)):
            at = dict(zip(self.sides.names, sides, strict=True))
            at = at if self.sides.total is None else {self.sides.total: count, **at}
            time = self._time(at)
            if time is not None:
                found.append(Best(at, time))
        found.sort(key=lambda each: each.time)
        near: list[Best] = []
        for each in found:
            if near and each.time > near[0].time * (1 + _NEAR):
                break
            if self._allows(each.at):
                near.append(each)
        near.sort(key=lambda each: max(self.sides.of(each.at)))
        return self.fastest(near)

    def fastest(self, found: Sequence[Best]) -> Best | None:
        """Return the first of those that no other is proven to be faster than."""
        return reduce(self._faster, found) if found else None

    def _faster(self, one: Best, other: Best) -> Best:
        if abs(one.time - other.time) > _NEAR * one.time:
            return one if one.time < other.time else other
        times = [self._exact(each) for each in (one, other)]
        if times[0] is not None and times[1] is not None:
            return other if times[1] < times[0] else one
        trees = [
            substitute(self.time, {name: number(side) for name, side in each.at.items()})
            for each in (one, other)
        ]
        return other if constant_sign(subtract(*trees), self.budget) == 1 else one

    def _exact(self, grid: Best) -> Fraction | None:
        key = tuple(grid.at.values())
        if key not in self._known:
            self.budget.spend(_EXACT)
            value = self._exact_time(_fractions(grid.at))
            self._known[key] = value if isinstance(value, Fraction) else None
        return self._known[key]

    def _allows(self, at: Mapping[str, int]) -> bool:
        self.budget.spend(_EXACT)
        return self._conditions(_fractions(at)) is True

    def _time(self, at: Mapping[str, int]) -> float | None:
        """Return the time of a grid, None where it has none, or an amount has none."""
        self.budget.spend(_COMPUTED)
        time, *found = self._computed(*at.values())
        numbers = [each for each in found if not isinstance(each, EvaluationError)]
        first, last = len(self._demands.valued), len(found) - len(self._demands.stated)
        if isinstance(time, EvaluationError) or len(numbers) < len(found):
            return None
        met = all(each >= 0 for each in numbers[first:last]) and all(numbers[last:])
        return time if met else None


def _fractions(at: Mapping[str, int]) -> dict[str, Fraction]:
    return {name: Fraction(side) for name, side in at.items()}


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


def grids_near_powers(search: GridSearch, most: int) -> list[Best]:
    """Return the fastest grids of counts near each power of two up to `most`, the fewest first."""
    found: dict[int, Best] = {}
    most = most if search.most is None else min(most, search.most)
    for exponent in range(most.bit_length()):
        power = 2**exponent
        for step in range(min(power // 2, _MOST_STEPS) + 1):
            beside = (best for c in (power + step, power - step) if (best := search.best(c)))
            best = next(beside, None)
            if best is not None:
                found[prod(search.sides.of(best.at))] = best
                break
    return [found[count] for count in sorted(found)]


def most_useful_grid(search: GridSearch, fixed: int) -> MostUseful:
    """Return the fastest grid, of all with up to as many processes as the budget allows.

    `fixed`: how many processes there are for each place of a grid.
    """
    best: Best | None = None
    count = last = 0
    while search.budget.left and count != search.most:
        count += 1
        here = search.best(count)
        if here is not None:
            last = count
            best = here if best is None else search.fastest([best, here])
    ends = count == search.most
    if best is None:
        return MostUseful(None, fixed * count, ends, falls=False, proof=NOT_PROVEN)
    sides = search.sides.of(best.at)
    end = fixed * (last if ends else count)
    return MostUseful(fixed * prod(sides), end, ends, False, Proof(ends, end), sides)


def _most(prediction: Prediction, sides: Sides) -> int | None:
    """Return a product of the sides above which none is allowed, None where none is known."""
    unknowns = [
        unknown_named(name, prediction.model, prediction.machine)
        for name in (sides.names if sides.total is None else (sides.total,))
    ]
    ends = [domain_of(prediction, unknown).limits.high for unknown in unknowns]
    known = [int(end) for end in ends if end is not None]
    return prod(known) if len(known) == len(ends) else None
