"""Scaling of every bundled model that counts processes: all forms of it, and `evaluate`, agree."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from roofdsl.analysis.scaling import Scaling
from roofdsl.answer.asked import ModelOnMachine, Value
from roofdsl.answer.scaling import ScalingAnswer, scaled
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Number
from roofdsl.model.precision import named
from roofdsl.plots.scaling import scaling
from roofdsl.report.text import written
from tests.agreement.points import Point, by_file, files, first
from tests.agreement.values import in_a_file
from tests.figures.test_python import rows

MOST_TRIED = 30
FIELDS = ("processes", "time", "speedup", "efficiency")


def given(point: Point, without: str) -> dict[str, Value]:
    """Return a point's values but one, as Python takes them."""
    kinds = {parameter.name: parameter.kind for parameter in point.prediction.model.parameters}
    values: dict[str, Value] = {}
    for name, (tree, _) in point.arguments.items():
        assert isinstance(tree, Number)
        if name != without:
            values[name] = named(tree.value) if kinds[name] == "precision" else tree.value
    return values


def refused(asked: ModelOnMachine, values: Mapping[str, Value]) -> bool:
    """Whether what only communicates takes no time on one process, or there is no network."""
    try:
        scaled(asked, values)
    except RoofError as error:
        return {each.code for each in error.diagnostics} <= {"R0708", "R0501"}
    return False


@by_file(files())
def test_all_forms_of_scaling_agree(file: str) -> None:
    for point in first(file):
        counts = [p.name for p in point.prediction.model.parameters if p.kind == "processes"]
        if len(counts) != 1:
            continue
        asked = ModelOnMachine(point.prediction.model, point.prediction.machine)
        values = given(point, counts[0])
        if refused(asked, values):
            continue
        found, prediction = scaled(asked, values)
        evaluated(asked, values, counts[0], found)
        answer = ScalingAnswer(found, prediction)
        told = answer.values()["points"]
        assert told == [
            {**{name: getattr(each, name) for name in FIELDS}, "grid": []} for each in found.points
        ]
        shown = [line.split() for line in written(answer).splitlines() if line.endswith(" %")]
        assert [(row[0], row[-2]) for row in shown] == [
            (str(each.processes), in_a_file(f"{100 * each.efficiency:.3g}"))
            for each in found.points
        ]
        at = {**values, counts[0]: [each.processes for each in found.points]}
        drawn = rows(scaling(asked, at=at), found.law.kind)
        assert [(row["processes"], row["speed-up"], row["efficiency"]) for row in drawn] == [
            (each.processes, pytest.approx(each.speedup), pytest.approx(each.efficiency))
            for each in found.points
        ]


def evaluated(
    asked: ModelOnMachine, values: Mapping[str, Value], count: str, found: Scaling
) -> None:
    """Compare what is said of scaling with answers at single counts."""

    def time(processes: int) -> float:
        return asked.evaluate({**values, count: processes}).time

    law, useful = found.law, found.useful
    alone = time(law.base)
    for each in found.points[:: 1 if useful else 6]:
        assert each.time == pytest.approx(time(each.processes), rel=1e-12)
        one = each.processes * alone if law.parts else law.base * alone
        assert each.speedup == pytest.approx(one / each.time, rel=1e-12)
        assert each.efficiency <= 1 + 1e-12 or law.lessened(each.at)
    assert (useful is None) == (law.kind == "weak")
    if useful is None:
        return
    assert useful.complete, f"{asked.model.name}: {useful}"
    if useful.count is None:
        return
    random = Random(asked.model.name)
    best = time(useful.count)
    for _ in range(MOST_TRIED):
        try:
            assert time(int(2 ** random.uniform(0, 20))) >= best * (1 - 1e-12)
        except RoofError:
            continue  # it is not allowed
