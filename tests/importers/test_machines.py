"""Files of tools that measure machines: rates, ridges and points by hand; and what is cut off."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.formats import FORMATS, POINTS, read_file, recognised
from roofdsl.importers.given import Imported
from roofdsl.importers.machines.latency_fit import Message, fitted
from roofdsl.model.library import check_module

pytest.importorskip("yaml", reason="pyyaml is not installed")

FIXTURES = Path(__file__).parent / "fixtures"
FORMS = {
    "roofline.json": "ert",
    "processor.yml": "kerncraft",
    "bench.txt": "likwid-bench",
    "latency.txt": "osu",
    "latency_and_bandwidth.txt": "osu",
    "all_reduce.txt": "nccl",
    "all_reduce.json": "nccl",
    "roofs.csv": "rocprof-roofs",
    "roofs_of_node17.csv": "carm",
    "applications.csv": "carm-points",
    "perfctr.csv": "likwid",
}
UNITS = {
    "TB/s": Fraction(10**12), "GB/s": Fraction(10**9), "MB/s": Fraction(10**6),
    "GFLOP/s": Fraction(10**9), "MFLOP/s": Fraction(10**6), "GHz": Fraction(10**9),
    "us/message": Fraction(1, 10**6), "us": Fraction(1, 10**6),
}  # fmt: skip


def imported(path: Path, **options: Any) -> Imported:
    found, problems = read_file(path, path.name, **options)
    assert problems == ()
    assert found is not None
    return found


def fixture(file: str, **options: Any) -> Imported:
    return imported(FIXTURES / file, **options)


def rates(text: str, machine: str) -> dict[str, Fraction]:
    """Return what a machine states, in SI base units, by a reading of the text of its own."""
    body = re.search(rf"^machine {machine} {{\n(.*?)^}}", text, re.M | re.S)
    assert body is not None
    found: dict[str, Fraction] = {}
    block = ""
    for line in body[1].splitlines():
        stated = line.partition("##")[0].strip()
        if stated.endswith("{"):
            block = stated[:-1].strip() + "."
        elif stated == "}":
            block = ""
        elif match := re.fullmatch(r"([\w. ]+) = ([0-9.]+)(?: ± ([0-9.]+))? (\S+)", stated):
            name, value, off, unit = match.groups()
            name = name.removeprefix("let ")
            found[block + name] = Fraction(value) * UNITS[unit]
            if off:
                found[f"{block}{name} ±"] = Fraction(off) * UNITS[unit]
    return found


def table(made: Imported) -> dict[str, dict[str, Fraction]]:
    lines = [line for line in made.text.splitlines() if not line.startswith("#")]
    return {
        row.pop("kernel"): {name: Fraction(cell) for name, cell in row.items() if cell}
        for row in csv.DictReader(lines)
    }


def giga(*values: str) -> list[Fraction]:
    return [Fraction(value) * 10**9 for value in values]


@pytest.mark.parametrize("name", FORMS)
def test_a_file_is_recognised_by_its_content(name: str, tmp_path: Path) -> None:
    other = tmp_path / "somehow.dat"
    other.write_bytes((FIXTURES / name).read_bytes())
    assert recognised(other, other.name) == FORMS[name]


@pytest.mark.parametrize("name", FORMS)
def test_what_is_written_is_a_file_of_its_kind(name: str, tmp_path: Path) -> None:
    ending = ".csv" if FORMATS[FORMS[name]].makes == POINTS else ".roof"
    target = tmp_path / f"made{ending}"
    run = CliRunner().invoke(cli, ["import", str(FIXTURES / name), "-o", str(target)])
    assert run.exit_code == 0
    if ending == ".roof":
        module, problems = check_module(target)
        assert (module is not None, problems) == (True, ())
    else:
        assert target.read_text(encoding="utf-8").splitlines()[1].startswith("kernel,")


def test_ert() -> None:
    text = fixture("roofline.json").text
    found = rates(text, "node17")
    flops, *memory = giga("1024.5", "4096.25", "1500", "320.125", "102.4")
    assert list(found.values()) == [flops, *memory]
    assert list(found) == ["flops", "memory.L1", "memory.L2", "memory.L3", "memory.DRAM"]
    assert "Empirical Roofline Tool 1.1.0, 2019-03-01, host node17" in text
    assert "4 MPI processes, 8 OpenMP threads" in text
    machine = rd.loads(text).machines["node17"]
    assert machine.ridge.OI == float(Fraction("1024.5") / Fraction("102.4"))


def test_levels_of_ert_get_names_and_are_left_out() -> None:
    options = {"renamed": {"L3": "DRAM"}, "dropped": ("DRAM", "L1"), "name": "mine"}
    found = rates(fixture("roofline.json", **options).text, "mine")
    assert found == dict(
        zip(("flops", "memory.L2", "memory.DRAM"), giga("1024.5", "1500", "320.125"), strict=True)
    )


def test_ert_with_several_precisions(tmp_path: Path) -> None:
    path = tmp_path / "roofline.json"
    data = '[["FP32 GFLOPs", 200.5], ["FP64 GFLOPs", 100.25]]'
    parts = f'"gflops": {{"data": {data}}}, "gbytes": {{"data": [["DRAM", 50]]}}'
    path.write_text(f'{{"empirical": {{{parts}}}}}', encoding="utf-8")
    text = imported(path).text
    names = ("flops.fp32", "flops.fp64", "memory.DRAM")
    assert rates(text, "roofline") == dict(zip(names, giga("200.5", "100.25", "50"), strict=True))
    assert rd.loads(text).machines["roofline"].ridge.OI == float(Fraction("100.25") / 50)


def test_kerncraft() -> None:
    text = fixture("processor.yml").text
    assert "fp64 = 16 flop/cycle * cores * clock" in text
    found = rates(text, "a_processor_2_50ghz")
    # load, copy and load are the largest with 4 cores and one thread each
    assert [found[f"memory.{level}"] for level in ("L1", "L2", "MEM")] == giga(
        "372.4", "194.25", "31.2505"
    )
    machine = rd.loads(text).machines["a_processor_2_50ghz"]
    peak = Fraction(16) * 4 * Fraction("2.5")
    assert machine.ridge.OI == float(peak / Fraction("31.2505"))


def test_likwid_bench() -> None:
    made = fixture("bench.txt", renamed={"load_avx_2000000000_B": "DRAM"}, dropped=())
    found = rates(made.text, "bench")
    assert found == {
        "flops.fp64": Fraction("160000.50") * 10**6,
        "memory.load_avx_64000_B": Fraction("400000.25") * 10**6,
        "memory.DRAM": Fraction("40000.50") * 10**6,
    }
    assert "default DRAM" in made.text
    machine = rd.loads(made.text).machines["bench"]
    assert machine.ridge.OI == float(Fraction("160000.50") / Fraction("40000.50"))


def test_rocprof_compute() -> None:
    text = fixture("roofs.csv").text
    found = rates(text, "roofs_0")
    assert found == {
        "flops.vector.fp32": 20000 * 10**9,
        "flops.vector.fp32 ±": 20 * 10**9,  # of 19990 and 20020, the farther one
        "flops.vector.fp64": Fraction("20000.5") * 10**9,
        "flops.matrix.bf16": Fraction("150000.25") * 10**9,
        "flops.matrix.fp64": Fraction("40000.125") * 10**9,
        "flops.matrix.int8": 160000 * 10**9,
        "flops.matrix.int8 ±": 10 * 10**9,
        "memory.HBM": Fraction("1300.5") * 10**9,
        "memory.HBM ±": Fraction("2.25") * 10**9,
        "memory.L2": Fraction("4500.75") * 10**9,
        "memory.L2 ±": Fraction("0.5") * 10**9,
        "memory.LDS": 9000 * 10**9,
    }
    assert "memory.LDS" not in rates(text, "roofs_1")
    machine = rd.loads(text).machines["roofs_0"]
    assert machine.ridge.OI == float(Fraction(20000) / Fraction("1300.5"))


def test_carm() -> None:
    text = fixture("roofs_of_node17.csv").text
    found = rates(text, "node17_avx512_dp_4")
    names = ("flops.fp64_add", "flops.fp64", "memory.L1", "memory.L2", "memory.L3", "memory.DRAM")
    values = giga("192", "384.75", "1536.5", "700.25", "200", "64.125")
    assert found == dict(zip(names, values, strict=True))
    machine = rd.loads(text).machines["node17_avx512_dp_4"]
    assert machine.ridge.OI == float(Fraction("384.75") / Fraction("64.125"))
    assert "memory.L3" not in rates(text, "node17_avx512_sp_4")


def test_programs_of_carm_have_the_intensities_of_the_file() -> None:
    made = fixture("applications.csv")
    found = table(made)
    assert set(found) == {"triad, blocked", "copy", "mixed"}
    for kernel, intensity, rate, time in (
        ("triad, blocked", Fraction("0.0625"), Fraction("2.5"), Fraction(4)),
        ("mixed", Fraction("0.5"), Fraction(10), Fraction(1, 2)),
    ):
        row = found[kernel]
        assert row["flops [flop]"] / row["memory.L1 [B]"] == intensity
        assert row["flops [flop]"] / row["time [s]"] == rate * 10**9
        assert row["time [s]"] == time
    assert found["copy"] == {"calls": 1, "time [s]": 2, "flops [flop]": 0}
    assert "the unit of the time by 'NCU' is not known: left out" in made.notes


def test_regions_of_likwid_add_up_over_threads_and_sockets() -> None:
    made = fixture("perfctr.csv")
    flops = 1000 * 10**6 * 2 + 800 * 10**6 * Fraction("2.5")
    assert table(made) == {
        "triad": {
            "calls": 1,
            "time [s]": Fraction("2.5"),
            "flops [flop]": flops,
            "memory [B]": Fraction("48.5") * 10**9,
        },
        "copy": {"calls": 1, "time [s]": 1, "flops [flop]": 0, "memory [B]": 16 * 10**9},
    }
    assert "1 metric is not used: 'Energy [J]'" in made.notes


def test_what_a_program_prints_before_its_counters_is_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "perfctr.csv"
    text = (FIXTURES / path.name).read_text(encoding="utf-8")
    path.write_text('it said "hello, 1\n' + text, encoding="utf-8")
    assert table(imported(path)) == table(fixture(path.name))


def least(sent: Sequence[tuple[int, Fraction]]) -> tuple[Fraction, Fraction]:
    """Solve the normal equations of sum of (L/t + b·s/t - 1)² by Cramer's rule."""
    none = Fraction(0)
    saa = sum((1 / t**2 for _, t in sent), none)
    sab = sum((s / t**2 for s, t in sent), none)
    sbb = sum((s**2 / t**2 for s, t in sent), none)
    sa = sum((1 / t for _, t in sent), none)
    sb = sum((s / t for s, t in sent), none)
    down = saa * sbb - sab**2
    return (sa * sbb - sb * sab) / down, down / (saa * sb - sab * sa)


