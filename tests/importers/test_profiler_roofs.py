"""Roofs that profilers tell, as machines: by hand from what stands in the files."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.importers.formats import read_file, recognised
from tests.importers import profiler_files as files

PEAKS = {
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained": ("inst/cycle", "3,456"),
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained": ("inst/cycle", "6,912"),
    "sm__cycles_elapsed.avg.per_second": ("cycle/nsecond", "1.25"),
    "dram__bytes.sum.peak_sustained": ("byte/cycle", "1,280"),
    "dram__cycles_elapsed.avg.per_second": ("cycle/nsecond", "1.5"),
    "lts__t_bytes.sum.peak_sustained": ("byte/cycle", "5,120"),
    "lts__cycles_elapsed.avg.per_second": ("cycle/usecond", "750.25"),
}
LOWER = {**PEAKS, "sm__cycles_elapsed.avg.per_second": ("cycle/nsecond", "1.05")}
ROOFS = """name,bandwidth
L1 Bandwidth,3200000000000
DRAM Bandwidth,125000000000.5
DP Vector FMA Peak,1500000000000
DP Vector Add Peak,750000000000
SP Vector FMA Peak,3000000000000
Scalar Add Peak,90000000000
Int64 Vector Add Peak,800000000000
DRAM Bandwidth (single-threaded),12000000000
"""


def machine(folder: Path, name: str, text: str, form: str | None) -> tuple[rd.Machine, str]:
    (folder / name).write_text(text, encoding="utf-8")
    made, problems = read_file(folder / name, name, form)
    assert problems == () and made is not None
    path = folder / "made.roof"
    path.write_text(made.text, encoding="utf-8")
    return rd.load_machine(str(path)), " ".join(made.notes)


def test_what_the_units_of_a_card_can_do_in_a_cycle(tmp_path: Path) -> None:
    text = files.ncu_long(("triad", PEAKS), ("triad", LOWER))
    found, notes = machine(tmp_path, "ncu.csv", text, "ncu-roofs")
    rates = found.rates
    assert rates["flops.fp64"] == float(2 * 3456 * Fraction(5, 4) * 10**9)
    assert rates["flops.fp32"] == float(2 * 6912 * Fraction(5, 4) * 10**9)
    assert rates["memory.DRAM"] == float(1280 * Fraction(3, 2) * 10**9)
    # 3841.28 GB/s
    assert rates["memory.L2"] == float(5120 * Fraction("750.25") * 10**6)
    assert "flops.fp64 is the largest, 8640 GFLOP/s; the clock went down to 7257.6" in notes


def test_roofs_of_advisor(tmp_path: Path) -> None:
    found, notes = machine(tmp_path, "roofs.csv", ROOFS, None)
    assert recognised(tmp_path / "roofs.csv", "roofs.csv") == "advisor-roofs"
    assert found.rates == {
        "memory.L1": 3.2e12,
        "memory.DRAM": 125000000000.5,
        "flops.fp64": 1.5e12,
        "flops.fp64_add": 7.5e11,
        "flops.fp32": 3e12,
        "flops.scalar_add": 9e10,
    }
    assert "2 roofs are not used: 'Int64 Vector Add Peak'" in notes


@pytest.mark.parametrize("part", range(1, 10))
def test_of_a_part_of_roofs_nothing_half_is_made(part: int, tmp_path: Path) -> None:
    text = ROOFS[: len(ROOFS) * part // 10]
    (tmp_path / "roofs.csv").write_text(text, encoding="utf-8")
    made, problems = read_file(tmp_path / "roofs.csv", "roofs.csv", "advisor-roofs")
    assert made is None or text.endswith("\n")
    assert all(problem.span is not None for problem in problems)
