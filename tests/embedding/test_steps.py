"""The steps of a result are results that show themselves, as `evaluate` has each alone."""

from __future__ import annotations

import copy

import pytest

import roofdsl as rd

TEXT = """
model part {
    param n: integer; param word = 8 B; require n > 1
    flops = 2*n; memory = word*n
    tally footprint: B = n*word
    metric speed: flop/s = flops/time
}
model inner { param n: integer; step x = part(n = n/2); step y = part(n = n, word = 4 B) }
model whole {
    param n: integer
    let twice = 2*n
    overlap { step a = inner(n = twice); step b = part(n = twice + n) on gpu }
    step own { flops = n; memory = 8 B*n }
    repeat 3 { step d = part(n = n) }
}
machine gpu { flops = 10 GFLOP/s; memory = 20 GB/s }
machine box {
    flops = 1 GFLOP/s; memory = 1 ± 10 % GB/s; capacity memory = 1 kB; power = 3 W
    device gpu = gpu
}
"""


@pytest.fixture
def module() -> rd.Module:
    return rd.loads(TEXT)


@pytest.fixture
def whole(module: rd.Module) -> rd.Result:
    return module.models["whole"].on(module.machines["box"]).evaluate(n=100)


@pytest.mark.parametrize(
    ("path", "model", "values"),
    [
        ("a", "inner", {"n": 200}),
        ("a.x", "part", {"n": 100}),
        ("a.y", "part", {"n": 200, "word": 4}),
        ("d", "part", {"n": 100}),
    ],
)
def test_a_step_says_what_its_model_says_alone(
    path: str, model: str, values: dict[str, int], module: rd.Module
) -> None:
    found = module.models["whole"].on(module.machines["box"]).evaluate(n=100)
    alone = module.models[model].on(module.machines["box"]).evaluate(**values)
    for name in path.split("."):
        found = found.steps[name]
    assert type(found) is type(alone) and found == alone
    assert str(found) == str(alone) and found._repr_html_() == alone._repr_html_()
    assert found.to_latex() == alone.to_latex() and found.to_json() == alone.to_json()
    assert repr(found) == repr(alone) and len(repr(found)) < 80
    assert found == copy.deepcopy(found)


def test_steps_in_place_and_on_devices_show_themselves(module: rd.Module) -> None:
    steps = module.models["whole"].on(module.machines["box"]).evaluate(n=100).steps
    assert str(steps["own"]).startswith("own on box\n")
    assert steps["b"].time == 120e-9 and "20 GB/s" in str(steps["b"])
    assert all(step.to_dict()["answer"] == "point" for step in steps.values())


def test_what_is_by_name_is_told_shortly_and_the_same_each_time(whole: rd.Result) -> None:
    assert repr(whole.steps) == "<StepResults 'a', 'b', 'own' and 'd'>"
    assert repr(whole.uncertainty) == "<Uncertainties by 'box.memory'>"
    sure = rd.load_model("summa").on(rd.load_machine("karst")).evaluate(N=4096, P=121)
    assert repr(sure.steps) == "<StepResults none>"
    assert repr(sure.uncertainty) == "<UncertaintyOf nothing>"
    assert repr(rd.budget("2x")) == "<budget of 2x>"
