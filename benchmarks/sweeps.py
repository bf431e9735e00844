"""Sweeps against NumPy by hand, and ranges on the command line against `import sympy`."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

import roofdsl as rd
from benchmarks import by_hand
from benchmarks.ratios import ROOFDSL, Figure, import_sympy, ratio, run, seconds
from roofdsl.answer.asked import Values
from roofdsl.answer.ranges import results_at
from roofdsl.answer.rows import RowsAnswer
from roofdsl.cli.options import Points, split_settings
from roofdsl.report.text import written

SUMMA = rd.load_model("summa").on(rd.load_machine("karst"))
RESNET = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
ROUNDS = 7
ROWS = 30_000


def figures() -> Iterator[Figure]:
    yield from _against_hand()
    yield from _memory()
    yield from _rows()
    yield _ten_points()


def _against_hand() -> Iterator[Figure]:
    some = _random(10**5)
    grid = np.arange(2.0, 3002)[:, None], np.arange(1.0, 3001)[None, :] ** 2
    batches = np.arange(1.0, 10**5 + 1)
    yield Figure("SUMMA, 10^5 points: difference from good", _summa_off(*some), 1e-12)
    yield Figure("ResNet-50: difference from the loop", _resnet_off(batches), 1e-12)
    for exponent, bar in ((7, 1.0), (6, 2.0)):
        many = _random(10**exponent)
        yield _compared(f"SUMMA, 10^{exponent} points / good NumPy", bar, by_hand.summa_good, *many)
    yield _compared("SUMMA, grid 3000 × 3000 / plain NumPy", 1.2, by_hand.summa_plain, *grid)
    found = ratio(
        lambda: seconds(lambda: RESNET.sweep(batch=batches)),
        lambda: seconds(lambda: by_hand.resnet50(batches)),
        ROUNDS,
    )
    yield Figure("ResNet-50, 10^5 batches / a loop over its kernels", found, 1.0)


def _compared(title: str, bar: float, hand: Callable[..., object], n: Values, p: Values) -> Figure:
    def ours() -> float:
        return seconds(lambda: SUMMA.sweep(N=n, P=p))

    return Figure(title, ratio(ours, lambda: seconds(lambda: hand(n, p)), ROUNDS), bar)


def _random(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    random = np.random.default_rng(1)
    n = random.integers(2, 60_000, count).astype(float)
    return n, random.integers(1, 60, count).astype(float) ** 2


def _summa_off(n: NDArray[np.float64], p: NDArray[np.float64]) -> float:
    """Return the largest relative difference of a number; infinite where a bound differs."""
    ours, hand = SUMMA.sweep(N=n, P=p), by_hand.summa_good(n, p)
    if (ours.bound != np.array(["flops", "memory", "network"])[hand.bound]).any():
        return np.inf
    pairs = zip(ours.times.values(), hand.times, strict=True)
    off = [_off(spent, other) for spent, other in pairs]
    names = ("flops", "memory", "network", "time")
    return max(*off, *(_off(getattr(ours, name), getattr(hand, name)) for name in names))


def _resnet_off(batches: NDArray[np.float64]) -> float:
    """Return the largest relative difference of a number; infinite where a bound differs."""
    ours, hand = RESNET.sweep(batch=batches), by_hand.resnet50(batches)
    if (ours.bound != np.array([*hand.charged])[hand.bound]).any():
        return np.inf
    off = [_off(getattr(ours, name), getattr(hand, name)) for name in ("flops", "memory", "time")]
    for table, other in (
        (ours.times, hand.times),
        (ours.charged, hand.charged),
        (ours.tallies, hand.tallies),
    ):
        off += [_off(table[name], other[name]) for name in other]
    return max(off)


def _off(ours: NDArray[np.float64], hand: NDArray[np.float64]) -> float:
    return float(np.max(np.abs(ours - hand) / np.where(hand, np.abs(hand), 1)))


def _memory() -> Iterator[Figure]:
    count = 10**6
    n, p = _random(count)
    tracemalloc.start()
    kept = SUMMA.sweep(N=n, P=p)
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept.time.size == count
    yield Figure("SUMMA, 10^6 points: bytes kept for a point", size / count, 70)
    yield Figure("SUMMA, 10^6 points: bytes for a point at the peak", peak / count, 100)


def _rows() -> Iterator[Figure]:
    settings = [f"N=1000..{ROWS + 999}", "P=4"]
    options = [text for setting in settings for text in ("-p", setting)]
    for form in ("csv", "json"):
        command = (ROOFDSL, "eval", "summa", "-m", "karst", *options, "--format", form)
        found = ratio(partial(_command, command), import_sympy, ROUNDS)
        yield Figure(f"{ROWS:,} rows to {form.upper()} / import sympy", found, 10)
    model, machine = SUMMA.model.definition, SUMMA.machine.definition
    points = Points(model, split_settings(settings))
    results = list(results_at(model, machine, points, points.swept))
    answer = RowsAnswer(results, [SUMMA.asked.bound({"N": 1000, "P": 4})], points.swept)
    # Half of what it was when there was a bar first: 198 µs a row, 0.8 s to import SymPy.
    found = ratio(lambda: seconds(lambda: written(answer)), import_sympy, ROUNDS)
    yield Figure(f"{ROWS:,} rows put into text / import sympy", found, 3.7)


def _command(command: tuple[str, ...]) -> float:
    return run(command).seconds


def _ten_points() -> Figure:
    sizes = np.arange(1000.0, 1010)

    def ours() -> float:
        return seconds(lambda: [SUMMA.sweep(N=sizes, P=4) for _ in range(100)])

    def single() -> float:
        return seconds(lambda: [SUMMA.evaluate(N=1000, P=4) for _ in range(100)])

    return Figure("SUMMA, sweep of ten points / one evaluate", ratio(ours, single, ROUNDS), 1.3)
