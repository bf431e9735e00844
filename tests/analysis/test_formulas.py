"""Formulas of a prediction: in full, their leading terms, with the numbers put in; by hand."""

from __future__ import annotations

import pytest

from roofdsl.analysis.convention import convention_named
from roofdsl.analysis.formulas import PredictionFormulas, counted_formulas
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Expression
from roofdsl.model.library import check_text
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source
from roofdsl.units.dimension import BYTE, FLOP, SECOND

TEXT = """
model m {
    param N
    param k = 3
    tally lines: B = 5 B
    flops  = 2*N^2 + N
    memory = 1 B * k
}
machine box { flops = 4 flop/s; memory = 2 B/s }
"""
# At N = 10, k = 5 where it is a name: in full, its leading term, with k = 3, that with k = 3.
EXPECTED = {
    "flops": (210, 200, 210, 200),
    "memory": (5, None, 3, None),
    "OI": (210 / 5, 200 / 5, 210 / 3, 200 / 3),
    "flops time": (210 / 4, 200 / 4, 210 / 4, 200 / 4),
    "memory time": (5 / 2, None, 3 / 2, None),
    "time": (210 / 4, 200 / 4, 210 / 4, 200 / 4),
    "attainable": (4, 4, 4, 4),
    "lines": (5, None, 5, None),
}
UNITS = {"flops": FLOP, "OI": FLOP / BYTE, "time": SECOND, "attainable": FLOP / SECOND}
NAMES = {"N": 10.0, "k": 5.0, "box.flops": 4.0, "box.memory": 2.0}


def prediction(free: frozenset[str]) -> Prediction:
    module, _ = check_text(Source("m.roof", TEXT))
    return predict(module.models["m"], module.machines["box"], {}, free)[0]


def at_ten(tree: Expression | None) -> float | None:
    return None if tree is None else evaluate(tree, NAMES)


def test_what_is_asked_again_is_not_worked_out_again() -> None:
    module, _ = check_text(Source("m.roof", TEXT))
    asked = ModelOnMachine(module.models["m"], module.machines["box"])
    found, other = (asked.at(asked.arguments({"N": size})) for size in (10, 20))
    assert asked.at(asked.arguments({"N": 10.0})) is found is not other
    assert asked.at(asked.arguments({"k": 3}), ["N"]) is not found
    assert asked.at(asked.arguments({"N": 10}), peaks=False) is not found


def test_formulas_are_derived_when_they_are_asked_for() -> None:
    asked = prediction(frozenset({"N"}))
    found = PredictionFormulas(asked.opened(), asked)
    assert [item.name for item in found.times] == ["flops", "memory"]
    assert vars(found).keys().isdisjoint({"work", "intensities", "tallies", "spending"})


def test_formulas_are_those_by_hand() -> None:
    asked = prediction(frozenset({"N"}))
    found = PredictionFormulas(asked.opened(), asked)
    assert (found.growing, found.eventual_bound) == ("N", "flops")
    told = {}
    for item in found.all():
        name = f"{item.name} time" if item in found.times else item.name
        trees = item.full, item.leading, item.numbers, item.leading_numbers
        told[name] = tuple(at_ten(tree) for tree in trees)
        assert item.growing == (None if told[name][1] is None else "N")
        assert item.dimension == UNITS.get(name, item.dimension)
    assert told == {name: pytest.approx(expected) for name, expected in EXPECTED.items()}


def test_what_is_counted_has_a_formula_where_its_tally_has() -> None:
    asked = prediction(frozenset({"N"}))
    (flop,) = counted_formulas(asked.opened(), asked, [convention_named("flop")])
    assert (flop.name, at_ten(flop.full), at_ten(flop.leading)) == ("flop", 210, 200)
    with pytest.raises(RoofError, match="R0709"):
        counted_formulas(asked.opened(), asked, [convention_named("mac")])
