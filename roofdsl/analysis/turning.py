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


@dataclass(frozen=True, slots=True)
class Turn:
    """Factors at which another is ahead of the bound, and the least change that reaches them."""

    change: float
    factors: tuple[float, ...]


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

    `close` says that something hung on what rounding may do.
    """

    def __init__(self, factors: Sequence[float]) -> None:
        self.factors = factors
        self.close = False
        self._nearly: dict[int, list[int]] = {}

    @property
    def choices(self) -> int:
        """How many choices were made."""
        return len(self._nearly)

    def value(self, value: Scaled) -> float:
        found = sum(float(a) * b for a, b in zip(value.form, self.factors, strict=True))
        for term in value.terms:
            options = [self.value(term.options[place]) for place in self._longest(term.choice)]
            most, least = max(options), min(options)
            self.close = self.close or most - least > ROUNDING * max(most, -least)
            found += options[0]
        return found

    def _longest(self, choice: Choice) -> list[int]:
        """Return the places of the largest time and of those that rounding hides."""
        found = self._nearly.get(id(choice))
        if found is None:
            values = [self.value(each) for each in choice.values]
            least = max(values) * (1 - ROUNDING)
            found = [place for place, each in enumerate(values) if each >= least]
            self._nearly[id(choice)] = found
        return found

    def surely_turns(self, gap: Scaled, mine: Scaled) -> bool:
        """Whether less than nothing is left of what the bound is ahead, and not by rounding."""
        ahead = self.value(gap)
        return ahead < 0 and ahead < -ROUNDING * self.value(mine) and not self.close
