"""Numbers that count what is done with them, one by one: an oracle for what arrays count.

They stand in arrays of objects, so that NumPy itself calls their operators, element by element.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import exp, inf, sqrt

import numpy as np
import numpy.typing as npt

COUNTED: Counter[str] = Counter()
"""Operations by their names."""


class Scalar:
    """A real number whose operations are counted."""

    def __init__(self, value: float) -> None:
        self.value = value
        self.touched = False

    def __add__(self, other: object) -> Scalar:
        return _counted("add", other, lambda value: number(self) + value)

    def __radd__(self, other: object) -> Scalar:
        return _counted("add", other, lambda value: value + number(self))

    def __sub__(self, other: object) -> Scalar:
        return _counted("subtract", other, lambda value: number(self) - value)

    def __rsub__(self, other: object) -> Scalar:
        return _counted("subtract", other, lambda value: value - number(self))

    def __mul__(self, other: object) -> Scalar:
        return _counted("multiply", other, lambda value: number(self) * value)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Scalar:
        return _counted("divide", other, lambda value: _quotient(number(self), value))

    def __rtruediv__(self, other: object) -> Scalar:
        return _counted("divide", other, lambda value: _quotient(value, number(self)))

    def __pow__(self, other: object) -> Scalar:
        assert other == 2, "a square is a product"
        return _counted("multiply", other, lambda _: number(self) * number(self))

    def __ge__(self, other: object) -> bool:
        COUNTED["compare"] += 1
        return number(self) >= number(other)

    def __gt__(self, other: object) -> bool:
        COUNTED["compare"] += 1
        return number(self) > number(other)

    def exp(self) -> Scalar:
        COUNTED["special"] += 1
        return Scalar(exp(min(number(self), 700.0)))

    def sqrt(self) -> Scalar:
        COUNTED["special"] += 1
        return Scalar(sqrt(number(self)))


def number(value: object) -> float:
    """Return what a number is, counted or not; it has been touched."""
    if isinstance(value, Scalar):
        value.touched = True
    return value.value if isinstance(value, Scalar) else float(str(value))


def _quotient(above: float, below: float) -> float:
    return above / below if below else inf


def _counted(name: str, other: object, result: Callable[[float], float]) -> Scalar:
    """Count an operation with another number; arrays do it element by element themselves."""
    if isinstance(other, np.ndarray):
        return NotImplemented  # type: ignore[no-any-return]  # as Python asks for it
    COUNTED[name] += 1
    return Scalar(result(number(other)))


def scalars(*shape: int, seed: int = 0) -> npt.NDArray[np.object_]:
    """Return an array of numbers that count."""
    values = np.random.default_rng(seed).uniform(0.5, 1.5, shape)
    found = np.empty(shape, object)
    for place in np.ndindex(*shape):
        found[place] = Scalar(float(values[place]))
    return found
