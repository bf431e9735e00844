"""Profiles as CSV: what is read, and that nothing else is. Messages are in tests/messages."""

from __future__ import annotations

import csv
import random
import time
from io import StringIO
from pathlib import Path

import pytest

from roofdsl.analysis.projection import Profile
from roofdsl.importers.headed_csv import MOST_PROBLEMS
from roofdsl.importers.profile_csv import read_profile
from roofdsl.located_csv import MOST_CELLS, rows
from roofdsl.source import Source


def read(folder: Path, text: str) -> Profile:
    path = folder / "profile.csv"
    path.write_text(text, encoding="utf-8", newline="")
    profile, problems = read_profile(path)
    assert problems == ()
    assert profile is not None
    return profile


def problems_of(folder: Path, text: str) -> list[tuple[str, str]]:
    path = folder / "profile.csv"
    path.write_text(text, encoding="utf-8", newline="")
    profile, problems = read_profile(path, "profile.csv")
    assert profile is None
    return [(problem.code, str(problem.span)) for problem in problems]


def test_columns_stand_in_any_order_and_others_are_left_aside(tmp_path: Path) -> None:
    text = "kind,share,group,time [s],bound\nserial,50,a,2,\n,,b,3.5e0,flops\nthreaded,,c,0,\n"
    profile = read(tmp_path, text)
    assert [(g.name, g.time, g.bound) for g in profile.groups] == [
        ("a", 2.0, "memory.NUMA"),
        ("b", 3.5, "flops"),
        ("c", 0.0, "memory"),
    ]
    assert profile.total == 5.5


def test_bounds_may_stand_without_kinds(tmp_path: Path) -> None:
    profile = read(tmp_path, "group,time [s],bound\na,2,flops\nb,3,\n")
    assert [(g.name, g.bound) for g in profile.groups] == [("a", "flops"), ("b", None)]


@pytest.mark.parametrize(
    ("unit", "seconds"), [("s", 1), ("ms", 1e-3), ("us", 1e-6), ("min", 60), ("h", 3600)]
)
def test_time_has_the_unit_of_its_column(tmp_path: Path, unit: str, seconds: float) -> None:
    profile = read(tmp_path, f"group,time [{unit}],kind\na,1.5,serial\n")
    assert profile.groups[0].time == pytest.approx(1.5 * seconds, rel=1e-15)


@pytest.mark.parametrize("name", ["Total", "total", "TOTAL", '"Total"'])
def test_a_total_is_no_group(tmp_path: Path, name: str) -> None:
    profile = read(tmp_path, f"group,time [s],kind\na,2,serial\n{name},10,\n")
    assert ([group.name for group in profile.groups], profile.total) == (["a"], 10.0)


def test_a_total_rounded_below_the_sum_is_the_sum(tmp_path: Path) -> None:
    profile = read(tmp_path, "group,time [s],kind\na,1000.4,serial\nb,999.9,serial\nTotal,2000,\n")
    assert profile.total == 2000.3


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_quotes_spaces_comments_and_a_byte_order_mark(tmp_path: Path, end: str) -> None:
    lines = ["\ufeff# by hand", "group , time [s], kind", '"a ""b"", c" , 2 , serial', "", "d,1,"]
    profile = read(tmp_path, end.join(lines))
    assert [(group.name, group.time) for group in profile.groups] == [('a "b", c', 2.0), ("d", 1.0)]


def test_every_problem_has_its_line_and_column(tmp_path: Path) -> None:
    text = 'group,time [s],kind\na,x,serial\nb,-1,both\n"c,1,serial\n,1,serial\na,1,serial\nd,1\n'
    assert problems_of(tmp_path, text) == [
        ("R0914", "profile.csv:2:3"),
        ("R0914", "profile.csv:3:3"),
        ("R0915", "profile.csv:3:6"),
        ("R0913", "profile.csv:4:1"),
        ("R0913", "profile.csv:5:1"),
        ("R0916", "profile.csv:6:1"),
        ("R0913", "profile.csv:7:1"),
    ]


@pytest.mark.parametrize(
    "number", ["", "-", "nan", "inf", "-inf", "1e999", "1_0", "0x1", "٣", "1.", ".5", "1 s", "1,0"]
)
def test_what_is_no_number(tmp_path: Path, number: str) -> None:
    text = f'group,time [s],kind\na,"{number}",serial\n'
    assert [code for code, _ in problems_of(tmp_path, text)] == ["R0914"]


def test_a_file_full_of_mistakes_is_not_listed_to_its_end(tmp_path: Path) -> None:
    text = "group,time [s],kind\n" + "".join(f"g{line},x,serial\n" for line in range(1000))
    assert len(problems_of(tmp_path, text)) == MOST_PROBLEMS


def test_cells_are_those_of_the_standard_library() -> None:
    draw = random.Random("cells")
    for _ in range(300):
        table = [
            ["".join(draw.choices('ab ,"#é', k=draw.randint(0, 5))).strip() for _ in range(3)]
            for _ in range(4)
        ]
        written = StringIO()
        csv.writer(written, lineterminator="\n").writerows(table)
        found = list(rows(Source("table", written.getvalue())))
        lines = zip(table, written.getvalue().splitlines(), strict=True)
        kept = [row for row, line in lines if line.strip(", ") and not line.startswith("#")]
        assert [[cell.text for cell in row.cells] for row in found] == kept
        for row in found:
            for cell in row.cells:
                assert cell.text in cell.span.text.replace('""', '"')


@pytest.mark.parametrize(
    "line",
    ["," * 3_000_000, " " * 3_000_000 + '"', '"' * 2_999_999, '"",' * 1_000_000, "a" * 10**6],
)
def test_a_long_line_takes_no_longer_than_it_is(line: str) -> None:
    begun = time.perf_counter()
    found = list(rows(Source("table", "x" + line)))
    assert time.perf_counter() - begun < 2
    assert all(len(row.cells) <= MOST_CELLS + 1 for row in found)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "profile.csv"
    with path.open("wb") as file:
        file.truncate(5_000_000)
    profile, (problem,) = read_profile(path, "profile.csv")
    assert profile is None
    assert problem.code == "R0002"
    assert ".roof" not in str(problem)
    assert "use" not in (problem.hint or "").split()
