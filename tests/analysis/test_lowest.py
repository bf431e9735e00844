"""Which of two has less of a quantity, against both at every number."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from roofdsl.analysis.faster import find_lowest
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.unknown import unknown_named
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Number
from roofdsl.model.types import Module
from roofdsl.source import Source
from tests.language.programs import module

TOP = 300
PROGRAM = """
    unit euro
    unit dollar
    unit token
    machine big {
        flops = 1 GFLOP/s; memory = 0.4 GB/s; startup = 1 ms; power = 10 W; price = 6 euro/h
        energy flops = 2 nJ/flop; energy memory = 1 nJ/B
    }
    machine small {
        flops = 0.1 GFLOP/s; memory = 0.2 GB/s; power = 1 W; price = 1 euro/h
        energy flops = 5 nJ/flop; energy memory = 0.5 nJ/B
    }
    machine bare { flops = 1 GFLOP/s; memory = 2 GB/s }
    machine abroad { flops = 1 GFLOP/s; memory = 2 GB/s; price = 1 dollar/h }
    model kernel {
        param N: integer[1..]
        flops = 20*N^2; memory = 8 B*N
        tally kept: B = 8 B*N
        metric per_token: euro/token = cost/(N * 1 token)
        metric speed: token/s = N * 1 token / time
        metric soon = time < 1 s
    }
    model steps {
        param N: integer[1..]
        step start { flops = 900*N }
        overlap { step load { memory = 90 B*N }; step work { flops = 10*N^2 } }
        repeat 3 { step each { memory = 8 B*max(N, 100) } }
    }
"""


@cache
def program() -> Module:
    return module(PROGRAM)


def predicted(model: str, machine: str, n: int | None = None) -> Prediction:
    found = program()
    given = {} if n is None else {"N": (Number(Fraction(n)), None)}
    return predict(found.models[model], found.machines[machine], given)[0]


def amount(result: Result, by: str) -> float:
    found = {**result.quantities, **result.spending, **result.metrics, **result.tallies}
    return found[by]


@pytest.mark.parametrize(
    ("models", "machines", "by"),
    [
        (("kernel",), ("big", "small"), "energy"),
        (("kernel",), ("big", "small"), "cost"),
        (("kernel",), ("big", "small"), "power"),
        (("kernel",), ("big", "small"), "per_token"),
        (("kernel",), ("big", "small"), "speed"),
        (("kernel",), ("big", "small"), "attainable"),
        (("kernel",), ("big", "small"), "kept"),
        (("steps",), ("big", "small"), "energy"),
        (("steps",), ("big", "small"), "cost"),
        (("kernel", "steps"), ("big",), "cost"),
        (("kernel", "steps"), ("small",), "energy"),
        (("kernel", "steps"), ("small",), "OI"),
    ],
)
def test_what_is_the_lowest_is_so_at_each_number(
    models: tuple[str, ...], machines: tuple[str, ...], by: str
) -> None:
    pairs = {f"{model} {machine}": (model, machine) for model in models for machine in machines}
    both = [(name, predicted(*pair)) for name, pair in pairs.items()]
    unknown = unknown_named("N", both[0][1].model, both[0][1].machine)
    found = find_lowest(both, unknown, 1, TOP, Source("asked", by))
    assert found.regimes[0].first == 1 and found.regimes[-1].last == TOP
    for regime in found.regimes:
        assert regime.certain
        for n in range(int(regime.first), int(regime.last) + 1):
            amounts = {x: amount(evaluated(predicted(*pair, n)), by) for x, pair in pairs.items()}
            least = min(amounts.values())
            near = {x for x, value in amounts.items() if value <= least * (1 + 1e-12)}
            assert {*regime.labels} <= near, f"{by} at {n}"
            assert len(near) == 1 or len(regime.labels) > 1, f"{by} at {n}"


@pytest.mark.parametrize(
    ("machine", "by", "code", "message"),
    [
        ("bare", "energy", "R0610", "`energy` is not answered: 'bare' states no energy"),
        ("small", "soon", "R0707", "'soon' is no result of 'kernel' on 'big'"),
        ("small", "speedy", "R0707", "'speedy' is no result of 'kernel' on 'big'"),
        ("small", "3 s", "R0704", "'3 s' does not depend on N"),
    ],
)
def test_what_cannot_be_compared_says_why(machine: str, by: str, code: str, message: str) -> None:
    both = [(name, predicted("kernel", name)) for name in ("big", machine)]
    unknown = unknown_named("N", both[0][1].model, both[0][1].machine)
    with pytest.raises(RoofError) as refused:
        find_lowest(both, unknown, 1, TOP, Source("asked", by))
    (problem,) = refused.value.diagnostics
    assert (problem.code, problem.message) == (code, message)


def test_money_of_two_kinds_is_not_compared() -> None:
    both = [(name, predicted("steps", name)) for name in ("big", "abroad")]
    unknown = unknown_named("N", both[0][1].model, both[0][1].machine)
    with pytest.raises(RoofError) as refused:
        find_lowest(both, unknown, 1, TOP, Source("asked", "cost"))
    (problem,) = refused.value.diagnostics
    assert problem.code == "R0301"
    assert "'big' is euro" in problem.message and "'abroad' it is dollar" in problem.message
