"""What placing a model on a machine notes, and what it shares."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import roofdsl as rd
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text, load_module
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source

BOX = "machine box { flops = 1 flop/s; memory = 1 B/s; device gpu = card }\n"
CARD = "machine card { flops = 2 flop/s; memory = 4 B/s }\n"


def placed(model: str) -> Prediction:
    module, _ = check_text(Source("case.roof", BOX + CARD + model))
    arguments = {"n": (Number(Fraction(3)), None)}
    prediction, problems = predict(module.models["main"], module.machines["box"], arguments)
    assert not problems
    return prediction


def test_each_note_is_kept_once_in_the_order_of_the_steps() -> None:
    found = placed(
        "model main { param n: integer; step a { memory.L1 = 2 B; memory = 3 B }\n"
        "step b { flops.add = n }; step c { flops.add = 1; flops.mul = 2; flops = 3 } }"
    )
    assert found.notes == (
        "'box' has no memory.L1; it is left out",
        "'box' has one rate for all flops: it serves flops.add too",
        "'box' has one rate for all flops: it serves flops.mul too",
    )


def test_equal_calls_are_placed_once_and_others_are_told_apart() -> None:
    found = placed(
        "model part { param n: integer; param b = 2; flops = n*b }\n"
        "model main { param n: integer; step a = part(n = n); step b = part(n = n)\n"
        "step c = part(n = n, b = 3); step d = part(n = n) on gpu; step e = part(n = n + 1)\n"
        "repeat 2 { step f = part(n = n) on gpu } }"
    )
    steps = found.root.children
    a, b, c, d, e = (steps[place].loads for place in range(5))
    f = steps[5].children[0].loads
    assert a is b and d is f
    assert len({id(loads) for loads in (a, c, d, e)}) == 4
    works = [loads[0].work for loads in (a, c, d, e)]
    assert works == [Number(Fraction(value)) for value in (6, 9, 6, 8)]
    assert [loads[0].name for loads in (a, c, d, e)] == ["flops", "flops", "gpu.flops", "flops"]
    assert [step.name for step in steps] == ["a", "b", "c", "d", "e", "repeat"]


def test_nothing_is_placed_where_the_arguments_do_not_fit() -> None:
    module, _ = check_text(Source("case.roof", BOX + CARD + "model main { flops = 1 }"))
    arguments = {"m": (Number(Fraction(3)), None)}
    prediction, problems = predict(module.models["main"], module.machines["box"], arguments)
    assert [problem.code for problem in problems] == ["R0401"]
    assert prediction.root.children == () and prediction.root.loads == ()


def test_what_is_open_is_asked_for_as_its_value_is() -> None:
    module, _ = check_text(
        Source(
            "case.roof",
            BOX
            + CARD
            + "model part { param m: integer[2..]; require m != 5; flops = m }\n"
            + "model main { param n: integer; repeat n/2 { step a = part(m = n + 1) } }",
        )
    )
    model, box = module.models["main"], module.machines["box"]
    prediction, problems = predict(model, box, {}, frozenset({"n"}))
    assert not problems and not prediction.unmeasured
    assert set(prediction.checks) == {
        "part requires m >= 2",
        "part requires a whole m",
        "part requires m != 5",
        "`repeat n/2` takes a whole number of times",
    }
    for value in range(1, 8):  # whole times, and not 5 for m
        allowed = all(evaluate(condition, {"n": value}) for condition in prediction.checks.values())
        _, problems = predict(model, box, {"n": (Number(Fraction(value)), None)})
        assert allowed == (not problems) == (value in (2, 6))


def test_a_measured_time_is_left_to_the_roof_while_its_arguments_are_open(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("m,time [s]\n3,2\n4,3\n", encoding="utf-8")
    path = tmp_path / "case.roof"
    path.write_text(
        'machine box { flops = 1 flop/s; measured op(m) from "times.csv" }\n'
        "model main { param n: integer; flops = n; as op(m = n) }\n",
        encoding="utf-8",
    )
    module = load_module(path)
    model, box = module.models["main"], module.machines["box"]
    opened, _ = predict(model, box, {}, frozenset({"n"}))
    known, problems = predict(model, box, {"n": (Number(Fraction(3)), None)})
    assert (opened.unmeasured, known.unmeasured, problems) == (True, False, ())
    found = rd.load_model(f"{path}:main").on(rd.load_machine(f"{path}:box")).sweep(n=[3, 4])
    assert found.time.tolist() == [2.0, 3.0]
