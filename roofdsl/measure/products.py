"""Products of matrices by NumPy's BLAS: the best that they reach, and a table of their times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import product
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.measure.job import Job
from roofdsl.measure.timing import Effort, Timed, timed

_NAMES = {"openblas": "OpenBLAS", "mkl": "MKL", "blis": "BLIS", "flexiblas": "FlexiBLAS"}


class Blas(NamedTuple):
    """Which BLAS it is, in words, and what has it compute with so many threads."""

    name: str
    limited: Callable[[int], AbstractContextManager[object]]


def blas() -> Blas:
    """Return NumPy's BLAS; raise RoofError (R1521) without the package that sets its threads."""
    import numpy as np  # before it is looked for: it is loaded with NumPy

    try:
        import threadpoolctl
    except ImportError:
        message = "measuring needs the package threadpoolctl, which is not installed"
        hint = "pip install 'roofdsl[measure]'"
        raise RoofError([Diagnostic("R1521", message, hint=hint)]) from None

    np.dot(np.ones((2, 2)), np.ones((2, 2)))  # some load it when it is first used
    return Blas(
        _name(threadpoolctl.threadpool_info()),
        lambda threads: threadpoolctl.threadpool_limits(limits=threads, user_api="blas"),
    )


def _name(libraries: Sequence[dict[str, object]]) -> str:
    """Return what the libraries that are loaded, or else NumPy itself, say of the BLAS."""
    for each in libraries:
        if each.get("user_api") == "blas":
            kind = str(each.get("internal_api"))
            more = [str(each[key]) for key in ("architecture", "threading_layer") if each.get(key)]
            said = f"{_NAMES.get(kind, kind)} {each.get('version') or ''}".rstrip()
            return f"{said} ({', '.join(more)})" if more else said
    import numpy as np

    config: object = np.show_config(mode="dicts")
    for key in ("Build Dependencies", "blas"):
        config = config.get(key) if isinstance(config, dict) else None
    if not isinstance(config, dict):
        return "an unknown BLAS"
    return f"{config.get('name', 'an unknown BLAS')} {config.get('version', '')}".rstrip()


def product_times(m: int, n: int, k: int, precision: str, effort: Effort) -> Timed:
    """Return how long NumPy takes for the product of an m × k matrix and a k × n one."""
    import numpy as np

    kind = np.float64 if precision == "fp64" else np.float32
    random = np.random.default_rng(0)
    a, b = random.random((m, k), kind), random.random((k, n), kind)
    c = np.empty((m, n), kind)
    # Without a warm-up of its own: how often it is done between two looks is found by doing it.
    return timed(lambda: np.matmul(a, b, out=c), effort, warm=0)


def square(orders: Sequence[int], precision: str, effort: Effort, threads: int) -> Iterator[Job]:
    """Yield the jobs of the products of square matrices."""
    for n in orders:
        yield Job(
            f"flops.matrix.{precision}",
            (n, n, n),
            2.0 * n**3,
            partial(product_times, n, n, n, precision, effort),
            threads if n >= _ALL_BUSY else 0,
        )


_ALL_BUSY = 512
"""From this order on a BLAS has all of its threads compute."""


def table(sizes: Sequence[int], precision: str, effort: Effort, threads: int) -> Iterator[Job]:
    """Yield the jobs of the products of all sizes by all others."""
    for m, n, k in product(sizes, repeat=3):
        yield Job(
            f"gemm.{precision}",
            (m, n, k),
            2.0 * m * n * k,
            partial(product_times, m, n, k, precision, effort),
            threads if min(m, n, k) >= _ALL_BUSY else 0,
        )
