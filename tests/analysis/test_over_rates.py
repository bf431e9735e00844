"""What is said of all machines of a box is so on each of them, by the law in exact fractions."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from roofdsl.analysis.over_rates import OverRates, find_over_rates
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.rate_box import RateBox, rate_box
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.unknown import unknown_named
from roofdsl.diagnostic import RoofError
from tests.analysis.law import spent
from tests.analysis.programs import Program, programs
from tests.analysis.test_law import built, prediction_at
from tests.analysis.test_margin import Factors, keys_of, scaled
from tests.unwarned import defined

PROGRAMS = int(os.environ.get("ROOFDSL_MARGINS", "50"))
PARTS = 5
LAST = 40
N = 3
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
                    met = {*bounds} - {None}
                    for corner in _corners(program, n, found) if n != regime.first else ():
                        if len(met) > 1:
                            break
                        met |= {_bound(program, corner, n)} - {None}
                    assert len(met) > 1, f"{n}, {found}\n{program.text()}"
                else:
                    undecided += 1
    assert proven and differing
    assert undecided < (proven + differing) / 5


@pytest.mark.parametrize("part", range(PARTS))
def test_a_verdict_at_a_point_is_that_of_single_machines(part: int) -> None:
    proven = differing = 0
    for number, program in enumerate(programs(f"point {part}", PROGRAMS // PARTS)):
        asked = 0.1 if number % 2 else "± 70 %"
        result = evaluated(prediction_at(built(program), N))
        found, random, told = result.over_rates(asked), Random(number), program.text()
        if found.verdict == "all" and found.bounds:
            proven += 1
            assert found.bounds == (result.bound,)
            for _ in range(MACHINES):
                assert _bound(program, _drawn(program, found.box, random), N) == result.bound, told
        elif found.verdict == "depends":
            differing += 1
            here, other = found.machines
            assert here == {} and found.bounds[0] == result.bound
            assert _bound(program, _factors(program, other), N) == found.bounds[1], told
            change = found.box.change
            assert change is not None
            assert all(abs(factor - 1) <= float(change) + 1e-12 for factor in other.values())
        # Where the tolerance says so, it holds on all machines.
        margin = result.margin
        if margin is not None and margin.tolerance > float(found.box.change or 0) * 1.01:
            assert found.verdict == "all", told
    assert proven and differing


STATED = """
model main { param n: integer; flops = n^2; memory = 2 B*n; messages = n }
machine box {
    flops    = 1 ± 0.1 flop/s
    memory   = 2 B/s
    messages = 5 ± 1 s/message
}
"""


def test_uncertainties_are_those_that_are_stated() -> None:
    prediction = prediction_at(defined(STATED), 5)
    box = rate_box("stated", prediction)
    assert box.change is None
    assert box.factors == {
        "box.flops": (Fraction(9, 10), Fraction(11, 10)),
        # From 4 to 6 s/message.
        "box.messages": (Fraction(5, 6), Fraction(5, 4)),
    }
    # n² flops take n²/0.9 s at the most, and n messages 4n s at the least: they are equal at 3.6.
    # It is n²/1.1 s at the least, and 6n s at the most: equal at 6.6.
    model, machine = defined(STATED)
    unknown = unknown_named("n", model, machine)
    opened, _ = predict(model, machine, {}, frozenset({"n"}))
    found = find_over_rates(opened, unknown, 1, 1000, box)
    assert [(x.first, x.last, x.verdict, {*x.bounds}) for x in found.regimes] == [
        (1, 3, "all", {"network"}),
        (4, 6, "depends", {"network", "flops"}),
        (7, 1000, "all", {"flops"}),
    ]
    assert found.complete
    verdict = evaluated(prediction).over_rates("stated")
    assert (verdict.verdict, {*verdict.bounds}) == ("depends", {"network", "flops"})


def test_where_there_is_no_work_nothing_binds_on_any_machine() -> None:
    """It was said that flops bind on every machine where there are none."""
    machine = "machine box { flops = 1 flop/s; memory = 1 B/s }"
    works = "flops = max(n - 30, 0); memory = max(n - 9, 0) * 1 B"
    model, box = defined(f"model main {{ param n: integer; {works} }}\n{machine}")
    opened, _ = predict(model, box, {}, frozenset({"n"}))
    found = find_over_rates(opened, unknown_named("n", model, box), 1, 1000, rate_box(0.01, opened))
    assert [(x.first, x.last, x.verdict, x.bounds) for x in found.regimes[:2]] == [
        (1, 9, "all", ()),
        # At n = 1000 memory takes 991/1.01 s at the least, flops 970/0.99 at the most.
        (10, 1000, "all", ("memory",)),
    ]


@pytest.mark.parametrize("asked", ["±10%", "10%", "+-10%", " ± 10 % ", "+/-10 %", 0.1])
def test_how_far_rates_are_off_may_be_written_in_ascii(asked: str | float) -> None:
    box = rate_box(asked, prediction_at(defined(STATED), 5))
    assert box.change == Fraction(1, 10) and box.words == "within ±10 %"
    assert {*box.factors} == {"box.flops", "box.memory", "box.messages"}


@pytest.mark.parametrize("asked", ["10", "100%", "0%", "-5%", "much", "", 0.0, 1.0, -0.1, math.nan])
def test_what_does_not_say_how_far_is_refused(asked: str | float) -> None:
    with pytest.raises(RoofError, match="R0714"):
        rate_box(asked, prediction_at(defined(STATED), 5))


def _over(program: Program, asked: str) -> OverRates | None:
    model, machine = built(program)
    unknown = unknown_named("n", model, machine)
    prediction, problems = predict(model, machine, {}, frozenset({"n"}))
    assert not problems
    with suppress(RoofError):  # nothing depends on n
        return find_over_rates(prediction, unknown, 1, LAST, rate_box(asked, prediction))
    return None


def _check_all(program: Program, n: int, bound: str, found: OverRates, random: Random) -> None:
    for _ in range(MACHINES):
        factors = _drawn(program, found.box, random)
        told = f"{n}, {factors}\n{found}\n{program.text()}"
        assert _bound(program, factors, n) in (bound, None), told


def _drawn(program: Program, box: RateBox, random: Random) -> Factors:
    """Draw one of the machines of a box, every other time at a corner."""
    change, keys = box.change, keys_of(program)
    assert change is not None
    corner = random.choice((True, False))
    parts = (
        random.choice((-1, 1)) if corner else Fraction(random.randint(-100, 100), 100) for _ in keys
    )
    return {key: 1 + change * part for key, part in zip(keys, parts, strict=True)}


def _corners(program: Program, n: int, found: OverRates) -> Iterator[Factors]:
    """Yield the corners of a box, or some of many: each rate slow or fast."""
    change, keys = found.box.change, keys_of(program)
    assert change is not None
    corners: Iterable[tuple[Fraction, ...]] = product((1 - change, 1 + change), repeat=len(keys))
    if len(keys) > MOST_CORNERS:
        draw = Random(n)
        corners = (tuple(draw.choice((1 - change, 1 + change)) for _ in keys) for _ in range(200))
    return (dict(zip(keys, corner, strict=True)) for corner in corners)


def _bound(program: Program, factors: Factors, n: int) -> str | None:
    ties = spent(scaled(program, factors).at(n)).ties
    return ties[0] if ties else None


def _factors(program: Program, machine: dict[str, float]) -> Factors:
    keys = keys_of(program)
    rates = {key: machine.get(".".join(filter(None, key)), 1.0) for key in keys}
    return {key: Fraction(repr(rate)) for key, rate in rates.items()}
