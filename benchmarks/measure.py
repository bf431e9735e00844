"""What `roofdsl measure machine` finds, beside programs of others' kind that measure the same.

In one run: the product with NumPy's own best, the triad with a STREAM in C with its own clock, and
messages with a loop as OSU's benchmarks have it. Each is measured in turn with its counterpart, and
the medians are compared, so that what changes slowly is the same for both. On a busy machine the
numbers mean nothing: it ends there.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

from benchmarks.ratios import Figure
from roofdsl.diagnostic import RoofError
from roofdsl.measure import bandwidth, mpi, products
from roofdsl.measure.busy import busy_now
from roofdsl.measure.hardware import hardware
from roofdsl.measure.loops import best_loops, in_threads
from roofdsl.measure.messages import link
from roofdsl.measure.ping_pong import SIZES, ping_pong
from roofdsl.measure.plan import QUICK

ROUNDS = 3
HERE = Path(__file__).parent
PRODUCT, TRIAD, MESSAGES = 1.10, 1.15, 1.20
"""So many times the one may be the other, whichever is larger."""


def figures() -> Iterator[Figure]:
    """Yield how far the two are apart, as the larger over the smaller."""
    seen = busy_now()
    if seen is not None:
        sys.exit(f"this machine is busy: {seen}")
    yield _apart("dgemm beside NumPy's own best", PRODUCT, _product, _numpys_best)
    if shutil.which("cc"):
        with tempfile.TemporaryDirectory(prefix="roofdsl-") as folder:
            program = _built(Path(folder))
            yield _apart("triad beside a STREAM in C", TRIAD, _triad, lambda: _stream_in_c(program))
    else:
        print("  triad: skipped, as there is no compiler of C")
    try:
        mpi.launcher()
    except RoofError as error:
        print(f"  messages: skipped: {error.diagnostics[0].message}")
        return
    pairs = [(link([*ping_pong()]), _osu()) for _ in range(ROUNDS)]
    mine, others = zip(*pairs, strict=True)
    for place, title in ((0, "latency beside an OSU-style loop"), (1, "bandwidth beside it")):
        here = [each.latency.value if place == 0 else each.bandwidth.value for each in mine]
        there = [each[place] for each in others]
        yield Figure(title, _ratio(median(here), median(there)), MESSAGES)


def _ratio(one: float, other: float) -> float:
    return max(one / other, other / one)


def _apart(title: str, bar: float, mine: Callable[[], float], other: Callable[[], float]) -> Figure:
    pairs = [(mine(), other()) for _ in range(ROUNDS)]
    return Figure(
        title, _ratio(median(one for one, _ in pairs), median(two for _, two in pairs)), bar
    )


def _product() -> float:
    with products.blas().limited(1):
        jobs = products.square(QUICK.orders, "fp64", QUICK.products, 1)
        return max(job.amount / job.work().median for job in jobs)


def _numpys_best() -> float:
    """Return the rate of the fastest of ten products of order 2048, as `a @ b` is written."""
    with products.blas().limited(1):
        a = np.random.default_rng(1).standard_normal((2048, 2048))
        b = np.random.default_rng(2).standard_normal((2048, 2048))
        times = list[float]()
        for _ in range(10):
            begin = perf_counter()
            a @ b
            times.append(perf_counter() - begin)
    return 2 * 2048**3 / min(times)


def _triad() -> float:
    with best_loops() as loops, in_threads(1) as together:
        size = _array()
        for job in bandwidth.stream(loops, together, size, 1, QUICK.loops):
            if job.group == "stream.triad":
                return job.amount / job.work().median
    raise AssertionError("STREAM has a triad")


def _array() -> int:
    return bandwidth.stream_size(hardware()).size


def _built(folder: Path) -> Path:
    program = folder / "stream"
    flags = ["-O3", "-march=native", "-o", str(program)]
    subprocess.run(["cc", *flags, str(HERE / "stream.c")], check=True)
    return program


def _stream_in_c(program: Path) -> float:
    """Return the bytes in a second of the best triad of ten, as STREAM tells it."""
    run = subprocess.run([program, str(_array() // 8)], check=True, capture_output=True, text=True)
    return float(run.stdout)


def _osu() -> tuple[float, float]:
    """Return the latency [s] of 8 bytes, and the best bandwidth [B/s] there and back."""
    found = list[mpi.Said]()
    mpi.run("benchmarks.osu", [*SIZES], 2, found.append, seconds=300)
    times = json.loads(json.dumps(found[0]["times"]))
    return times["8"], max(int(size) / seconds for size, seconds in times.items())