def close(written: Fraction, exact: Fraction) -> bool:
    """Whether a number is another with six digits."""
    return abs(written / exact - 1) <= Fraction(5, 10**6)


def test_a_link_of_the_osu_benchmarks() -> None:
    made = rates(fixture("latency.txt").text, "latency")
    sizes = {0: "2.00", 8: "2.00", 1024: "2.50", 4096: "4.00", 65536: "34.00", 1048576: "520.00"}
    latency, bandwidth = least([(size, Fraction(t) / 10**6) for size, t in sizes.items()])
    assert close(made["messages"], latency)
    assert close(made["network"], bandwidth)


def test_a_link_of_latency_and_of_bandwidth() -> None:
    made = rates(fixture("latency_and_bandwidth.txt").text, "latency_and_bandwidth")
    # 1.5 us; and 1000 B in 2 us, 4000 B in 2.5 us: 3000 B more take 0.5 us more
    assert made == {"messages": Fraction("1.5e-6"), "network": 6 * 10**9}


def test_a_link_of_nccl_tests_is_by_the_bus_bandwidth() -> None:
    made = rates(fixture("all_reduce.json").text, "all_reduce")
    # two ranks send as much as the size: 10.01 us of 1 kB, 1010 us of 100 MB
    assert made == {"network": 100 * 10**9, "startup network": Fraction(1, 10**5)}
    made = rates(fixture("all_reduce.txt").text, "all_reduce")
    sent = [(12, "20"), (1500000, "30"), (1500000000, "10020")]  # 2·3/4 of each size
    latency, bandwidth = least([(size, Fraction(t) / 10**6) for size, t in sent])
    assert close(made["startup network"], latency)
    assert close(made["network"], bandwidth)


