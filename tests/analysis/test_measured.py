"""Measured operations: times of the table, exactly or between entries, and what binds then."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.analysis.result import Result
from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError

MODEL = """
model product {
    param m: integer
    param n: integer = 8
    as gemm(m = m, n = n)
    flops  = 2*m*n
    memory = 1 kB * m
}
model mixed {
    as gemm(m = 10, n = 8)
    flops.half = 30; flops.single = 10
}
machine exact { memory = 1 GB/s; flops = 1 GFLOP/s; measured gemm(m, n) from "gemm.csv" }
machine between {
    memory = 1 GB/s
    flops  = 1 GFLOP/s
    measured gemm(m, n) from "gemm.csv" interpolate
}
"""
# At n = 8 the time is 3 µs · (m/10)^2; a product of 40 × 9 stands alone.
TABLE = "m,n,time [us]\n10,8,3\n1000,8,30000\n40,9,7\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "gemm.csv").write_text(TABLE, encoding="utf-8")
    path = tmp_path / "products.roof"
    path.write_text(MODEL, encoding="utf-8")
    return path


def run(file: Path, machine: str, **values: int) -> Result:
    model = rd.load_model(f"{file}:product")
    return model.on(rd.load_machine(f"{file}:{machine}")).evaluate(**values)


def test_an_entry_is_taken_as_it_is(file: Path) -> None:
    for machine in ("exact", "between"):
        found = run(file, machine, m=1000)
        assert found.times["flops"] == pytest.approx(30e-3, rel=1e-15)
        assert found.notes == ()


def test_the_slower_of_product_and_memory_binds(file: Path) -> None:
    """Cardwell 2019, Eq. 3.1: 10 kB take 10 µs, the product 3; 1 MB takes 1 ms, that one 30."""
    assert run(file, "exact", m=10).bound == "memory"
    assert run(file, "exact", m=10).time == pytest.approx(10e-6)
    assert run(file, "exact", m=1000).bound == "flops"


def test_what_was_measured_is_the_time_of_all_kinds_of_flops_together(file: Path) -> None:
    found = rd.load_model(f"{file}:mixed").on(rd.load_machine(f"{file}:exact")).evaluate()
    assert (found.time, found.times, found.flops) == (3e-6, {"flops": 3e-6}, 40)


@pytest.mark.parametrize("m", [11, 40, 100, 999])
def test_between_two_entries_a_power_law_and_a_note(file: Path, m: int) -> None:
    found = run(file, "between", m=m)
    assert found.times["flops"] == pytest.approx(3e-6 * (m / 10) ** 2, rel=1e-12)
    assert found.notes == (
        f"gemm(m = {m}, n = 8) is interpolated between m = 10 and m = 1000",
        "interpolation of gemm: of 3 entries none lies between others: how far off is not known",
    )


@pytest.mark.parametrize("values", [{"m": 9}, {"m": 1001}, {"m": 40, "n": 10}, {"m": 41, "n": 9}])
def test_nothing_is_extrapolated(file: Path, values: dict[str, int]) -> None:
    with pytest.raises(RoofError, match="has not measured gemm"):
        run(file, "between", **values)


def test_where_formulas_hold_names_the_values_that_nothing_lies_between(tmp_path: Path) -> None:
    """They are no range: between 5 and 12 there is nothing, and a point there is an error."""
    rows = "\n".join(f"{m},8,{m}" for m in (1, 5, 12, 20, 30))
    (tmp_path / "gemm.csv").write_text(f"m,n,time [us]\n{rows}\n", encoding="utf-8")
    path = tmp_path / "products.roof"
    path.write_text(MODEL, encoding="utf-8")
    shown = [
        CliRunner().invoke(cli, ["eval", f"{path}:product", "-m", f"{path}:{name}"]).output
        for name in ("exact", "between")
    ]
    assert "has measured gemm: m = 1, 5, 12, 20, 30, and for nothing between" in shown[0]
    assert "has measured gemm: m = 1 .. 30\n" in shown[1]


def test_without_interpolation_a_missing_entry_is_an_error(file: Path) -> None:
    with pytest.raises(RoofError, match="has not measured gemm") as raised:
        run(file, "exact", m=100)
    assert "the nearest entries are" in str(raised.value)


def test_entries_are_shown_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "gemm.csv").write_text(
        "m,n,time [us]\n2.5,8,3\n12345678,8,30000\n", encoding="utf-8"
    )
    path = tmp_path / "products.roof"
    path.write_text(MODEL, encoding="utf-8")
    assert run(path, "between", m=1234567).notes[0] == (
        "gemm(m = 1234567, n = 8) is interpolated between m = 2.5 and m = 12345678"
    )
