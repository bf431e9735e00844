"""Who wins at a value of the unknown: which resource binds, or which machine is the fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath
import numpy as np

from tests.oracle.formula import Values
from tests.oracle.model import Case, Kernel
from tests.oracle.numbers import DIGITS, Arrays, Bounded, Exact, Numbers, Undefined

Ask: TypeAlias = Callable[[Numbers, Values], Any]
"""What is asked at a point: a number that says it."""
REFUSED = -1


@dataclass(frozen=True)
class Contest:
    """What binds in a case, or, with `faster`, on which of its two machines it is faster."""

    case: Case
    faster: bool = False

    def amounts(self, numbers: Numbers, values: Values) -> Mapping[str, Any]:
        """Return what is compared, in the order in which it is stated: the largest wins."""
        case = self.case
        if self.faster:
            machines = [each for each in (case.machine, case.rival) if each]
            return {each.name: -case.root.run(each, numbers, values).time for each in machines}
        spent = case.root.run(case.machine, numbers, values)
        return spent.busy if isinstance(case.root, Kernel) else spent.charged

    def winners(self, numbers: Numbers, values: Values) -> Any:
        """Return who wins, as a number of one bit for each, in their order."""
        zero = numbers.number(Fraction(0))
        amounts = self.amounts(numbers, values)
        found: Any = 0
        for place, name in enumerate(self.names()):
            if name not in amounts:  # nothing is ever charged to it
                continue
            wins = 1 if self.faster else 1 * numbers.exceeds(amounts[name], zero)
            for other in (amounts[key] for key in amounts if key != name):
                wins = wins * (1 - 1 * numbers.exceeds(other, amounts[name]))
            found = found + 2**place * wins
        return found

    def names(self) -> list[str]:
        """Return what is compared, in the order in which it is stated."""
        if self.faster:
            return [each.name for each in (self.case.machine, self.case.rival) if each]
        return self.case.root.resources(self.case.machine)


def asked(case: Case, ask: Ask, points: Sequence[Fraction | int]) -> list[int]:
    """Return what `ask(numbers, values)` says at each point, REFUSED where there is no value.

    Bounded floats decide it, and where they do not, exact numbers.
    """
    if not points:
        return []
    array = np.array(points, dtype=float)
    exact = (abs(array) < 2**41) & np.array([point.denominator == 1 for point in points])
    numbers = Arrays(len(points))
    with np.errstate(all="ignore"):
        error = np.where(exact, 0.0, abs(array) * 2.0**-53)
        found = ask(numbers, case.values(numbers, Bounded(array, error)))
        found = np.broadcast_to(found, (len(points),)).astype(int).copy()
    for place in np.flatnonzero(numbers.doubtful):
        found[place] = asked_exactly(case, ask, Fraction(points[int(place)]))
    return [int(each) for each in found]


def asked_exactly(case: Case, ask: Ask, point: Fraction) -> int:
    with mpmath.workdps(DIGITS):
        try:
            return int(ask(Exact(), case.values(Exact(), point)))
        except Undefined:
            return REFUSED


def members(names: Sequence[str], bits: int) -> Iterator[str]:
    return (name for place, name in enumerate(names) if bits >> place & 1)
