"""What is proven over a range of `n`, and of rates near by, is so by the rules at every number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from random import Random

import pytest

from roofdsl.analysis.crossover import changing_kernels, find_crossovers
from roofdsl.analysis.node import is_joined
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.roots import leading_in
from roofdsl.analysis.such_that import read_condition
from roofdsl.analysis.threshold import find_thresholds
from roofdsl.analysis.unknown import unknown_named
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Number
from roofdsl.numeric.regime import Regime
from roofdsl.source import Source
from tests.counts import inputs
from tests.rules.law import Box, Part, Spent, energy, spent
from tests.rules.programs import Program, programs
from tests.unwarned import defined

TOP = 60
PARTS, EACH = inputs(2, 4), 15
MACHINES = 20
JOINED = (243, 276, 354)
"""Programs with steps whose bound changes and whose resources are joined."""
INDEPENDENT = "R0704"
"""Nothing depends on `n`, so nothing is answered."""
WITHIN = {"<=": Fraction.__le__, "<": Fraction.__lt__, ">": Fraction.__gt__, ">=": Fraction.__ge__}
UNITS = {"time": "s", "energy": "J", "cost": "euro"}


def predicted(program: Program, n: int | None = None) -> Prediction:
    given = {} if n is None else {"n": (Number(Fraction(n)), None)}
    left = frozenset({"n"} - given.keys())
    prediction, wrong = predict(*defined(program.text), given, left)
    assert wrong == (), program.text
    return prediction


def binding(law: Spent) -> set[str]:
    """Return what is charged the most time; nothing where there is none."""
    most = max(law.charged.values(), default=Fraction())
    return {name for name, time in law.charged.items() if time == most > 0}


@pytest.mark.parametrize("part", range(PARTS))
def test_what_binds_over_a_range_binds_at_each_number(part: int) -> None:
    changes = sum(map(_changes, programs(f"ranges {part}", EACH, grows=True)))
    assert changes


@pytest.mark.parametrize("number", [45, 195])
def test_a_change_may_lie_between_the_numbers_where_formulas_change(number: int) -> None:
    assert sum(map(_changes, islice(programs("b", number + 1, grows=True), number, None)))


def _changes(program: Program) -> int:
    """Return how often the bound changes, which is looked at number by number."""
    prediction = predicted(program)
    unknown = unknown_named("n", prediction.model, prediction.machine)
    try:
        found = find_crossovers(prediction, unknown, 1, TOP)
    except RoofError as error:
        if error.diagnostics[0].code != INDEPENDENT:
            raise
        return 0
    assert found.proof_of_whole.complete, program.text
    _holds_at_each_number(found.regimes, program)
    return len(found.regimes) - 1


def _holds_at_each_number(regimes: Sequence[Regime], program: Program, name: str = "main") -> None:
    told = [n for each in regimes for n in range(int(each.first), int(each.last) + 1)]
    assert told == [*range(1, TOP + 1)], program.text
    for each in regimes:
        for n in range(int(each.first), int(each.last) + 1):
            bound = binding(spent(_named(name, program.at(n)), program.box))
            if each.kind in ("largest", "tie", "idle"):
                assert bound == {*each.labels}, f"{each} at {n}\n{program.text}"
            else:
                assert bound & {*each.labels}, f"{each} at {n}\n{program.text}"


@pytest.mark.parametrize("number", JOINED)
def test_what_binds_a_step_with_joined_resources_binds_it_at_each_number(number: int) -> None:
    (program,) = islice(programs("joined", number + 1, grows=True), number, None)
    prediction = predicted(program)
    unknown = unknown_named("n", prediction.model, prediction.machine)
    over = RegimesOver(prediction, unknown, 1, TOP)
    asked = {each.name: each for each in changing_kernels(prediction, unknown) if is_joined(each)}
    changes = {change.step for change in find_crossovers(prediction, unknown, 1, TOP).crossovers}
    several = set[str]()
    for name, kernel in asked.items():
        found = leading_in(over, kernel).found
        assert found.proof.complete, program.text
        _holds_at_each_number(found.regimes, program, name)
        several |= {name} if len(found.regimes) > 1 else set()
    assert several
    assert several == changes & asked.keys()


def _named(name: str, part: Part) -> Part:
    """Return the part of a name, which no other has."""
    waiting = [part]
    while waiting[-1].name != name:
        waiting += waiting.pop().parts
    return waiting[-1]


@pytest.mark.parametrize("part", range(PARTS))
def test_conditions_hold_where_they_are_said_to(part: int) -> None:
    random, asked = Random(part), 0
    for program in programs(f"conditions {part}", EACH, grows=True):
        prediction = predicted(program)
        unknown = unknown_named("n", prediction.model, prediction.machine)
        values = [amounts(program, n) for n in range(1, TOP + 1)]
        for name, of in UNITS.items():
            limit = random.choice(values)[name] * random.choice((1, 1, Fraction(11, 10)))
            relation = random.choice([*WITHIN])
            text = f"{name} {relation} {limit.numerator} {of} / {limit.denominator}"
            condition = read_condition(Source("condition", text), prediction)
            try:
                found = find_thresholds(prediction, condition, unknown, 1, TOP)
            except RoofError as error:
                if error.diagnostics[0].code != INDEPENDENT:
                    raise
                continue
            asked += 1
            assert found.proof.complete, f"{text}\n{program.text}"
            ranges = [(each.first, each.last) for each in found.intervals]
            for n, at in enumerate(values, 1):
                holds = any(first <= n <= last for first, last in ranges)
                assert holds == WITHIN[relation](at[name], limit), f"{text} at {n}\n{program.text}"
    assert asked


def amounts(program: Program, n: int) -> dict[str, Fraction]:
    law = spent(program.at(n), program.box)
    cost = program.box.price * law.time * program.processes
    work, constant = energy(law, program.box, program.processes)
    return {"time": law.time, "energy": work + constant, "cost": cost}


@pytest.mark.parametrize("part", range(PARTS))
def test_within_its_margin_a_bound_holds_and_beyond_it_turns(part: int) -> None:
    random = Random(part)
    firm = turned = 0
    for program in programs(f"near {part}", EACH, grows=True):
        n = random.choice((1, 3, 8, 50))
        result, root = evaluated(predicted(program, n)), program.at(n)
        margin = result.margin
        if margin is None:
            continue
        change = Fraction(min(margin.tolerance, 1)) * Fraction(10**7 - 1, 10**7)
        for _ in range(MACHINES):
            firm += 1
            rates = {key: random.choice((1 - change, 1 + change)) for key in program.box.speeds}
            bound = binding(spent(root, scaled(program.box, rates)))
            assert margin.bound in bound, f"{margin} at {n} and {rates}\n{program.text}"
        if margin.turned is not None:
            turned += 1
            rates = {name: Fraction(factor) for name, factor in margin.turned.rates.items()}
            bound = binding(spent(root, scaled(program.box, rates)))
            assert margin.turned.bound in bound, f"{margin} at {n}\n{program.text}"
    assert firm and turned


def scaled(box: Box, rates: dict[str, Fraction]) -> Box:
    """Return a machine of which some rates are others."""
    speeds = {
        key: replace(speed, top=speed.top * rates.get(key, 1)) for key, speed in box.speeds.items()
    }
    return replace(box, speeds=speeds)
