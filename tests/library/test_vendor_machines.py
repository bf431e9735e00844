"""Machines from vendors' documents: the numbers typed from those, and what follows from them."""

from __future__ import annotations

import re

import pytest

import roofdsl as rd
from roofdsl.analysis.result import machine_rates
from roofdsl.model.library import find_machine

TERA, GIGA = 1e12, 1e9

# Dense rates [Tflop/s]; memory, and links in one direction [GB/s].
DOCUMENTS: dict[str, dict[str, float]] = {
    "p100": {"fp64": 5.3, "fp32": 10.6, "fp16": 21.2, "memory": 732, "intra": 80},
    "v100": {"fp64": 7.8, "fp32": 15.7, "fp16": 125, "memory": 900, "intra": 150},
    "a100_sxm_80gb": {"fp64": 9.7, "fp32": 19.5, "tf32": 156, "bf16": 312, "fp16": 312}
    | {"int8": 624, "fp64_tensor": 19.5, "memory": 2039, "intra": 300},
    "h100_sxm": {"fp64": 34, "fp32": 67, "tf32": 494.5, "bf16": 989.5, "fp16": 989.5}
    | {"fp8": 1979, "int8": 1979, "fp64_tensor": 67, "memory": 3350, "intra": 450},
    "h200": {"fp64": 34, "fp32": 67, "tf32": 494.5, "bf16": 989.5, "fp16": 989.5}
    | {"fp8": 1979, "int8": 1979, "fp64_tensor": 67, "memory": 4800, "intra": 450},
    "mi250x": {"fp64": 47.9, "fp64_matrix": 95.7, "fp32": 47.9, "fp32_matrix": 95.7}
    | {"bf16": 383, "fp16": 383, "int8": 383, "memory": 3276.8},
    "mi300x": {"fp64": 81.7, "fp64_matrix": 163.4, "fp32": 163.4, "tf32": 653.7, "bf16": 1307.4}
    | {"fp16": 1307.4, "fp8": 2614.9, "int8": 2614.9, "memory": 5300, "intra": 448},
    "tpu_v5e": {"bf16": 197, "int8": 393, "memory": 819, "intra": 200},
    "tpu_v5p": {"bf16": 459, "int8": 918, "memory": 2765, "intra": 600},
    "a64fx": {"fp64": 3.3792, "fp32": 6.7584, "fp16": 13.5168, "memory": 1024, "network": 40.8},
    "epyc_7763": {"fp64": 2.5088, "fp32": 5.0176, "memory": 204.8},
    "cascade_lake": {"fp32": 4.2, "memory": 105, "network": 12},
}


def key_and_unit(name: str) -> tuple[str, float]:
    if name in ("memory", "network"):
        return name, GIGA
    return ("network.intra", GIGA) if name == "intra" else (f"flops.{name}", TERA)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_rates_are_those_of_the_documents(name: str) -> None:
    rates = machine_rates(find_machine(name)[0])
    expected = {}
    for short, value in DOCUMENTS[name].items():
        key, unit = key_and_unit(short)
        expected[key] = pytest.approx(value * unit, rel=1e-9)
    assert {key: rate for key, rate in rates.items() if key != "messages"} == expected


@pytest.mark.parametrize("name", [*DOCUMENTS, "dgx_a100", "gtx_1080_ti", "mi25"])
def test_every_source_has_a_year(name: str) -> None:
    sources = find_machine(name)[0].sources
    dated = [source for source in sources if re.search(r"\b20[012]\d\b|@", source)]
    assert dated == list(sources)


def test_rates_that_follow_from_cores_and_clocks() -> None:
    """MI250X: 220 units at 1.7 GHz; P100: 3584 cores at 1.48 GHz; A64FX: 48 at 2.2 GHz, 32 a cycle.

    The documents round to three digits.
    """
    for name, key, exactly in (
        ("mi250x", "flops.fp64", 220 * 1.7e9 * 128),
        ("mi250x", "flops.fp64_matrix", 220 * 1.7e9 * 256),
        ("mi250x", "flops.bf16", 220 * 1.7e9 * 1024),
        ("p100", "flops.fp32", 3584 * 1.48e9 * 2),
        ("a64fx", "flops.fp64", 48 * 2.2e9 * 32),
        ("a100_sxm_80gb", "flops.fp32", 6912 * 1.41e9 * 2),
    ):
        assert machine_rates(find_machine(name)[0])[key] == pytest.approx(exactly, rel=2e-3)


def test_a_chip_of_google_is_balanced_at_240_flop_a_byte() -> None:
    """197 Tflop/s over 819 GB/s: the batch from which on a bf16 product is bound by flops."""
    ridge = rd.load_machine("tpu_v5e").definition
    rates = machine_rates(ridge)
    assert rates["flops.bf16"] / rates["memory"] == pytest.approx(240.5, abs=0.05)
