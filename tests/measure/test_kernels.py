"""Kernels are right, a wrong answer is seen, and each process sends what the model says."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import isqrt
from typing import NamedTuple

import numpy as np
import pytest

import roofdsl as rd
from roofdsl.measure.communicator import Alone, Communicator
from roofdsl.measure.kernels import stencil2d, stream_triad
from roofdsl.measure.kernels.ddot import Ddot
from roofdsl.measure.kernels.dense import DENSE
from roofdsl.measure.kernels.dgemv import Dgemv
from roofdsl.measure.kernels.fft import Fft
from roofdsl.measure.kernels.fft_transpose import FftTranspose
from roofdsl.measure.kernels.kernel import Kernel, Prepared
from roofdsl.measure.kernels.registry import KERNELS
from roofdsl.measure.kernels.stencil2d import Stencil2d
from roofdsl.measure.kernels.stream_triad import StreamTriad
from roofdsl.measure.split_clock import SplitClock
from tests.measure.threads import on_threads

pytest.importorskip("scipy", reason="SUMMA is of SciPy's BLAS: pip install 'roofdsl[measure]'")

SIZES = {
    "summa": (6, 36, 600),
    "dgemv": (9, 101, 1200),
    "ddot": (7, 1000, 100_001),
    "fft": (64, 960, 2**14),
    "fft_transpose": (64, 512, 2**14),
    "stencil2d": (7, 65, 700),
    "stream_triad": (5, 1000, 100_000),
}
"""Over two decades, some of which no number of processes divides."""
CASES = [
    (kernel, size, processes)
    for kernel in DENSE
    for size in SIZES[kernel.model]
    for processes in (1, 2, 3, 4, 8, 9)
    if kernel.refuses(size, processes) is None and (size < 10_000 or processes < 5)
]
ANSWERS = {
    "summa": "c",
    "dgemv": "y",
    "ddot": "sum",
    "fft": "answer",
    "fft_transpose": "turned",
    "stencil2d": "new",
    "stream_triad": "a",
}


def model_of(each: object) -> str | None:
    return each.model if isinstance(each, Kernel) else None


class Found(NamedTuple):
    errors: list[float]
    sent: int
    messages: int


def run_twice(kernel: Kernel, size: int, own: Communicator) -> Found:
    """Run a kernel; return how far it is off after each of two runs, and what the second sent."""
    prepared = kernel.prepare(own, size)
    errors = []
    for _ in range(2):
        prepared.ready()
        sent, messages = own.sent, own.messages
        prepared.run(SplitClock())
        sent, messages = own.sent - sent, own.messages - messages
        errors.append(prepared.error())
    return Found(errors, sent, messages)


def test_every_dense_kernel_is_tried() -> None:
    assert {kernel.model for kernel in DENSE} == set(SIZES) == set(ANSWERS)
    for kernel in DENSE:
        for processes in (1, 2, 4):
            tried = [size for of, size, count in CASES if (of, count) == (kernel, processes)]
            assert len(tried) == 3 or kernel.refuses(SIZES[kernel.model][1], processes)
            assert not tried or max(tried) >= 100 * min(tried)


@pytest.mark.parametrize(
    ("kernel", "size", "processes"), CASES, ids=lambda each: getattr(each, "model", None)
)
def test_answers_are_right_and_each_sends_what_the_model_says(
    kernel: Kernel, size: int, processes: int
) -> None:
    found = on_threads(processes, lambda own: run_twice(kernel, size, own))
    assert max(error for each in found for error in each.errors) <= kernel.tolerance
    assert sent_by_model(kernel, size, processes, found)


def sent_by_model(kernel: Kernel, size: int, processes: int, found: list[Found]) -> bool:
    """Whether the bytes that were sent are those of the library's model."""
    if processes == 1:
        return all(each.sent == each.messages == 0 for each in found)
    busiest, all_sent = max(each.sent for each in found), sum(each.sent for each in found)
    karst = rd.load_machine("karst")
    prediction = rd.load_model(kernel.model).on(karst)
    result = prediction.evaluate(values=kernel.parameters(size, processes))
    network = pytest.approx(result.times["network"] * karst.rates["network"], rel=1e-12)
    even = size % processes == 0
    match kernel.model:
        case "summa":
            # Another process sends in each step: the model is the sum over the busiest of each. All
            # together send what it says in total, 2 N² (√P - 1) elements.
            grid = isqrt(processes)
            full = grid.bit_count() == 1  # each stage of a broadcast
            return all_sent == 16 * size**2 * (grid - 1) and (not full or busiest * grid == network)
        case "fft":
            # The model's default counts both directions of an exchange: `crossings` = 2.
            return 2 * busiest == network
        case "ddot" if processes.bit_count() != 1:
            # Some send once more, and then there are as many as a power of two.
            return busiest == 8 * processes.bit_length()
        case "dgemv":
            # Parts differ by an element where the processes do not divide N; each is sent once
            # around the ring.
            return all_sent == 8 * size * (processes - 1) and (not even or busiest == network)
        case _:
            return busiest == network


