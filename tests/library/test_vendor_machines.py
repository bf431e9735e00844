"""Machines from vendors' documents: the numbers typed from those, and what follows from them."""

from __future__ import annotations

import re

import pytest

import roofdsl as rd
from roofdsl.analysis.rates import machine_rates
from roofdsl.expression.substitute import constant
from roofdsl.model.library import find_machine

TERA, GIGA = 1e12, 1e9

# Dense rates [Tflop/s]; memory, and links in one direction [GB/s].
DOCUMENTS: dict[str, dict[str, float]] = {
    "p100": {"vector.fp64": 5.3, "vector.fp32": 10.6, "vector.fp16": 21.2, "memory": 732}
    | {"intra": 80, "special.fp32": 1.32608},
    "v100": {"vector.fp64": 7.8, "vector.fp32": 15.7, "vector.fp16": 31.4, "matrix.fp16": 125}
    | {"special.fp32": 1.9584, "memory": 900, "intra": 150},
    "a100_sxm_80gb": {"matrix.fp64": 19.5, "matrix.tf32": 156, "matrix.bf16": 312}
    | {"matrix.fp16": 312, "matrix.int8": 624, "vector.fp64": 9.7, "vector.fp32": 19.5}
    | {"vector.bf16": 39, "vector.fp16": 78, "special.fp32": 2.43648, "memory": 2039}
    | {"intra": 300},
    "h100_sxm": {"matrix.fp64": 67, "matrix.tf32": 494.5, "matrix.bf16": 989.5}
    | {"matrix.fp16": 989.5, "matrix.fp8": 1979, "matrix.int8": 1979, "vector.fp64": 34}
    | {"vector.bf16": 133.8, "vector.fp16": 133.8}
    | {"vector.fp32": 67, "special.fp32": 3.9, "memory": 3350, "intra": 450},
    "h200": {"matrix.fp64": 67, "matrix.tf32": 494.5, "matrix.bf16": 989.5}
    | {"matrix.fp16": 989.5, "matrix.fp8": 1979, "matrix.int8": 1979, "vector.fp64": 34}
    | {"vector.bf16": 133.8, "vector.fp16": 133.8}
    | {"vector.fp32": 67, "special.fp32": 3.9, "memory": 4800, "intra": 450},
    "gh200": {"matrix.fp64": 67, "matrix.tf32": 494, "matrix.bf16": 990}
    | {"matrix.fp16": 990, "matrix.fp8": 1979, "matrix.int8": 1979, "vector.fp64": 34}
    | {"vector.bf16": 133.8, "vector.fp16": 133.8}
    | {"vector.fp32": 67, "special.fp32": 3.9, "memory": 4000},
    "b200": {"matrix.fp64": 37, "matrix.tf32": 1100, "matrix.bf16": 2250}
    | {"matrix.fp16": 2250, "matrix.fp8": 4500, "matrix.int8": 4500, "vector.fp64": 37}
    | {"vector.fp32": 75, "special.fp32": 4.6875, "memory": 7700, "intra": 900},
    "mi250x": {"matrix.fp64": 95.7, "matrix.fp32": 95.7, "matrix.bf16": 383, "matrix.fp16": 383}
    | {"matrix.int8": 383, "vector.fp64": 47.9, "vector.fp32": 47.9, "memory": 3276.8},
    "mi300x": {"matrix.fp64": 163.4, "matrix.tf32": 653.7, "matrix.bf16": 1307.4}
    | {"matrix.fp16": 1307.4, "matrix.fp8": 2614.9, "matrix.int8": 2614.9, "vector.fp64": 81.7}
    | {"matrix.fp32": 163.4, "vector.fp32": 163.4, "memory": 5300, "intra": 448},
    "tpu_v5e": {"matrix.bf16": 197, "matrix.int8": 393, "vector.fp32": 6.144, "memory": 819}
    | {"intra": 200, "port": 50},
    "tpu_v5p": {"matrix.bf16": 459, "matrix.int8": 918, "vector.fp32": 14.336, "memory": 2765}
    | {"intra": 600, "port": 100},
    "tpu_v6e": {"matrix.bf16": 918, "matrix.int8": 1836, "memory": 1638, "intra": 400.0}
    | {"port": 100},
    "a64fx": {"fp64": 3.3792, "fp32": 6.7584, "fp16": 13.5168, "memory": 1024, "network": 40.8},
    "epyc_7763": {"fp64": 2.5088, "fp32": 5.0176, "memory": 204.8},
    "cascade_lake": {"fp32": 4.2, "memory": 105, "network": 12},
}