@given(
    st.fractions(0, 1000, max_denominator=50),
    st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
    st.sets(st.integers(0, 10**9), min_size=2, max_size=8),
)
def test_a_link_without_noise_is_told_exactly(
    latency: Fraction, bandwidth: Fraction, sizes: set[int]
) -> None:
    sent = [Message(Fraction(size), latency + size / bandwidth) for size in sizes]
    sent = [message for message in sent if message.time]
    found = fitted(sent)
    if len(sent) < 2:
        assert found is None
    else:
        assert found is not None
        assert (found.latency, found.bandwidth, found.off) == (latency, bandwidth, Fraction(0))


HOSTILE = '=a\x1b[31m\x9b2J\x07\u202eb\u2028c"\n}\nmachine evil { flops = 1 }'


def test_what_a_file_says_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "roofline.json"
    data = {
        "metadata": {"HOSTNAME": HOSTILE, "ERT_VERSION": HOSTILE, HOSTILE: 1},
        "gflops": {"data": [["GFLOPs", 100.5], [HOSTILE, 1.5]]},
        "gbytes": {"data": [["DRAM", 50.5], [HOSTILE, 2.5]]},
    }
    path.write_text(json.dumps({"empirical": data}), encoding="utf-8")
    made = imported(path)
    assert list(rd.loads(made.text).machines) == ["a_31m_2j_b_c_machine_evil_flops_1"]
    said = "".join((made.text.replace("\n", ""), *made.notes))
    assert not {"\x1b", "\x9b", "\x07", "\u202e", "\u2028", "\n"} & set(said)


