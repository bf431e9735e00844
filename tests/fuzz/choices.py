"""Who chooses: Hypothesis, which shrinks what fails, or a seed, by which it comes again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


@cache
def _below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


class Choices(ABC):
    """Chooses at random."""

    @abstractmethod
    def below(self, count: int) -> int:
        """Return a whole number of 0 to `count - 1`."""

    @abstractmethod
    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in another order."""

    def chance(self, percent: int) -> bool:
        return self.below(100) >= 100 - percent

    def pick(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]


class Drawn(Choices):
    """What Hypothesis draws."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(_below(count))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self._draw(st.permutations(items))


class Seeded(Choices):
    """What follows from a text: the same on every machine."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def below(self, count: int) -> int:
        return self._random.randrange(count)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return self._random.sample(items, len(items))

    def some(self, options: Sequence[T], most: int) -> list[T]:
        """Return at most so many of the options, each at most once."""
        return self.shuffled(options)[: self.below(most + 1)]
