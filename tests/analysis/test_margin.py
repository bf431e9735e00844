"""A verdict printed as holding with ±10 % on every rate does: at the corners, and in between."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text
from roofdsl.source import Source
from tests.analysis.law import spent
from tests.analysis.programs import TABLE, Box, Program, programs
from tests.analysis.test_law import built, placed, prediction_at

PROGRAMS = int(os.environ.get("ROOFDSL_MARGINS", "100"))
"""`make fuzz` takes 2,000."""
PARTS = 10
MOST_CORNERS = 8
"""Of more rates than this, corners are drawn."""
POINTS = 100
N = 3
COMPOSING: tuple[Composing, ...] = ("written", "written", "written", "max", "sum")
HIDING = "step a { flops = 100 }; step b { memory = 50 B }"
HALVES = "step b { memory = 50 B }; step c { network = 49 B }"
LITTLE = "step d { memory = 1 B }"
Factors = dict[tuple[str, str], Fraction]
"""What each rate is multiplied by, by device and resource."""


@pytest.mark.parametrize("part", range(PARTS))
def test_what_holds_does_not_flip(part: int) -> None:
    firm = 0
    for number, program in enumerate(programs(f"margin {part}", PROGRAMS // PARTS)):
        composing = COMPOSING[number % len(COMPOSING)]
        result = evaluated(prediction_at(built(program), N), composing)
        margin, root = result.margin, program.at(N)
        law = spent(root, composing)
        rivals = law.busy if law.arrangement == "kernel" else law.charged
        most, second = sorted([*rivals.values(), Fraction(), Fraction()])[:-3:-1]
        assert (margin is None) == (root.stated is not None or not second), program.text()
        if margin is None:
            continue
        assert (margin.bound, rivals[margin.next]) == (law.ties[0], second)
        assert margin.next != margin.bound and margin.ratio == pytest.approx(float(most / second))
        if not (margin.tolerance>0.1):
            continue
        firm += 1
        for factors in _box(program, Random(part)):
            bound = spent(scaled(program, factors).at(N), composing).ties[0]
            assert bound == result.bound, f"{bound} at {factors}, {composing}:\n{program.text()}"
    assert firm, "nothing holds, so nothing was tried"


def test_charges_that_jump_do_not_hold() -> None:
    """5 % more of the rate of flops makes all of it memory: 99 s, and 10 of the second step."""
    prediction = _placed("step a { flops = 100; memory = 99 B }; step b { memory = 10 B }")
    margin = evaluated(prediction).margin
    assert margin is not None
    assert (margin.bound, margin.next, margin.ratio, (margin.tolerance>0.1)) == ("flops", "memory", 10, False)
    # With everything overlapped the times are compared: 109 s of memory, 100 of flops.
    overlapped = evaluated(prediction, "max").margin
    assert overlapped is not None
    assert (overlapped.bound, overlapped.next, overlapped.holds) == ("memory", "flops", False)
    assert overlapped.ratio == pytest.approx(1.09)


@pytest.mark.parametrize(
    "parts",
    [
        "flops = 5",
        "flops = 5; memory = 0 B",
        "flops = 0; memory = 0 B",
        "flops = 5; disk = 7 B",
        "flops = 5; memory = 7 B; time = 3 s",  # whatever the rates
        "step a { flops = 5; memory = 4 B }; step b { flops = 1 }",
        "repeat 0 { step a { flops = 5; memory = 4 B } }",
    ],
)
def test_where_nothing_competes_there_is_no_margin(parts: str) -> None:
    assert evaluated(_placed(parts)).margin is None


@pytest.mark.parametrize("speed", ["1", "1000", "0.001"])
@pytest.mark.parametrize(
    ("parts", "holds"),
    [
        # 100 s against 81 or 82: 1.1/0.9 is 1.222.
        ("flops = 100; memory = 81 B", True),
        ("flops = 100; memory = 82 B", False),
        ("step a { flops = 100 }; step b { memory = 81 B }", True),
        ("step a { flops = 100 }; step b { memory = 82 B }", False),
        # The nearest of several decides.
        ("step a { flops = 100 }; step b { memory = 82 B }; step c { network = 1 B }", False),
        ("flops = 100; network = 1 B; memory = 82 B", False),
        # What an overlap is sure to hide does not count.
        (f"overlap {{ {HIDING} }}; step c {{ memory = 9 B }}", True),
        # 90.9 s at least, so 81 s of network are sure to be hidden, 82 are not.
        (f"overlap {{ overlap {{ {HIDING} }}; step c {{ network = 81 B }} }}; {LITTLE}", True),
        (f"overlap {{ overlap {{ {HIDING} }}; step c {{ network = 82 B }} }}; {LITTLE}", False),
        # Either may be hidden: 111 s of one of them, against 136 s at least.
        (
            f"overlap {{ {HIDING}; step x {{ memory = 49 B }} }}; step c {{ network = 150 B }}",
            True,
        ),
        # What binds may be hidden itself, or less than what is hidden now.
        (f"overlap {{ step a {{ flops = 100 }}; repeat 1 {{ {HALVES} }} }}; {LITTLE}", False),
        (f"overlap {{ {HALVES} }}; step a {{ flops = 51 }}", False),
        # What takes no time changes nothing.
        ("step a { flops = 100; disk = 9 B }; step b { memory = 81 B; disk = 9 B }", True),
    ],
)
def test_a_jump_is_seen_as_soon_as_it_can_be(parts: str, holds: bool, speed: str) -> None:
    margin = evaluated(_placed(parts, speed)).margin
    assert margin is not None and (margin.tolerance>0.1) is holds


@pytest.mark.parametrize(("memory", "holds"), [("2.6", True), ("2.8", False)])
def test_a_measured_time_is_the_same_at_all_corners(memory: str, holds: bool) -> None:
    # 3 s, against at most 2.6 s / 0.9 = 2.9 s, or 2.8 s / 0.9 = 3.1 s.
    text = f"""
    model main {{ as operation(size = 2); flops = 9; memory = {memory} B }}
    machine box {{ flops = 1 flop/s; memory = 1 B/s; measured operation(size) from "{TABLE}" }}
    """
    margin = evaluated(placed(text)).margin
    assert margin is not None and (margin.bound, (margin.tolerance>0.1)) == ("flops", holds)


@pytest.mark.parametrize(
    "parts",
    [
        "memory = b * 1 B; flops = a",
        "step one { memory = b * 1 B }; step two { flops = a }",
        "repeat 3 { step one { memory = b * 1 B } }; step two { flops = 3*a }",
        "step one { memory = b * 1 B }; overlap { step two { flops = a }; step no { disk = 9 B } }",
    ],
)
def test_two_resources_are_told_apart_as_at_the_corners(parts: str) -> None:
    """Every 11 s against 9 s are equal at one corner, where the first declared is the bound."""
    ends = Fraction(9, 10), Fraction(11, 10)
    for number in range(1, 21):
        for extra in (0, 1):
            a, b = 11 * number + extra, 9 * number
            always = all(a / flops > b / memory for flops in ends for memory in ends)
            margin = evaluated(_placed(parts, a=a, b=b)).margin
            assert margin is not None and (margin.bound, margin.next) == ("flops", "memory")
            assert ((margin.tolerance>0.1), margin.ratio) == (always, a / b), f"{a} s and {b} s"


def _placed(parts: str, speed: str = "1", **values: int) -> Prediction:
    """Place steps where each flop and byte takes a second, or less at a higher speed."""
    rates = f"flops = {speed} flop/s; memory = {speed} B/s; network = {speed} B/s; disk = unlimited"
    text = f"""
    resource disk: B
    model main {{ {"; ".join(f"param {name}: integer" for name in values)}
    {parts} }}
    machine box {{ {rates} }}
    """
    module, problems = check_text(Source("steps.roof", text))
    assert [x for x in problems if x.severity == "error"] == []
    arguments = {name: (Number(Fraction(value)), None) for name, value in values.items()}
    prediction, problems = predict(module.models["main"], module.machines["box"], arguments)
    assert not problems
    return prediction


def scaled(program: Program, factors: Factors) -> Program:
    def with_factors(box: Box, device: str) -> Box:
        rates: dict[str, str | None] = {}
        for key, written in box.rates.items():
            factor = factors[device, key]
            rate = None if written is None else Fraction(written)
            if rate is not None:
                rate = rate / factor if key in box.inverse else rate * factor
            rates[key] = None if rate is None else str(rate)
        devices = {name: with_factors(each, name) for name, each in box.devices.items()}
        return replace(box, rates=rates, devices=devices)

    return replace(program, box=with_factors(program.box, ""))


def _box(program: Program, random: Random) -> Iterator[Factors]:
    """Yield the corners of the box of rates, or some of many, and points within it."""
    machines = [("", program.box), *program.box.devices.items()]
    keys = [(device, key) for device, box in machines for key in box.rates]
    ends = Fraction(9, 10), Fraction(11, 10)
    used = _used(program, keys)
    everywhere = dict.fromkeys(keys, Fraction(1))
    if len(used) <= MOST_CORNERS:
        corners = (
            dict(zip(used, corner, strict=True)) for corner in product(ends, repeat=len(used))
        )
    else:
        corners = ({key: random.choice(ends) for key in used} for _ in range(2**MOST_CORNERS))
    for corner in corners:
        yield everywhere | corner
    for _ in range(POINTS):
        yield everywhere | {key: Fraction(random.randint(900, 1100), 1000) for key in used}


def _used(program: Program, keys: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the rates that change anything at all."""
    everywhere = dict.fromkeys(keys, Fraction(1))
    here = spent(program.at(N), "sum")
    return [
        key
        for key in keys
        if spent(scaled(program, everywhere | {key: Fraction(2)}).at(N), "sum").busy != here.busy
    ]
