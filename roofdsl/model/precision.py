"""Number formats: a precision links the bytes of an element to a machine's ceiling of that kind."""

from __future__ import annotations

from fractions import Fraction

from roofdsl.units.dimension import Dimension

# Bytes of one element. tf32 is stored in four bytes; only its arithmetic is narrower.
PRECISIONS: dict[str, Fraction] = {
    "fp64": Fraction(8),
    "fp32": Fraction(4),
    "tf32": Fraction(4),
    "bf16": Fraction(2),
    "fp16": Fraction(2),
    "fp8": Fraction(1),
    "fp4": Fraction(1, 2),
    "int64": Fraction(8),
    "int32": Fraction(4),
    "int16": Fraction(2),
    "int8": Fraction(1),
    "int4": Fraction(1, 2),
}

PRECISION = Dimension.base("(precision)")
"""The dimension of a precision, which no unit has: it is compared and asked for its size."""


def code(name: str) -> Fraction:
    """Return the number that stands for a precision in an expression: none is 0.

    >>> code("fp64"), named(code("bf16"))
    (Fraction(1, 1), 'bf16')
    """
    return Fraction(1 + list(PRECISIONS).index(name))


def named(value: Fraction | float) -> str:
    """Return the precision a number stands for."""
    return list(PRECISIONS)[int(value) - 1]


def size_symbol(name: str) -> str:
    """Return the name of the symbol for the bytes of a parameter's precision."""
    return f"size({name})"
