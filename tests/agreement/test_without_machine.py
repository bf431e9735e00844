"""What is answered without a machine is what is answered on every machine."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.without_machine import (
    named_without_machine,
    needs_machine,
    unlimited,
    without_defaults_of_machines,
)
from roofdsl.answer.columns import entry
from roofdsl.cli.eval_command import command
from tests.agreement.points import ALL, Point, by_file, everywhere, files, first


@by_file(files())
def test_it_is_what_a_machine_answers(file: str) -> None:
    for point in (everywhere if ALL else first)(file):
        check(point)


def check(point: Point) -> None:
    model, result = point.prediction.model, point.result
    machine = unlimited(model)
    given = {
        each.name: (point.prediction.binding.trees[each.name], None) for each in model.parameters
    }
    prediction, problems = predict(without_defaults_of_machines(model), machine, given)
    if any(each.code == "R0503" for each in problems):
        return  # a step asks the machine for a value
    assert problems == ()
    alone = evaluated(prediction)
    asked = [name for names in named_without_machine(prediction).values() for name in names]
    assert asked or point.prediction.is_mix
    for name in ("flops", "memory", "network", "OI", "CAI", "MI", *asked):
        if needs_machine(model, name):
            continue
        found, wanted = entry(alone, name), entry(result, name)
        assert found is not None
        if wanted is None:  # this machine calls it by a device, or by two links
            assert name in result.work or "." in name
            continue
        if any(key.startswith(f"{name}.") for key in result.work) and name == "messages":
            continue  # they are of two links
        assert _same(found.value, wanted.value), name


def _same(found: object, wanted: object) -> bool:
    if isinstance(found, float | int) and isinstance(wanted, float | int):
        return math.isclose(found, wanted, rel_tol=1e-12)
    return found == wanted


def told(*words: str) -> list[dict[str, object]]:
    """Return the rows of `eval` without a machine."""
    rows: list[dict[str, object]] = answered(*words)["rows"]
    return rows


def answered(*words: str) -> Any:
    """Return what `eval` answers."""
    done = CliRunner().invoke(command, [*words, "--format", "json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_rows_have_all_work_though_the_first_is_refused() -> None:
    words = "summa", "-p", "N=4096"
    [row] = told(*words, "-p", "P=2..6", "--skip-invalid")
    assert row == told(*words, "-p", "P=4,16")[0]
    assert "time" not in row and row["flops.matrix.fp64"] == 2 * (4096**3 + 4096**2) / 4


def test_rows_of_several_precisions_have_the_work_of_each() -> None:
    rows = told("linalg.dgemm", "-p", "n=64", "-p", "dtype=fp64,bf16")
    work = [{name: row[name] for name in row if name.startswith("flops")} for row in rows]
    size = 2 * 64**3
    assert work == [
        {"flops.matrix.fp64": size, "flops.matrix.bf16": None},
        {"flops.matrix.fp64": None, "flops.matrix.bf16": size},
    ]


MODEL = """
model m { param n: integer; param P: processes
    flops = 2*n^3/P; memory = 24 B*n^2/P; network = if P == 1 then 0 else 8 B*n^2
    tally footprint: B = 24 B*n^2
    metric speed = attainable/machine.flops; metric full = footprint/machine.capacity.memory
    metric all: flop = total.flops
}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "m.roof").write_text(MODEL)
    return f"{tmp_path / 'm.roof'}:m"


def test_intensities_are_told_where_they_are_infinite_as_on_a_machine(model: str) -> None:
    rows = told(model, "-p", "n=64,128", "-p", "P=1,8")
    assert [row["CAI"] for row in rows] == ["inf", 2.0, "inf", 4.0]
    words = model, "-p", "n=64", "-p", "P=1"
    point, on_karst = answered(*words), answered(*words, "-m", "karst")
    names = "OI", "CAI", "MI"
    assert [point["values"][name] for name in names] == [on_karst["values"][x] for x in names]
    assert {*point["values"]} == {*rows[0]} - {"n", "P"}
    formulas = answered(model, "-p", "P=1")["formulas"]
    assert "CAI" in formulas and "total.network" not in formulas


def test_points_rows_and_formulas_say_which_metrics_need_a_machine(model: str) -> None:
    point = answered(model, "-p", "n=64", "-p", "P=4")["notes"]
    assert point[1] == "speed and full need a machine"
    assert point[0].startswith("all is not answered: 'm' does not say")
    assert answered(model, "-p", "n=64,128", "-p", "P=4")["notes"] == point
    assert answered(model)["notes"] == point[1:]


def test_the_sum_of_kinds_stands_right_after_them(tmp_path: Path) -> None:
    (tmp_path / "k.roof").write_text(
        "model m { flops.matrix[fp64] = 2; memory = 8 B; flops.vector[fp32] = 1; network = 3 B }"
    )
    words = f"{tmp_path / 'k.roof'}:m"
    found = [*answered(words)["values"]]
    assert found[:3] == ["flops.matrix.fp64", "flops.vector.fp32", "flops"]
    assert found[3:5] == ["memory", "network"]
