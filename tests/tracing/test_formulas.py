"""Counts are exact: against formulas worked out by hand, and numbers that count one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofdsl as rd
from tests.tracing import kernels
from tests.tracing.scalars import COUNTED, scalars

SCRIPT = str(Path(kernels.__file__))


def traced(name: str, arguments: Mapping[str, str], **more: Any) -> rd.Module:
    found = rd.trace(f"{SCRIPT}:{name}", arguments, **more)
    assert found.warnings == ()
    assert all(outcome.passed for outcome in found.run_tests())
    return found


def at(module: rd.Module, name: str, **sizes: int) -> tuple[float, float]:
    """Return the flops and the bytes of a model at sizes."""
    result = module.models[name].on(rd.load_machine("karst")).evaluate(**sizes)
    return result.flops, result.memory


# name, arguments, sizes to compare at, flops and bytes by hand
BY_HAND: list[tuple[str, dict[str, str], list[dict[str, int]], Callable[..., tuple[float, float]]]]
BY_HAND = [
    (
        "product",
        {"A": "f64[M,K]", "B": "f64[K,N]"},
        [{"M": 1, "K": 1, "N": 1}, {"M": 50, "K": 7, "N": 33}],
        lambda M, K, N: (2 * M * K * N, 8 * (M * K + K * N + M * N)),
    ),
    (
        # Three sums and a product of each inner point; all is read, and all written as a copy.
        "sweep",
        {"u": "f64[N,N]"},
        [{"N": 4}, {"N": 1000}],
        lambda N: (4 * (N - 2) ** 2, 16 * N**2),
    ),
    (
        # Largest n − 1, difference n, exp n, sum n − 1, quotient n in each of M rows.
        "softmax",
        {"x": "f32[M,N]"},
        [{"M": 1, "N": 1}, {"M": 3, "N": 200}],
        lambda M, N: (M * (5 * N - 2), 8 * M * N),
    ),
    (
        # A row: sum N − 1, quotient, differences N, squares N, sum N − 1, quotient, a sum, a root,
        # quotients N, products N, sums N.
        "layer_norm",
        {"x": "f64[M,N]", "gain": "f64[N]", "shift": "f64[N]"},
        [{"M": 1, "N": 2}, {"M": 30, "N": 64}],
        lambda M, N: (M * (7 * N + 2), 8 * (2 * M * N + 2 * N)),
    ),
    (
        # A product with a matrix, three of vectors, three updates of 2N, two quotients.
        "conjugate_gradient_step",
        {"A": "f64[N,N]", "x": "f64[N]", "r": "f64[N]", "p": "f64[N]"},
        [{"N": 1}, {"N": 100}],
        lambda N: (2 * N**2 + 3 * 2 * N + 3 * 2 * N + 2, 8 * (N**2 + 6 * N)),
    ),
    (
        "library_fft",
        {"x": "c128[N]"},
        [{"N": 8}, {"N": 1024}],
        lambda N: (5 * N * np.log2(N), 32 * N),
    ),
    (
        # A level of n points: −2πi k and its quotient by n, 2 each; exp of n/2, 2 and 3 special;
        # a product, 6; a sum and a difference, 2 each.
        "fft",
        {"x": "c128[N]"},
        [{"N": 2}, {"N": 1024}],
        lambda N: ((2 + 2 + 2 + 3 + 6 + 2 + 2) / 2 * N * np.log2(N), 32 * N),
    ),
    (
        "triad",
        {"a": "f64[N]", "b": "f64[N]", "c": "f64[N]", "s": "0.5"},
        [{"N": 1}, {"N": 1000}],
        lambda N: (2 * N, 24 * N),
    ),
    (
        # Written as a sum of products one by one: the first sum is with 0.
        "dot_by_hand",
        {"x": "f64[N]", "y": "f64[N]"},
        [{"N": 1}, {"N": 77}],
        lambda N: (2 * N, 8 * (2 * N + 1)),
    ),
    (
        # Two operations for each inner point and sweep. The first is written before it is read;
        # all others are read once, and the inner ones written back.
        "gauss_seidel",
        {"u": "f64[N]", "sweeps": "T"},
        [{"N": 4, "T": 1}, {"N": 100, "T": 10}],
        lambda N, T: (2 * T * (N - 2), 8 * (N - 1 + N - 2)),
    ),
    (
        # LAPACK: ⅔N³ − ½N² − N/6 of elimination, and 2N² − N of each right side.
        "solve",
        {"A": "f64[N,N]", "b": "f64[N,K]"},
        [{"N": 1, "K": 1}, {"N": 30, "K": 4}],
        lambda N, K: (
            sum((N - k) + 2 * (N - k) ** 2 for k in range(1, N)) + K * (2 * N**2 - N),
            8 * (N**2 + 2 * N * K),
        ),
    ),
    (
        # For each k: n − k quotients, and a product and a difference of (n − k)² elements. All is
        # read, each pivot too, and all but the first row is written.
        "eliminate",
        {"A": "f64[N,N]"},
        [{"N": 1}, {"N": 40}],
        lambda N: (
            sum((N - k) + 2 * (N - k) ** 2 for k in range(1, N)),
            8 * (2 * N**2 - N),
        ),
    ),
    (
        "by_three_loops",
        {"A": "f64[N,N]", "B": "f64[N,N]"},
        [{"N": 1}, {"N": 100}],
        lambda N: (2 * N**3, 24 * N**2),
    ),
    ("rolled", {"u": "f64[N,N]"}, [{"N": 4}, {"N": 100}], lambda N: (4 * N**2, 16 * N**2)),
    (
        # K products and K − 1 sums for each of N + 1 places where all of w meets x.
        "filtered",
        {"x": "f64[N+K]", "w": "f64[K]"},
        [{"N": 4, "K": 3}, {"N": 100, "K": 9}],
        lambda N, K: ((2 * K - 1) * (N + 1), 8 * (N + K + K + N + 1)),
    ),
    (
        "attention",
        {"q": "f32[S,D]", "k": "f32[S,D]", "v": "f32[S,D]"},
        [{"S": 3, "D": 2}, {"S": 128, "D": 64}],
        lambda S, D: (4 * S**2 * D + S * (5 * S - 2), 16 * S * D),
    ),
]


@pytest.mark.parametrize(
    ("name", "arguments", "points", "by_hand"), BY_HAND, ids=[case[0] for case in BY_HAND]
)
def test_flops_and_compulsory_bytes_are_those_by_hand(
    name: str,
    arguments: dict[str, str],
    points: list[dict[str, int]],
    by_hand: Callable[..., tuple[float, float]],
) -> None:
    module = traced(name, arguments)
    for sizes in points:
        flops, memory = at(module, name, **sizes)
        wanted, bytes_wanted = by_hand(**sizes)
        assert flops == pytest.approx(wanted, rel=1e-12)
        assert memory == bytes_wanted
        assert at(module, f"{name}_steps", **sizes)[0] == pytest.approx(wanted, rel=1e-12)


ONE_BY_ONE: dict[str, tuple[dict[str, str], dict[str, tuple[int, ...]]]] = {
    "sweep": ({"u": "f64[N,N]"}, {"u": (7, 7)}),
    "softmax": ({"x": "f64[M,N]"}, {"x": (3, 6)}),
    "layer_norm": (
        {"x": "f64[M,N]", "gain": "f64[N]", "shift": "f64[N]"},
        {"x": (3, 6), "gain": (6,), "shift": (6,)},
    ),
    "product": ({"A": "f64[M,N]", "B": "f64[N,M]"}, {"A": (3, 6), "B": (6, 3)}),
    "conjugate_gradient_step": (
        {"A": "f64[N,N]", "x": "f64[N]", "r": "f64[N]", "p": "f64[N]"},
        {"A": (6, 6), "x": (6,), "r": (6,), "p": (6,)},
    ),
    "attention": (
        {"q": "f64[M,N]", "k": "f64[M,N]", "v": "f64[M,N]"},
        {"q": (3, 6), "k": (3, 6), "v": (3, 6)},
    ),
}


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_flops_are_those_of_numbers_that_count_one_by_one(name: str) -> None:
    """Of a product, numbers do an addition less than there are products; we count two of each."""
    arguments, shapes = ONE_BY_ONE[name]
    module = traced(name, arguments)
    COUNTED.clear()
    results = getattr(kernels, name)(**{key: scalars(*shape) for key, shape in shapes.items()})
    counted = COUNTED.total()
    sizes = {"M": 3, "N": next(iter(shapes.values()))[-1]}
    parameters = module.models[name].parameters
    flops, _ = at(module, name, **{key: sizes[key] for key in parameters})
    # Sums that are products of matrices and vectors, each of them an addition short.
    short = {
        "product": np.size(results),
        "conjugate_gradient_step": 6 + 3,
        "attention": 3 * 3 + 3 * 6,
    }
    assert flops == counted + short.get(name, 0)


def test_steps_are_operations_in_their_order_or_lines() -> None:
    softmax = traced("softmax", {"x": "f64[M,N]"})
    text = softmax.text
    lines = (Path(SCRIPT).read_text(encoding="utf-8")).splitlines()
    first = 1 + next(at for at, line in enumerate(lines) if "x.max" in line)
    steps = [f"max_{first}", f"subtract_{first}", f"exp_{first}", f"sum_{first + 1}"]
    places = [text.index(f"step {name} {{") for name in [*steps, f"divide_{first + 1}"]]
    assert places == sorted(places)
    by_line = traced("softmax", {"x": "f64[M,N]"}, by="line").text
    assert by_line.count("step ") == 2
    assert f"step line_{first} {{" in by_line


def test_each_operation_reads_its_operands_once_and_writes_its_result() -> None:
    """Of softmax: x; x and the largest; exp; exp; exp and the sums."""
    softmax = traced("softmax", {"x": "f64[M,N]"})
    M, N = 3, 10
    n = M * N
    unfused = (n + M) + (n + M + n) + (n + n) + (n + M) + (n + M + n)
    assert at(softmax, "softmax_steps", M=M, N=N)[1] == 8 * unfused


def test_an_array_read_twice_by_one_operation_is_read_once() -> None:
    def cubed(x: Any) -> Any:
        return x * x * x

    found = rd.trace(cubed, {"x": "f64[N]"})
    assert at(found, "cubed_steps", N=10)[1] == 8 * (10 + 10 + 10 + 10 + 10)
    assert at(found, "cubed", N=10)[1] == 8 * 20


def test_views_are_free_and_copies_are_not() -> None:
    def views(x: Any) -> Any:
        return x.T.reshape(-1)[::2]

    def copied(x: Any) -> Any:
        return x.T.copy()

    assert at(rd.trace(copied, {"x": "f64[N,N]"}), "copied", N=4)[1] == 8 * 32
    # Of a transposed matrix a reshape is a copy, of all: an element in two of it is returned.
    found = rd.trace(views, {"x": "f64[N,N]"}, sizes={"N": [2, 4, 6, 8, 10]})
    assert at(found, "views_steps", N=4)[1] == 8 * 32
    assert at(found, "views", N=4)[1] == 8 * (16 + 8)


def test_sizes_of_one_kind_are_required() -> None:
    def halves(x: Any) -> Any:
        half = len(x) // 2
        return x[:half] + x[half:]

    even = rd.trace(halves, {"x": "f64[N]"})
    assert "require N/2 is integer" in even.text
    assert at(even, "halves", N=10) == (5, 8 * 15)
    odd = rd.trace(lambda x: x[: len(x) // 2] * 2, {"x": "f64[N]"}, sizes={"N": [5, 7, 9, 11]})
    assert "require (N - 1)/2 is integer" in odd.text
    with pytest.raises(rd.RoofError, match="R0403"):
        at(even, "halves", N=11)


def test_a_size_of_one_value_is_no_parameter() -> None:
    found = traced("product", {"A": "f64[M,K]", "B": "f64[K,N]"}, sizes={"K": 3, "M": [2]})
    assert found.models["product"].parameters == ("N",)
    assert at(found, "product", N=5)[0] == 2 * 2 * 3 * 5


def test_other_numbers_take_other_precisions() -> None:
    for form, precision, per_point in (
        ("f32", "fp32", 2), ("f16", "fp16", 2), ("c64", "fp32", 8), ("c128", "fp64", 8)
    ):  # fmt: skip
        found = traced("product", {"A": f"{form}[N,N]", "B": f"{form}[N,N]"})
        assert f"flops.matrix[{precision}] = {per_point}*N^3" in found.text
    whole = traced("product", {"A": "i64[N,N]", "B": "i64[N,N]"})
    assert at(whole, "product", N=4) == (0, 8 * 3 * 16)
