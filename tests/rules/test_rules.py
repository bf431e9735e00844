"""A thousand random programs are what the rules of kinds, start-ups, sizes and energies say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import pytest

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from tests.rules.law import Amounts, Spent, energy, spent
from tests.rules.programs import Program, programs
from tests.unwarned import defined

COMPOSE: tuple[Composing, ...] = ("written", "max", "sum")
PARTS, EACH = 10, 100
NEAR = Fraction(1, 10**12)


def results(program: Program) -> Iterator[tuple[Composing, Result]]:
    prediction, wrong = predict(*defined(program.text), {})
    assert wrong == (), program.text
    for compose in COMPOSE:
        yield compose, evaluated(prediction, compose)


def differences(result: Result, law: Spent, program: Program) -> Iterator[str]:
    """Say where a result is not what the rules say."""
    yield from _number("time", result.time, law.time)
    yield from _table("times", result.times, law.busy)
    shares = {name: time / law.time for name, time in law.charged.items() if law.time}
    yield from _table("shares", result.shares, shares)
    most = max(law.charged.values(), default=Fraction())
    ties = {name for name, time in law.charged.items() if time == most > 0}
    if result.bound not in ties and (ties or result.bound is not None):
        yield f"bound is {result.bound}, none of {ties}"
    work, constant = energy(law, program.box, program.processes)
    yield from _number("energy", result.spending.get("energy"), work + constant)
    cost = program.box.price * law.time * program.processes
    yield from _number("cost", result.spending.get("cost"), cost)


def _table(what: str, found: Mapping[str, float], law: Amounts) -> Iterator[str]:
    for name in {**found, **law}:
        yield from _number(f"{what} of {name}", found.get(name, 0.0), law.get(name, Fraction()))


def _number(what: str, found: float | None, law: Fraction) -> Iterator[str]:
    if found is None or abs(Fraction(found) - law) > NEAR * law:
        yield f"{what} is {found}, not {float(law)}"


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_what_the_rules_say(part: int) -> None:
    for program in programs(f"rules {part}", EACH):
        least: dict[Composing, Fraction] = {}
        for compose, result in results(program):
            law = spent(program.root, program.box, compose)
            least[compose] = law.time
            wrong = list(differences(result, law, program))
            assert not wrong, f"{compose}: {wrong}\n{program.text}"
        assert least["max"] <= least["written"] <= least["sum"], program.text
