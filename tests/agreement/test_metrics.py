"""All forms of an answer say the same of what models work out of their results."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from roofdsl.model.library import check_text
from roofdsl.source import Source
from tests.agreement.points import Point
from tests.agreement.readers import differences
from tests.agreement.test_agreement import over_a_range

MODULE, PROBLEMS = check_text(
    Source(
        "metrics.roof",
        """
unit token
unit euro
model kernel {
    param n: integer = 1000
    param P: processes = 2
    flops = 20*n; memory = 8 B*n
    total even
    metric rate: token/s = n * 1 token / time
    metric slow = rate < 1e9 token/s
    metric room = machine.capacity.memory - memory
    metric spent: euro = cost
    metric wait: s = machine.wait
    metric sustained: GFLOP/s = total.flops / time
    metric over = 1 / (n - 1000)
    metric nothing = network / CAI
}
model steps {
    param n: integer = 1000
    param P: processes = 2
    step first = kernel(n = n, P = P)
    overlap {
        repeat 3 { step read { memory = 64 B*n } }
        step compute { flops = 1e3*n; memory = 1 B*n }
    }
    metric hidden = compute.time <= read.time
    metric reading = read.share
    metric runs = read.count*first.rate
    metric waits = first.bound is memory
    metric first_slow = first.slow
}
machine box {
    flops = 100 GFLOP/s
    memory = 10 GB/s
    capacity memory = 10 kB
}
machine paid {
    flops = 100 GFLOP/s
    memory = 10 GB/s
    power = 10 W
    price = 2 euro/h
    energy flops = 1 pJ/flop
    energy memory = 10 pJ/B
}
""",
    )
)


def point_at(model: str, machine: str, n: int) -> Point:
    assert not PROBLEMS
    arguments: dict[str, Argument] = {"n": (Number(Fraction(n)), None)}
    prediction, problems = predict(MODULE.models[model], MODULE.machines[machine], arguments)
    assert not problems
    return Point(arguments, prediction, evaluated(prediction), first=True)


@pytest.mark.parametrize("model", ["kernel", "steps"])
@pytest.mark.parametrize("machine", ["box", "paid"])
@pytest.mark.parametrize("n", [1000, 7])
def test_all_forms_say_the_same(model: str, machine: str, n: int) -> None:
    point = point_at(model, machine, n)
    assert set(point.result.metrics) | set(point.result.unanswered) >= {
        item.name for item in point.prediction.model.metrics
    }
    assert differences(point) == []
    assert [*over_a_range(point)] == []


def test_altered_metrics_are_seen() -> None:
    point = point_at("steps", "box", 7)
    for name, value in point.result.metrics.items():
        other = not value if isinstance(value, bool) else value * 1.01 + 1
        altered = replace(point.result, metrics={**point.result.metrics, name: other})
        wrong = differences(replace(point, result=altered))
        # Forms made of the altered answer say that; what is worked out anew does not.
        assert any(f"formulas: metric {name} is" in each for each in wrong)
