"""Products alone run on matrix units, and every kernel at the rate of its precision."""

from __future__ import annotations

import pytest

import roofdsl as rd
from tests.agreement.points import by_file, files, first

LAYERS = [name for name in files() if name.startswith(("dnn.", "networks.", "collectives."))]
KERNELS = {
    "summa": {"N": 4096, "P": 4},
    "dgemm": {"n": 1024},
    "dgemv": {"N": 1024, "P": 4},
    "ddot": {"N": 1024, "P": 4},
    "daxpy": {"n": 1024},
    "fft": {"N": 1024, "P": 4},
    "fft_transpose": {"N": 1024, "P": 4},
    "stencil2d": {"N": 1024, "P": 4},
    "mst": {"E": 4096, "V": 256, "P": 4},
    "dijkstra": {"E": 4096, "V": 256, "P": 4},
    "stream_triad": {"n": 1024},
}
PRODUCTS = ("summa", "dgemm")


@by_file(LAYERS)
def test_products_are_twice_the_multiply_adds_and_nothing_else_is_a_product(file: str) -> None:
    for point in first(file):
        result = point.result
        products = sum(x for key, x in result.work.items() if key.startswith("flops.matrix."))
        if result.model != "linear_hidden_ring":  # which does not tally them
            assert products == pytest.approx(2 * result.tallies.get("multiply_adds", 0), rel=1e-12)
        for key in result.work:
            assert not key.startswith(("flops.vector.", "flops.special.")) or key.endswith(
                ("fp32", "fp64")
            )
            assert key != "flops", f"{point.name} has flops of no stated kind"


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_runs_at_the_rate_of_its_precision(name: str) -> None:
    """Datasheet of the H100: 67 Tflop/s in fp64 products, 34 in fp64, 67 in fp32."""
    prediction = rd.load_model(name).on(rd.load_machine("h100_sxm"))
    double = prediction.evaluate(**KERNELS[name])
    single = prediction.evaluate(**KERNELS[name], dtype="fp32")
    rate = 67e12 if name in PRODUCTS else 34e12
    assert double.times["flops"] == pytest.approx(double.flops / rate, rel=1e-12)
    assert single.times["flops"] == pytest.approx(single.flops / 67e12, rel=1e-12)
    assert double.flops == single.flops
    if name not in ("summa", "mst", "dijkstra"):  # whose cache holds twice as many halves
        assert double.memory == 2 * single.memory


@pytest.mark.parametrize("name", KERNELS)
def test_a_word_that_is_given_leaves_the_precision(name: str) -> None:
    prediction = rd.load_model(name).on(rd.load_machine("h100_sxm"))
    given = prediction.evaluate(**KERNELS[name], word="4 B")
    single = prediction.evaluate(**KERNELS[name], dtype="fp32")
    double = prediction.evaluate(**KERNELS[name])
    assert (given.memory, given.network) == (single.memory, single.network)
    assert given.times["flops"] == double.times["flops"]


def test_elementwise_work_does_not_run_at_the_rate_of_products() -> None:
    """A sum of E elements in bf16 takes E / 67 Tflop/s on an H100, as its cores compute in fp32."""
    card = rd.load_machine("h100_sxm")
    for name in ("relu", "add", "softmax", "layer_norm", "sgd"):
        model = rd.load_model(name)
        sizes = {"M": 64, "h": 64} if name == "layer_norm" else {"E": 4096}
        sizes = {"parameters": 4096} if name == "sgd" else sizes
        result = model.on(card).evaluate(**sizes, dtype="bf16")
        assert not any(key.startswith("flops.matrix") for key in result.work)
        assert result.times["flops"] >= result.flops / 67e12 * (1 - 1e-12)


def test_exponentials_of_attention_run_on_the_special_unit() -> None:
    """4·d·s² flop in products, 4·s² beside them and s² exponentials of each head, one by one."""
    heads, s, d = 16, 4096, 128
    attention = rd.load_model("dnn.attention:attention").on(rd.load_machine("h100_sxm"))
    result = attention.evaluate(B=1, a=heads, s=s, d=d, fused=True, dtype="bf16")
    products, others = 4 * d / (1979e12 / 2), 4 / 67e12 + 1 / 3.9e12
    assert result.time == pytest.approx(heads * s**2 * (products + others), rel=1e-12)
    assert result.bound == "flops"
