"""Grids of processes: of those with so many places that a model allows, the fastest.

A grid is Pr × Pc where a model counts its processes along several sides, or p × q = P where it
requires that of parameters that are left open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import takewhile
from math import isqrt, prod
from typing import NamedTuple

from roofdsl.allowance import Budget
from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.demands import Demands
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling_law import Counts, equal
from roofdsl.analysis.unknown import unknown_named
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import truth
from roofdsl.expression.construct import multiply, number
from roofdsl.expression.substitute import substitute
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.decision import NEARLY
from roofdsl.numeric.exact import exact_evaluator
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluator_of_each

# What it takes, in units of work, to compute a time in floats, and conditions exactly.
_COMPUTED, _EXACT = 1, 4
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
        demands = Demands.of(prediction).at(self._total)
        last = unknown_named(sides.names[-1], model, prediction.machine)
        self.domain = Domain(last, tuple(asked), demands, (prediction,))
        self._conditions = exact_evaluator(trees.Logic("and", (truth(True), *asked)))
        self._computed = evaluator_of_each((self.time,), sides.names)

    def best(self, places: int) -> Grid | None:
        """Return the fastest grid of so many places that is allowed, None without one.

        Of equally fast ones it is the most square.
        """
        found = []
        for sides in factorisations(places, len(self.sides.names)):
            self.budget.spend(_COMPUTED)
            (time,) = self._computed(*sides)
            if not isinstance(time, EvaluationError):
                found.append(Grid(sides, time))
        allowed = filter(self._allows, sorted(found, key=lambda grid: grid.time))
        first = next(allowed, None)
        if first is None:
            return None
        near = takewhile(lambda grid: grid.time <= first.time * (1 + NEARLY), allowed)
        return min([first, *near], key=lambda grid: max(grid.sides))

    def _allows(self, grid: Grid) -> bool:
        self.budget.spend(_EXACT)
        *outer, last = zip(self.sides.names, grid.sides, strict=True)
        # The conditions tell most that are not, and sooner.
        if self._conditions({name: Fraction(side) for name, side in (*outer, last)}) is not True:
            return False
        return self.domain.at({name: number(side) for name, side in outer}).allows(last[1])


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


def _most(prediction: Prediction, sides: GridSides) -> int | None:
    """Return a product of the sides above which none is allowed, None where none is known."""
    unknowns = [
        unknown_named(name, prediction.model, prediction.machine)
        for name in (sides.names if sides.total is None else (sides.total,))
    ]
    ends = [domain_of(prediction, unknown).limits.high for unknown in unknowns]
    known = [int(end) for end in ends if end is not None]
    return prod(known) if len(known) == len(ends) else None
