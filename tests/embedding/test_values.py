"""Values of parameters that are called as arguments are; symbols of SymPy that are told apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy

import roofdsl as rd

TEXT = """
model m {
    param low: integer; param high: integer; param size: integer = 3; param N: integer
    flops = N^2*high*size; memory = N*low
}
machine box { flops = 1 GFLOP/s; memory = 1 GB/s }
"""


@pytest.fixture
def asked() -> rd.Prediction:
    module = rd.loads(TEXT)
    return module.models["m"].on(module.machines["box"])


OWN = {"low": 300, "high": 4}


def test_values_by_name_are_those_of_the_model(asked: rd.Prediction) -> None:
    found = asked.crossovers("N", 1, 10**6, values=OWN)
    assert isinstance(found, rd.ShownCrossovers)
    # N·low at 1 GB/s against 3·N²·high at 1 GFLOP/s.
    assert [change.first_integer for change in found.crossovers] == [26]
    ended = asked.crossovers("N", low=1, high=20, values=OWN)
    assert isinstance(ended, rd.ShownCrossovers) and not ended.crossovers
    assert asked.evaluate(N=5, values=OWN).flops == 5**2 * 4 * 3
    assert asked.sweep(N=[5, 6], values=OWN).flops.tolist() == [300, 432]
    held = asked.where("time <= 1 us", "N", values=OWN)
    assert isinstance(held, rd.ShownThresholds) and held.intervals[0].last == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda p: p.crossovers("N", low=300, high=4),
        lambda p: p.where("time <= 1 us", "N", low=300),
        lambda p: p.time_expression("N", low=300, high=4),
    ],
)
def test_a_keyword_that_may_be_two_things_is_refused(
    call: Callable[[rd.Prediction], object], asked: rd.Prediction
) -> None:
    with pytest.raises(rd.RoofError, match="is an argument here, and 'm' has such a parameter"):
        call(asked)


def test_a_value_is_given_once(asked: rd.Prediction) -> None:
    with pytest.raises(rd.RoofError, match="N is given twice"):
        asked.evaluate(N=5, values={**OWN, "N": 6})
    with pytest.raises(TypeError, match="values takes values by name"):
        asked.evaluate(N=5, values=3)


def test_symbols_of_one_name_are_one_symbol() -> None:
    one, other = sympy.Dummy("x"), sympy.Dummy("x")
    assert f"{rd.make_model('m', flops=one + 1).flops}" == "x + 1"
    with pytest.raises(rd.RoofError, match="flops has two symbols that are called 'x'"):
        rd.make_model("m", flops=one - other + 1)
    assert rd.make_model("m", flops=sympy.Symbol("N", nonnegative=True)).parameters == ("N",)


@pytest.mark.parametrize("known", ["negative", "nonpositive", "imaginary"])
def test_a_symbol_that_no_parameter_can_be_is_refused(known: str) -> None:
    symbol = sympy.Symbol("N", **{known: True})
    with pytest.raises(rd.RoofError, match="'N' in memory is no real number above 0"):
        rd.make_model("m", flops=1, memory=symbol**2)
