"""Systems of linear equations, as LAPACK solves them: whatever the matrix, the same operations."""

from __future__ import annotations

import numpy as np

from roofdsl.tracing.costs import cholesky, lu, precision_of
from roofdsl.tracing.refusal import Uncounted
from roofdsl.tracing.tally import Tally, Work
from roofdsl.tracing.traced import Traced, computed, finished, traced


def _square(name: str, a: object, tally: Tally) -> tuple[Traced, int, int]:
    """Return a matrix, its rows, and how many matrices there are."""
    given = traced(a, tally)
    if given.dtype.kind != "f":
        raise Uncounted(f"'numpy.linalg.{name}' of '{given.dtype}' is not counted")
    n = given.shape[-1] if given.ndim else 0
    return given, n, given.size // max(n * n, 1)


def solve(tally: Tally, a: object, b: object) -> Traced:
    """Return the solution of A x = b: elimination, then 2n² − n for each right side."""
    matrix, n, count = _square("solve", a, tally)
    right = traced(b, tally)
    data = computed(np.linalg.solve, matrix.plain, right.plain)
    sides = data.size // max(n, 1)
    flops = count * lu(n) + sides * (2 * n * n - n)
    work = Work(precision_of(data.dtype), vector=flops)
    return finished(tally, "solve", work, [matrix, right], data)


def inv(tally: Tally, a: object) -> Traced:
    """Return an inverse, as NumPy has it: the solution for the columns of the identity."""
    matrix, n, count = _square("inv", a, tally)
    data = computed(np.linalg.inv, matrix.plain)
    flops = count * (lu(n) + n * (2 * n * n - n))
    return finished(tally, "inv", Work(precision_of(data.dtype), vector=flops), [matrix], data)


def det(tally: Tally, a: object) -> Traced:
    """Return a determinant: elimination, and n − 1 products."""
    matrix, n, count = _square("det", a, tally)
    data = computed(np.linalg.det, matrix.plain)
    flops = count * (lu(n) + n - 1)
    return finished(tally, "det", Work(precision_of(matrix.dtype), vector=flops), [matrix], data)


def cholesky_factor(tally: Tally, a: object, **more: object) -> Traced:
    """Return a Cholesky factor."""
    matrix, n, count = _square("cholesky", a, tally)
    data = computed(np.linalg.cholesky, matrix.plain, **more)
    flops, roots = cholesky(n)
    work = Work(precision_of(data.dtype), count * flops, count * roots)
    return finished(tally, "cholesky", work, [matrix], data)