@pytest.mark.parametrize("kernel", DENSE, ids=model_of)
@pytest.mark.parametrize("processes", [1, 4])
def test_a_wrong_answer_is_seen_wherever_it_is(kernel: Kernel, processes: int) -> None:
    size = SIZES[kernel.model][1]
    if kernel.refuses(size, processes):
        pytest.skip("it does not run on so many processes")

    def off(own: Communicator, wrong: int) -> float:
        prepared = kernel.prepare(own, size)
        prepared.ready()
        prepared.run(SplitClock())
        if own.rank == wrong:
            answer = getattr(prepared, ANSWERS[kernel.model]).reshape(-1)
            answer[answer.size // 2 + 1 if answer.size > 1 else 0] *= 1 + 1e-6
        return prepared.error()

    for wrong in range(processes):
        if kernel.model == "ddot" and wrong:
            continue  # all have the same sum: that of the first is looked at
        found = on_threads(processes, partial(off, wrong=wrong))
        assert max(found) > kernel.tolerance


@pytest.mark.parametrize("kernel", DENSE, ids=model_of)
def test_what_was_not_run_is_no_answer(kernel: Kernel) -> None:
    def off(own: Communicator) -> float:
        prepared = kernel.prepare(own, SIZES[kernel.model][1])
        prepared.ready()
        return prepared.error()

    assert not on_threads(1, off)[0] <= kernel.tolerance


def test_loops_of_numpy_do_the_same_as_compiled_ones() -> None:
    random = np.random.default_rng(5)
    b, c = random.random(10_000), random.random(10_000)
    one, other = np.zeros(10_000), np.zeros(10_000)
    stream_triad.loop(one, b, c, 3.0)
    stream_triad.blocks(other, b, c, 3.0)
    np.testing.assert_array_equal(one, other)
    old = random.random((13, 1500))
    new, another = np.zeros((11, 1500)), np.zeros((11, 1500))
    stencil2d.loop(old, new)
    stencil2d.blocks(old, another)
    np.testing.assert_allclose(new, another, rtol=1e-15)


def prepared(model: str, size: int) -> Prepared:
    of = KERNELS[model].prepare(Alone(), size)
    of.ready()
    return of


def test_a_sum_of_products_by_hand() -> None:
    of = prepared("ddot", 50)
    assert isinstance(of, Ddot)
    exact = sum(Fraction(x) * Fraction(y) for x, y in zip(of.x, of.y, strict=True))
    of.run(SplitClock())
    assert of.sum[0] == pytest.approx(float(exact), rel=1e-14)


def test_products_of_matrices_by_hand() -> None:
    from roofdsl.measure.kernels.summa import Summa

    of, vector = prepared("summa", 6), prepared("dgemv", 6)
    assert isinstance(of, Summa)
    assert isinstance(vector, Dgemv)
    product = [[sum(of.a[i, k] * of.b[k, j] for k in range(6)) for j in range(6)] for i in range(6)]
    rows = [sum(vector.matrix[i, k] * vector.x[k] for k in range(6)) for i in range(6)]
    c, y = 1.5 * np.array(product) + 0.5 * of.c, 1.5 * np.array(rows) + 0.5 * vector.y
    of.run(SplitClock())
    vector.run(SplitClock())
    np.testing.assert_allclose(of.c, c, rtol=1e-14)
    np.testing.assert_allclose(vector.y, y, rtol=1e-14)


@pytest.mark.parametrize("model", ["fft", "fft_transpose"])
def test_transforms_by_hand(model: str) -> None:
    of = prepared(model, 32)
    assert isinstance(of, Fft | FftTranspose)
    points = (of.points if isinstance(of, Fft) else of.matrix).reshape(-1).copy()
    n = np.arange(32)
    by_definition = [np.sum(points * np.exp(-2j * np.pi * n * k / 32)) for k in range(32)]
    of.run(SplitClock())
    found = of.answer if isinstance(of, Fft) else of.turned.reshape(-1)
    np.testing.assert_allclose(found, by_definition, atol=1e-13)


def test_a_sweep_and_the_triad_by_hand() -> None:
    grid, vectors = prepared("stencil2d", 6), prepared("stream_triad", 5)
    assert isinstance(grid, Stencil2d)
    assert isinstance(vectors, StreamTriad)
    old = grid.old
    means = [
        [(old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]) / 4 for j in range(1, 5)]
        for i in range(1, 5)
    ]
    grid.run(SplitClock())
    vectors.run(SplitClock())
    np.testing.assert_allclose(grid.new[:, 1:-1], means, rtol=1e-15)
    assert vectors.a.tolist() == [b + 3 * c for b, c in zip(vectors.b, vectors.c, strict=True)]
