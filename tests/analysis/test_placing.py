"""What placing a model on a machine notes, and what it shares."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.analysis.node import Node, walk
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text, load_module
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source
from roofdsl.typeset.text import text as written

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


def test_equal_formulas_are_one_argument_unless_they_are_long(tmp_path: Path) -> None:
    short, long = "n^2 + n/3 + 1", " + ".join(f"{number}/(n + {number})" for number in range(1, 30))
    for argument, shared in ((short, True), (long, False)):
        found, problems = placing(
            tmp_path,
            "model part { param x; memory = x * 1 B }\nmodel main { param n: integer\n"
            f"step a = part(x = {argument}); step b = part(x = {argument}) }}",
            "n",
        )
        a, b = (step.loads for step in found.root.children)
        assert not problems and a[0].work == b[0].work
        assert (a is b) is shared


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


def test_a_measured_time_is_a_formula_while_its_arguments_are_open(tmp_path: Path) -> None:
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
    assert (opened.unmeasured, known.unmeasured, problems) == (False, False, ())
    assert written(opened.time()) == "if n < 4 then 2 else 3"
    assert [*map(written, opened.tabled)] == ["n >= 3", "n <= 4", "n == 3 or n == 4"]
    assert "the roof is used" not in " ".join(opened.notes)
    found = rd.load_model(f"{path}:main").on(rd.load_machine(f"{path}:box")).sweep(n=[3, 4])
    assert found.time.tolist() == [2.0, 3.0]


LAYERED = """
unit core
resource disk: B
machine card {
    param cores: core = 3 core
    param speed: flop/s = 8 flop/s
    flops { fp32 = speed; fp64 = 4 flop/s; default fp64 }
    memory { L2 = 32 B/s; HBM = 16 B/s; default HBM }
}
machine plain { flops = 2 flop/s }
machine box {
    param cores: core = 5 core
    memory = 1 B/s; network = unlimited; messages = 2 s/message
    device gpu = card; device cpu = plain
    measured op(m) from "times.csv"
}
"""


def placing(folder: Path, text: str, *free: str) -> tuple[Prediction, tuple[Diagnostic, ...]]:
    """Place `main` on a machine with a layered card and a plain processor."""
    (folder / "times.csv").write_text("m,time [s]\n3,2\n5,7\n", encoding="utf-8")
    path = folder / "case.roof"
    path.write_text(LAYERED + text, encoding="utf-8")
    module = load_module(path)
    return predict(module.models["main"], module.machines["box"], {}, frozenset(free))


def loads(node: Node) -> list[tuple[str, str | None, str]]:
    """Return each load of a kernel by name, with its rate and with what it keeps busy."""
    return [(x.name, None if x.rate is None else x.rate.name, x.group) for x in node.loads]


def test_the_rates_of_a_machine_and_of_its_devices(tmp_path: Path) -> None:
    found, problems = placing(tmp_path, "model main { memory = 1 B }")
    assert not problems
    assert {name: evaluate(tree, {}) for name, tree in found.rates.items()} == {
        "box.memory": 1,
        "box.messages": 0.5,
        "box.gpu.flops.fp32": 8,
        "box.gpu.flops.fp64": 4,
        "box.gpu.memory.L2": 32,
        "box.gpu.memory.HBM": 16,
        "box.cpu.flops": 2,
    }


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("memory = 1 B", [("memory", "box.memory", "memory")]),
        ("network = 1 B", [("network", None, "network")]),
        ("messages = 1", [("messages", "box.messages", "network")]),
        # What a device has is its own; what it lacks is the machine's.
        ("on gpu memory = 1 B", [("gpu.memory", "box.gpu.memory.HBM", "gpu.memory")]),
        ("on cpu memory = 1 B", [("memory", "box.memory", "memory")]),
        ("on cpu network = 1 B", [("network", None, "network")]),
        ("on cpu flops.fp16 = 1", [("cpu.flops.fp16", "box.cpu.flops", "cpu.flops")]),
        ("on gpu flops = 1", [("gpu.flops", "box.gpu.flops.fp64", "gpu.flops")]),
        ("on gpu flops.fp32 = 1", [("gpu.flops.fp32", "box.gpu.flops.fp32", "gpu.flops")]),
        # No work needs no rate.
        ("on cpu disk = 0 B", [("cpu.disk", None, "cpu.disk")]),
        ("disk = 0 B", [("disk", None, "disk")]),
        ("disk = log2(1) * 3 B", [("disk", None, "disk")]),
        ("disk = (log2(8) - 3) * 3 B", [("disk", None, "disk")]),
        # A level that is left out is none.
        (
            "on gpu memory.L1 = 1 B; memory = 2 B",
            [("gpu.memory", "box.gpu.memory.HBM", "gpu.memory")],
        ),
        # A measured time is one of all kinds; the rate is still the roof.
        (
            "as op(m = 3); memory = 1 B",
            [("memory", "box.memory", "memory")],
        ),
    ],
)
def test_where_each_work_is_done(
    step: str, expected: list[tuple[str, str | None, str]], tmp_path: Path
) -> None:
    place, work = (step[:6], step[7:]) if step.startswith("on ") else ("", step)
    text = f"model part {{ {work} }} model main {{ step a = part() {place} }}"
    found, problems = placing(tmp_path, text)
    assert not problems
    assert loads(found.root.children[0]) == expected


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        # One message for all layers of a network; the device's lack is another than the machine's.
        ("step a { disk = 1 B }; step b { disk = 2 B }; repeat 3 { step c { disk = 3 B } }", 1),
        ("step a { disk = 1 B }; step b on gpu { disk = 2 B }; step c on gpu { disk = 2 B }", 2),
    ],
)
def test_a_rate_that_lacks_is_told_once(text: str, codes: int, tmp_path: Path) -> None:
    _, problems = placing(tmp_path, f"model main {{ {text} }}")
    assert [problem.code for problem in problems] == ["R0501"] * codes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The work of a step that cannot be placed is not looked at: one mistake, one message.
        ("model main { step a on tpu { disk = 1 B } }", ["R0504"]),
        ("model main { step a { flops = 1 } }", ["R0505"]),
        ("model main { step a { flops = 0 } }", []),
        ("model part { param n = 2; require n > 2; disk = 1 B } model main { step a = part() }", 1),
        ("model main { param n = 2; require n > 2; disk = 1 B }", 1),
        ("model part { as op(m = 4); flops = 1 } model main { step a = part() }", ["R0507"]),
        ("model part { as op(k = 3); flops = 1 } model main { step a = part() }", ["R0506"]),
        ("model main { param n = 5; repeat n/2 { step a { memory = 1 B } } }", ["R0410"]),
        ("model main { param n = 2; repeat sqrt(n) { step a { memory = 1 B } } }", ["R0410"]),
        ("model main { param n = 49; repeat sqrt(n) { step a { memory = 1 B } } }", []),
        ("model main { param n = 8; repeat log2(n) - 4 { step a { memory = 1 B } } }", ["R0410"]),
        ("model main { param n = 8; repeat log2(n) - 3 { step a { memory = 1 B } } }", []),
        ("model main { param n = 1; repeat n - 2 { step a { memory = 1 B } } }", ["R0410"]),
        ("model main { param n = 2; repeat n - 2 { step a { memory = 1 B } } }", []),
        ("model main { param c: core = machine.cores; memory = 1 B }", []),
        ("model main { param c: core = machine.speed; memory = 1 B }", ["R0503"]),
        ("model main { param c: B = machine.cores; memory = c }", ["R0503"]),
        # Of all steps every problem is told.
        (
            "model main { step a on tpu { memory = 1 B }; step b { disk = 1 B } }",
            ["R0504", "R0501"],
        ),
    ],
)
def test_one_message_for_each_mistake(text: str, expected: list[str] | int, tmp_path: Path) -> None:
    found, problems = placing(tmp_path, text)
    assert {node.name for node in walk(found.root)} <= {"main", "a", "b", "repeat"}
    if isinstance(expected, int):
        assert len(problems) == expected
    else:
        assert [problem.code for problem in problems] == expected


def test_work_that_only_devices_can_do_is_to_be_placed_on_one(tmp_path: Path) -> None:
    _, (problem,) = placing(tmp_path, "model main { step a { flops = 1 } }")
    assert problem.message.endswith("but only the devices of machine 'box' have flops")
    assert problem.hint == "place the step: `… on gpu`; devices: gpu, cpu"


def test_only_devices_that_have_the_level_are_named(tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(
        "machine box { device cpu { flops = 1 flop/s; memory = 1 B/s }\n"
        "device gpu { flops = 1 flop/s; memory { L2 = 2 B/s; DRAM = 1 B/s; default DRAM } } }\n"
        "model m { memory.L2 = 1 B }\n",
        encoding="utf-8",
    )
    with pytest.raises(rd.RoofError) as failure:
        rd.load_model(tmp_path / "m.roof").on(rd.load_machine(tmp_path / "m.roof")).evaluate()
    (problem,) = failure.value.diagnostics
    assert problem.hint == "place the step: `… on gpu`; devices: gpu"


def test_a_default_from_the_machine_is_that_of_the_device(tmp_path: Path) -> None:
    found, problems = placing(
        tmp_path,
        "model part { param c: core = machine.cores; param n: integer = 4; param k = n\n"
        "memory = c * k * 1 B / 1 core }\n"
        "model main { step a = part(); step b = part() on gpu; step c = part(c = 7 core) on gpu\n"
        "step d = part(c = 7 core) on cpu }",
    )
    assert not problems
    works = [step.loads[0].work for step in found.root.children]
    assert works == [Number(Fraction(value)) for value in (20, 12, 28, 28)]
    _, (problem,) = placing(
        tmp_path,
        "model part { param c: core = machine.size; memory = 1 B }\n"
        "model main { step a = part() on gpu }",
    )
    assert problem.hint == "give c a value; 'card' has cores, speed"
    # The processor has no cores of its own to say.
    _, (problem,) = placing(
        tmp_path,
        "model part { param c: core = machine.cores; memory = 1 B }\n"
        "model main { step a = part() on cpu }",
    )
    assert problem.message == (
        "'c' of 'part' is by default machine.cores, but machine 'plain' has no 'cores'"
    )


def test_the_kind_that_a_precision_selects(tmp_path: Path) -> None:
    text = (
        "model part { param d: precision = fp32; flops[d] = 8 }\n"
        "model main { param d: precision = fp64; step a = part() on gpu\n"
        "step b = part(d = d) on gpu; step c on gpu { flops[d] = 1 } }"
    )
    found, problems = placing(tmp_path, text)
    assert not problems
    kinds = [loads(step)[0][1] for step in found.root.children]
    assert kinds == ["box.gpu.flops.fp32", "box.gpu.flops.fp64", "box.gpu.flops.fp64"]
    found, problems = placing(
        tmp_path,
        "model main { param n = 2; step a on gpu\n"
        "{ let e = if sqrt(n) > 1 then fp32 else fp64; let d = e; flops[d] = 1 } }",
    )
    assert not problems and loads(found.root.children[0])[0][1] == "box.gpu.flops.fp32"
    _, problems = placing(tmp_path, text, "d")
    assert [(problem.code, problem.message) for problem in problems] == [
        ("R0406", "'part' needs a value for d"),
        ("R0406", "'c' needs a value for d"),
    ]


def test_a_step_written_in_place_sees_the_names_around_it(tmp_path: Path) -> None:
    found, problems = placing(
        tmp_path,
        "model main { param n: integer = 3; let twice = 2*n\n"
        "overlap { step a { let more = twice + n; let most = more + 1; memory = most * 1 B }\n"
        "step b on cpu { flops = twice } }\n"
        "repeat twice { step c { time = n * 1 s } } }",
    )
    assert not problems
    overlap, repeat = found.root.children
    a, b = overlap.children
    (c,) = repeat.children
    assert [overlap.arrangement, a.arrangement, repeat.arrangement] == [
        "overlap",
        "kernel",
        "sequence",
    ]
    assert [a.loads[0].work, b.loads[0].work, repeat.count, c.stated] == [
        Number(Fraction(value)) for value in (10, 6, 6, 3)
    ]
    assert (a.stated, c.loads, a.tallies) == (None, (), ())


def test_what_was_measured_is_taken_for_the_flops_alone(tmp_path: Path) -> None:
    found, problems = placing(
        tmp_path,
        "model part { param m: integer; as op(m = m); memory = 1 B; flops.fp32 = 2\n"
        "flops.fp64 = 3; network = 4 B }\n"
        "model main { step a = part(m = 3); step b = part(m = 5) on gpu }",
    )
    # On the machine itself nothing says how fast flops are, but how long these took.
    assert (
        not problems
        and not found.unmeasured
        and found.notes == ("'card' has not measured op: its roof is used",)
    )
    a, b = found.root.children
    assert [load.spent for load in a.loads] == [None, Number(Fraction(2)), Number(Fraction()), None]
    assert [load.roof for load in a.loads[1:3]] == [None, None]
    assert [load.spent for load in b.loads] == [None, None, None, None]
    assert [loads(b)[place][1] for place in (1, 2)] == ["box.gpu.flops.fp32", "box.gpu.flops.fp64"]


@pytest.mark.parametrize("argument", ["3", "log2(8)", "sqrt(9)", "sum(k for k in 1..2)", "7 - 4"])
def test_an_argument_of_an_operation_is_what_it_comes_to(argument: str, tmp_path: Path) -> None:
    text = f"model main {{ param n = 1; as op(m = {argument} * n); flops = 1 }}"
    found, problems = placing(tmp_path, text)
    assert (problems, found.notes) == ((), ())
    assert [load.spent for load in found.root.loads] == [Number(Fraction(2))]


def test_what_no_parameter_is_bound_in_is_open_but_for_precisions(tmp_path: Path) -> None:
    found, problems = placing(
        tmp_path,
        "model part { param k: integer; param d: precision; flops[d] = k }\n"
        "model main { param n: integer = 4; param d: precision = fp32\n"
        "step a = part(k = n + 1, d = d) on gpu }",
    )
    assert not problems
    opened = found.opened()
    assert [parameter.name for parameter in opened.free] == ["n", "d"]
    rates = {"box.gpu.flops.fp32": 8.0, "n": 15.0}
    assert evaluate(opened.formulas.time, rates) == 2
    for each, names in ((found, {"box.gpu.flops.fp32"}), (opened, {"box.gpu.flops.fp32", "n"})):
        assert {symbol.name for symbol in free_symbols(each.formulas.time)} == names


def test_a_bound_that_is_open_is_not_asked_yet(tmp_path: Path) -> None:
    text = "model main { param n: integer = 2; param k: integer[1..n] = 3; memory = k * n * 1 B }"
    assert not placing(tmp_path, text, "n")[1]
    assert [problem.code for problem in placing(tmp_path, text)[1]] == ["R0402"]


def test_steps_of_one_model_ask_each_for_itself(tmp_path: Path) -> None:
    text = (
        "model part { param m: integer[2..]; memory = m * 1 B }\n"
        "model main { param n: integer = 4; step a = part(m = n); step b = part(m = n/2)\n"
        "step c = part(m = n); step d = part(m = n/3); step e = part(m = 1 + 2) }"
    )
    found, _ = placing(tmp_path, text, "n")
    assert sorted(found.checks) == [
        "part requires a whole m",
        "part requires a whole m in d",
        "part requires m >= 2",
        "part requires m >= 2 in b",
        "part requires m >= 2 in d",
    ]
    for n in range(1, 20):
        asked = all(evaluate(condition, {"n": n}) for condition in found.checks.values())
        assert asked == (n in (6, 12, 18))
    known, problems = placing(tmp_path, text)
    assert known.checks == {} and len(problems) == 1  # 4/3 is no whole number
