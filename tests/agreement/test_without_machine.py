"""What is answered without a machine is what is answered on every machine."""

from __future__ import annotations

import json
import math

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
        assert _same(found.value, wanted.value), name


def _same(found: object, wanted: object) -> bool:
    if isinstance(found, float | int) and isinstance(wanted, float | int):
        return math.isclose(found, wanted, rel_tol=1e-12)
    return found == wanted


def told(*words: str) -> list[dict[str, object]]:
    """Return the rows of `eval` without a machine."""
    done = CliRunner().invoke(command, [*words, "--format", "json"])
    assert done.exit_code == 0, done.output
    rows: list[dict[str, object]] = json.loads(done.stdout)["rows"]
    return rows


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
