"""Operations with jumps, decided exactly where float rounding could decide them wrongly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from roofdsl.allowance import Operations
from roofdsl.expression.condition import compare
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Comparison, Divide, Expression, Function, Number, Symbol
from roofdsl.numeric.exact import exact_evaluator
from roofdsl.numeric.failure import EvaluationError

# One place for each value: a float, a bool, or the EvaluationError that stands for a missing one.
# Not `float | bool | EvaluationError`: arithmetic on an error is meant to fail, at run time.
Registers: TypeAlias = list[Any]
Compute: TypeAlias = Callable[[Registers], float]

# A value this close to a jump, relative to its size, may lie on either side of it: formulas of
# models lose a few of the sixteen digits of a float, hardly ever more than two or three.
NEAR = 1e-13
# In operations on floats.
_EXACTLY = 20


def comparing(node: Comparison, places: tuple[int, ...], slots: dict[str, int]) -> Compute:
    """Return how to compare what is at two places; `slots` says where names are."""
    left, right = places
    relation = node.relation
    exactly = None if plain(node.left, node.right) else _Exactly(node, slots)

    def hold(r: Registers) -> bool:
        gap = r[left] - r[right]  # fails for an error, which `==` would not
        if exactly and abs(gap) <= NEAR * abs(r[left]):
            known = exactly(r)
            if known is not None:
                return bool(known)
        return compare(relation, r[left], r[right])

    return hold


def jumping(name: str, argument: Expression, place: int, slots: dict[str, int]) -> Compute:
    """Return how to get `ceil`, `floor` or `is_integer` of the argument, which is at `place`."""
    jump = _JUMPS[name]
    if plain(argument):
        return lambda r: jump(r[place] + 0.0)
    exactly = _Exactly(Function(name, (argument,)), slots)
    parts = _parts(argument)

    def whole(r: Registers) -> float:
        value: float = r[place] + 0.0
        # If k/q is not whole, it is at least 1/q off a whole number, further than one rounding.
        if parts and abs(value) * parts < 2**51:
            return jump(value)
        nearest = float(round(value)) if abs(value) < math.inf else value
        if abs(value - nearest) <= NEAR * abs(value):
            known = exactly(r)
            if known is not None:
                return known if isinstance(known, bool) else float(known)
            # Exact numbers did not decide. A value within a rounding or two of a whole number is
            # far more often that number than one beside it.
            if abs(value - nearest) <= 1e-15 * abs(value):
                return jump(nearest)
        return jump(value)

    return whole


_JUMPS: dict[str, Callable[[float], float]] = {
    "ceil": lambda value: float(math.ceil(value)) if abs(value) < math.inf else value,
    "floor": lambda value: float(math.floor(value)) if abs(value) < math.inf else value,
    "is_integer": float.is_integer,
}


def _parts(argument: Expression) -> int:
    """Return q where the argument is a whole name over a whole number q, else 0."""
    match argument:
        case Divide(Symbol(integer=True), Number(value)) if value.denominator == 1:
            return abs(value.numerator)
    return 0


def plain(*nodes: Expression) -> bool:
    """Whether there is no rounding in any of the nodes."""
    return all(isinstance(node, Number | Symbol) for node in nodes)


class _Exactly:
    """The exact value of a node at the values of its names in the registers, None if unknown."""

    def __init__(self, node: Expression, slots: dict[str, int]) -> None:
        self.node = node
        self.slots = slots
        self.names: list[str] = []
        self.evaluator: Callable[[Mapping[str, Fraction | bool]], Fraction | bool | None] | None = (
            None
        )

    def __call__(self, registers: Registers) -> Fraction | bool | None:
        if self.evaluator is None:  # on first use: most computations never come near a jump
            self.evaluator = exact_evaluator(self.node)
            self.names = [symbol.name for symbol in free_symbols(self.node)]
        count: Operations | None = registers[-1]
        if count is not None:
            count.spend(_EXACTLY)
        values: dict[str, Fraction | bool] = {}
        for name in self.names:
            value = registers[self.slots[name]]
            if value in (math.inf, -math.inf):
                return None
            if isinstance(value, EvaluationError):
                continue
            written = value if isinstance(value, bool) else as_written(value)
            if written is None:
                return None
            values[name] = written
        try:
            return self.evaluator(values)
        except EvaluationError:
            return None


def as_written(value: float) -> Fraction | None:
    """Return the number that a float stands for, where one is much simpler than all others.

    0.1 stands for 1/10, and 0.3333333333333333 for 1/3; None for one like 0.1234567890123456.

    >>> as_written(0.1), as_written(1 / 3), as_written(0.1234567890123456)
    (Fraction(1, 10), Fraction(1, 3), None)
    """
    if float(value).is_integer():
        return Fraction(value)
    shortest = repr(float(value))
    if len(shortest.partition("e")[0].replace(".", "").lstrip("-0")) <= 15:
        return Fraction(shortest)
    simple = Fraction(value).limit_denominator(1000)
    return simple if float(simple) == value else None
