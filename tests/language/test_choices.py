"""`if` around parts is the model of the parts that run, in numbers, formulas, tables and memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

KERNEL = """
model kernel {
    param n: integer
    param k: integer = 1
    in x = k*8 B*n^2
    out y = 8 B*n^2
    keep x
    hold weights = 2 B*n^2
    flops = 2*k*n^3
    memory = 24 B*n^2
}
machine card { flops = 1 TFLOP/s; memory = 100 GB/s; network = 1 GB/s }
"""
CHOOSING = """
model net {
    param n: integer = 100
    param experts: integer
    param deep: boolean
    step first = kernel(n = n, k = 3)
    if experts > 1 {
        step router = kernel(n = 2*n)
        overlap { step a = kernel(n = n, k = 2) from router; step send { network = 8 B*n^2 } }
    } else if deep {
        step long = kernel(n = 3*n)
    } else {
        step dense = kernel(n = n)
    }
    repeat 3 { if deep and experts > 2 { step twice = kernel(n = n) } }
    step last = kernel(n = n, k = 5)
    metric part = router.share
}
"""
# What runs, and what a table lists, for each of the ways.
MIXED = """
step router = kernel(n = 2*n)
overlap { step a = kernel(n = n, k = 2) from router; step send { network = 8 B*n^2 } }
"""
WAYS = {
    (1, False): ("step dense = kernel(n = n)", ["first", "dense", "last"]),
    (1, True): ("step long = kernel(n = 3*n)", ["first", "long", "last"]),
    (2, True): (
        MIXED,
        ["first", "router", "overlap", "a", "send", "last"],
    ),
    (3, True): (
        MIXED + "repeat 3 { step twice = kernel(n = n) }",
        ["first", "router", "overlap", "a", "send", "twice × 3", "last"],
    ),
}
Way = tuple[int, bool]


def told(*words: str) -> str:
    return CliRunner().invoke(cli, words, catch_exceptions=False).stdout


def written_out(way: Way) -> rd.Model:
    """Return the model of what runs alone."""
    parts, _ = WAYS[way]
    text = f"""
    model net {{
        param n: integer = 100
        step first = kernel(n = n, k = 3)
        {parts}
        step last = kernel(n = n, k = 5)
    }}
    """
    return rd.loads(KERNEL + text).models["net"]


@pytest.fixture(scope="module")
def module() -> rd.Module:
    return rd.loads(KERNEL + CHOOSING)


@pytest.mark.parametrize("way", WAYS)
def test_an_if_is_the_model_of_what_runs(module: rd.Module, way: Way) -> None:
    experts, deep = way
    card = module.machines["card"]
    mine = module.models["net"].on(card).evaluate(experts=experts, deep=deep)
    theirs = written_out(way).on(card).evaluate()
    assert mine.time == pytest.approx(theirs.time, rel=1e-14)
    assert mine.shares == pytest.approx(theirs.shares, rel=1e-14)
    for name in ("flops", "memory", "network", "bound", "tallies"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert mine.steps.count("dense") == (experts == 1 and not deep)
    assert mine.steps.count("twice") == 3 * (experts > 2 and deep)
    share = theirs.steps.share("router") if experts > 1 else 0
    assert mine.metrics["part"] == pytest.approx(share, rel=1e-14)


def test_what_is_open_comes_to_the_same(tmp_path: Path, module: rd.Module) -> None:
    """A sweep puts numbers into formulas, in which it is open what runs."""
    card = module.machines["card"]
    ways = [*WAYS]
    net = module.models["net"].on(card)
    for deep in (False, True):
        counts = [experts for experts, is_deep in ways if is_deep == deep]
        sweep = net.sweep(experts=counts, deep=deep)
        for place, experts in enumerate(counts):
            theirs = written_out((experts, deep)).on(card).evaluate()
            assert sweep.time[place] == pytest.approx(theirs.time, rel=1e-12)
            peak = sweep.tallies["peak_memory"][place]
            assert peak == theirs.tallies["peak_memory"], (experts, deep)
    file = tmp_path / "net.roof"
    file.write_text(KERNEL + CHOOSING, encoding="utf-8")
    page = told("eval", f"{file}:net", "--machine", str(file))
    assert "peak_memory = if experts > 1 then" in page
    assert "peak_memory is a bound" not in page


@pytest.mark.parametrize("way", WAYS)
def test_a_table_lists_what_runs(tmp_path: Path, way: Way) -> None:
    file = tmp_path / "net.roof"
    file.write_text(KERNEL + CHOOSING, encoding="utf-8")
    experts, deep = way
    at = ["-p", f"experts={experts}", "-p", f"deep={str(deep).lower()}"]
    eval_ = ["eval", f"{file}:net", "--machine", str(file), *at]
    page = told(*eval_)
    rows = page[page.index("  step ") :].splitlines()[1:]
    _, listed = WAYS[way]
    assert [row.split("  ")[1:] and row.strip().split("  ")[0] for row in rows if row] == listed
    top = told(*eval_, "--top", "9")
    paths = [row.split()[0] for row in top[top.index("  step ") :].splitlines()[1:] if row]
    assert not any({"if", "else"} & {*path.split(".")} for path in paths)
    data = json.loads(told(*eval_, "--format", "json"))
    assert '"if"' not in json.dumps(data["breakdown"])


def test_show_has_both_ways(tmp_path: Path) -> None:
    file = tmp_path / "net.roof"
    file.write_text(KERNEL + CHOOSING, encoding="utf-8")
    page = told("show", f"{file}:net")
    lines = [line.strip() for line in page[page.index("steps\n") :].splitlines()]
    ways = ("if experts > 1", "else if deep", "else", "if deep and experts > 2")
    assert [line for line in lines if line in ways] == [*ways]


def test_made_in_python(module: rd.Module) -> None:
    kernel, card = module.models["kernel"], module.machines["card"]
    net = rd.make_model(
        "made",
        parameters={"n": ("integer", 100), "experts": "integer"},
        steps=[
            rd.when(
                "experts > 1",
                rd.step("router", kernel(n="2*n")),
                otherwise=[rd.step("dense", kernel(n="n"))],
            ),
            rd.when(True, rd.step("last", kernel(n="n"))),
        ],
    )
    assert "if experts > 1 {" in net.text
    assert "else {" in net.text
    one, two = (net.on(card).evaluate(experts=n).flops for n in (1, 2))
    assert (one, two) == (2 * 2e6, 2 * 8e6 + 2e6)


ASKING = """
model mixture { param E: integer[2..]; require E != 5; flops = 2e9*E; network = 3 B*E }
model net {
    param E: integer
    if E > 1 { step mixture = mixture(E = E) } else { step dense { flops = 3e9 } }
}
model after { param E: integer; step net = net(E = E); step again = mixture(E = E + 1) }
machine fast { flops = 1 TFLOP/s; network = 1 GB/s }
machine alone { flops = 1 TFLOP/s }
"""


def test_nothing_is_asked_of_what_does_not_run() -> None:
    module = rd.loads(ASKING)
    net, after = module.models["net"], module.models["after"]
    fast, alone = module.machines["fast"], module.machines["alone"]
    assert net.on(alone).evaluate(E=1).flops == 3e9
    with pytest.raises(rd.RoofError, match="no rate for it"):
        net.on(alone).evaluate(E=2)
    with pytest.raises(rd.RoofError, match="E != 5"):
        net.on(fast).evaluate(E=5)
    assert net.on(fast).sweep(E=[1, 2, 4]).flops.tolist() == [3e9, 4e9, 8e9]
    # What an equal call is asked elsewhere, it is asked.
    with pytest.raises(rd.RoofError, match="at least 2"):
        rd.loads(ASKING.replace("E + 1", "E")).models["after"].on(fast).evaluate(E=1)
    with pytest.raises(rd.RoofError, match="E != 5"):
        after.on(fast).evaluate(E=4)
    assert after.on(fast).evaluate(E=1).flops == 3e9 + 4e9
