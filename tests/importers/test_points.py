"""Files of profilers as points: counts by hand, and files that are cut off or say too little."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.formats import read_file, recognised
from roofdsl.importers.given import Imported
from roofdsl.importers.runs_csv import read_runs
from roofdsl.plots.measured import read_measured
from tests.importers import profiler_files as files

FILES = [(form, name) for form, named in files.ALL.items() for name in named]
TEXTS = [text for named in files.ALL.values() for text in named.values()]


def imported(
    folder: Path, name: str, text: str, *, each: bool = False, decimal: str | None = None
) -> Imported:
    found, problems = attempt(folder, name, text, each=each, decimal=decimal)
    assert problems == ()
    assert found is not None
    return found


def attempt(
    folder: Path, name: str, text: str, *, each: bool = False, decimal: str | None = None
) -> tuple[Imported | None, tuple[Diagnostic, ...]]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_file(path, name, each=each, decimal=decimal)


def table(made: Imported) -> list[dict[str, str]]:
    return [*csv.DictReader(line for line in made.text.splitlines() if not line.startswith("#"))]


def numbers(row: dict[str, str]) -> dict[str, Fraction]:
    return {name: Fraction(cell) for name, cell in row.items() if name != "kernel" and cell}


@pytest.mark.parametrize("text", [files.GERMAN, files.ENGLISH], ids=["german", "english"])
def test_a_row_for_each_metric_in_any_locale(text: str, tmp_path: Path) -> None:
    made = imported(tmp_path, "ncu.csv", text)
    triad, copy = table(made)
    assert triad["kernel"] == files.TRIAD
    # 2 · (1024 + 2 · 102,400) flop over 2 · 2,508,800 B
    flops = 2 * (1024 + 2 * 102_400)
    assert numbers(triad) == {
        "calls": 2,
        "time [s]": Fraction(6577 + 6423, 10**8),
        "flops [flop]": flops,
        "memory [B]": 2 * 2_508_800,
        "memory.L1 [B]": 2 * 4_014_080,
        "memory.L2 [B]": 2 * 3_010_560,
    }
    assert Fraction(flops, 2 * 2_508_800) == Fraction(201, 2450)
    assert numbers(copy)["flops [flop]"] == 0
    assert numbers(copy)["time [s]"] == Fraction(3, 2000)
    assert [note for note in made.notes if "not used" in note] == [
        "1 metric is not used: 'sm__throughput.avg.pct_of_peak_sustained_elapsed'"
    ]


def test_a_row_for_each_launch_with_units_below_the_header(tmp_path: Path) -> None:
    (gemm,) = table(imported(tmp_path, "raw.csv", files.RAW))
    assert gemm["kernel"] == "gemm, tiled"
    assert numbers(gemm) == {
        "calls": 1,
        "time [s]": Fraction(3000, 1_500_000_000),
        "flops [flop]": 10 + 20 + 2 * 1000 + 512 * 8,
        "memory [B]": 1_500_000 + 500_250,
    }


def test_what_the_section_of_the_roofline_tells_for_each_cycle(tmp_path: Path) -> None:
    per_cycle = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed".format
    metrics = {
        "gpu__time_duration.sum": ("us", "20.5"),
        "smsp__cycles_elapsed.avg.per_second": ("Ghz", "1.50"),
        per_cycle("dadd"): ("inst/cycle", "12.25"),
        per_cycle("dmul"): ("inst/cycle", "0"),
        "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2": ("inst", "200.5"),
        "dram__bytes.sum.per_second": ("Gbyte/s", "750.5"),
    }
    (row,) = table(imported(tmp_path, "ncu.csv", files.ncu_long(("k", metrics))))
    cycles = Fraction(3, 2) * 20_500
    assert numbers(row) == {
        "calls": 1,
        "time [s]": Fraction(205, 10**7),
        "flops [flop]": (Fraction(49, 4) + Fraction(401, 2)) * cycles,
        "memory [B]": Fraction(1501, 2) * 20_500,
    }


def test_tensor_cores_of_another_capability_are_not_guessed(tmp_path: Path) -> None:
    made = imported(tmp_path, "raw.csv", files.RAW.replace('"7.0"', '"8.0"'))
    assert "flops [flop]" not in table(made)[0]
    assert any("tensor cores" in note for note in made.notes)


def test_launches_are_kept_apart(tmp_path: Path) -> None:
    rows = table(imported(tmp_path, "ncu.csv", files.GERMAN, each=True))
    names = [row["kernel"] for row in rows]
    assert names == [f"{files.TRIAD} #1", f"{files.TRIAD} #2", "copy(float4 *)"]
    assert [row["calls"] for row in rows] == ["1", "1", "1"]


def test_the_sign_of_decimals_may_be_said(tmp_path: Path) -> None:
    text = files.ncu_long(("k", {"gpu__time_duration.sum": ("usecond", "2,508")}))
    assert attempt(tmp_path, "ncu.csv", text)[1][0].code == "R1232"
    for sign, seconds in ((".", Fraction(2508, 10**6)), (",", Fraction(2508, 10**9))):
        (row,) = table(imported(tmp_path, "ncu.csv", text, decimal=sign))
        assert numbers(row)["time [s]"] == seconds


def test_a_count_that_would_not_be_whole_tells_the_sign(tmp_path: Path) -> None:
    metrics = {"gpu__time_duration.sum": ("usecond", "2,508"), "dram__bytes.sum": ("byte", "4,096")}
    (row,) = table(imported(tmp_path, "ncu.csv", files.ncu_long(("k", metrics))))
    assert numbers(row)["time [s]"] == Fraction(2508, 10**6)
    assert numbers(row)["memory [B]"] == 4096


def test_what_was_not_available_is_left_out(tmp_path: Path) -> None:
    metrics = {"gpu__time_duration.sum": ("usecond", "25"), "dram__bytes.sum": ("byte", "n/a")}
    made = imported(tmp_path, "ncu.csv", files.ncu_long(("k", metrics)))
    assert "memory [B]" not in table(made)[0]
    assert any("dram__bytes.sum is 'n/a'" in note for note in made.notes)


def test_counters_of_a_dispatch_by_their_formulas(tmp_path: Path) -> None:
    made = imported(tmp_path, "pmc_perf.csv", files.PMC)
    add, gemm = table(made)
    assert numbers(add) == {
        "calls": 2,
        "time [s]": Fraction(2 * 2500, 10**9),
        "flops [flop]": 2 * 64 * 100,
        # 8 reads of 32 B, 32 of 64 B; 5 writes of 32 B, 20 of 64 B
        "memory [B]": 2 * (8 * 32 + 32 * 64 + 5 * 32 + 20 * 64),
        "memory.L1 [B]": 2 * 64 * 50,
        "memory.L2 [B]": 2 * 64 * (30 + 20 + 1 + 1),
    }
    assert numbers(gemm)["flops [flop]"] == 64 * (2 * 10 + 1) + 512 * 3
    assert numbers(gemm)["memory [B]"] == 64 * 10 + 64 * 4
    assert any("'SQ_WAVES'" in note for note in made.notes)
    assert any("F32 of vectors" in note for note in made.notes)


def test_a_row_for_each_counter(tmp_path: Path) -> None:
    (copy,) = table(imported(tmp_path, "counters.csv", files.ROCPROFV3))
    # Of 100 reads 60 are of 128 B, 40 of 64 B; 50 writes of 64 B.
    assert numbers(copy) == {
        "calls": 1,
        "time [s]": Fraction(1000, 10**9),
        "memory [B]": 60 * 128 + 40 * 64 + 50 * 64,
    }


def test_a_counter_that_is_missing_leaves_its_level_out(tmp_path: Path) -> None:
    text = files.ROCPROFV3.replace("TCC_BUBBLE_sum", "TCC_HIT_sum")
    made = imported(tmp_path, "counters.csv", text)
    assert "memory [B]" not in table(made)[0]
    assert any(note.startswith("memory is left out: 'TCC_BUBBLE_sum'") for note in made.notes)


def test_what_perf_prints(tmp_path: Path) -> None:
    made = imported(tmp_path, "perf.txt", files.PERF_TEXT)
    (row,) = table(made)
    assert row["kernel"] == "./triad 1000"
    assert numbers(row) == {
        "calls": 1,
        "time [s]": Fraction(1, 4),
        "flops [flop]": 4 * 1_000_000 + 2500,
        "memory [B]": 27 * 2**20,
    }
    assert any("branch-misses" in note for note in made.notes)


def test_what_perf_prints_with_other_numbers(tmp_path: Path) -> None:
    text = files.PERF_TEXT.translate(str.maketrans(",.", ".,"))
    for name in ("fp_arith_inst_retired,256b", "fp_arith_inst_retired,scalar"):
        text = text.replace(name, name.replace(",", "."))
    (row,) = table(imported(tmp_path, "perf.txt", text))
    assert numbers(row)["memory [B]"] == 27 * 2**20
    assert numbers(row)["time [s]"] == Fraction(1, 4)


def test_events_of_perf_as_csv(tmp_path: Path) -> None:
    made = imported(tmp_path, "triad.csv", files.PERF_CSV)
    (row,) = table(made)
    assert row["kernel"] == "triad"
    assert numbers(row) == {
        "calls": 1,
        "time [s]": Fraction(1, 2000),
        "flops [flop]": 8 * 1000 + 4 * 64,
        "memory [B]": 64 * 3000,
    }
    assert any("prefetched" in note for note in made.notes)


@pytest.mark.parametrize("lost", ["<not counted>", "<not supported>"])
def test_an_event_that_was_not_counted_is_not_0(lost: str, tmp_path: Path) -> None:
    text = files.PERF_CSV.replace("1000,,fp_arith", f"{lost},,fp_arith")
    made = imported(tmp_path, "triad.csv", text)
    assert "flops [flop]" not in table(made)[0]
    assert any(note.startswith("flops are left out: not counted") for note in made.notes)


def test_loops_of_advisor(tmp_path: Path) -> None:
    made = imported(tmp_path, "loops.csv", files.ADVISOR)
    triad, dot, copy = table(made)
    assert dot["kernel"] == "[loop in dot, inlined at a.c:20]"
    for row, intensity, rate in ((triad, 16, Fraction(5, 2)), (dot, 8, Fraction(4))):
        found = numbers(row)
        assert found["flops [flop]"] / found["memory.L1 [B]"] == Fraction(1, intensity)
        assert found["flops [flop]"] / found["time [s]"] == rate * 10**9
    assert copy["flops [flop]"] == copy["memory.L1 [B]"] == ""
    assert any("'vectorization'" in note for note in made.notes)


def test_operators_of_a_trace(tmp_path: Path) -> None:
    made = imported(tmp_path, "trace.json", files.TRACE)
    addmm, mm = table(made)
    assert addmm["kernel"] == "aten::addmm"
    assert numbers(addmm)["flops [flop]"] == 2 * 64 * 32 * 16
    assert numbers(addmm)["time [s]"] == Fraction(30250, 10**9)
    assert numbers(mm)["flops [flop]"] == 1000
    # Of 68.5 us, 38.75 are of operators whose flop are known.
    assert any(note.startswith("43.4 % of the time") and "relu" in note for note in made.notes)


def test_a_kernel_on_a_device_gives_its_operator_the_time(tmp_path: Path) -> None:
    kernel = (
        '{"ph": "X", "cat": "kernel", "name": "sgemm", "pid": 0, "tid": 7, "ts": 300, "dur": 12.5, '
        '"args": {"External id": 3}},\n    {"ph": "M",'
    )
    made = imported(tmp_path, "trace.json", files.TRACE.replace('{"ph": "M",', kernel, 1))
    assert numbers(table(made)[0])["time [s]"] == Fraction(125, 10**7)


def test_a_trace_that_pytorch_records(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="there is no PyTorch")
    profiler = pytest.importorskip("torch.profiler")
    first, second = torch.randn(48, 32), torch.randn(32, 20)
    layer = torch.nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2)
    image = torch.randn(2, 4, 15, 15)
    cpu = [profiler.ProfilerActivity.CPU]
    with profiler.profile(activities=cpu, record_shapes=True, with_flops=True) as record:
        for _ in range(3):
            first @ second
        layer(image)
        torch.baddbmm(torch.zeros(5, 7, 3), torch.ones(5, 7, 9), torch.ones(5, 9, 3))
    record.export_chrome_trace(str(tmp_path / "trace.json"))
    made, problems = read_file(tmp_path / "trace.json", "trace.json")
    assert problems == () and made is not None
    found = {row["kernel"]: numbers(row) for row in table(made)}
    assert found["aten::mm"]["flops [flop]"] == 3 * 2 * 48 * 32 * 20
    assert found["aten::mm"]["calls"] == 3
    assert found["aten::baddbmm"]["flops [flop]"] == 2 * 5 * 7 * 9 * 3
    # 8 × 8 places of 2 images, 6 outputs, each from half of 4 channels
    assert found["aten::conv2d"]["flops [flop]"] == 2 * 2 * 64 * 6 * 2 * 9
    told = {each.key: each.flops for each in record.key_averages() if each.flops}
    assert all(found[name]["flops [flop]"] == told[name] for name in ("aten::mm", "aten::conv2d"))


@pytest.mark.parametrize(("form", "name"), FILES)
def test_a_format_is_recognised(form: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(files.ALL[form][name], encoding="utf-8")
    assert recognised(path, name) == form


@pytest.mark.parametrize("part", range(1, 10))
@pytest.mark.parametrize(("form", "name"), FILES)
def test_nothing_is_made_of_a_part(form: str, name: str, part: int, tmp_path: Path) -> None:
    text = files.ALL[form][name]
    cut = text[: len(text) * part // 10]
    path = tmp_path / name
    path.write_text(cut, encoding="utf-8")
    made, problems = read_file(path, name, form)
    if made is not None:  # only whole rows are left, and what the file says of their kernels is all
        whole = imported(tmp_path, name, text, each=True)
        path.write_text(cut, encoding="utf-8")
        left, _ = read_file(path, name, form, each=True)
        assert left is not None and cut.endswith("\n")
        assert {tuple(row.items()) for row in table(left)} < {
            tuple(row.items()) for row in table(whole)
        }
    else:
        assert problems
        assert all(problem.span is not None for problem in problems)


@pytest.mark.parametrize(("form", "name"), FILES)
@pytest.mark.parametrize("what", ["empty", "UTF-16", "Latin-1", "binary"])
def test_what_is_no_text_of_the_format(form: str, name: str, what: str, tmp_path: Path) -> None:
    text = files.ALL[form][name]
    data = {
        "empty": b"",
        "UTF-16": text.encode("utf-16"),
        "Latin-1": text.replace("a", "\xe4").encode("latin-1"),
        "binary": bytes(range(256)) * 20,
    }[what]
    path = tmp_path / name
    path.write_bytes(data)
    made, problems = read_file(path, name, form)
    assert made is None
    assert problems and all(each.span is not None or each.code == "R0002" for each in problems)


@pytest.mark.parametrize("bad", ["nan", "inf", "-inf", "1e999", "-3", "many", "1.2.3,4"])
@pytest.mark.parametrize(
    ("name", "text", "number", "line"),
    [
        ("ncu.csv", files.ENGLISH, '"65.77"', 4),
        ("raw.csv", files.RAW, '"500.25"', 3),
        ("pmc_perf.csv", files.PMC, ",1000,3500", 2),
        ("loops.csv", files.ADVISOR, ",2.5,", 2),
        ("triad.csv", files.PERF_CSV, "3000,,LLC", 6),
    ],
)
def test_a_number_that_is_none_is_refused_at_its_place(
    bad: str, name: str, text: str, number: str, line: int, tmp_path: Path
) -> None:
    digits = next(part for part in number.strip(',"').split(","))
    other = f'"{bad}"' if "," in bad and '"' not in number else bad
    made, problems = attempt(tmp_path, name, text.replace(number, number.replace(digits, other), 1))
    assert made is None
    assert any(str(problem.span).startswith(f"{name}:{line}:") for problem in problems)


@pytest.mark.parametrize("unit", ["", "apples", "%", "byte/second", "inst"])
def test_a_unit_that_is_missing_or_of_something_else(unit: str, tmp_path: Path) -> None:
    text = files.ENGLISH.replace('"Mbyte"', f'"{unit}"')
    made, problems = attempt(tmp_path, "ncu.csv", text)
    assert made is None
    assert {problem.code for problem in problems} == {"R1234"}


@given(
    st.sampled_from(TEXTS),
    st.data(),
)
def test_no_change_of_a_file_breaks_its_reader(
    tmp_path_factory: pytest.TempPathFactory, text: str, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        end = at + data.draw(st.integers(0, 12))
        what = data.draw(
            st.sampled_from(["", '"', ",", "\n", "0", "nan", "1e300", "-", "\x1b", "€", "9" * 80])
        )
        text = text[:at] + what + text[end:]
    for form in files.ALL:
        path = folder / "file.csv"
        path.write_text(text, encoding="utf-8")
        made, problems = read_file(path, "file.csv", form)
        assert (made is None) == bool(problems)
        if made is not None:
            points = folder / "points.csv"
            points.write_text(made.text, encoding="utf-8")
            assert read_measured(points)
            assert read_runs(points) is not None
