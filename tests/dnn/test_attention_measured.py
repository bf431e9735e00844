"""Fused attention as predicted against what was measured on H100, in `flash_attention.csv`.

One number of each implementation is fitted, on one point: the part of the products' rate that it
reaches. Errors are those of the speed: predicted over measured, less one.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import roofdsl as rd

BANDWIDTH = 0.9  # of the memory's peak, for all
FITTED = (128, False, 16384)
H100 = rd.load_machine("h100_sxm").changed(memory=f"{BANDWIDTH}x")
MODEL = rd.load_model("flash_attention")
IMPLEMENTATIONS = ("FA2", "FA3", "cuDNN")


class Measured(NamedTuple):
    """A speed in FLOP/s; `other`, what another copy of the same figure has."""

    read: str
    implementation: str
    d: int
    causal: bool
    s: int
    B: int
    a: int
    speed: float
    other: float | None

    @property
    def time(self) -> float:
        pairs = self.B * self.a * self.s**2
        return 4 * pairs * self.d / (2 if self.causal else 1) / self.speed

    @property
    def shape(self) -> tuple[int, bool, int]:
        return self.d, self.causal, self.s


@cache
def measured() -> list[Measured]:
    path = Path(__file__).with_name("flash_attention.csv")
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    return [
        Measured(
            row["read"],
            row["implementation"],
            int(row["d"]),
            row["causal"] == "true",
            int(row["s"]),
            int(row["B"]),
            int(row["a"]),
            1e12 * float(row["speed"]),
            1e12 * float(row["other"]) if row["other"] else None,
        )
        for row in csv.DictReader(lines)
    ]


def rows(read: str, implementation: str) -> list[Measured]:
    return [r for r in measured() if (r.read, r.implementation) == (read, implementation)]


def time(row: Measured, efficiency: float) -> float:
    machine = H100.changed({"flops.matrix.fp16": f"{efficiency!r}x"})
    found = MODEL.on(machine).evaluate(
        B=row.B, a=row.a, s=row.s, d=row.d, causal=row.causal, dtype="fp16"
    )
    return float(found.time)


def fitted(row: Measured) -> float:
    """Return the part of the products' rate that a point takes: its time falls with 1/part."""
    whole, half = time(row, 1), time(row, 0.5)
    products = half - whole
    return products / (row.time - (whole - products))


@cache
def efficiency(implementation: str) -> float:
    (point,) = (r for r in rows("figure", implementation) if r.shape == FITTED)
    return fitted(point)


def error(row: Measured) -> float:
    return row.time / time(row, efficiency(row.implementation)) - 1


def worst(implementation: str, *sizes: int, read: str = "figure") -> float:
    """Return the largest error, without points that copies of the figure have differently.

    They count where a table of another H100 confirms what is taken.
    """
    found = [r for r in rows(read, implementation) if r.d in sizes]
    return max(abs(error(r)) for r in found if r.other is None or confirmed(r))


def confirmed(row: Measured) -> bool:
    """Whether a table of the same shape is nearer to what is taken here."""
    assert row.other is not None
    tables = [r.speed for r in rows("table", row.implementation) if r.shape == row.shape]
    return any(abs(x - row.speed) < abs(x - row.other) for x in tables)


def test_all_points_of_the_figure_are_there() -> None:
    assert len(measured()) == 119
    for implementation in IMPLEMENTATIONS:
        found = {row.shape for row in rows("figure", implementation)}
        assert len(found) == len(rows("figure", implementation)) == 36
    assert all(row.B * row.s == 16384 and row.a * row.d == 2048 for row in measured())
    doubted = {(r.implementation, *r.shape) for r in measured() if r.other is not None}
    assert doubted == {
        ("FA2", 128, False, 16384),
        ("FA3", 128, False, 512),
        ("cuDNN", 128, False, 512),
    }


@pytest.mark.parametrize(
    ("implementation", "part"), [("FA2", 0.4632), ("FA3", 0.9887), ("cuDNN", 0.8715)]
)
def test_one_point_is_met_by_one_number(implementation: str, part: float) -> None:
    (point,) = (r for r in rows("figure", implementation) if r.shape == FITTED)
    assert efficiency(implementation) == pytest.approx(part, abs=5e-5)
    assert error(point) == pytest.approx(0, abs=1e-9)


def test_the_time_is_products_exponentials_and_what_is_not_hidden() -> None:
    for row in measured():
        pairs = row.B * row.a * (row.s * (row.s + 128) / 2 if row.causal else row.s**2)
        products = 4 * row.d * pairs / (1979e12 / 2 * 0.7)
        ends = 2 * row.B * row.a * row.s * row.d * 2 / (BANDWIDTH * 3.35e12)
        assert time(row, 0.7) == pytest.approx(products + pairs / 3.9e12 + ends, rel=1e-12)


def test_the_point_of_fa2_that_copies_have_differently_is_like_the_one_beside_it() -> None:
    (beside,) = (r for r in rows("figure", "FA2") if r.shape == (128, False, 8192))
    assert fitted(beside) == pytest.approx(efficiency("FA2"), rel=0.01)


def test_flash_attention_3() -> None:
    assert worst("FA3", 128) < 0.10
    errors = [abs(error(row)) for row in rows("figure", "FA3")]
    assert sum(each < 0.25 for each in errors) == 34
    assert max(errors) < 0.33  # 64 features a head, causal, 512 and 1024 tokens


@pytest.mark.parametrize("implementation", ["FA2", "cuDNN"])
def test_the_others_at_64_and_128_features_a_head(implementation: str) -> None:
    assert worst(implementation, 64) < 0.20
    assert worst(implementation, 128) < 0.20


@pytest.mark.parametrize(("implementation", "sizes"), [("FA2", (64,)), ("FA3", (128,))])
def test_what_others_measured(implementation: str, sizes: tuple[int, ...]) -> None:
    """Not fitted anew: on cards of unknown power limit."""
    assert worst(implementation, *sizes, read="table") < 0.10
