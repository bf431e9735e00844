"""Columns, order and the best of rows; combinations left out: against every point by itself."""

from __future__ import annotations

import csv
import json
from io import StringIO
from itertools import pairwise, product
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.analysis.result import Result
from roofdsl.cli.main import cli

_Place: TypeAlias = tuple[str, int, int]
SIZES, PROCESSES, MACHINES = (64, 100, 4096), (1, 2, 4, 9, 12, 16), ("karst", "jetstream")
RANGES = ["-p", "N=64,100,4096", "-p", "P=1,2,4,9,12,16", "-m", "karst", "-m", "jetstream"]


def run(*words: str) -> str:
    found = CliRunner().invoke(cli, [*words])
    assert found.exit_code == 0, found.output
    return found.output


def told(*words: str) -> dict[str, object]:
    answer: dict[str, object] = json.loads(run(*words, "--format", "json"))
    return answer


def alone() -> tuple[dict[_Place, Result], set[_Place]]:
    """Each combination by itself: those with an answer, and those that are refused."""
    found = dict[_Place, Result]()
    refused = set[_Place]()
    for machine, size, count in product(MACHINES, SIZES, PROCESSES):
        prediction = rd.load_model("summa").on(rd.load_machine(machine))
        try:
            found[machine, size, count] = prediction.evaluate(N=size, P=count)
        except rd.RoofError:
            refused.add((machine, size, count))
    return found, refused


ALONE, REFUSED = alone()


def test_all_but_what_is_refused_is_answered() -> None:
    assert len(REFUSED) == 12
    answer = told("eval", "summa", *RANGES, "--skip-invalid", "--columns", "time,OI,bound")
    rows = answer["rows"]
    assert isinstance(rows, list)
    assert {(row["machine"], row["N"], row["P"]): row["time"] for row in rows} == {
        place: result.time for place, result in ALONE.items()
    }
    left_out = answer["left_out"]
    assert isinstance(left_out, list)
    places = {
        (each["machine"], int(each["values"]["N"]), int(each["values"]["P"])) for each in left_out
    }
    assert places == REFUSED and len(left_out) == 12
    text = run("eval", "summa", *RANGES, "--skip-invalid")
    assert "12 of 36 combinations left out: N = 64, P = 2; N = 64, P = 12; " in text


def test_without_the_option_what_is_refused_is_named_together() -> None:
    found = CliRunner().invoke(cli, ["eval", "summa", *RANGES])
    assert found.exit_code == 1
    assert "12 of 36 combinations have no answer" in str(found.exception)
    assert "--skip-invalid" in str(found.exception)


@pytest.mark.parametrize("command", ["eval", "table"])
@pytest.mark.parametrize("name", ["time", "-attainable", "-OI", "karst.network", "time.network"])
def test_the_best_is_that_of_all_combinations(command: str, name: str) -> None:
    machines = MACHINES if "karst" not in name else MACHINES[:1]
    ranges = RANGES if len(machines) == 2 else RANGES[:-2]
    key = name.removeprefix("-")
    words = [command, "summa", *ranges, "--skip-invalid", "--best", name, "--columns", f"{key},CAI"]
    rows = [*csv.DictReader(StringIO(run(*words, "--format", "csv")))]
    values = {
        place: {
            "time": result.time,
            "attainable": result.attainable,
            "OI": result.OI,
            "karst.network": result.rates["network"],
            "time.network": result.times.get("network", 0.0),
        }[key]
        for place, result in ALONE.items()
        if place[0] in machines
    }
    best = (max if name.startswith("-") else min)(values.values())
    ties = [value for value in values.values() if abs(value - best) <= 1e-12 * abs(best)]
    assert sorted(float(row[key]) for row in rows) == sorted(ties)
    number = json.loads(run(*words, "--format", "json"))
    if command == "eval":
        assert number["best"] == {
            "column": key, "most": name.startswith("-"), "of": len(values), "without": 0,
        }  # fmt: skip


