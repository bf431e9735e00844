"""Energy and cost of random programs are those of the rules, written once more in fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.scalar import evaluate
from tests.analysis.energy_law import law, programs
from tests.language.programs import module

PARTS, EACH = 10, 100


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_follow_the_law(part: int) -> None:
    answered = 0
    for program in programs(f"energy {part}", EACH):
        text = program.text()
        found = module(text)
        prediction, problems = predict(found.models["m"], found.machines["box"], {})
        assert not problems
        result = evaluated(prediction)
        expected = law(program, Fraction(result.time))
        for name, value in expected.items():
            given = result.spending.get(name)
            if value is None:
                undefined = name == "power" and given is not None and not result.time
                assert given is None or undefined, (text, name)
                assert undefined or result.unanswered[name], (text, name)
            else:
                assert given == pytest.approx(float(value), rel=1e-12), (text, name)
        numbers = {**prediction.rates, **prediction.tariff.formulas}
        for name, tree in prediction.spending.amounts.items():
            known = evaluate(substitute(tree, numbers), {})
            assert known == pytest.approx(result.spending[name], rel=1e-12), (text, name)
        answered += "energy" in result.spending
    assert answered > EACH // 5
