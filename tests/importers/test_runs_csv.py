"""Runs as CSV: what is read, with its units and places, and that nothing else is."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from roofdsl.analysis.runs import Runs
from roofdsl.expression.condition import decided
from roofdsl.expression.tree import Number
from roofdsl.importers.headed_csv import MOST_PROBLEMS
from roofdsl.importers.runs_csv import read_runs
from roofdsl.model.precision import named
from roofdsl.units.dimension import BYTE


def read(folder: Path, text: str) -> Runs:
    path = folder / "runs.csv"
    path.write_text(text, encoding="utf-8", newline="")
    runs, problems = read_runs(path, "runs.csv")
    assert problems == ()
    assert runs is not None
    return runs


def problems_of(folder: Path, text: str) -> list[tuple[str, str]]:
    path = folder / "runs.csv"
    path.write_text(text, encoding="utf-8", newline="")
    runs, problems = read_runs(path, "runs.csv")
    assert runs is None
    return [(problem.code, str(problem.span)) for problem in problems]


def test_everything_a_run_may_have(tmp_path: Path) -> None:
    runs = read(
        tmp_path,
        "# a comment\n"
        "kernel,N,V [KiB],dtype,even,time [ms],compute [us],communication [s],time_low [s],"
        "time_high [s],repeats,performance [GFLOPS],flops [GFLOP],memory.L2 [kB],machine\n"
        "summa,4096,1.5,fp32,true,12,7e3,5e-3,.,,5,2.5,0.25,3,mine\n".replace(".,,5", "0.011,,5"),
    )
    assert runs.name == "runs.csv"
    (run,) = runs.runs
    values = {name: tree for name, (tree, _) in run.arguments.items()}
    assert (run.kernel, run.machine, run.repeats) == ("summa", "mine", 5)
    assert values["N"] == Number(Fraction(4096))
    assert values["V"] == Number(Fraction(1536))
    assert isinstance(values["dtype"], Number)
    assert named(values["dtype"].value) == "fp32"
    assert decided(values["even"]) is True
    assert (run.time, run.compute, run.communication) == (0.012, 0.007, 0.005)
    assert (run.low, run.high) == (0.011, None)
    assert run.performance == 2.5e9
    assert run.work == {"flops": 2.5e8, "memory.L2": 3000.0}
    assert runs.parameters["V"].dimension == BYTE
    assert runs.parameters["N"].dimension is None
    assert str(run.arguments["V"][1]) == "runs.csv:3:12"


def test_an_empty_cell_is_not_given(tmp_path: Path) -> None:
    runs = read(tmp_path, "kernel,N,iterations,time [s]\nsumma,4,,1\ncg,,7,2\n")
    assert [[*run.arguments] for run in runs.runs] == [["N"], ["iterations"]]


def test_numbers_are_exact(tmp_path: Path) -> None:
    draw = random.Random("numbers")
    written = [f"{draw.randint(-99, 99)}.{draw.randint(0, 10**12)}e{draw.randint(-30, 30)}"
               for _ in range(200)]  # fmt: skip
    runs = read(tmp_path, "x,time [s]\n" + "".join(f"{x},1\n" for x in written))
    found = [run.arguments["x"][0] for run in runs.runs]
    assert found == [Number(Fraction(x)) for x in written]


def test_every_problem_has_its_line_and_column(tmp_path: Path) -> None:
    text = (
        "kernel,N,dtype,time [s]\nsumma,4,fp32,x\nsumma,4,8,1\nsumma,,,0\nsumma,4,,\n"
        'summa,4,fp32\n"summa,4,,1\nsumma,nan,,1\nsumma,4,,inf\nsumma,4,,-1\nsumma,1e999,,1\n'
    )
    assert problems_of(tmp_path, text) == [
        ("R0914", "runs.csv:2:14"),
        ("R0914", "runs.csv:3:9"),
        ("R1502", "runs.csv:4:9"),
        ("R1502", "runs.csv:5:1"),
        ("R0913", "runs.csv:6:1"),
        ("R0913", "runs.csv:7:1"),
        ("R0914", "runs.csv:8:7"),
        ("R0914", "runs.csv:9:10"),
        ("R0914", "runs.csv:10:10"),
        ("R0914", "runs.csv:11:7"),
    ]


@pytest.mark.parametrize(
    ("header", "place"),
    [
        ("kernel,N,time", "1:10"),  # a time without its unit
        ("kernel,N,time [KB]", "1:10"),  # in no unit
        ("kernel,N,time [B]", "1:10"),  # in one of something else
        ("kernel,N [words],time [s]", "1:8"),  # a parameter in no unit
        ("kernel,N,N,time [s]", "1:1"),  # a column twice
        ("kernel,N [kB],N [B],time [s]", "1:1"),  # in two units
        ("kernel,N", "1:1"),  # without a time
        ("kernel,N,time [s],memory.L2 [s]", "1:19"),  # work of a level in another unit
        ("kernel,repeats [s],time [s]", "1:8"),  # a plain number with a unit
    ],
)
def test_a_header_that_does_not_fit(tmp_path: Path, header: str, place: str) -> None:
    row = ",".join("1" * (header.count(",") + 1))
    assert problems_of(tmp_path, f"{header}\n{row}\n") == [("R0912", f"runs.csv:{place}")]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "kernel,time [s]\n"])
def test_no_runs(tmp_path: Path, text: str) -> None:
    assert [code for code, _ in problems_of(tmp_path, text)] == ["R1501"]


def test_a_performance_stands_for_a_time(tmp_path: Path) -> None:
    (run,) = read(tmp_path, "kernel,performance [GFLOPS]\ntriad,2\n").runs
    assert (run.time, run.performance) == (None, 2e9)


def test_the_two_may_both_be_there_or_either(tmp_path: Path) -> None:
    runs = read(tmp_path, "kernel,time [s],performance [GFLOPS]\na,1,\nb,,2\nc,1,0\n").runs
    assert [(run.time, run.performance) for run in runs] == [(1, None), (None, 2e9), (1, 0)]


def test_a_file_full_of_mistakes_is_not_listed_to_its_end(tmp_path: Path) -> None:
    text = "kernel,time [s]\n" + "a,x\n" * 1000
    assert len(problems_of(tmp_path, text)) == MOST_PROBLEMS


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_quotes_and_a_byte_order_mark(tmp_path: Path, end: str) -> None:
    lines = ["\ufeff# by hand", "kernel , N, time [s]", '"a, b" , 2 , 3', "", ",,"]
    (run,) = read(tmp_path, end.join(lines)).runs
    assert (run.kernel, run.time) == ("a, b", 3)


@pytest.mark.parametrize("cut", range(1, 40))
def test_a_truncated_file_is_read_to_a_whole_row_or_refused(tmp_path: Path, cut: int) -> None:
    whole = "kernel,N,time [s]\nsumma,4096,1.25\nsumma,8192,2.50\n"
    path = tmp_path / "runs.csv"
    path.write_text(whole[:-cut], encoding="utf-8")
    runs, problems = read_runs(path, "runs.csv")
    assert (runs is None) == bool(problems)
    for run in runs.runs if runs else ():
        assert run.time is not None
        assert "N" in run.arguments


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    for data in (b"\xff\xfek\0", b"kernel,time [s]\n\xe9,1\n", b"a\0b"):
        path.write_bytes(data)
        runs, (problem,) = read_runs(path, "runs.csv")
        assert (runs, problem.code) == (None, "R0002")


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    with path.open("wb") as file:
        file.truncate(5_000_000)
    runs, (problem,) = read_runs(path, "runs.csv")
    assert runs is None
    assert ".roof" not in str(problem)