OTHERS = [
    *("dgx_a100", "dgx_h100", "dgx_b200", "a100_with_launches", "v100_with_launches"),
    *("gtx_1080_ti", "mi25"),
]

# What a message takes by the link inside a node [us].
LATENCIES = {
    **dict.fromkeys(("p100", "v100", "a100_sxm_80gb", "h100_sxm", "h200", "b200"), 3.4),
    "mi300x": 2.1,
    **dict.fromkeys(("tpu_v5e", "tpu_v5p", "tpu_v6e"), 1),
}

# Memory of a card [B]: what its driver shows, or the vendor's number.
CAPACITIES = {
    "v100": 32768 * 2**20,
    "a100_sxm_80gb": 81920 * 2**20,
    "h100_sxm": 81559 * 2**20,
    "h200": 143771 * 2**20,
    "gh200": 97871 * 2**20,
    "b200": 183359 * 2**20,
    "mi300x": 196592 * 2**20,
    "p100": 16 * 10**9,
    "mi25": 16 * 10**9,
    "mi250x": 128 * 10**9,
    "gtx_1080_ti": 11 * 10**9,
    "tpu_v5e": 16 * 10**9,
    "tpu_v5p": 95 * 10**9,
    "tpu_v6e": 32 * 10**9,
}


def key_and_unit(name: str) -> tuple[str, float]:
    if name in ("memory", "network"):
        return name, GIGA
    return (f"network.{name}", GIGA) if name in ("intra", "port") else (f"flops.{name}", TERA)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_rates_are_those_of_the_documents(name: str) -> None:
    rates = machine_rates(find_machine(name)[0])
    expected = {}
    for short, value in DOCUMENTS[name].items():
        key, unit = key_and_unit(short)
        expected[key] = pytest.approx(value * unit, rel=1e-9)
    assert {key: rate for key, rate in rates.items() if not key.startswith("messages")} == expected


@pytest.mark.parametrize("name", LATENCIES)
def test_a_message_takes_what_the_library_that_sends_it_counts(name: str) -> None:
    rates = machine_rates(find_machine(name)[0])
    messages = {key: rate for key, rate in rates.items() if key.startswith("messages")}
    links = ["intra", "port"] if name.startswith("tpu") else ["intra"]
    assert [*messages] == [f"messages.{link}" for link in links]
    for rate in messages.values():
        assert 1e6 / rate == pytest.approx(LATENCIES[name], rel=1e-12)


@pytest.mark.parametrize(
    ("name", "launch"), [("v100_with_launches", 1.83e-6), ("a100_with_launches", 2.7e-6)]
)
def test_a_launch_adds_to_each_kernel(name: str, launch: float) -> None:
    """A word of GPT-2: 3 kernels before 12 blocks of 10, and 2 after them."""
    word, bare = rd.load_model("gpt2_decode"), "v100" if "v100" in name else "a100_sxm_80gb"
    found, plain = (
        word.on(rd.load_machine(card)).evaluate(batch=1, kept=512, dtype="fp16")
        for card in (name, bare)
    )
    assert found.time == pytest.approx(plain.time + (3 + 12 * 10 + 2) * launch, rel=1e-12)


@pytest.mark.parametrize("name", CAPACITIES)
def test_a_card_holds_what_its_driver_shows(name: str) -> None:
    (capacity,) = find_machine(name)[0].capacities
    assert constant(capacity.formula.tree) == CAPACITIES[name]


@pytest.mark.parametrize("name", [*DOCUMENTS, *OTHERS])
def test_every_source_has_a_year(name: str) -> None:
    machine = find_machine(name)[0]
    sources = [each for each in machine.sources if each != f"{name} is {machine.made_from}"]
    assert sources
    assert all(re.search(r"\b20[012]\d\b|@", source) for source in sources)