# What is wrong with a file


def refused(path: Path, form: str) -> tuple[Diagnostic, ...]:
    found, problems = read_file(path, path.name, form)
    assert found is None
    assert problems
    return problems


@pytest.mark.parametrize("tenths", range(10))
@pytest.mark.parametrize("name", FORMS)
def test_a_file_that_is_cut_off_is_refused_with_its_place(
    name: str, tenths: int, tmp_path: Path
) -> None:
    data = (FIXTURES / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[: len(data) * tenths // 10])
    target = tmp_path / ("old.csv" if FORMATS[FORMS[name]].makes == POINTS else "old.roof")
    target.write_text("what was there before", encoding="utf-8")
    line = ["import", str(path), "--from", FORMS[name], "-o", str(target)]
    run = CliRunner().invoke(cli, line)
    assert run.exit_code == 1, run.output
    assert re.search(rf"{re.escape(name)}:\d+:\d+", str(run.exception))
    assert target.read_text(encoding="utf-8") == "what was there before"
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_another_encoding_is_refused(encoding: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    text = (FIXTURES / name).read_text(encoding="utf-8")
    path.write_bytes(f"{text}é\n".encode(encoding))
    assert [problem.code for problem in refused(path, FORMS[name])] == ["R0002"]


@pytest.mark.parametrize("name", FORMS)
def test_a_byte_order_mark_and_other_line_ends_are_read(name: str, tmp_path: Path) -> None:
    data = (FIXTURES / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    assert recognised(path, name) == FORMS[name]
    found, here = imported(path).text, fixture(name).text
    digest = re.compile(r"sha256 [0-9a-f]{64}")
    assert digest.sub("", found) == digest.sub("", here)


MEASURED = {
    "roofline.json": "1024.5", "processor.yml": "32.00 GB/s", "bench.txt": "400000.25",
    "latency.txt": "34.00", "all_reduce.txt": "10020.0", "all_reduce.json": "1010.000000",
    "roofs.csv": "1300.5", "roofs_of_node17.csv": "384.75", "applications.csv": "0.0625",
    "perfctr.csv": "48.5",
}  # fmt: skip
"""A number of each file that goes into what is made of it."""
NO_NUMBERS = ("nan", "NaN", "inf", "-inf", "-1.5", "1e300", "1e-300", "1e999999", "1" * 300, "1,5")


@pytest.mark.parametrize("number", NO_NUMBERS)
@pytest.mark.parametrize("name", MEASURED)
def test_what_was_not_measured_is_refused_with_its_place(
    name: str, number: str, tmp_path: Path
) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    assert MEASURED[name] in text
    path = tmp_path / name
    path.write_text(text.replace(MEASURED[name], number, 1), encoding="utf-8")
    assert all(problem.span is not None for problem in refused(path, FORMS[name]))


@pytest.mark.parametrize("name", [*FORMS])
@given(data=st.data())
def test_no_change_of_a_file_ends_in_an_error_of_python(
    name: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 30)))
        pieces = st.sampled_from(
            ("", "\n", ",", '"', "nan", "0", "-1", "1e9", "{", "]", "[1]", "#", ":", "null", "\x1b",
             "é", " ", "\t", text[start:end] * 2)
        )  # fmt: skip
        text = text[:start] + data.draw(pieces) + text[end:]
    path = tmp_path_factory.getbasetemp() / f"changed_{name}"
    path.write_text(text, encoding="utf-8")
    made, problems = read_file(path, name, FORMS[name])
    assert (made is None) == bool(problems)
    for problem in problems:
        assert str(problem)
    if made is not None and FORMATS[FORMS[name]].makes != POINTS:
        assert rd.loads(made.text).machines


@pytest.mark.parametrize("name", ["perfctr.csv", "applications.csv"])
def test_points_are_drawn_and_validated(name: str, tmp_path: Path) -> None:
    target = tmp_path / "points.csv"
    target.write_text(fixture(name).text, encoding="utf-8")
    figure = tmp_path / "roofline.svg"
    on = ["--machine", "blue_waters_xe"]
    drawn = ["plot", "roofline", *on, "--measured", str(target), "-o", str(figure)]
    for line in (drawn, ["validate", str(target), *on]):
        run = CliRunner().invoke(cli, line)
        assert run.exit_code == 0, run.exception or run.output
