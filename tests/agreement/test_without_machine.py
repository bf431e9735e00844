"""What is answered without a machine is what is answered on every machine."""

from __future__ import annotations

import math

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.without_machine import (
    named_without_machine,
    needs_machine,
    unlimited,
    without_defaults_of_machines,
)
from roofdsl.answer.columns import entry
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
