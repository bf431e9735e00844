"""Which link serves plain `network` on a process of a node: what does not fit in it leaves it."""

from __future__ import annotations

from fractions import Fraction

import pytest

import roofdsl as rd
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import RoofError
from roofdsl.model.library import check_text
from roofdsl.model.types import Module
from roofdsl.source import Source

TEXT = """
use collectives.parallel

machine node {
    param ranks: processes = 8
    flops = 1 GFLOP/s
    memory = 1 TB/s
    network { intra = 200 GB/s; inter = 25 GB/s }
    messages = 1 us/message
}
machine outside = node with { network { default inter } }
machine inside = node with { network { default intra } }
machine priced = node with { power = 0 W; energy network = 100 pJ/B }
machine priced_apart = priced with { energy network.inter = 300 pJ/B }
machine single { flops = 1 GFLOP/s; memory = 1 TB/s; network.intra = 200 GB/s }
machine boxed { param ranks: processes = 8; device gpu = node with { ranks = 4 }; memory = 1 TB/s }

model send { param n: integer; param P: processes; network = 1000 B*n; messages = n }
model bare { param n: integer; network = 1000 B*n }
model group { param n: integer; param P: processes; step part = send(n = n, P = P/4) }
model unsaid { param n: integer; step part = send(n = n, P = 4); step other = send(n = n, P = 16) }
model placed { param n: integer; param P: processes; step part = send(n = n, P = P) on gpu }
model even { param n: integer; param P: processes; total even; network = 1000 B*n }
model told {
    param n: integer
    param P: processes
    step group = send(n = n, P = 8) on network.intra
    step around on network.intra { step again = send(n = n, P = 8) }
    step own on network.intra { network = 1000 B*n }
    step whole = send(n = n, P = P)
}
model told_gpu { param n: integer; step part = send(n = n, P = 2) on gpu.network.inter }
machine fast = node with { flops = 1 PFLOP/s }
model sends { param n: integer; network.inter = 1 GB; messages = n }
model by_both { param n: integer; network.intra = 10 GB; network.inter = 1 GB; messages = n }
model steps_by_both {
    param n: integer
    step inside { network.intra = 1 GB; messages = 3*n }
    step across { network.inter = 1 GB; messages = 2*n }
}
model reduce { step all = all_reduce_two_level(bytes = 8 GB, inside = 8, nodes = 4) }
model named {
    param P: processes
    step inside { network.intra = 1 GB }
    step all = send(n = 1000, P = P)
    step across on network.inter { network = 1 GB }
}
model apart {
    overlap {
        step x on network.intra { network = 1 GB }
        step y on network.inter { network = 1 GB; messages = 1000 }
    }
}
model again {
    param P: processes
    overlap {
        step x = send(n = 1000, P = P)
        step y { network.inter = 1 GB }
    }
}
model latency { param P: processes; messages = 5 }
model explicit { param n: integer; param P: processes; network.intra = 1000 B*n }
"""


@pytest.fixture(scope="module")
def module() -> Module:
    found, problems = check_text(Source("test", TEXT))
    assert not problems, problems
    return found


def asked(module: Module, model: str, machine: str) -> ModelOnMachine:
    return ModelOnMachine(module.models[model], module.machines[machine])


LATENCIES = "messages { intra = 1 us/message; inter = 4 us/message }"
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
    # That more than a node holds do not share it is said, by the count of the model that sends.
    (note,) = result.notes
    assert (
        note == "'explicit' sends by network.intra among 32 processes, and a node of 'node' holds 8"
    )
    assert not asked(module, "explicit", "node").evaluate({"n": 1000, "P": 8}).notes
    swept = asked(module, "explicit", "node").sweep({"n": 1000, "P": [4, 32]})
    assert "whatever P is" in swept.prediction.notes[0]


