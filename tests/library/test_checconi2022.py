"""Checconi, Tithi, Petrini 2022 (Ridgeline): the crossover batch, and batches that hide, solved."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import floor
from typing import Any  # what JSON holds

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli

PEAK, NETWORK = 4.2e12, 12e9
LATENCY = Fraction(2 * 34 * 312 * 10**12, 4 * 8192**2 * 10**7)
"""Rows whose products, at 312 TFLOP/s, last as long as two messages of 3.4 us."""


def solved(model: str, unknown: str, machine: str, *values: str) -> Any:
    command = ["solve", model, "--crossover", "--for", unknown, "--machine", machine]
    settings = [word for value in values for word in ("-p", value)]
    answer = CliRunner().invoke(cli, [*command, *settings, "--format", "json"])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.output)


def test_the_crossover_tends_to_466_7() -> None:
    answer = solved("papers.checconi2022:mlp_training_limit", "batch", "cascade_lake")
    (found,) = answer["crossovers"]
    assert answer["complete"]
    assert (found["before"], found["after"], found["first_integer"]) == (
        ["network"],
        ["flops"],
        467,
    )
    assert found["closed_form_value"] == pytest.approx(8 * PEAK / NETWORK / 6, rel=1e-12)
    assert found["closed_form_value"] == pytest.approx(466.7, abs=0.05)
    assert found["closed_form"] == "4*cascade_lake.flops.fp32/(3*cascade_lake.network)"


@pytest.mark.parametrize("P", [2, 3, 8, 1000])
def test_of_P_processes_it_is_as_much_times_P_minus_1_over_P(P: int) -> None:
    answer = solved("papers.checconi2022:mlp_training", "batch", "cascade_lake", f"P={P}")
    (found,) = answer["crossovers"]
    exactly = 8 * PEAK / NETWORK / 6 * (P - 1) / P
    assert found["closed_form_value"] == pytest.approx(exactly, rel=1e-12)
    low, high = found["enclosure"]
    assert low <= exactly * (1 + 1e-15) and exactly * (1 - 1e-15) <= high
    assert found["first_integer"] == floor(exactly) + 1


def test_one_process_has_no_crossover_with_the_network() -> None:
    answer = solved("papers.checconi2022:mlp_training", "batch", "cascade_lake", "P=1")
    assert all(regime["bound"] != "network" for regime in answer["regimes"])


def test_the_critical_batch_of_a_bf16_product_tends_to_240_2(tmp_path: Any) -> None:
    """At 1.97e14 flop/s and 8.2e11 B/s; 2·M·I·O / peak = 2 B·I·O / bandwidth as I and O grow."""
    file = tmp_path / "chip.roof"
    file.write_text(
        'machine chip { source "given"; flops { bf16 = 197 TFLOP/s }; memory = 820 GB/s }',
        encoding="utf-8",
    )
    found = [
        solved("linear", "M", str(file), f"I={n}", f"O={n}", "dtype=bf16", "bias=false")
        for n in (10**4, 10**6, 10**12)
    ]
    batches = [answer["crossovers"][0]["closed_form_value"] for answer in found]
    assert batches == pytest.approx([252.4, 240.4, 240.2], abs=0.05)
    assert batches[-1] == pytest.approx(1.97e14 / 8.2e11, rel=1e-6)


@pytest.mark.parametrize("ranks", [2, 8, 64])
def test_the_batch_that_hides_a_ring_behind_a_backward_pass(ranks: int) -> None:
    values = ("I=8192", "O=8192", f"ranks={ranks}", "dtype=bf16")
    answer = solved("linear_data_parallel", "batch", "a100_sxm_80gb", *values)
    hidden = next(item for item in answer["crossovers"] if item["before"] == ["network"])
    # 2·(P − 1)/P·2 B·I·O / 300 GB/s + 2·(P − 1)·3.4 us
    #   = 4·batch·I·O / 312 TFLOP/s + (P − 1)/P·I·O / 19.5 TFLOP/s
    equal = Fraction(ranks - 1, ranks) * (1040 - 4) + (ranks - 1) * LATENCY
    assert hidden["first_integer"] == floor(equal) + 1
    assert hidden["after"] == ["flops"]


@pytest.mark.parametrize("ranks", [2, 8, 1000])
def test_the_batch_that_hides_a_ring_is_a_formula_in_the_ranks(ranks: int) -> None:
    values = ("I=8192", "O=8192", f"ranks={ranks}", "dtype=bf16")
    answer = solved("linear_hidden_ring", "batch", "a100_sxm_80gb", *values)
    hidden = next(item for item in answer["crossovers"] if item["before"] == ["network"])
    # 2·2 B·I·O·(P − 1)/P / network + 2·(P − 1) messages = 4·batch·I·O / flops
    exactly = 312e12 / 300e9 * (ranks - 1) / ranks + float((ranks - 1) * LATENCY)
    assert hidden["after"] == ["flops"]
    assert hidden["closed_form_value"] == pytest.approx(exactly, rel=1e-12)
    assert {"ranks", "flops", "network", "messages"} <= set(
        re.findall(r"[a-z]+", hidden["closed_form"])
    )


def test_the_ranks_whose_ring_a_batch_hides() -> None:
    """900 rows last as long as a ring of P ranks: 900 = 1040·(P - 1)/P + (P - 1) · the latency.

    That is 5.84 ranks; without a latency it would be 1 / (1 - 900/1040) = 7.43.
    """
    rows, step = 900, float(LATENCY)
    half = (1040 - rows - step) / 2
    exactly = ((half**2 + step * 1040) ** 0.5 - half) / step
    assert exactly == pytest.approx(5.836, abs=5e-4)
    values = ("I=8192", "O=8192", "batch=900", "dtype=bf16")
    answer = solved("linear_hidden_ring", "ranks", "a100_sxm_80gb", *values)
    shown = next(item for item in answer["crossovers"] if item["after"] == ["network"])
    assert shown["first_integer"] == 6
    assert shown["closed_form_value"] == pytest.approx(exactly, rel=1e-12)
