"""The kernels on arrays: their sizes, the processes they run on, the parameters of their models."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from roofdsl.measure.kernels.kernel import Kernel, Prepared

if TYPE_CHECKING:
    from roofdsl.measure.communicator import Communicator


def _stream_triad(_processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.stream_triad import StreamTriad

    return StreamTriad(size)


def _ddot(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.ddot import Ddot

    return Ddot(processes, size)


def _dgemv(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.dgemv import Dgemv

    return Dgemv(processes, size)


def _summa(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.summa import Summa

    return Summa(processes, size)


def _stencil2d(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.stencil2d import Stencil2d

    return Stencil2d(processes, size)


def _fft(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.fft import Fft

    return Fft(processes, size)


def _fft_transpose(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.fft_transpose import FftTranspose

    return FftTranspose(processes, size)


def _no_triad(_size: int, processes: int) -> str | None:
    return None if processes == 1 else "it is of one process"


def _no_ddot(size: int, processes: int) -> str | None:
    return None if processes <= size else "each process needs an element"


def _no_dgemv(size: int, processes: int) -> str | None:
    return None if 2 <= size >= processes else "each process needs a row, and A two of them"


def _no_summa(size: int, processes: int) -> str | None:
    grid = isqrt(processes)
    if grid**2 != processes:
        return "its processes stand on a square grid: 1, 4, 9, …"
    return None if 2 <= size and size % grid == 0 else f"N is no multiple of {max(2, grid)}"


def _no_stencil2d(size: int, processes: int) -> str | None:
    return None if 3 <= size >= processes + 2 else "each process needs a row between the edges"


def _no_fft(size: int, processes: int) -> str | None:
    if processes & (processes - 1):
        return "its processes are a power of two"
    return (
        None if 2 <= size and size % processes == 0 else f"N is no multiple of {max(2, processes)}"
    )


def _no_fft_transpose(size: int, processes: int) -> str | None:
    if size & (size - 1) or processes & (processes - 1):
        return "N and its processes are powers of two"
    return None if 2 <= size >= processes**2 else "N is below the square of the processes"


DENSE = (
    Kernel(
        "summa",
        sizes=(36, 72, 144, 288, 576, 1152, 2304, 3600),
        quick=(36, 288, 1152),
        parameters=lambda size, processes: {"N": size, "P": processes},
        refuses=_no_summa,
        prepare=_summa,
        tolerance=1e-12,
        method="dgemm of SciPy's BLAS on blocks, broadcast along rows and columns over trees",
    ),
    Kernel(
        "dgemv",
        sizes=(96, 192, 384, 768, 1536, 3072, 6144, 9600),
        quick=(96, 768, 3072),
        parameters=lambda size, processes: {"N": size, "P": processes},
        refuses=_no_dgemv,
        prepare=_dgemv,
        tolerance=1e-12,
        method="dgemv of NumPy's BLAS on rows, x gathered over a ring",
    ),
    Kernel(
        "ddot",
        sizes=tuple(
            mantissa * 10**power for power in (4, 5, 6) for mantissa in (2, 3, 4, 6, 9, 13)
        ),
        quick=(20_000, 200_000, 2_000_000),
        parameters=lambda size, processes: {"N": size, "P": processes},
        refuses=_no_ddot,
        prepare=_ddot,
        tolerance=1e-12,
        method="ddot of NumPy's BLAS, the sums added up by recursive doubling",
    ),
    Kernel(
        "fft",
        sizes=tuple(2**power for power in range(10, 23)),
        quick=(4**5, 4**7, 4**9),
        parameters=lambda size, processes: {"N": size, "P": processes},
        refuses=_no_fft,
        prepare=_fft,
        tolerance=1e-12,
        method="log2(P) stages of exchange between pairs, then NumPy's transform on each process",
    ),
    Kernel(
        "fft_transpose",
        sizes=tuple(2**power for power in range(10, 23)),
        quick=(4**5, 4**7, 4**9),
        parameters=lambda size, processes: {"N": size, "P": processes},
        refuses=_no_fft_transpose,
        prepare=_fft_transpose,
        tolerance=1e-12,
        method="six steps: three transpositions, NumPy's transforms along rows between them",
    ),
    Kernel(
        "stencil2d",
        sizes=(66, 98, 130, 194, 258, 386, 514, 770, 1026, 1538, 2050, 3074, 4098, 6602),
        quick=(66, 514, 2050),
        parameters=lambda size, processes: {"N": size, "P": processes},
        refuses=_no_stencil2d,
        prepare=_stencil2d,
        tolerance=1e-14,
        method="one loop over the rows of each process, edge rows exchanged before it",
    ),
    Kernel(
        "stream_triad",
        sizes=(100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000),
        quick=(100_000, 1_000_000, 10_000_000),
        parameters=lambda size, _: {"n": size},
        refuses=_no_triad,
        prepare=_stream_triad,
        tolerance=1e-14,
        method="one loop over three vectors",
    ),
)
