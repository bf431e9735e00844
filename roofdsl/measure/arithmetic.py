"""The rates of elementwise work: multiply-adds on what stays in a cache, and exponentials."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.measure.bandwidth import Together
from roofdsl.measure.job import Job
from roofdsl.measure.loops import BYTES, Arrays, Loops, arrays_of
from roofdsl.measure.timing import Effort, Timed, timed

BLOCK = 16 << 10
"""Bytes of the elements that a thread works on: they stay in the first cache."""
_PASSES = 500


def vector(
    loops: Loops, together: Together, precision: str, threads: int, effort: Effort
) -> Iterator[Job]:
    """Yield the job of multiply-adds, `Loops.flops` for an element."""
    count = BLOCK // BYTES[precision]

    def work() -> Timed:
        arrays = arrays_of(count, precision)
        parts = [Arrays(arrays.a.copy(), arrays.b, arrays.c) for _ in range(threads)]

        def once() -> None:
            left = iter(parts)
            together(lambda: loops.run("adds", precision, next(left), _PASSES))

        return timed(once, effort)

    amount = float(loops.flops * count * _PASSES * threads)
    yield Job(f"flops.vector.{precision}", (count,), amount, work, threads)


def special(together: Together, precision: str, threads: int, effort: Effort) -> Iterator[Job]:
    """Yield the job of NumPy's exponentials, one flop for each."""
    count = BLOCK // BYTES[precision]

    def work() -> Timed:
        import numpy as np

        kind = np.float64 if precision == "fp64" else np.float32
        given = np.linspace(-5.0, 5.0, count, dtype=kind)

        def some() -> None:
            result = np.empty_like(given)
            for _ in range(_PASSES):
                np.exp(given, out=result)

        return timed(lambda: together(some), effort)

    amount = float(count * _PASSES * threads)
    yield Job(f"flops.special.{precision}", (count,), amount, work, threads)
