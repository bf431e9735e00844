"""Sizes of tensors: products of whole numbers and of names of the model."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Size:
    """A product: of `number`, and of names such as `batch`, or of formulas in brackets.

    `factors` are the numbers as they are written: two sizes are one if their products are.

    >>> rows = times([Size.of("batch"), Size.of(64), Size.of(112), Size.of(112)])
    >>> print(rows)
    batch*64*112^2
    >>> rows == times([Size.of(64 * 112**2), Size.of("batch")])
    True
    """

    number: int
    names: tuple[str, ...] = ()
    factors: tuple[int, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, size: int | str) -> Size:
        """Return the size of a number, or of a name."""
        return cls(1, (size,)) if isinstance(size, str) else cls(size, (), (size,))

    @property
    def value(self) -> int | None:
        """The number, None where it depends on a name."""
        return None if self.names else self.number

    def __str__(self) -> str:
        shown = [_power(name, self.names.count(name)) for name in dict.fromkeys(self.names)]
        kept = [each for each in self.factors if each != 1] if self.number else [0]
        shown += [_power(str(each), kept.count(each)) for each in dict.fromkeys(kept)]
        return "*".join(shown) or "1"


Shape: TypeAlias = tuple[Size, ...]
"""The sizes of a tensor along its dimensions."""

ONE = Size.of(1)


def times(sizes: Iterable[Size]) -> Size:
    """Return the product of sizes."""
    number, names, factors = 1, list[str](), list[int]()
    for size in sizes:
        number *= size.number
        names += size.names
        factors += size.factors
    return Size(number, tuple(sorted(names)), tuple(factors))


def plain(size: Size) -> Size:
    """Return a size with its numbers multiplied out: `batch*6272` for `batch*128*7^2`."""
    return Size(size.number, size.names, (size.number,))


def quotient(size: Size, divisor: Size) -> Size | None:
    """Return a size divided by another, None where that is no product of this kind.

    >>> print(quotient(times([Size.of("batch"), Size.of(96)]), Size.of(12)))
    batch*8
    """
    names = list(size.names)
    for name in divisor.names:
        if name not in names:
            return None
        names.remove(name)
    if not divisor.number or size.number % divisor.number:
        return None
    number = size.number // divisor.number
    return Size(number, tuple(names), (number,))


def numbers(sizes: Iterable[Size]) -> tuple[int, ...] | None:
    """Return sizes that are all numbers as such."""
    found = [size.value for size in sizes]
    return None if None in found else tuple(each for each in found if each is not None)


def _power(text: str, times_over: int) -> str:
    return text if times_over == 1 else f"{text}^{times_over}"


def product(values: Iterable[int]) -> int:
    """Return the product of whole numbers."""
    return math.prod(values)
