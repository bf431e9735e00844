"""Which link serves plain `network` on a process of a node: what does not fit in it leaves it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import roofdsl as rd
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.model.library import check_text
from roofdsl.model.types import Module
from roofdsl.source import Source

TEXT = """
machine node {
    param ranks: processes = 8
    flops = 1 GFLOP/s
    memory = 1 TB/s
    network { intra = 200 GB/s; inter = 25 GB/s }
    messages = 1 us/message
}
machine outside = node with { network { default inter } }
machine inside = node with { network { default intra } }
machine single { flops = 1 GFLOP/s; memory = 1 TB/s; network.intra = 200 GB/s }
machine boxed { param ranks: processes = 8; device gpu = node with { ranks = 4 }; memory = 1 TB/s }

model send { param n: integer; param P: processes; network = 1000 B*n; messages = n }
model bare { param n: integer; network = 1000 B*n }
model group { param n: integer; param P: processes; step part = send(n = n, P = P/4) }
model unsaid { param n: integer; step part = send(n = n, P = 4); step other = send(n = n, P = 16) }
model placed { param n: integer; param P: processes; step part = send(n = n, P = P) on gpu }
model explicit { param n: integer; param P: processes; network.intra = 1000 B*n }
"""


@pytest.fixture(scope="module")
def module() -> Module:
    found, problems = check_text(Source("test", TEXT))
    assert not problems, problems
    return found


def asked(module: Module, model: str, machine: str) -> ModelOnMachine:
    return ModelOnMachine(module.models[model], module.machines[machine])


INSIDE, OUTSIDE = 1 / Fraction(200 * 10**9), 1 / Fraction(25 * 10**9)
"""Seconds for a byte."""


@pytest.mark.parametrize(
    ("model", "machine", "processes", "link"),
    [
        ("send", "node", 1, INSIDE),
        ("send", "node", 8, INSIDE),
        ("send", "node", 9, OUTSIDE),
        ("send", "node", 32, OUTSIDE),
        ("send", "inside", 8, INSIDE),
        ("send", "inside", 32, OUTSIDE),
        ("send", "outside", 2, OUTSIDE),
        ("group", "node", 8, INSIDE),
        ("group", "node", 32, OUTSIDE),  # four groups of 8: which share a node nobody has said
        ("placed", "boxed", 4, INSIDE),
        ("placed", "boxed", 5, OUTSIDE),
    ],
)
def test_processes_that_do_not_fit_leave_the_node(
    module: Module, model: str, machine: str, processes: int, link: Fraction
) -> None:
    n = 1000
    result = asked(module, model, machine).evaluate({"n": n, "P": processes})
    # Messages share the link that serves, whichever that is.
    assert result.time == pytest.approx(float(1000 * n * link + n * Fraction(1, 10**6)), rel=1e-12)
    assert result.bound is not None
    assert result.bound.endswith("network")
    assert result.network == 1000 * n


def test_without_a_whole_each_part_has_its_own_link(module: Module) -> None:
    result = asked(module, "unsaid", "node").evaluate({"n": 1000})
    assert result.time == pytest.approx(float(10**6 * (INSIDE + OUTSIDE)) + 2e-3, rel=1e-12)
    assert result.work["network.intra"] == result.work["network.inter"] == 1e6


def test_a_sweep_a_point_and_a_formula_agree(module: Module) -> None:
    pair, counts = asked(module, "send", "node"), [1, 7, 8, 9, 64]
    swept = pair.sweep({"n": 10, "P": counts})
    points = [pair.evaluate({"n": 10, "P": count}) for count in counts]
    assert swept.time.tolist() == pytest.approx([point.time for point in points], rel=1e-14)
    assert {*points[0].work} == {"network.intra", "network.inter", "messages"}
    model, machine = rd.Model(pair.model), rd.Machine(pair.machine)
    known = {"node.network.intra": 200e9, "node.network.inter": 25e9, "node.messages": 1e6}
    time = model.on(machine).time
    for count, point in zip(counts, points, strict=True):
        values = {**known, "n": 10, "P": count}
        put_in = {symbol: values[str(symbol)] for symbol in time.free_symbols}
        assert float(time.subs(put_in)) == pytest.approx(point.time, rel=1e-12)


def test_a_node_of_another_size_holds_as_many(module: Module) -> None:
    model = rd.Model(module.models["send"])
    node = rd.Machine(module.machines["node"])
    for ranks in (1, 16, 31, 32, 33):
        time = model.on(node.changed(ranks=ranks)).evaluate(n=1000, P=32).time
        expected = 10**6 * (INSIDE if ranks >= 32 else OUTSIDE)
        assert time == pytest.approx(float(expected) + 1e-3, rel=1e-12)


@pytest.mark.parametrize(
    ("model", "machine", "note"),
    [
        ("send", "node", "network.intra of 'node' where all processes fit in a node of ranks"),
        ("send", "outside", "network is network.inter of 'outside'"),
        ("send", "single", "network.intra of 'single' for any number of processes: it states no"),
        ("bare", "node", "network.intra of 'node': how many processes there are is not said"),
    ],
)
def test_a_note_says_which_link_serves(model: str, machine: str, note: str) -> None:
    values = {"n": 10, **({"P": 4} if model == "send" else {})}
    text = TEXT.replace("messages = n", "")  # `single` has none
    found = check_text(Source("test", text))[0]
    (said,) = asked(found, model, machine).evaluate(values).notes
    assert note in said


def test_a_link_that_is_named_is_taken_as_it_is(module: Module) -> None:
    result = asked(module, "explicit", "node").evaluate({"n": 1000, "P": 32})
    assert result.time == pytest.approx(float(10**6 * INSIDE))
    assert not result.notes
