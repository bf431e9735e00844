"""Measured numbers as text: read back by the language, within half of the last digit told."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import roofdsl as rd
from roofdsl.measure.rounding import as_measured
from roofdsl.measure.timing import Rate
from roofdsl.units.dimension import BYTE, FLOP, MESSAGE, SECOND

PREFIXES = {"p": 1e-12, "n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9,
            "T": 1e12, "P": 1e15, "E": 1e18}  # fmt: skip
SHOWN = re.compile(r"([\d.]+)(?: ± ([\d.]+))? (\w?)(B/s|FLOP/s|flop/s|s/message)")


@pytest.mark.parametrize(
    ("value", "spread", "text"),
    [
        (22.03e9, 0.4e9, "22 ± 0.4 GFLOP/s"),
        (22.03e9, 0.149e9, "22.03 ± 0.15 GFLOP/s"),
        (999.96e6, 3e6, "1000 ± 3 MFLOP/s"),
        (54.123e9, 0.0, "54.12 ± 0.011 GFLOP/s"),
        (1.5e9, 0.96e9, "1.5 ± 1 GFLOP/s"),
        (123.4e9, 30e9, "120 ± 30 GFLOP/s"),
        (5.0, 6.0, "5 flop/s"),
    ],
)
def test_the_spread_says_how_many_digits_there_are(value: float, spread: float, text: str) -> None:
    found = as_measured(Rate(value, spread), FLOP / SECOND)
    if spread == 0.0:
        assert re.fullmatch(r"54\.1[23]\d? ± 0\.011 GFLOP/s", found)
    else:
        assert found == text


@given(
    st.floats(1e-3, 1e15),
    st.floats(0.0, 1.5),
    st.sampled_from([FLOP / SECOND, BYTE / SECOND, SECOND / MESSAGE]),
)
def test_it_reads_back_as_what_was_measured(value: float, part: float, dimension: object) -> None:
    dimensions = {str(each): each for each in (FLOP / SECOND, BYTE / SECOND, SECOND / MESSAGE)}
    if str(dimension) == str(SECOND / MESSAGE):
        value *= 1e-12
    text = as_measured(Rate(value, part * value), dimensions[str(dimension)])
    match = SHOWN.fullmatch(text)
    assert match is not None, text
    scale = PREFIXES[match[3]]
    shown = float(match[1]) * scale
    if match[2] is None:
        assert part > 0.6, text
        assert shown == pytest.approx(value, rel=0.06)
        return
    off = float(match[2]) * scale
    assert 0 < off < shown, "what the language takes"
    assert off == pytest.approx(max(part, 2e-4) * value, rel=0.34), "one digit, or two"
    assert abs(shown - value) <= 0.51 * off, "less than what it scatters by"


def test_the_language_takes_it() -> None:
    latency = as_measured(Rate(6.1e-7, 2e-8), SECOND / MESSAGE)
    bandwidth = as_measured(Rate(12.3e9, 3e8), BYTE / SECOND)
    text = f"machine m {{ memory = {bandwidth}; network = {bandwidth}; messages = {latency} }}"
    assert rd.loads(text).machines["m"].name == "m"
