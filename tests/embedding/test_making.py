"""Models, machines and mixes made in Python: what they are made of, where their text may stand."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sympy

import roofdsl as rd
from roofdsl.notebook import Cells

untyped: Any = rd
TRIAD = "model triad { param n: integer; flops = 2*n; memory = 24*n }\n"


@pytest.fixture
def karst() -> rd.Machine:
    return rd.load_machine("karst")


def problem(made: Any) -> rd.Diagnostic:
    with pytest.raises(rd.RoofError) as caught:
        made()
    found: rd.Diagnostic = caught.value.diagnostics[0]
    return found


def test_symbols_become_parameters_where_nothing_declares_them(karst: rd.Machine) -> None:
    n, word, half = sympy.Symbol("n", integer=True), sympy.Symbol("word"), sympy.Symbol("half")
    inside = rd.step("a", lets={"half": n / 2}, memory=word * half)
    model = rd.make_model("m", parameters={"word": "= 8 B"}, steps=[rd.repeat(3, inside)])
    assert model.parameters == ("word", "n")
    assert model.on(karst).evaluate(n=10, word=4).memory == 3 * 4 * 5
    found = problem(lambda: rd.make_model("k", memory="8*m"))  # as in a file
    assert found.code == "R0201"


TENSORS = """
model layer {
    param n: integer
    in x = 4 B*n
    in other = 4 B*n
    out y = x
    keep x
    keep places = 8 B*n
    hold weights = 3 kB
    hold gradients = 3 kB from here
    flops = n
    memory = 12 B*n
}
model m {
    param n: integer = 1000
    in image = 4 B*n
    step forward { step a = layer(n = n); step b = layer(n = n) from a, a in place }
    step backward { recompute { step again = layer(n = n) }; step b { flops = n; in dy = 4 B*n } }
    keep forward to backward
    keep h = 8 B*n from forward.b to backward.b
}
"""


def test_tensors_made_in_python_are_those_of_a_file(karst: rd.Machine) -> None:
    layer = rd.make_model(
        "layer",
        parameters={"n": "integer"},
        reads={"x": "4 B*n", "other": "4 B*n"},
        makes={"y": "x"},
        keeps=["x", "places = 8 B*n"],
        holds={"weights": 3000, "gradients": "3 kB from here  ## of the loss"},
        flops="n",
        memory="12 B*n",
    )
    again = rd.recompute(rd.step("again", layer(n="n")))
    n = sympy.Symbol("n", integer=True, positive=True)
    model = rd.make_model(
        "m",
        parameters={"n": ("integer", 1000)},
        reads={"image": "4 B*n"},
        steps=[
            rd.step(
                "forward",
                steps=[
                    rd.step("a", layer(n="n")),
                    rd.step("b", layer(n="n"), reading="a, a", in_place=True),
                ],
            ),
            rd.step("backward", steps=[again, rd.step("b", reads={"dy": "4 B*n"}, flops=n)]),
        ],
        keeps=["forward to backward", "h = 8 B*n from forward.b to backward.b"],
    )
    told = rd.loads(TENSORS).models["m"]
    mine, theirs = (each.on(karst).evaluate() for each in (model, told))
    assert mine.tallies == theirs.tallies
    assert mine.tallies["peak_memory"] > mine.tallies["activations"] > 0
    assert rd.loads(model.text).models["m"].on(karst).evaluate().tallies == mine.tallies


def test_tensors_in_the_wrong_place() -> None:
    layer = rd.make_model("layer", reads={"x": 8}, flops=2)
    found = problem(lambda: rd.make_model("m", reads={"x": "8 flop"}, flops=2))
    assert (found.code, found.notes[0]) == ("R0302", "this is in the argument reads['x']")
    found = problem(lambda: rd.make_model("m", keeps=["z"], flops=2))
    assert (found.code, found.notes[0]) == ("R0230", "this is in the argument keeps[0]")
    found = problem(lambda: rd.make_model("m", makes={"y": "8 B from here"}, flops=2))
    assert found.notes == () or found.code.startswith("R01")
    with pytest.raises(TypeError, match="reads is not for a step of a model"):
        rd.step("a", layer, reads={"x": 8})
    with pytest.raises(TypeError, match="reading is for a step of a model"):
        rd.step("a", reading="b", flops=2)
    with pytest.raises(TypeError, match="in_place is for a step of a model"):
        rd.step("a", in_place=True, flops=2)


def test_numbers_are_in_base_units_of_what_they_are_for() -> None:
    box = rd.make_machine(
        "box",
        resources={"nvme": "B"},
        flops=2e12,
        memory={"L2": 3e12, "DRAM": 1e11, "default": "DRAM"},
        messages=1e6,
        nvme=1e9,
        power=200,
        capacity={"memory": 2**36},
        energy={"flops": 1e-12, "nvme": 0, "memory": 2e-12, "network": 0, "messages": 0},
        startup={"": 3e-6, "network": 1e-6},
        network=1e9,
    )
    text = rd.loads(
        """
        resource nvme: B
        machine box {
            flops = 2 TFLOP/s; messages = 1e6 message/s; nvme = 1 GB/s; network = 1 GB/s
            memory { L2 = 3 TB/s; DRAM = 100 GB/s; default DRAM }
            power = 200 W; capacity memory = 64 GiB; startup = 3 us; startup network = 1 us
            energy { flops = 1 pJ/flop; memory = 2 pJ/B; network = 0 J/B; messages = 0 J/message }
            energy nvme = 0 J/B
        }
        """
    ).machines["box"]
    model = rd.make_model(
        "m", resources={"nvme": "B"}, flops=1e9, memory=1e9, network=10, messages=2, nvme=1e6
    )
    mine, told = (model.on(machine).evaluate() for machine in (box, text))
    assert mine.times == told.times and mine.time == told.time
    assert mine.spending["energy"] == pytest.approx(told.spending["energy"])
    triad = rd.make_model("triad", parameters={"V": "B", "fast": "boolean"}, memory="2*V")
    assert triad(V=16384, fast=True).text == "triad(V = 16 KiB, fast = true)"


def test_what_a_file_declares_is_named_by_it(tmp_path: Path, karst: rd.Machine) -> None:
    folder = tmp_path / "of mine"
    folder.mkdir()
    (folder / "mine.roof").write_text(TRIAD, encoding="utf-8")
    triad = rd.load_model(folder / "mine.roof")
    model = rd.make_model("twice", steps=[rd.iterate(2, rd.step("a", triad(n=5)))])
    file = (folder / "mine.roof").as_posix()
    assert model.text.startswith(f'use "{file}" as mine_file\n')
    assert model.on(karst).evaluate().memory == 2 * 24 * 5
    model.save(tmp_path / "kept.roof")
    assert 'use "./of mine/mine.roof" as' in (tmp_path / "kept.roof").read_text(encoding="utf-8")
    model.save(folder / "beside.roof")
    assert 'use "./mine.roof" as' in (folder / "beside.roof").read_text(encoding="utf-8")
    for path in (tmp_path / "kept.roof", folder / "beside.roof"):
        assert rd.load_model(path).on(karst).evaluate().memory == 240


def test_a_table_is_found_from_where_the_text_is_kept(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "t.csv").write_text("n,time [s]\n1,2\n3,4\n", encoding="utf-8")
    table = tmp_path / "data" / "t.csv"
    box = rd.make_machine("box", flops=1, interpolated={"gemm(n)": table})
    box.save(tmp_path / "box.roof")
    kept = (tmp_path / "box.roof").read_text(encoding="utf-8")
    assert 'measured gemm(n) from "./data/t.csv" interpolate' in kept
    product = rd.make_model(
        "product", parameters={"n": "integer"}, operation="gemm(n = n)", flops=4
    )
    for machine in (box, rd.load_machine(tmp_path / "box.roof")):
        assert product.on(machine).evaluate(n=2).time == pytest.approx(8**0.5, rel=0.1)


def test_what_was_made_is_made_again_in_what_uses_it(karst: rd.Machine) -> None:
    text = rd.loads(f'unit token\n\n## Of three arrays.\n{TRIAD}test "t" {{ expect 1 > 0 }}\n')
    triad = text.models["triad"]
    pair = rd.make_model("pair", steps=[rd.step("a", triad(n=1)), rd.step("b", triad(n=2))])
    four = rd.make_model(
        "four",
        units=["token"],
        steps=[rd.step("c", pair), rd.step("d", pair())],
        metrics={"rate": "token/s = 1 token / time"},
    )
    assert four.text.count("model triad") == four.text.count("unit token") == 1
    assert "## Of three arrays." in four.text and "test" not in four.text
    assert four.on(karst).evaluate().memory == 2 * 3 * 24
    other = rd.make_model("triad", memory=8)
    clash = problem(
        lambda: rd.make_model("m", steps=[rd.step("a", other), rd.step("b", triad(n=1))])
    )
    assert clash.code == "R0202"


def test_cells_of_a_notebook_are_parts_too(karst: rd.Machine) -> None:
    cells = Cells()
    cells.run("unit token\nfunction bytes(n) = 24*n")
    cell = cells.run("model triad { param n: integer; memory = bytes(n) }")
    made = rd.make_model("m", steps=[rd.step("a", cell.models["triad"](n=2))])
    assert made.on(karst).evaluate().memory == 48
    again = rd.loads(cell.models["triad"].text).models["triad"]
    assert again.on(karst).evaluate(n=2).memory == 48
    anew = cells.run("model triad { param n: integer; memory = 8*n }").models["triad"]
    assert (
        "24*n" in anew.text
        and rd.make_model("m", steps=[rd.step("a", anew(n=2))]).on(karst).evaluate().memory == 16
    )


def test_functions_and_words_of_a_file_are_used_under_a_name(tmp_path: Path) -> None:
    text = "unit token\nresource nvme: B\nfunction misses(n, B) = n/B\n"
    (tmp_path / "words.roof").write_text(text, encoding="utf-8")
    words = rd.load(tmp_path / "words.roof")
    model = rd.make_model(
        "m", parameters={"n": "integer"}, uses={"words": words}, nvme="64 B*words.misses(n, 8)"
    )
    box = rd.make_machine("box", uses={"words": words}, nvme="8 B/s")
    assert model.on(box).evaluate(n=8).time == 8
    assert words.models == {} and words.tests == ()


def test_devices_are_machines(karst: rd.Machine) -> None:
    host = rd.make_machine("host", devices={"gpu": rd.load_machine("v100"), "cpu": karst})
    model = rd.make_model(
        "m",
        parameters={"n": "integer"},
        steps=[
            rd.step("a", memory="8*n", on="cpu"),
            rd.step("b", rd.loads(TRIAD).models["triad"](n="n"), on="gpu"),
        ],
    )
    result = model.on(host).evaluate(n=10**9)
    assert result.steps["a"].time == pytest.approx(8e9 / 13.9e9)
    assert result.steps["b"].bound == "gpu.memory"


def test_a_changed_machine_stands_in_no_text(tmp_path: Path, karst: rd.Machine) -> None:
    fast = karst.changed(memory="2x")
    for machine in (fast, fast.named("fast"), fast.named("karst")):
        assert problem(lambda: rd.make_machine("m", base=machine)).code == "R0511"  # noqa: B023 - called at once
        assert problem(lambda: machine.text).code == "R0511"  # noqa: B023 - called at once
        assert problem(lambda: machine.save(tmp_path / "m.roof")).code == "R0511"  # noqa: B023 - called at once
    renamed = rd.make_machine("m", base=karst.named("other"), network="2.4 GB/s")
    assert renamed.rates == {**karst.rates, "network": 2.4e9}


@pytest.mark.parametrize("name", ["größe", "3d", "a b", "Δx"])
def test_a_file_may_have_any_name(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.roof").write_text(TRIAD)
    triad = rd.load_model(tmp_path / f"{name}.roof")
    assert rd.make_model("m", steps=[rd.step("a", triad(n=2))]).memory == 48


def test_floats_are_written_as_python_shows_them() -> None:
    rates: dict[str, Any] = {"memory": 0.1, "network": 1e-300, "power": 3e-6}
    text = rd.make_machine("m", rates, lets={"half": 0.5}).text
    lines = [line.strip() for line in text.splitlines()[1:-1]]
    assert lines == ["let half = 0.5", "memory = 0.1 B/s", "network = 1e-300 B/s", "power = 3 µW"]


def test_problems_name_the_argument(karst: rd.Machine) -> None:
    notes = {
        "steps[1], parts[0], memory": lambda: rd.make_model(
            "m", steps=[rd.step("a"), rd.overlap(rd.step("b", memory="1 s"))]
        ),
        "parameters['n']": lambda: rd.make_model("m", parameters={"n": "integr"}, memory=1),
        "lets['a']": lambda: rd.make_model("m", lets={"a": "b"}, memory="a"),
        "require[1]": lambda: rd.make_model("m", {"memory": 1}, require=["1 > 0", "3"]),
        "tallies['t']": lambda: rd.make_model("m", memory=1, tallies={"t": ("B", "1 s")}),
        "metrics['t']": lambda: rd.make_model("m", memory=1, metrics={"t": "ms = memory"}),
        "totals['flops']": lambda: rd.make_model("m", flops=1, totals={"flops": "x"}),
        "memory, 'L2'": lambda: rd.make_machine("m", memory={"L2": "1 B"}),
        "capacity['memory']": lambda: rd.make_machine("m", capacity={"memory": "1 s"}),
        "devices['gpu']": lambda: rd.make_machine("m", devices={"gpu": karst, "gp u": karst}),
        "jobs['a']": lambda: rd.make_mix("m", {"a": rd.load_model("summa")(q=1)}),
        "units[0]": lambda: rd.make_model("m", units=["B"], memory=1),
    }
    for place, made in notes.items():
        found = problem(made)
        told = [note for note in found.notes if note.startswith("this is in the argument")]
        assert told == [f"this is in the argument {place}"] or place == "devices['gpu']", str(found)


@pytest.mark.parametrize("text", ["1; flops = 2", "1 }", "1\n flops = 2", "{ 1"])
def test_a_text_brings_no_other_statement_with_it(text: str) -> None:
    n = {"n": "integer"}
    for made in (
        lambda: rd.make_model("m", memory=text),
        lambda: rd.make_model("m", {text: 1}),
        lambda: rd.make_model("m", lets={"a": text}, memory=1),
        lambda: rd.make_model("m", lets={text: "1"}, memory=1),
        lambda: rd.make_model("m", parameters={"n": f"integer = {text}"}, memory=1),
        lambda: rd.make_model("m", parameters=n, require=[text], memory=1),
        lambda: rd.make_model("m", tallies={"t": f"B = {text}"}, memory=1),
        lambda: rd.make_model("m", operation=text, memory=1),
        lambda: rd.make_model("m", totals=text, memory=1),
        lambda: rd.make_model("m", units=[text], memory=1),
        lambda: rd.make_model("m", resources={"nvme": text}, memory=1),
        lambda: rd.make_model(f"m {text}", memory=1),
        lambda: rd.make_model("m", steps=[rd.step(f"a {text}", memory=1)]),
        lambda: rd.make_model("m", steps=[rd.step("a", memory=1, on=text)]),
        lambda: rd.make_machine("m", memory=1, serial=[text]),
        lambda: rd.make_machine("m", memory={"L2": 1, "default": text}),
        lambda: rd.make_mix("m", {text: rd.load_model("summa")(N=4, P=4)}),
    ):
        with pytest.raises(rd.RoofError):
            made()


def test_comments_are_kept_and_say_anything() -> None:
    model = rd.make_model(
        "m",
        parameters={"n": "integer = 2  ## of a side; {all}"},
        lets={"a": "n/2  ## half # of it"},
        doc="First.\n\nSecond; } model x {",
        sources=['A "book"; a \\ paper # 3'],
        memory="8*a",
    )
    (parameter,) = model.definition.parameters
    assert parameter.doc == "of a side; {all}"
    assert model.doc == "First.\nSecond; } model x {"
    assert model.sources == ('A "book"; a \\ paper # 3',)


def test_what_is_made_can_be_compared_copied_and_sent() -> None:
    def make(size: int) -> rd.Model:
        return rd.make_model(
            "m", steps=[rd.overlap(rd.step("a", rd.loads(TRIAD).models["triad"](n=size)))]
        )

    one = rd.step("a", rd.loads(TRIAD).models["triad"](n=2))
    again = rd.step("a", rd.loads(TRIAD).models["triad"](n=2))
    assert one == again and hash(one) == hash(again) != hash(rd.step("a"))
    call = rd.loads(TRIAD).models["triad"](n=2)
    for thing in (one, call, rd.loads(TRIAD), make(3)):
        for other in (copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))):  # noqa: S301 - our own
            assert other == thing and hash(other) == hash(thing) and repr(other) == repr(thing)
    assert make(2) == make(2) != make(3)
    with ThreadPoolExecutor(4) as pool:
        assert len({*pool.map(lambda _: make(4), range(8))}) == 1


def test_a_mix_of_so_many_runs(karst: rd.Machine) -> None:
    triad = rd.loads(TRIAD).models["triad"]
    mix = rd.make_mix(
        "month",
        {
            "a": "runs" * triad(n=10),
            "b": sympy.Symbol("k", integer=True) * triad(n=20),
            "c": triad(n=1),
        },
        parameters={"runs": "integer = 3"},
    )
    assert mix.parameters == ("runs", "k")
    result = mix.on(karst).evaluate(k=5)
    times = [rd.loads(TRIAD).models["triad"].on(karst).evaluate(n=n).time for n in (10, 20, 1)]
    assert result.time == pytest.approx(3 * times[0] + 5 * times[1] + times[2])


def test_what_is_no_part_is_refused_in_words() -> None:
    triad = rd.loads(TRIAD).models["triad"]
    made: Any
    for made, told in (
        (lambda: untyped.make_model("m", steps=[triad]), r"steps\[0\] takes a part"),
        (lambda: untyped.make_model("m", steps=rd.step("a")), "steps takes several values"),
        (lambda: untyped.step("a", 3), "what takes a model with arguments"),
        (lambda: untyped.step("a", triad(n=2), memory=3), "memory is not for a step of a model"),
        (lambda: untyped.overlap("a"), r"parts\[0\] takes a part"),
        (lambda: untyped.make_machine("m", devices={"gpu": triad}), "takes a Machine"),
        (lambda: untyped.loads(3), "text takes a text"),
    ):
        with pytest.raises(TypeError, match=told):
            made()
    with pytest.raises(rd.RoofError, match=r"is not a \.roof file"):
        triad.save("triad.txt")


def test_what_a_mapping_and_a_keyword_give_is_refused_as_given_twice(karst: rd.Machine) -> None:
    triad = rd.loads(TRIAD).models["triad"]
    made: Any
    for made, name in (
        (lambda: rd.make_model("m", {"flops": 1}, flops=2), "flops"),
        (lambda: rd.make_machine("m", {"flops": 1}, flops=1), "flops"),
        (lambda: rd.step("m", {"memory": 1}, memory={"L2": 2}), "memory"),
        (lambda: karst.changed({"network": 1}, network=2), "network"),
        (lambda: triad({"n": 1}, n=2), "n"),
    ):
        found = problem(made)
        assert found.code == "R0202" and found.message.startswith(f"{name} is given twice")


def test_a_number_of_runs_stands_on_either_side() -> None:
    run = rd.loads(TRIAD).models["triad"](n=2)
    assert run * 3 == 3 * run and run * "k" == "k" * run


def test_what_is_given_by_place_is_told_its_name() -> None:
    triad: Any = rd.loads(TRIAD).models["triad"]
    for given, told in ((1, r"triad\(n=1\), not 1$"), ("m", r"triad\(n=…\), not 'm'$")):
        with pytest.raises(TypeError, match=f"^triad takes arguments by name, {told}"):
            triad(given)


def test_rates_may_be_in_a_metric_of_sympy_that_are_no_parameters(karst: rd.Machine) -> None:
    half = sympy.Symbol("half.time")
    parts = [rd.step("half", memory=13.9e9)]
    model = rd.make_model("m", steps=parts, metrics={"twice": ("s", 2 * half)})
    assert model.parameters == () and model.on(karst).evaluate().metrics["twice"] == 2