def test_a_step_is_placed_on_a_link_as_on_a_device(module: Module) -> None:
    result = asked(module, "told", "node").evaluate({"n": 1000, "P": 32})
    # Two groups of 8 by the link inside, and in a step of the whole; all of 32 by the other.
    assert result.time == pytest.approx(float(10**6 * (3 * INSIDE + OUTSIDE)) + 3e-3, rel=1e-12)
    assert result.steps["group"].time == pytest.approx(float(10**6 * INSIDE) + 1e-3)
    assert [note for note in result.notes if "holds 8" in note] == [
        "'own' sends by network.intra among 32 processes, and a node of 'node' holds 8"
    ]
    by_device = asked(module, "told_gpu", "boxed").evaluate({"n": 1000})
    assert by_device.time == pytest.approx(float(10**6 * OUTSIDE) + 1e-3, rel=1e-12)


@pytest.mark.parametrize(
    ("machine", "processes", "joules"),
    [
        # A thousand kB of each process, at 100 pJ/B by either link, or 300 pJ/B between nodes.
        ("priced", 8, 8 * 1e6 * 100e-12),
        ("priced", 9, 9 * 1e6 * 100e-12),
        ("priced_apart", 8, 8 * 1e6 * 100e-12),
        ("priced_apart", 9, 9 * 1e6 * 300e-12),
    ],
)
def test_a_link_has_its_own_energy_or_that_of_all(
    module: Module, machine: str, processes: int, joules: float
) -> None:
    result = asked(module, "even", machine).evaluate({"n": 1000, "P": processes})
    assert result.spending["energy"] == pytest.approx(joules, rel=1e-12)


def test_messages_add_to_the_link_by_which_the_kernel_sends(module: Module) -> None:
    outer = asked(module, "sends", "node").evaluate({"n": 10**6})
    # 1 GB at 25 GB/s and a million messages of 1 us; by network.intra none is sent.
    assert outer.time == pytest.approx(0.04 + 1)
    assert (outer.bound, outer.bound_kind) == ("network.inter", "messages")
    assert outer.times == pytest.approx({"network.inter": 1.04})
    # By both links: to that between nodes. 50 ms inside, 40 ms and messages between.
    by_both = asked(module, "by_both", "node")
    assert by_both.evaluate({"n": 5000}).time == pytest.approx(0.05)
    assert by_both.evaluate({"n": 20_000}).time == pytest.approx(0.06)
    assert by_both.evaluate({"n": 20_000}).bound == "network.inter"


def test_a_link_may_have_a_latency_of_its_own(module: Module) -> None:
    """A million bytes and a thousand messages: 1 us each inside a node, 4 us between nodes."""
    machine = check_text(Source("test", TEXT.replace("messages = 1 us/message", LATENCIES)))[
        0
    ].machines["node"]
    inside, between = float(10**6 * INSIDE) + 1e-3, float(10**6 * OUTSIDE) + 4e-3
    pair = ModelOnMachine(module.models["send"], machine)
    for processes, time in ((1, inside), (8, inside), (9, between)):
        result = pair.evaluate({"n": 1000, "P": processes})
        assert result.time == pytest.approx(time, rel=1e-12)
        assert result.work["messages.intra"] + result.work["messages.inter"] == 1000
    swept = pair.sweep({"n": 1000, "P": [8, 9]})
    assert swept.time.tolist() == pytest.approx([inside, between], rel=1e-12)
    told = ModelOnMachine(module.models["told"], machine).evaluate({"n": 1000, "P": 32})
    assert told.time == pytest.approx(float(10**6 * INSIDE) + 2 * inside + between, rel=1e-12)
    steps = ModelOnMachine(module.models["steps_by_both"], machine).evaluate({"n": 1000}).steps
    assert steps["inside"].time == pytest.approx(0.005 + 3e-3, rel=1e-12)
    assert steps["across"].time == pytest.approx(0.04 + 8e-3, rel=1e-12)
    # Where nobody counts processes, plain messages go as plain network does.
    bare = check_text(Source("test", TEXT.replace("1000 B*n }", "1000 B*n; messages = n }")))[0]
    alone = ModelOnMachine(bare.models["bare"], machine).evaluate({"n": 1000})
    assert alone.time == pytest.approx(inside, rel=1e-12)


