"""Formulas of a prediction: in full, their leading terms, with the numbers put in; by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

import roofdsl as rd
from roofdsl.analysis.convention import convention_named
from roofdsl.analysis.formulas import Derived, PredictionFormulas, counted_formulas
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.cells import Quantity, Written
from roofdsl.answer.forms import brief_form, equation
from roofdsl.diagnostic import RoofError
from roofdsl.expression.construct import multiply, number
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.model.library import check_text
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source
from roofdsl.units.dimension import BYTE, FLOP, SECOND
from tests.expression.reference import Reference

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
TOLERANCES = {"=": 1e-40, "≈": 2e-3}
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


@pytest.mark.parametrize(
    ("name", "machine"), [("summa", "karst"), ("dgemv", "karst"), ("resnet50", "h100_sxm")]
)
def test_forms_of_a_quantity_are_equal_where_they_say_so(name: str, machine: str) -> None:
    """Each `=` by sixty digits, with squares put in for what is open, and each `≈` by three."""
    asked = rd.load_model(name).on(rd.load_machine(machine)).asked
    there = asked.at({}, [x.name for x in asked.model.parameters if x.default is None])
    known = {**there.binding.trees, **there.rates}
    at = dict(zip((x.name for x in there.free), map(Fraction, (1024, 121)), strict=False))
    relations = set()
    for item in PredictionFormulas(there.opened(decided=True), there).all():
        whole = Reference(substitute(item.full, known), at).value
        for line in equation(item).lines:
            if line.relation == "→" or brief_form(item) is line.value:
                continue
            value = line.value
            if isinstance(value, Quantity):
                value = Number(Fraction(value.value))
            assert not isinstance(value, Written)
            found = Reference(substitute(value, known), at).value
            assert abs(found - whole) <= abs(whole) * TOLERANCES[line.relation], item.name
            relations.add(line.relation)
    assert relations == {"=", "≈"}


def test_what_only_rounds_a_formula_is_not_said() -> None:
    whole = multiply(number(39_063_016), Symbol("batch"))
    rounded = multiply(number(39_060_000), Symbol("batch"))
    derived = Derived("memory", BYTE, whole, None, rounded, None, None, exact=False)
    assert [line.value for line in equation(derived).lines] == [whole]


def test_what_is_counted_has_a_formula_where_its_tally_has() -> None:
    asked = prediction(frozenset({"N"}))
    (flop,) = counted_formulas(asked.opened(), asked, [convention_named("flop")])
    assert (flop.name, at_ten(flop.full), at_ten(flop.leading)) == ("flop", 210, 200)
    with pytest.raises(RoofError, match="R0709"):
        counted_formulas(asked.opened(), asked, [convention_named("mac")])
