"""`validate` says the same in every format: what is printed is read back, as JSON has it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.plots.validated import title_of
from roofdsl.units.unit import Unit, read_unit

RUNS = """\
kernel,N,P,n,dtype,time [s],flops [GFLOP],memory [GB],network [GB]
summa,1100,121,,,0.0061,,,
summa,4400,121,,fp32,0.03,,,
summa,2048,4,,,0.19,,,
dgemm,,,512,,0.0151,,,
dgemm,,,1024,,0.0921,,,
ddot,1000,4,,,0.001,,,
triad,,,,,0.25,0.6,3.1,
halo,,,,,0.5,1.5,0.3,0.9
"""
ASKED = {
    "all": [],
    "times": ["--quantity", "time"],
    "one": ["--model", "dgemm"],
    "again": ["--model", "summa", "--model", "dgemm", "--set", "karst.flops=0.5x"],
}
_CELL = re.compile(r"([+-]?)([\d.]+(?:e[+-]?\d+)?)(?: ([a-zA-Z/%]+))?")


def printed(folder: Path, asked: list[str], form: str) -> str:
    runs = folder / "runs.csv"
    runs.write_text(RUNS, encoding="utf-8")
    line = ["validate", str(runs), "-m", "karst", *asked, "--format", form]
    found = CliRunner().invoke(cli, line, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


def of_text(text: str) -> list[list[list[str]]]:
    """Return the tables of a text: rows of cells that stand apart by two spaces."""
    found: list[list[list[str]]] = []
    for part in text.split("\n\n"):
        lines = [line for line in part.split("\n") if line.startswith("  ")]
        lines = [line for line in lines if not line.startswith("  note: ")]
        if lines and "what it says" not in part:
            head, *rows = ([*re.split(r"  +", line.strip())] for line in lines)
            # Of cells in which nothing stands the row of all has one in the middle.
            rows = [[*row[:2], "", *row[2:]] if row[0] == "all" else row for row in rows]
            found.append([head, *([*row, *[""] * (len(head) - len(row))] for row in rows)])
    return found


def of_markdown(text: str) -> list[list[list[str]]]:
    text = text.replace("\\", "").replace("\xa0", " ")
    parts = [part.split("\n") for part in text.split("\n\n") if part.startswith("|")]
    tables = [[line.strip("|").split("|") for line in part if "---" not in line] for part in parts]
    return [[[cell.strip() for cell in row] for row in table] for table in tables]


READERS: Mapping[str, Callable[[str], list[list[list[str]]]]] = {
    "text": of_text,
    "markdown": of_markdown,
}


def read(cell: str) -> float:
    """Return a number that was printed, in SI base units; a percentage as it stands."""
    match = _CELL.fullmatch(cell)
    assert match is not None, cell
    value = float(match[1] + match[2])
    if match[3] in (None, "%"):
        return value
    unit = read_unit(match[3])
    assert isinstance(unit, Unit), cell
    return value * float(unit.factor)


@pytest.mark.parametrize("form", READERS)
@pytest.mark.parametrize("name", ASKED)
def test_what_people_read_is_what_json_has(name: str, form: str, tmp_path: Path) -> None:
    known = json.loads(printed(tmp_path, ASKED[name], "json"))
    scores, *kernels = READERS[form](printed(tmp_path, ASKED[name], form))
    rows = [dict(zip(scores[0], row, strict=True)) for row in scores[1:]]
    expected = [*known["kernels"], *([known] if len(known["kernels"]) > 1 else [])]
    for row, of in zip(rows, expected, strict=True):
        assert row["kernel"] == of.get("kernel", "all")
        assert int(row["runs"]) == of["count"]
        for which, value in of["mape"].items():
            assert read(row[f"MAPE {which}"]) == pytest.approx(value, rel=5.1e-3)
        for which, value in of.get("bias", {}).items():
            assert read(row[f"bias {which}"]) == pytest.approx(value, rel=5.1e-3)
        if of["change"] is not None:
            assert read(row["change"]) == pytest.approx(of["change"], rel=5.1e-3)
        if "above" in of:
            last = [*of["above"].values()][-1]
            assert row["above the roof"] == f"{last} of {of['count']}"
    for table, kernel in zip(kernels, known["kernels"], strict=True):
        _check_runs(table, kernel)


def _check_runs(table: list[list[str]], kernel: Any) -> None:
    shown = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
    for row, run in zip(shown, kernel["runs"], strict=True):
        assert read(row["measured"]) == pytest.approx(run["measured"], rel=5.1e-4)
        for name, value in run["params"].items():
            assert row[name] == str(value)
        for which, value in run["predicted"].items():
            assert read(row[which]) == pytest.approx(value, rel=5.1e-4)
            error = run["errors"][which]
            assert read(row[f"{which} error"]) == pytest.approx(error, rel=5.1e-3, abs=1e-9)
        faster = [*run["faster"].values()][-1]
        above = row.get("above the roof", "").removeprefix("by ")
        assert (read(above) if above else 0) == pytest.approx(faster, rel=5.1e-3)
        assert row["bound"] == run["bound"]


@pytest.mark.parametrize("name", ASKED)
def test_latex_has_the_percentages_of_text(name: str, tmp_path: Path) -> None:
    tables = of_text(printed(tmp_path, ASKED[name], "text"))
    latex = re.findall(r"\\toprule(.*?)\\bottomrule", printed(tmp_path, ASKED[name], "latex"), re.S)
    known = [cell for table in tables for row in table for cell in row if cell.endswith("%")]
    found = re.findall(r"[^&\n]* \\%", "\n".join(latex))
    assert sorted(cell.strip().replace("\\", "") for cell in found) == sorted(known)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ([], "smaller: better"),
        (["--quantity", "time", "--set", "karst.network=0.01x"], "larger: worse"),
        (["--set", "karst.network=1000x"], "makes no difference to the MAPE"),
        (["--set", "karst.flops=unlimited", "--set", "karst.memory=unlimited"], ", without it ∞ %"),
    ],
)
def test_the_sentence_on_the_network_is_true(
    asked: list[str], sentence: str, tmp_path: Path
) -> None:
    asked = ["--model", "summa", *asked]
    (kernel,) = json.loads(printed(tmp_path, asked, "json"))["kernels"]
    (line,) = [x for x in printed(tmp_path, asked, "text").split("\n") if sentence in x]
    original, extended = (kernel["mape"][name] for name in ("original", "extended"))
    if "no difference" in sentence:
        assert original == extended
    elif "∞" in sentence:
        assert (original, kernel["change"]) == ("inf", None)
    else:
        change = 100 * (original - extended) / original
        assert (change > 0) == ("smaller" in sentence)
        told = re.search(r"the MAPE is (\S+) % ", line)
        assert told is not None
        assert float(told[1]) == pytest.approx(abs(change), rel=5.1e-3)
        assert kernel["change"] == pytest.approx(change)


@pytest.mark.parametrize("name", ASKED)
def test_csv_and_yaml_have_the_numbers_of_json(name: str, tmp_path: Path) -> None:
    known = json.loads(printed(tmp_path, ASKED[name], "json"))
    assert yaml.safe_load(printed(tmp_path, ASKED[name], "yaml")) == known
    rows = [*csv.DictReader(StringIO(printed(tmp_path, ASKED[name], "csv")))]
    runs = [run for kernel in known["kernels"] for run in kernel["runs"]]
    of_runs = [row for row in rows if row["measured"]]
    for row, run in zip(of_runs, runs, strict=True):
        assert row["kernel"] == run["kernel"]
        assert float(row["measured"]) == run["measured"]
        for which, value in run["predicted"].items():
            assert float(row[which]) == value
            assert float(row[f"error_{which}"]) == run["errors"][which]
            assert float(row[f"faster_{which}"]) == run["faster"][which]
        for parameter, value in run["params"].items():
            assert row[parameter] == str(value)
    of_kernels = [row for row in rows if row["runs"] and row["kernel"]]
    for row, kernel in zip(of_kernels, known["kernels"], strict=True):
        for which, value in kernel["mape"].items():
            assert float(row[f"mape_{which}"]) == value
            assert float(row[f"bias_{which}"]) == kernel["bias"][which]
        assert row["change"] == "" or float(row["change"]) == kernel["change"]
    assert len(rows) == len(of_runs) + len(of_kernels) + (len(of_kernels) > 1)


@pytest.mark.parametrize(
    ("models", "title", "subtitle"),
    [
        (["summa"], "summa on karst", "by the extended Roofline"),
        (["dgemm"], "dgemm on karst", "by the original Roofline"),
        (
            ["summa", "dgemm"],
            "runs on karst",
            "by the extended Roofline, dgemm by the original",
        ),
    ],
)
def test_a_figure_says_which_roofline_predicts(
    models: list[str], title: str, subtitle: str, tmp_path: Path
) -> None:
    (tmp_path / "runs.csv").write_text(RUNS, encoding="utf-8")
    found = rd.validate(tmp_path / "runs.csv", rd.load_machine("karst"), map(rd.load_model, models))
    assert title_of(found.validation, "runs") == (title, subtitle)
    # The figure prints the mean of these beside it.
    errors = abs(found.comparison().errors)
    assert errors.mean() == pytest.approx([*found.mape.values()][-1])


def test_the_figure_and_python_have_them_too(tmp_path: Path) -> None:
    known = json.loads(printed(tmp_path, [], "json"))
    karst = rd.load_machine("karst")
    found = rd.validate(tmp_path / "runs.csv", karst)
    assert found.to_dict() == known
    assert str(found) == printed(tmp_path, [], "text").removesuffix("\n")
    table = rd.plot.predicted(found.comparison()).table
    errors = [[*run["errors"].values()][-1] for of in known["kernels"] for run in of["runs"]]
    assert [row[4] for row in table.rows] == pytest.approx(errors)
    figure = ["plot", "predicted", "-m", "karst", "--measured", str(tmp_path / "runs.csv")]
    out = str(tmp_path / "out.csv")
    assert CliRunner().invoke(cli, [*figure, "--data", out]).exit_code == 0
    drawn = [*csv.DictReader(StringIO(Path(out).read_text(encoding="utf-8")))]
    assert [float(row["error [%]"]) for row in drawn] == pytest.approx(errors)
    frame = found.to_pandas()
    assert frame["error_original"].count() == known["count"]
