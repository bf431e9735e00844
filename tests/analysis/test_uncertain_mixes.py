"""A mix lies between what it is at the corners of its numbers."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import roofdsl as rd

TEXT = """
model k {{
    param n = 8
    param a: real = {a}
    memory = 1 B * n * a
}}
mix month {{ job one = 10 * k(n = 4); job two = 3 * k(n = 9) }}
machine u {{ memory = {rate} GB/s }}
"""


def test_the_ends_of_a_mix_are_those_at_the_corners_of_its_numbers(tmp_path: Path) -> None:
    def result(a: str, rate: str) -> rd.Result:
        path = tmp_path / "mix.roof"
        path.write_text(TEXT.format(a=a, rate=rate), encoding="utf-8")
        return rd.load_model(f"{path}:month").on(rd.load_machine(f"{path}:u")).evaluate()

    corners = [result(a, rate).time for a, rate in product(("10.8", "13.2"), ("1.8", "2.2"))]
    time = result("12 ± 10%", "2 ± 10%").uncertainty["time"]
    assert time.low == pytest.approx(min(corners), rel=1e-9) and time.low <= min(corners)
    assert time.high == pytest.approx(max(corners), rel=1e-9) and time.high >= max(corners)