def test_rates_that_follow_from_cores_and_clocks() -> None:
    """MI250X: 220 units at 1.7 GHz; P100: 3584 cores at 1.48 GHz; A64FX: 48 at 2.2 GHz, 32 a cycle.

    The documents round to three digits.
    """
    for name, key, exactly in (
        ("mi250x", "flops.vector.fp64", 220 * 1.7e9 * 128),
        ("mi250x", "flops.matrix.fp64", 220 * 1.7e9 * 256),
        ("mi250x", "flops.matrix.bf16", 220 * 1.7e9 * 1024),
        ("p100", "flops.vector.fp32", 3584 * 1.48e9 * 2),
        ("a64fx", "flops.fp64", 48 * 2.2e9 * 32),
        ("a100_sxm_80gb", "flops.vector.fp32", 6912 * 1.41e9 * 2),
    ):
        assert machine_rates(find_machine(name)[0])[key] == pytest.approx(exactly, rel=2e-3)


def test_a_chip_of_google_is_balanced_at_240_flop_a_byte() -> None:
    """197 Tflop/s over 819 GB/s: the batch from which on a bf16 product is bound by flops."""
    ridge = rd.load_machine("tpu_v5e").definition
    rates = machine_rates(ridge)
    assert rates["flops.matrix.bf16"] / rates["memory"] == pytest.approx(240.5, abs=0.05)


def test_special_functions_are_a_fixed_part_of_the_other_cores() -> None:
    """A processor has 16 units, or 32, beside 64 or 128 cores that do two flop a cycle.

    The H100's 3.9 Tflop/s is for the lower clock of its tensor cores, 1830 MHz of 1980.
    """
    for name, part in (
        ("p100", 8),
        ("v100", 8),
        ("a100_sxm_80gb", 8),
        ("dgx_a100", 8),
        ("gtx_1080_ti", 8),
        ("h100_sxm", 16 * 1980 / 1830),
        ("h200", 16 * 1980 / 1830),
        ("gh200", 16 * 1980 / 1830),
        ("b200", 16),
    ):
        rates = machine_rates(find_machine(name)[0])
        found = rates["flops.vector.fp32"] / rates["flops.special.fp32"]
        assert found == pytest.approx(part, rel=1e-2), name


@pytest.mark.parametrize(
    "name", ["h100_sxm", "a100_sxm_80gb", "b200", "gh200", "mi250x", "mi300x", "v100"]
)
def test_a_precision_of_no_stated_unit_runs_where_it_did(name: str) -> None:
    """Before machines had units, fp32 and fp64 were the rates of vectors, others of products."""
    machine = find_machine(name)[0]
    rates = machine_rates(machine)
    for key in rates:
        if key.startswith("flops.matrix."):
            kind = key.removeprefix("flops.matrix.")
            unit = "vector" if kind in ("fp32", "fp64") else "matrix"
            assert machine.defaults[f"flops.{kind}"] == f"flops.{unit}.{kind}"


@pytest.mark.parametrize(
    ("node", "inside", "between"),
    [("dgx_a100", 300, 25), ("dgx_h100", 450, 50), ("dgx_b200", 900, 50)],
)
def test_eight_cards_share_the_links_of_a_node_and_more_do_not(
    node: str, inside: float, between: float
) -> None:
    """A ring of P ranks sends 2 (P - 1)/P bytes of each, by NVLink or by an adapter [GB/s].

    Each of its 2 (P - 1) messages takes 3.4 us by NVLink, 14 us by an adapter.
    """
    ring = rd.load_model("all_reduce_ring").on(rd.load_machine(node))
    for ranks, link in ((2, inside), (8, inside), (9, between), (32, between)):
        found = ring.evaluate(bytes="1 GB", ranks=ranks)
        sent, latency = 2 * (ranks - 1), 3.4e-6 if link == inside else 14e-6
        assert found.time == pytest.approx(sent / ranks / link + sent * latency, rel=1e-9)
        assert [note for note in found.notes if "a node of ranks" in note]
