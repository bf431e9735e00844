"""Elasticities of the time, against those worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text
from roofdsl.source import Source

TEXT = """
model m {
    param n: integer
    param m
    flops  = sum(ceil(k/8) for k in 1..n) * sqrt(m)
    memory = 1 B * m^2/n
}
machine box { flops = 1 flop/s; memory = 1 B/s }
"""


def test_elasticities_are_those_by_hand_the_largest_first() -> None:
    module, _ = check_text(Source("m.roof", TEXT))
    values = {name: (Number(Fraction(value)), None) for name, value in (("n", 100), ("m", 9))}
    prediction, _ = predict(module.models["m"], module.machines["box"], values)
    found = sensitivity(prediction)
    # The time is (a sum up to n) * sqrt(m) / box.flops; such a sum has no derivative in n.
    assert [(item.name, item.value, item.rate) for item in found.elasticities] == [
        ("box.flops", -1, True),
        ("m", pytest.approx(0.5), False),
        ("n", None, False),
        ("box.memory", 0, True),
    ]
    # 8 each of 1 to 12, and four of 13.
    assert (found.bound, found.time) == ("flops", (8 * 78 + 4 * 13) * 3)
