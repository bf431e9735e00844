"""The loops that are timed: in C where there is a compiler, by Numba where it is, else by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[tuple[int], np.dtype[np.floating]]

LOOPS = ("copy", "scale", "add", "triad", "adds")
"""STREAM's four, and `adds`: multiply-adds on what stays in registers."""
WORDS = {"copy": 2, "scale": 2, "add": 3, "triad": 3}
"""Words that STREAM counts for an element."""
BYTES = {"fp64": 8, "fp32": 4}


class Arrays(NamedTuple):
    """The three arrays of one thread."""

    a: Array
    b: Array
    c: Array


Run: TypeAlias = "Callable[[str, str, Arrays, int], None]"
"""Does a loop of a precision on arrays, so many times."""


class Loops(NamedTuple):
    """How loops are done: in words, and by what; and the flops of `adds` for an element."""

    how: str
    run: Run
    flops: int
    compiled: bool


@contextmanager
def best_loops(said: Callable[[str], None] = lambda _: None) -> Iterator[Loops]:
    """Give the loops of the best that is there; say what is not."""
    from roofdsl.measure.compiled import built

    with built() as library:
        if library is not None:

            def run(name: str, precision: str, arrays: Arrays, passes: int) -> None:
                assert library is not None
                function = library.library[f"{name}_{precision}"]
                function(*(_pointer(each) for each in arrays), _size(arrays.a.size), _size(passes))

            yield Loops(f"C, {library.compiler} {library.flags}", run, 32, compiled=True)
            return
    said("no compiler of C is there: loops are timed by Numba")
    found = by_numba()
    if found is None:
        said("Numba is not there either: loops are timed by NumPy, which is slower in caches")
        found = by_numpy()
    yield found


def _pointer(array: Array) -> object:
    import ctypes

    return ctypes.c_void_p(array.ctypes.data)


def _size(number: int) -> object:
    import ctypes

    return ctypes.c_size_t(number)


def by_numba() -> Loops | None:
    """Return the loops compiled by Numba, None where it is not installed."""
    try:
        import numba
    except ImportError:
        return None
    compiled: Callable[..., Callable[..., None]] = numba.njit(nogil=True, fastmath={"contract"})
    functions = {name: compiled(loop) for name, loop in _AS_LOOPS.items()}

    def run(name: str, _precision: str, arrays: Arrays, passes: int) -> None:
        functions[name](*arrays, passes)

    return Loops(f"Numba {numba.__version__}", run, 32, compiled=True)


def _copy(a: Array, _b: Array, c: Array, passes: int) -> None:
    for _ in range(passes):
        for i in range(a.size):
            c[i] = a[i]


def _scale(_a: Array, b: Array, c: Array, passes: int) -> None:
    three = c.dtype.type(3)
    for _ in range(passes):
        for i in range(b.size):
            b[i] = three * c[i]


def _add(a: Array, b: Array, c: Array, passes: int) -> None:
    for _ in range(passes):
        for i in range(a.size):
            c[i] = a[i] + b[i]


def _triad(a: Array, b: Array, c: Array, passes: int) -> None:
    three = c.dtype.type(3)
    for _ in range(passes):
        for i in range(a.size):
            a[i] = b[i] + three * c[i]


def _adds(a: Array, _b: Array, _c: Array, passes: int) -> None:
    half = a.dtype.type(0.5)
    for _ in range(passes):
        for i in range(a.size):
            x = a[i]
            for _ in range(16):
                x = x * half + half
            a[i] = x


_AS_LOOPS = {"copy": _copy, "scale": _scale, "add": _add, "triad": _triad, "adds": _adds}
_BLOCK = 4096
"""Elements that NumPy takes at a time, so that what it keeps between two steps stays in a cache."""


def by_numpy() -> Loops:
    """Return the loops as NumPy's own, a few blocks after the others."""
    import numpy as np

    def run(name: str, _precision: str, arrays: Arrays, passes: int) -> None:
        for _ in range(passes):
            for start in range(0, arrays.a.size, _BLOCK):
                a, b, c = (each[start : start + _BLOCK] for each in arrays)
                if name == "copy":
                    c[:] = a
                elif name == "scale":
                    np.multiply(c, 3, out=b)
                elif name == "add":
                    np.add(a, b, out=c)
                elif name == "triad":
                    np.multiply(c, 3, out=a)
                    np.add(a, b, out=a)
                else:
                    np.multiply(a, 0.5, out=a)
                    np.add(a, 0.5, out=a)

    return Loops(f"NumPy {np.__version__}", run, 2, compiled=False)


def arrays_of(count: int, precision: str) -> Arrays:
    """Return three arrays of so many ones, each on its own pages."""
    import numpy as np

    kind: np.dtype[np.floating] = np.dtype(np.float64 if precision == "fp64" else np.float32)
    return Arrays(*(np.ones(count, kind) for _ in range(3)))


@contextmanager
def in_threads(threads: int) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Give what does a work in each of so many threads at once, and waits for all of them.

    With one thread it is done by this one.
    """
    if threads == 1:
        yield _here
        return
    with ThreadPoolExecutor(threads) as pool:

        def together(work: Callable[[], object]) -> None:
            for done in [pool.submit(work) for _ in range(threads)]:
                done.result()

        yield together


def _here(work: Callable[[], object]) -> None:
    work()
