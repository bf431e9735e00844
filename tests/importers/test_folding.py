"""Blocks that are repeated say the same as their steps one by one."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest

import roofdsl as rd
from roofdsl.importers.graph import writing
from roofdsl.importers.graph.composer import Composer
from roofdsl.importers.graph.folding import Block, folded
from roofdsl.importers.graph.naming import Names
from roofdsl.importers.graph.network import Network, composed
from roofdsl.importers.graph.size import Size
from roofdsl.importers.graph.values import Operator, Value

CARD = rd.load_machine("a100_sxm_80gb")


def add(operator: Operator, to: Composer) -> None:
    """A rule of these tests: what reads two tensors adds them, what reads one multiplies it."""
    if len(operator.inputs) == 2:
        reads = [operator.need(0), operator.need(1)]
        step = to.add(operator, "add", reads, {"E": operator.result.elements})
    else:
        layer = operator.kind
        step = to.add(operator, layer, [operator.need(0)], {"E": operator.result.elements})
    to.becomes(operator.result, step)


def network(operators: list[Operator], given: Value) -> Network:
    return Network("made", "Made", "a test", {"batch": "inputs"}, (given,), tuple(operators), {})


def value(name: str) -> Value:
    return Value(name, (Size.of("batch"), Size.of(64)))


def random_network(seed: int) -> Network:
    """Blocks of a few sorts, repeated now and then; some results are read far behind."""
    draw = random.Random(seed)
    operators: list[Operator] = []
    last = given = value("given")

    def make(kind: str, *inputs: Value) -> Value:
        result = value(f"v{len(operators)}")
        operators.append(Operator(kind, f"{kind}_{len(operators)}", inputs, (result,)))
        return result

    for _ in range(draw.randint(2, 6)):
        kinds = [draw.choice(("relu", "gelu", "tanh")) for _ in range(draw.randint(1, 4))]
        around, far = draw.random() < 0.6, draw.random() < 0.2
        before = last
        for _ in range(draw.choice((1, 1, 2, 3, 7))):
            first = last
            for kind in kinds:
                last = make(kind, last)
            if around:
                last = make("add", last, first)
        if far:
            last = make("add", last, draw.choice((before, given)))
    return network(operators, given)


@pytest.mark.parametrize("seed", range(40))
def test_folded_and_plain_are_one(seed: int) -> None:
    made = random_network(seed)
    short = composed(made, lambda _: add).text
    with patch.object(writing, "folded", lambda steps, _names, _whole: list(enumerate(steps))):
        plain = composed(made, lambda _: add).text
    assert "repeat" not in plain
    one, other = (rd.loads(text).models["made"].on(CARD) for text in (short, plain))
    for batch in (1, 1000):
        found, expected = one.evaluate(batch=batch), other.evaluate(batch=batch)
        assert found.flops == expected.flops
        assert found.memory == expected.memory
        assert found.time == pytest.approx(expected.time, rel=1e-12)
        assert found.tallies == expected.tallies


def test_some_of_them_are_folded() -> None:
    texts = [composed(random_network(seed), lambda _: add).text for seed in range(40)]
    assert sum("repeat" in text for text in texts) > 15


def of(*layers: str) -> Composer:
    """Steps one after another."""
    to = Composer("fp32", ["batch"])
    last = value("given")
    for place, layer in enumerate(layers):
        result = value(f"v{place}")
        made = Operator(layer, f"s{place}", (last,), (result,))
        to.becomes(result, to.add(made, layer, [last], {}))
        last = result
    return to


def test_rounds_are_as_long_as_they_can_be() -> None:
    steps = of("linear", *("relu", "gelu", "tanh") * 4, "softmax").steps
    (_, first), (_, block), (_, last) = folded(steps, Names([]))
    assert isinstance(block, Block)
    assert (block.rounds, [step.layer for step in block.steps]) == (4, ["relu", "gelu", "tanh"])
    assert first.name == "s0" and last.name == "s13"
    assert not isinstance(last, Block) and last.sources == (block.name,)


def test_no_round_goes_across_a_place_that_stays() -> None:
    steps = of("linear", *("relu", "gelu", "tanh") * 4).steps
    assert any(isinstance(item, Block) for _, item in folded(steps, Names([]), [1, 13]))
    assert not any(isinstance(item, Block) for _, item in folded(steps, Names([]), [8]))


def test_what_is_read_behind_is_no_round() -> None:
    to = of("linear", *("relu", "gelu", "tanh") * 4)
    inside = value("v5")
    result = value("end")
    to.becomes(result, to.add(Operator("add", "end", (inside,), (result,)), "add", [inside], {}))
    assert not any(isinstance(item, Block) for _, item in folded(to.steps, Names([])))
