"""What a common relative change of all rates does to factors, and where it turns a bound.

While every rate changes by less than ε, relatively, each factor of the times stays between
1/(1 + ε) and 1/(1 - ε); the last one, of what no rate changes, is always 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofdsl.analysis.scaled import Amount, Choice, Scaled

ROUNDING = 1e-11
"""Far above what rounding does to sums, relatively."""
NEVER = 1 - 1e-9
"""A change of the rates by more, short of all, is not told from all."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Factors at which another is ahead of the bound, and the least change that reaches them."""

    change: float
    factors: tuple[float, ...]
    bound: str


@dataclass(frozen=True, slots=True)
class Enclosed:
    """The bound holds for all changes less than `least`; `turn` is one that turns it."""

    least: float
    turn: Turn | None


def factors_of(change: Amount) -> tuple[Amount, Amount]:
    """Return the least and the largest factor that a change of the rates leads to."""
    return 1 / (1 + change), 1 / (1 - change)


class Point:
    """Factors at which sums are computed; choices are made once.

    `close` says that one of them hung on what rounding may do.
    """

    def __init__(self, factors: Sequence[float]) -> None:
        self.factors = factors
        self.close = False
        self._chosen: dict[int, int] = {}

    @property
    def choices(self) -> int:
        """How many choices were made."""
        return len(self._chosen)

    def value(self, value: Scaled) -> float:
        found = sum(float(a) * b for a, b in zip(value.form, self.factors, strict=True))
        for term in value.terms:
            if id(term.choice) not in self._chosen:
                self._choose(term.choice)
            found += self.value(term.options[self._chosen[id(term.choice)]])
        return found

    def _choose(self, choice: Choice) -> None:
        values = [self.value(each) for each in choice.values]
        most = max(values)
        self._chosen[id(choice)] = values.index(most)
        self.close = self.close or sum(each >= most * (1 - ROUNDING) for each in values) > 1

    def surely_turns(self, gap: Scaled, mine: Scaled) -> bool:
        """Whether less than nothing is left of what the bound is ahead, and not by rounding."""
        ahead = self.value(gap)
        return ahead < 0 and ahead < -ROUNDING * self.value(mine) and not self.close
