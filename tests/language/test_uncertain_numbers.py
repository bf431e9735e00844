"""Numbers with `±` in lets, defaults and statements of machines: answers are of the numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.uncertain_numbers import open_numbers
from roofdsl.cli.main import cli
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Number
from roofdsl.model.library import find_machine, find_model
from roofdsl.model.uncertain_values import taken_up
from roofdsl.numeric.scalar import evaluate

PROGRAM = """
unit euro
machine box {
    param cores = 4 ± 0.1
    let each = 5 ± 2 % GFLOP/s
    flops = cores*each
    memory = 13.9 +- 5 % GB/s
    messages = 2 ± 0.1 us/message
    startup = 4 ± 0.5 us
    power = 20 ± 10% W
    price = 3 ± 0.1 euro/h
    energy { flops = 0.7 ± 0.1 nJ/flop; memory = 1 nJ/B }
    capacity memory = 16 ± 1 GB
    device gpu {
        let x = 2 ± 0.1
        let each = 3 ± 1
        flops = x*each*cores*1 TFLOP/s
        memory = 4 TB/s
    }
}
model kernel {
    param N: integer = 1000
    param eff: real[0..1] = 0.8 ± 0.1
    let words = 3 ± 0.5
    let twice = 2*words
    require words < 4
    flops = 2*N^2/eff
    memory = twice*8 B*N + words*1 B
    metric m = twice*time
    tally kept: B = words*8 B
}
model steps {
    let words = 3 ± 0.5
    let outer = words + 1
    step one { let words = 20 ± 1; let t = words*outer; memory = t * 8 B }
    step two { memory = words * 8 B; flops = words }
    step three = kernel(N = 10)
    step four = kernel(N = 20, eff = words/4) on gpu
}
"""
PLAIN = re.sub(r" *(±|\+-) *[\d.]+ *%?", "", PROGRAM)


def written(tmp_path: Path, text: str, name: str = "a.roof") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["kernel", "steps"])
def test_answers_are_those_of_the_stated_numbers(tmp_path: Path, name: str) -> None:
    results = []
    for text in (PROGRAM, PLAIN):
        path = written(tmp_path, text)
        model = roofdsl.load_model(f"{path}:{name}")
        results.append(model.on(roofdsl.load_machine(f"{path}:box")).evaluate())
    one, other = results
    assert one.time == other.time
    assert one.work == other.work
    assert one.times == other.times
    assert one.energy == other.energy
    assert one.cost == other.cost
    assert one.metrics == other.metrics
    assert one.tallies == other.tallies


def test_each_number_is_open_once_and_by_its_own_name(tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAM)
    asked, on = find_model(f"{path}:steps")[0], find_machine(f"{path}:box")[0]
    model, machine, found = open_numbers(asked, on)
    ends = {item.name: (item.low, item.value, item.high) for item in found}
    assert ends == {
        "words": (Fraction(5, 2), 3, Fraction(7, 2)),
        "one.words": (19, 20, 21),
        "kernel.eff": (Fraction(7, 10), Fraction(4, 5), Fraction(9, 10)),
        "kernel.words": (Fraction(5, 2), 3, Fraction(7, 2)),
        "box.cores": (Fraction(39, 10), 4, Fraction(41, 10)),
        "box.each": (4_900_000_000, 5_000_000_000, 5_100_000_000),
        "box.gpu.x": (Fraction(19, 10), 2, Fraction(21, 10)),
        "box.gpu.each": (2, 3, 4),
    }
    opened, problems = predict(model, machine, {})
    assert problems == ()
    names = {symbol.name for symbol in free_symbols(opened.formulas.time)} - {*opened.rates}
    # Of `one`, which hides the outer name, 20·(3 + 1) words.
    titles = {item.symbol.name: item.name for item in found}
    assert {titles[name] for name in names} == {"words", "one.words", "kernel.eff", "kernel.words"}
    on_gpu = {titles[symbol.name] for symbol in free_symbols(opened.rates["box.gpu.flops"])}
    assert on_gpu == {"box.gpu.x", "box.gpu.each", "box.cores"}
    numbers = {item.symbol.name: Number(item.value) for item in found}
    rates = {name: substitute(tree, numbers) for name, tree in opened.rates.items()}
    nominal = predict(asked, on, {})[0]
    assert rates == nominal.rates
    assert rates["box.gpu.flops"] == Number(Fraction(24 * 10**12))
    time = substitute(substitute(opened.formulas.time, numbers), rates)
    expected = substitute(nominal.formulas.time, rates)
    assert evaluate(time, {}) == pytest.approx(evaluate(expected, {}), rel=1e-14)


IN_STEPS = """
machine box { memory = 10 GB/s }
model left { step part { let x = 2 ± 0.1; memory = 1 GB*x } }
model right { step part { let x = 3 ± 0.2; memory = 1 GB*x } }
model sure { memory = 5 GB }
model both { step a = left(); step b = right() }
model mixed {
    overlap { step one = sure(); repeat 2 { step a = left(); step two = sure() } }
    step last = sure()
}
"""


def test_numbers_of_one_name_in_two_models_are_two(tmp_path: Path) -> None:
    """20 ± 1 % of a second, and 30 ± 2 %."""
    path = written(tmp_path, IN_STEPS)
    on = roofdsl.load_machine(f"{path}:box")
    found = roofdsl.load_model(f"{path}:both").on(on).evaluate().uncertainty["time"]
    assert (found.low, found.high) == pytest.approx((0.47, 0.53))
    assert found.shares == pytest.approx({"part.x": 1 / 3, "part.x (2)": 2 / 3})


def test_numbers_of_steps_beside_sure_ones_are_open(tmp_path: Path) -> None:
    """0.5 s, beside it twice 0.2 ± 0.01 s and 0.5 s on the same memory, then 0.5 s."""
    path = written(tmp_path, IN_STEPS)
    on = roofdsl.load_machine(f"{path}:box")
    found = roofdsl.load_model(f"{path}:mixed").on(on).evaluate().uncertainty["time"]
    assert (found.low, found.high) == pytest.approx((2.38, 2.42))
    assert found.shares == {"part.x": 1}


def test_per_cent_and_the_unit_say_the_same(tmp_path: Path) -> None:
    relative = []
    for text in ("20 ± 1 GFLOP/s", "20 ± 5 % GFLOP/s", "20+-5%GFLOP/s", "20e0 ± 0.5e1% GFLOP/s"):
        path = written(tmp_path, f"machine m {{ flops = {text} }}")
        rate = find_machine(str(path))[0].rate("flops")
        assert rate is not None
        relative.append(rate.uncertainty)
    assert relative == [Number(Fraction(1, 20))] * 4


@pytest.mark.parametrize(
    "what", ["startup = 0 ± {} us", "power = 0±{} W", "energy flops = 0 ± {} pJ/flop"]
)
def test_what_is_0_is_off_by_nothing(tmp_path: Path, what: str) -> None:
    for off in ("0", "3 %"):
        path = written(tmp_path, f"machine m {{ flops = 1 GFLOP/s; {what.format(off)} }}")
        assert find_machine(str(path))[0].rate("flops")
    path = written(tmp_path, f"machine m {{ flops = 1 GFLOP/s; {what.format(3)} }}")
    with pytest.raises(roofdsl.RoofError, match="may be below 0: it is off by up to 3"):
        find_machine(str(path))


def test_what_is_made_from_a_machine_has_its_numbers_until_they_are_given(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        PROGRAM
        + """
