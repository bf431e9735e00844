"""What is said of all machines of a box is so on each of them, by the law in exact fractions."""

from __future__ import annotations

import os
from contextlib import suppress
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from roofdsl.analysis.over_rates import OverRates, find_over_rates
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.rate_box import rate_box
from roofdsl.analysis.unknown import unknown_named
from roofdsl.diagnostic import RoofError
from tests.analysis.law import spent
from tests.analysis.programs import Program, programs
from tests.analysis.test_law import built
from tests.analysis.test_margin import Factors, keys_of, scaled

PROGRAMS = int(os.environ.get("ROOFDSL_MARGINS", "100"))
PARTS = 10
LAST = 40
MACHINES = 12
MOST_CORNERS = 7


@pytest.mark.parametrize("part", range(PARTS))
def test_verdicts_are_those_of_single_machines(part: int) -> None:
    proven = differing = undecided = 0
    for number, program in enumerate(programs(f"box {part}", PROGRAMS // PARTS)):
        found = _over(program, "±10%" if number % 2 else "±40%")
        if found is None:
            continue
        random = Random(number)
        for regime in found.regimes:
            places = {
                regime.first,
                regime.last,
                random.randint(*map(int, (regime.first, regime.last))),
            }
            for n in map(int, places):
                if regime.verdict == "all":
                    proven += 1
                    _check_all(program, n, regime.bounds[0], found, random)
                elif regime.verdict == "depends":
                    differing += 1
                    machines = [_factors(program, machine) for machine in regime.machines]
                    bounds = [_bound(program, machine, n) for machine in machines]
                    if n == regime.first:
                        assert tuple(bounds) == regime.bounds, program.text()
                    else:
                        bounds += _at_corners(program, n, found)
                    assert len({*bounds} - {None}) > 1, f"{n}, {found}\n{program.text()}"
                else:
                    undecided += 1
    assert proven and differing
    assert undecided < (proven + differing) / 5


def _over(program: Program, asked: str) -> OverRates | None:
    model, machine = built(program)
    unknown = unknown_named("n", model, machine)
    prediction, problems = predict(model, machine, {}, frozenset({"n"}))
    assert not problems
    with suppress(RoofError):  # nothing depends on n
        return find_over_rates(prediction, unknown, 1, LAST, rate_box(asked, prediction))
    return None


def _check_all(program: Program, n: int, bound: str, found: OverRates, random: Random) -> None:
    change = found.box.change
    assert change is not None
    keys = keys_of(program)
    for number in range(MACHINES):
        parts = (
            random.choice((-1, 1)) if number % 2 else Fraction(random.randint(-100, 100), 100)
            for _ in keys
        )
        factors = {key: 1 + change * part for key, part in zip(keys, parts, strict=True)}
        told = f"{n}, {factors}\n{found}\n{program.text()}"
        assert _bound(program, factors, n) in (bound, None), told


def _at_corners(program: Program, n: int, found: OverRates) -> list[str | None]:
    """Return what binds where a resource is slow and all others are fast, and with any in turn."""
    change, keys = found.box.change, keys_of(program)
    assert change is not None
    if len(keys) <= MOST_CORNERS:
        corners = [*product((1 - change, 1 + change), repeat=len(keys))]
    else:
        draw = Random(n)
        corners = [tuple(draw.choice((1 - change, 1 + change)) for _ in keys) for _ in range(200)]
    return [_bound(program, dict(zip(keys, corner, strict=True)), n) for corner in corners]


def _bound(program: Program, factors: Factors, n: int) -> str | None:
    ties = spent(scaled(program, factors).at(n)).ties
    return ties[0] if ties else None


def _factors(program: Program, machine: dict[str, float]) -> Factors:
    keys = keys_of(program)
    rates = {key: machine.get(".".join(filter(None, key)), 1.0) for key in keys}
    return {key: Fraction(repr(rate)) for key, rate in rates.items()}