def test_messages_that_take_no_time_are_noted() -> None:
    text = "model send { param n: integer; network = 1 GB; messages = n - 1 }"
    text += "machine free { network = 1 GB/s; messages = unlimited }"
    found = check_text(Source("test", text))[0]
    pair = ModelOnMachine(found.models["send"], found.machines["free"])
    told = ("messages take no time on 'free': it states `messages = unlimited`",)
    assert pair.evaluate({"n": 2}).notes == told
    assert pair.evaluate({"n": 1}).notes == ()  # none is sent
    assert pair.sweep({"n": [1, 2]}).prediction.notes == told


def test_a_two_level_collective_has_the_messages_of_each_level_on_its_link(module: Module) -> None:
    result = asked(module, "reduce", "fast").evaluate({}).steps["all"]
    # Seven eighths at 200 GB/s, twice; 2 GB * 3/4 at 25 GB/s; 7, 6 and 7 messages.
    steps = {name: step.time for name, step in result.steps.items()}
    expected = {"scatter": 0.035 + 7e-6, "across": 0.06 + 6e-6, "gather": 0.035 + 7e-6}
    assert steps == pytest.approx(expected, rel=1e-12)
    busy = {"network.intra": 0.07 + 14e-6, "network.inter": 0.06 + 6e-6}
    assert {name: result.times[name] for name in busy} == pytest.approx(busy, rel=1e-12)


def test_messages_on_two_links_are_told_apart_in_the_kind(module: Module) -> None:
    # Inside 5 ms + 3n us, between 40 ms + 2n us: n us are in messages of each, not in their sum.
    pair = asked(module, "steps_by_both", "node")
    expected = {
        10_000: ("network.inter", "network.inter"),  # 35 ms; 40 ms + 20 ms
        30_000: ("network.inter", "messages"),  # 95 ms; 40 ms + 60 ms
        100_000: ("network.intra", "messages"),  # 305 ms; 240 ms
    }
    swept = pair.sweep({"n": [*expected]})
    assert [*zip(swept.bound, swept.bound_kind, strict=True)] == [*expected.values()]
    for n, binds in expected.items():
        point = pair.evaluate({"n": n})
        assert (point.bound, point.bound_kind) == binds


def test_what_two_links_serve_is_not_called_as_one_of_them(module: Module) -> None:
    pair = asked(module, "named", "node")
    for processes, kind in ((8, "network.inter"), (32, "network.inter")):
        result = pair.evaluate({"P": processes})
        # Together: 5 ms inside, and what 32 send between nodes; 40 ms by the link that is named.
        assert (result.bound, result.bound_kind) == ("network.inter", kind)
        bounds = {name: step.bound for name, step in result.steps.items()}
        assert bounds == {"inside": "network", "all": "network", "across": "network.inter"}
    assert {*pair.sweep({"P": [8, 32]}).bound} == {"network.inter"}
    assert asked(module, "latency", "node").evaluate({"P": 32}).bound == "network"
    # Where one link alone serves it has its own name, as before.
    assert asked(module, "explicit", "node").evaluate({"n": 1, "P": 8}).bound == "network.intra"


def test_links_that_steps_are_placed_on_run_side_by_side(module: Module) -> None:
    # 5 ms beside 40 ms and a thousand messages of 1 us: they are two links.
    result = asked(module, "apart", "node").evaluate({})
    assert result.time == pytest.approx(0.041)
    assert result.bound == "network.inter"


def test_one_link_under_two_names_is_refused_side_by_side(module: Module) -> None:
    assert asked(module, "again", "node").evaluate({"P": 8}).time == pytest.approx(0.04)
    with pytest.raises(RoofError, match="R0510"):
        asked(module, "again", "node").evaluate({"P": 32})