machine more = box with { cores = 8 ± 1 }
machine sure = box with { cores = 8; each = 6 GFLOP/s; startup = 1 us }
machine other = karst with { cores_per_socket = 9 ± 1 %; network = 2 ± 0.1 GB/s }
""",
    )

    def halves(name: str) -> dict[str, Fraction]:
        found = find_machine(f"{path}:{name}")[0]
        return {key: item.half for key, item in found.uncertain.items()}

    assert halves("box") == {"cores": Fraction(1, 10), "each": 100_000_000}
    assert halves("more") == {"cores": 1, "each": 100_000_000}
    assert halves("sure") == {}
    assert halves("other") == {"cores_per_socket": Fraction(9, 100)}
    sure = find_machine(f"{path}:sure")[0]
    assert [item.uncertainty for item in sure.startups] == [None]


def test_a_factor_leaves_how_far_a_number_is_off_relative_to_it(tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAM)
    box = roofdsl.load_machine(f"{path}:box")
    changed = box.changed({"each": "2x", "cores": "3x", "memory": "2x"})
    found = changed.definition.uncertain
    assert found["each"].half == 200_000_000
    assert found["cores"].half == Fraction(3, 10)
    rate = changed.definition.rate("memory")
    assert rate is not None
    assert rate.uncertainty == Number(Fraction(1, 20))
    assert changed.rates["flops"] == 120e9


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("let words = 3 ± 0.5", "let words = 3 ± 0.6", "changed uncertainty of words"),
        ("let words = 3 ± 0.5", "let words = 3", "removed uncertainty of words"),
        ("= 0.8 ± 0.1", "= 0.8 ± 0.05", "changed uncertainty of eff"),
    ],
)
def test_a_difference_is_said(tmp_path: Path, before: str, after: str, says: str) -> None:
    from roofdsl.analysis.difference.models import compare_models

    old = find_model(f"{written(tmp_path, PROGRAM)}:kernel")[0]
    new = find_model(f"{written(tmp_path, PROGRAM.replace(before, after, 1), 'b.roof')}:kernel")[0]
    found = [f"{x.kind} {x.what} {x.name}" for x in compare_models(old, new)]
    assert found == [says]
    moved = written(tmp_path, f"# another line\n{PROGRAM}", "c.roof")
    assert compare_models(old, find_model(f"{moved}:kernel")[0]) == ()


def test_a_value_given_with_its_uncertainty_is_a_default_that_may_be_off(tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAM)
    model, extra = taken_up(find_model(f"{path}:kernel")[0], {"eff": "0.5 ± 2 %", "N": "3"})
    assert extra == {"N": "3"}
    assert model.uncertain["eff"].half == Fraction(1, 100)
    assert model.uncertain["words"].half == Fraction(1, 2)
    on = roofdsl.load_model(f"{path}:kernel").on(roofdsl.load_machine(f"{path}:box"))
    assert on.evaluate(N=3, eff="0.5 ± 2 %").time == on.evaluate(N=3, eff=0.5).time
    assert on.sweep(N=[3, 4], eff="0.5 ± 2 %").time[0] == on.evaluate(N=3, eff=0.5).time
    with pytest.raises(roofdsl.RoofError, match="and must be at most 1"):
        on.evaluate(N=3, eff="1 ± 10 %")


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
def test_a_let_has_its_own_name_wherever_formulas_are_shown(tmp_path: Path, form: str) -> None:
    path = written(tmp_path, PROGRAM)
    for command in (["show", f"{path}:kernel"], ["eval", f"{path}:kernel", "-m", f"{path}:box"]):
        shown = CliRunner().invoke(cli, [*command, "--format", form])
        assert shown.exit_code == 0, shown.output
        assert not re.search(r"(words|twice|each|cores):", shown.output)


@pytest.mark.parametrize("key", ["power", "startup", "price", "energy flops", "k"])
def test_nothing_times_a_number_is_off_by_nothing(tmp_path: Path, key: str) -> None:
    states = "startup = 2 ± 1 us; power = 20 ± 3 W; price = 3 ± 1 euro/h; let k = 2 ± 1 W"
    energy = "energy flops = 1 ± 0.5 pJ/flop"
    text = (
        f"unit euro\nmachine m {{ flops = 1 TFLOP/s; {states}; {energy} }}\nmodel a {{ flops = 3 }}"
    )
    path = written(tmp_path, text)
    machine = roofdsl.load_machine(f"{path}:m").changed({key: "0x"})
    found = roofdsl.load_model(f"{path}:a").on(machine).evaluate().uncertainty
    owing = {name for each in found.values() for name in each.shares}
    assert owing and not any(name.endswith(f".{key.replace(' ', '.')}") for name in owing)
