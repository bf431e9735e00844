"""Serving of Llama as predicted against what engines measured, in `serving.csv`.

Two numbers are fitted, on two settings of gpt-fast: what a kernel takes to start on one card, and
what a message takes on eight. The others of `a100_serving` are taken from elsewhere, as it says.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

import roofdsl as rd
from tests.dnn.served import (
    IN_SECONDS,
    PLAIN,
    PRODUCTS,
    REACHED,
    Measured,
    Steady,
    at,
    error,
    latencies,
    measured,
    peaks,
    predicted,
    reached,
    steady,
    steady_state,
)

DECODING = [row for row in measured() if (row.engine, row.weights) == ("gpt-fast", "bf16")]
ON_ONE_CARD = [
    row
    for row in measured()
    if row.engine == "lmdeploy" and row.ranks == 1 and row.measure != "first_token"
]
FIRST = [
    row
    for row in measured()
    if (row.measure, row.prompt, row.card) == ("first_token", 2048, "A100")
]


def decoding(model: str, ranks: int) -> Measured:
    (row,) = (row for row in DECODING if (row.model, row.ranks) == (model, ranks))
    return row


FITTED = decoding("llama2-7b", 1), decoding("llama2-70b", 8)
SCORED = [row for row in DECODING if row not in FITTED]


@cache
def fitted(memory: float = REACHED["memory"]) -> tuple[float, float]:
    """Return the start-up of a kernel and the time of a message [s]: times are affine in both."""
    one, eight = FITTED
    startup = root(lambda x: 1 / predicted(one, at("A100", x, 1e-6, memory)), 1 / one.value)
    message = root(lambda x: 1 / predicted(eight, at("A100", startup, x, memory)), 1 / eight.value)
    return startup, message


def root(time: Callable[[float], float], wanted: float) -> float:
    low, high = 1e-7, 1e-5
    first, last = time(low), time(high)
    return low + (wanted - first) * (high - low) / (last - first)


def test_all_that_was_published_is_there() -> None:
    assert (len(measured()), len(steady())) == (76, 60)
    assert (len(DECODING), len(SCORED), len(FIRST)) == (7, 5, 5)
    assert len(ON_ONE_CARD) == 24
    assert len({row.setting for row in ON_ONE_CARD}) == 12


def test_two_numbers_are_fitted_on_two_settings_and_the_machine_states_them() -> None:
    startup, message = latencies(rd.load_machine("a100_serving"))
    assert fitted()[0] == pytest.approx(startup, abs=5e-10)
    assert fitted()[1] == pytest.approx(message, abs=5e-10)
    for row in FITTED:
        assert error(row) == pytest.approx(0, abs=1e-3)


def test_the_other_numbers_are_parts_of_the_rates_of_the_card() -> None:
    changed = dict(REACHED) | dict.fromkeys(("flops.matrix.bf16", "flops.matrix.fp16"), PRODUCTS)
    for name, rate in PLAIN["A100"].rates.items():
        if name != "messages.intra":
            found = rd.load_machine("a100_serving").rates[name]
            assert found == pytest.approx(changed.get(name, 1) * rate, rel=1e-12)


@pytest.mark.parametrize("row", SCORED, ids=lambda row: f"{row.model}-{row.ranks}")
def test_words_of_gpt_fast_in_bf16(row: Measured) -> None:
    assert abs(error(row)) < 0.06


@pytest.mark.parametrize(("memory", "worst"), [(0.75, 0.11), (0.80, 0.06), (0.85, 0.11)])
def test_other_parts_of_the_memory_are_worse(memory: float, worst: float) -> None:
    card = at("A100", *fitted(memory), memory)
    errors = [abs(predicted(row, card) / row.value - 1) for row in SCORED]
    assert max(errors) == pytest.approx(worst, abs=0.01)


@pytest.mark.parametrize(
    "row", ON_ONE_CARD, ids=lambda row: f"{row.model}-{row.batch}-{row.prompt}-{row.measure}"
)
def test_runs_of_lmdeploy_on_one_card(row: Measured) -> None:
    assert abs(error(row)) < 0.13


@pytest.mark.parametrize("row", FIRST, ids=lambda row: f"{row.engine}-{row.model}")
def test_first_tokens_of_2048(row: Measured) -> None:
    assert abs(error(row)) < 0.10


@pytest.mark.parametrize("row", measured(), ids=lambda row: f"{row.engine}-{row.setting}")
def test_nothing_is_faster_than_the_peaks_of_the_card(row: Measured) -> None:
    """Neither what is predicted nor what was measured."""
    at_peaks, found = predicted(row, peaks(row.card)), predicted(row, reached(row.card))
    if row.measure in IN_SECONDS:
        assert at_peaks < min(found, row.value)
    else:
        assert at_peaks > max(found, row.value)


@pytest.mark.parametrize("row", steady(), ids=lambda r: f"{r.model}-{r.card}-{r.prompt}-{r.output}")
def test_no_steady_state_is_faster_than_the_peaks_of_the_cards(row: Steady) -> None:
    _, at_peaks = steady_state(row, peaks(row.card))
    assert at_peaks > max(steady_state(row, reached(row.card))[1], row.rate)
