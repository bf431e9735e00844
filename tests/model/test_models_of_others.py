"""A model made from another: what it states otherwise, what follows from that, what it keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.model.library import check_text, find_model
from roofdsl.model.types import ModelDefinition
from roofdsl.source import Source

NET = """
model layer {
    param n: integer
    param b: integer = 1
    in x = 4 B*b*n
    out y = 4 B*b*n
    keep x
    hold weights = 2 B*n^2
    flops = 2*b*n^2
    memory = 2 B*n^2
}
## A net.
model net {
    source "a paper"
    param layers: integer[1..]           ## how deep
    param width: integer                 ## features
    param inner: integer = 4*width       ## features between
    param first: integer[0..layers] = 0  ## others before
    param gated = false
    param dtype: precision = bf16
    let all = layers + first
    require inner >= width
    repeat layers { step layer = layer(n = width, b = 3) }
    if gated { step gate = layer(n = inner) }
    metric each = time / layers
}
machine box { flops = 1 TFLOP/s; memory = 100 GB/s }
"""
BY_HAND = """
model by_hand {
    let layers = 12
    let width = 100
    param inner: integer = 400
    repeat 12 { step layer = layer(n = 100, b = 3) }
}
"""


def models(text: str) -> dict[str, ModelDefinition]:
    module, problems = check_text(Source("test", text))
    assert problems == (), [str(problem) for problem in problems]
    return module.models


def codes(text: str) -> list[str]:
    return [problem.code for problem in check_text(Source("test", NET + text))[1]]


def test_a_parameter_is_fixed() -> None:
    small = models(NET + "model small = net with { let layers = 12; let width = 100 }")["small"]
    assert [each.name for each in small.parameters] == ["inner", "first", "gated", "dtype"]
    assert [each.name for each in small.intermediates] == ["layers", "width", "all"]
    assert [each.doc for each in small.intermediates] == ["how deep", "features", ""]
    assert small.doc == "A net."
    assert small.made_from == "net with layers = 12, width = 100"
    assert small.sources == ("a paper", "small is net with layers = 12, width = 100")
    assert [(x.key, x.added) for x in small.changes] == [("layers", False), ("width", False)]


def test_it_is_the_model_written_by_hand() -> None:
    module = rd.loads(NET + BY_HAND + "model small = net with { let layers = 12; let width = 100 }")
    box = module.machines["box"]
    mine, theirs = (module.models[name].on(box).evaluate() for name in ("small", "by_hand"))
    assert mine.time == theirs.time
    assert mine.tallies == theirs.tallies
    assert mine.tallies["peak_memory"] == 12 * 2 * 100**2 + 3 * 4 * 3 * 100
    assert mine.parameters["inner"] == 400


def test_what_follows_from_a_name_follows() -> None:
    module = rd.loads(
        NET
        + """
        model wide = net with { let width = 100; layers = 2; inner = 5*width }
        model wider = wide with { let width = 200; gated = true; param more: integer = all
                                  require more < 9; let most = more + 1; metric rest = each/2
                                  function twice(x) = 2*x; inner = twice(width) }
        """
    )
    box = module.machines["box"]
    wide = module.models["wide"].on(box).evaluate()
    wider = module.models["wider"].on(box).evaluate(layers=4)
    assert (wide.parameters["inner"], wide.parameters["layers"]) == (500, 2)
    assert wide.flops == 2 * 2 * 3 * 100**2
    assert (wider.parameters["inner"], wider.parameters["more"]) == (400, 4)
    assert wider.flops == 4 * 2 * 3 * 200**2 + 2 * 400**2
    assert wider.metrics["rest"] == pytest.approx(wider.time / 8)
    with pytest.raises(rd.RoofError, match="more < 9"):
        module.models["wider"].on(box).evaluate(layers=9)
    with pytest.raises(rd.RoofError, match="at most"):
        module.models["wider"].on(box).evaluate(layers=4, first=5)


def test_a_parameter_declared_again_is_a_new_one() -> None:
    found = models(NET + "model small = net with { param layers: integer[..3] = 2 ## few\n }")
    assert [each.name for each in found["small"].parameters][:2] == ["layers", "width"]
    assert found["small"].parameters[0].written == "2"
    assert found["small"].parameters[0].doc == "few"


def test_a_precision_and_a_truth_are_fixed() -> None:
    text = "model a { param d: precision; param c: boolean; flops[d] = if c then 3 else 2 }\n"
    found = models(text + "model b = a with { let d = bf16; let c = true }")["b"]
    assert not found.parameters
    assert [work.name for work in found.work] == ["flops[d]"]


def test_a_long_list_of_changes_is_cut_in_its_source() -> None:
    names = [f"n{place}" for place in range(10)]
    declared = "; ".join(f"param {name}: integer" for name in names)
    given = "; ".join(f"let {name} = {place}" for place, name in enumerate(names, 1))
    text = f'model a {{ source "s"; {declared}; flops = {"+".join(names)} }}\n'
    found = models(f"{text}model b = a with {{ {given} }}")["b"]
    assert found.sources[-1] == (
        "b is a with n0 = 1, n1 = 2, n2 = 3, n3 = 4, n4 = 5, n5 = 6 and 4 more values"
    )
    assert found.made_from.endswith("n9 = 10")


def test_models_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "nets.roof").write_text(
        "function double(x) = 2*x\nunit edge\n" + NET.replace("4*width", "double(width)"),
        encoding="utf-8",
    )
    mine = tmp_path / "mine.roof"
    mine.write_text(
        'use "nets.roof" as nets\nfunction double(x) = 3*x\n'
        "model small = nets.net with { let layers = double(1); let width = 10 }\n"
        "model big = summa with { let N = 4096 }\n"
        "model both { step a = small(); step b = big(P = 16) }\n",
        encoding="utf-8",
    )
    small, _ = find_model(f"{mine}:small")
    inner = next(each for each in small.parameters if each.name == "inner")
    assert inner.written == "double(width)"
    module = rd.load(str(mine))
    box = rd.load(str(tmp_path / "nets.roof")).machines["box"]
    assert module.models["small"].on(box).evaluate().parameters["inner"] == 20
    assert module.models["small"].on(box).evaluate().flops == 3 * 2 * 3 * 10**2
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    big = module.models["big"].on(rd.load_machine("karst"))
    assert big.evaluate(P=16).time == summa.evaluate(N=4096, P=16).time
    shown = CliRunner().invoke(cli, ["show", f"{mine}:small"]).stdout
    assert "layers     = double(1)" in shown
    assert "nets.net" not in shown
    assert "small is net with layers = double(1), width = 10" in shown
    both = CliRunner().invoke(cli, ["eval", f"{mine}:both", "-m", "karst"])
    assert both.exit_code == 0, both.output


def test_a_mix_is_made_from_a_mix() -> None:
    module = rd.loads(
        NET
        + """
        mix month { param need: real; job a = 3*need * net(layers = 2, width = 10) }
        mix june = month with { let need = 2; metric half = time/2 }
        """
    )
    box = module.machines["box"]
    june = module.models["june"].on(box).evaluate()
    assert june.time == module.models["month"].on(box).evaluate(need=2).time
    assert june.metrics["half"] == june.time / 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("model a = net with { flops = 3 }", "R0231"),
        ("model a = net with { step b = layer(n = 3) }", "R0231"),
        ("model a = net with { if true { step b = layer(n = 3) } }", "R0231"),
        ("model a = net with { total even }", "R0231"),
        ("model a = net with { tally w: B = 3 }", "R0231"),
        ("model a = net with { hold w = 3 B }", "R0231"),
        ("model a = net with { depth = 3 }", "R0231"),
        ("model a = net with { metric each = 2*time }", "R0202"),
        ("model a = net with { let layers = 2.5 }", "R0404"),
        ("model a = net with { let layers = 0 }", "R0402"),
        ("model a = net with { layers = 0 }", "R0402"),
        ("model a = net with { let layers = 2 B }", "R0405"),
        ("model a = net with { let dtype = 3 }", "R0404"),
        ("model a = net with { let gated = 1 }", "R0404"),
        ("model a = net with { let layers = layers + 1 }", "R0203"),
        ("model a = net with { let width = inner }", "R0203"),
        ("model a = a with { let layers = 2 }", "R0219"),
        ("model a = b with { let n = 2 }\nmodel b { step c = a() }", "R0219"),
        ("mix a = net with { let layers = 2 }", "R0219"),
        ("mix m { job j = net(layers = 2, width = 3) }\nmodel a = m with { let b = 2 }", "R0219"),
        ("model a = nett with { let layers = 2 }", "R0207"),
        ("model a = box with { let layers = 2 }", "R0207"),
        ("model a = net", "R0110"),
    ],
)
def test_what_is_wrong_is_told_once(text: str, code: str) -> None:
    assert codes(text) == [code]


def test_a_model_with_errors_is_told_once() -> None:
    text = (
        "model bad { param n; flops = q }\nmodel a = bad with { n = 2 }\nmodel b = a with { n = 3 }"
    )
    assert codes(text) == ["R0201"]


def test_a_problem_of_what_it_is_made_from_names_it() -> None:
    text = "model a = net with { param width: integer = 3; let all = 2 B; param inner: B }"
    (problem, *_) = check_text(Source("test", NET + text))[1]
    assert problem.labels[-1].text == "in 'a', made from it"


def test_a_warning_of_its_base_is_not_told_again() -> None:
    text = (
        "model w { param n: integer; param word = 8 B; memory = 3*n }\nmodel a = w with { n = 2 }"
    )
    assert codes(text) == ["R0310"]


def test_made_in_python_and_printed_back() -> None:
    net = rd.loads(NET).models["net"]
    small = rd.make_model(
        "small", base=net, lets={"layers": 12, "width": "100  ## few"}, gated=True
    )
    assert small.parameters == ("inner", "first", "gated", "dtype")
    assert "model small = net with {" in small.text
    assert "gated = true" in small.text
    again = rd.loads(small.text).models["small"]
    box = rd.loads(NET).machines["box"]
    assert again.on(box).evaluate().time == small.on(box).evaluate().time
    month = rd.make_mix("month", {"a": 2 * small()}, parameters={"need": "= 3"})
    june = rd.make_mix("june", base=month, lets={"need": 4})
    assert june.parameters == ()
    with pytest.raises(rd.RoofError, match="cannot be changed"):
        rd.make_model("other", base=net, flops=3)


def test_diff_sees_what_was_fixed(tmp_path: Path) -> None:
    file = tmp_path / "nets.roof"
    text = "model small = net with { let layers = 12 }\nmodel large = net with { let layers = 24 }"
    file.write_text(NET + text, encoding="utf-8")
    told = CliRunner().invoke(cli, ["diff", f"{file}:small", f"{file}:large"]).stdout
    assert "layers" in told
    assert "24" in told