@pytest.mark.parametrize("name", ["time", "-time", "bound,-time", "machine,N,-P", "-OI,P"])
def test_rows_stand_in_the_order_asked_for(name: str) -> None:
    words = ["eval", "summa", *RANGES, "--skip-invalid", "--sort", name]
    rows = [*csv.DictReader(StringIO(run(*words, "--columns", "time,bound,OI", "--format", "csv")))]
    assert len(rows) == len(ALONE)
    for first, second in pairwise(rows):
        for key in name.split(","):
            column = key.removeprefix("-")
            low, high = first[column], second[column]
            if low == high:
                continue
            rises = low < high if column in ("bound", "machine") else float(low) < float(high)
            assert rises != key.startswith("-")
            break


def test_what_has_no_value_stands_last_and_is_counted() -> None:
    words = ["eval", "summa", *RANGES, "--skip-invalid", "--columns", "karst.network"]
    for order in ("karst.network", "-karst.network"):
        rows = told(*words, "--sort", order)["rows"]
        assert isinstance(rows, list)
        known = [row["karst.network"] is not None for row in rows]
        assert known == sorted(known, reverse=True) and sum(known) == 12
    answer = told(*words, "--best", "karst.network")
    assert answer["best"] == {"column": "karst.network", "most": False, "of": 12, "without": 12}
    assert "12 of 24 have no karst.network" in run(*words, "--best", "karst.network")


def test_columns_reach_steps_machines_and_parameters() -> None:
    words = ["eval", "resnet50", "-m", "a100_sxm_80gb", "-p", "batch=1,64", "--columns"]
    columns = "batch,conv.time,conv.bound,conv.OI,conv.share,parameters,machine.memory,total.flops"
    rows = told(*words, columns)["rows"]
    assert isinstance(rows, list)
    prediction = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
    for row in rows:
        result = prediction.evaluate(batch=row["batch"])
        step = result.steps["conv"]
        assert row["conv.time"] == step.time and row["conv.bound"] == step.bound
        assert row["conv.OI"] == step.OI and row["conv.share"] == result.steps.share("conv")
        assert row["parameters"] == result.tallies["parameters"]
        assert row["machine.memory"] == result.rates["memory"]
        assert row["total.flops"] == result.totals.get("flops")


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json", "yaml"])
def test_every_format_has_the_columns(form: str) -> None:
    words = [
        "eval",
        "summa",
        "-m",
        "karst",
        "-p",
        "N=64,100",
        "-p",
        "P=4",
        "--columns",
        "CAI,bound",
    ]
    text = run(*words, "--format", form)
    assert all(name in text for name in ("CAI", "bound")) and "attainable" not in text


FITTING = """
model m { param n: integer; param P: processes; flops = 1e9*n; tally footprint: B = 1 GB*n }
machine small { flops = 1 GFLOP/s; capacity memory = 2 GB }
machine bare { flops = 1 GFLOP/s }
"""


@pytest.mark.parametrize("command", ["eval", "table"])
def test_whether_it_fits_is_a_column_and_what_is_missing_has_a_reason(
    command: str, tmp_path: Path
) -> None:
    file = tmp_path / "m.roof"
    file.write_text(FITTING)
    asked = [command, f"{file}:m", "-m", f"{file}:small", "-m", f"{file}:bare", "-p", "n=2,3"]
    asked += ["-p", "P=2", "--columns"]
    rows = [*csv.DictReader(StringIO(run(*asked, "fits", "--format", "csv")))]
    assert [row["fits"] for row in rows] == ["true", "false", "", ""]
    text = run(*asked, "fits,total.flops,ridge.OI")
    assert "no fits of m on bare: 'bare' states no capacity of memory" in text
    assert "no total.flops of m on bare: 'm' does not say what all its processes do" in text
    assert "no ridge.OI of m on small: 'small' has no ridge point OI" in text
    refused = CliRunner().invoke(cli, [*asked, "ridge"]).exception
    assert isinstance(refused, rd.RoofError)
    assert refused.diagnostics[0].hint == "name one of the ridge points: ridge.OI"
