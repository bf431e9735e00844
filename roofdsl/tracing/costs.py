"""What an operation takes: floating-point operations of an element, a product, a factorisation.

Functions of elements count as in the library (`stdlib/dnn/activation.roof`): addition, product,
quotient, comparison and choice one each; exponentials, logarithms, roots and the like one of the
`special` unit. A multiply-add is two. Of whole numbers and truth values nothing is floating-point.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from roofdsl.importers.graph.layers.pointwise import FUNCTIONS
from roofdsl.tracing.refusal import Uncounted
from roofdsl.tracing.tally import NOTHING, Transform, Work

_ALIKE = {
    "abs": "absolute fabs",
    "add": "add",
    "clip": "clip",
    "ceil": "ceil",
    "compare": "equal not_equal less less_equal greater greater_equal isfinite isinf isnan signbit",
    "divide": "divide true_divide",
    "erf": "erf",
    "exp": "exp exp2 expm1 cbrt sinh cosh tanh arcsinh arccosh arctanh",
    "floor": "floor trunc",
    "log": "log log2 log10 log1p",
    "maximum": "maximum fmax heaviside",
    "minimum": "minimum fmin",
    "multiply": "multiply",
    "negative": "negative copysign",
    "power": "power float_power arctan2",
    "reciprocal": "reciprocal",
    "round": "rint round",
    "rsqrt": "rsqrt",
    "sign": "sign",
    "sin": "sin cos tan arcsin arccos arctan",
    "sqrt": "sqrt",
    "square": "square",
    "subtract": "subtract",
    "where": "where",
}
"""Functions by the name under which `FUNCTIONS` has what an element takes."""
_OF_ELEMENTS = {
    name: (each.operations - each.exponentials, each.exponentials)
    for alike, names in _ALIKE.items()
    for each in (FUNCTIONS[alike],)
    for name in names.split()
} | {"floor_divide": (2, 0), "hypot": (3, 1), "deg2rad": (1, 0), "rad2deg": (1, 0)}
_FREE = {"positive", "conjugate", "real", "imag"}
_OF_COMPLEX = {
    "add": (2, 0), "subtract": (2, 0), "negative": (2, 0), "multiply": (6, 0), "square": (5, 0),
    "divide": (11, 0), "true_divide": (11, 0), "conjugate": (1, 0), "absolute": (3, 1),
    "exp": (2, 3), "equal": (2, 0), "not_equal": (2, 0), "positive": (0, 0), "where": (1, 0),
}  # fmt: skip
"""A product is 4 and 2, a quotient 6 products, 3 sums and 2 quotients; exp also sine and cosine."""
_BY_REAL = {"multiply": 2, "divide": 2, "true_divide": 2, "add": 1, "subtract": 1}
"""A complex number with a real one."""
_LOGICAL = {
    "logical_and", "logical_or", "logical_xor", "logical_not", "bitwise_and", "bitwise_or",
    "bitwise_xor", "invert", "left_shift", "right_shift",
}  # fmt: skip
_WITHOUT_FLOPS = "biu"
"""The kinds of NumPy's whole numbers and truth values."""


def precision_of(dtype: np.dtype[np.generic]) -> str:
    """Return the language's name for the numbers of an array; of complex ones, that of a part.

    >>> precision_of(np.dtype("complex64")), precision_of(np.dtype("float16"))
    ('fp32', 'fp16')
    """
    bits = 8 * dtype.itemsize // (2 if dtype.kind == "c" else 1)
    if dtype.kind in _WITHOUT_FLOPS:
        return f"int{bits}"
    if dtype.kind not in "fc" or bits not in (16, 32, 64):
        raise Uncounted(f"arrays of '{dtype}' are not counted", "use float64, float32 or the like")
    return f"fp{bits}"


class Operands(NamedTuple):
    """What numbers an operation computes with; `by_real` has one complex operand and one real."""

    dtype: np.dtype[np.generic]
    by_real: bool = False


def of_elements(name: str, elements: int, operands: Operands) -> Work:
    """Return what a function of single elements takes; raise Uncounted for an unknown one."""
    dtype = operands.dtype
    known = name in _OF_ELEMENTS or name in _FREE or name in _OF_COMPLEX
    if name in _LOGICAL or (known and dtype.kind in _WITHOUT_FLOPS):
        return NOTHING
    if dtype.kind == "c":
        if name not in _OF_COMPLEX:
            raise Uncounted(f"'{name}' of complex numbers is not counted")
        vector, special = _OF_COMPLEX[name]
        if operands.by_real:
            vector = _BY_REAL.get(name, vector)
    elif name in _FREE:
        return NOTHING
    elif name in _OF_ELEMENTS:
        vector, special = _OF_ELEMENTS[name]
    else:
        raise Uncounted(f"'{name}' is no operation that is counted")
    return Work(precision_of(dtype), vector * elements, special * elements)


def of_products(products: int, dtype: np.dtype[np.generic], *, matrices: bool) -> Work:
    """Return what so many multiply-adds take: of the matrix unit where they multiply matrices."""
    if dtype.kind in _WITHOUT_FLOPS:
        return NOTHING
    flops = (8 if dtype.kind == "c" else 2) * products
    precision = precision_of(dtype)
    return Work(precision, matrix=flops) if matrices else Work(precision, vector=flops)


def lu(n: int) -> int:
    """Return the flops of Gaussian elimination: n − k quotients and 2(n − k)² for each k.

    >>> [lu(n) for n in (1, 2, 3)]
    [0, 3, 13]
    """
    return n * (n - 1) // 2 + n * (n - 1) * (2 * n - 1) // 3


def cholesky(n: int) -> tuple[int, int]:
    """Return the flops of a Cholesky factorisation but its roots, and those.

    For each k: n − k quotients, and (n − k)(n − k + 1)/2 elements less a product.

    >>> cholesky(2)
    (3, 2)
    """
    return n * (n - 1) // 2 + (n - 1) * n * (n + 1) // 3, n


def fourier(axes: list[tuple[int, int]], points: int, precision: str, *, real: bool) -> Work:
    """Return 5 N log2 N for each complex transform along axes, half as much where it is of reals.

    `axes` are their numbers and lengths, `points` those of the whole array.
    """
    each = Fraction(5, 2) if real else Fraction(5)
    found = tuple(Transform(axis, length, each * points) for axis, length in axes)
    return Work(precision, transforms=found)
