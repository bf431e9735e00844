"""Within its tolerance a bound holds, at the corners and in between; beyond, it is seen to turn."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.margin import Margin, Turned
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import evaluated
from roofdsl.answer.margins import margin_text
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text
from roofdsl.source import Source
from tests.analysis.law import spent
from tests.analysis.programs import TABLE, Box, Program, programs
from tests.analysis.test_law import built, placed, prediction_at

PROGRAMS = int(os.environ.get("ROOFDSL_MARGINS", "50"))
"""`make fuzz` takes 2,000."""
PARTS = 10
MOST_CORNERS = 6
"""Of more rates than this, corners are drawn."""
POINTS = 40
N = 3
COMPOSING: tuple[Composing, ...] = ("written", "written", "written", "max", "sum")
HIDING = "step a { flops = 100 }; step b { memory = 50 B }"
HALVES = "step b { memory = 50 B }; step c { network = 49 B }"
LITTLE = "step d { memory = 1 B }"
Factors = dict[tuple[str, str], Fraction]
"""What each rate is multiplied by, by device and resource."""


@pytest.mark.parametrize("part", range(PARTS))
def test_within_its_tolerance_a_bound_holds_and_beyond_it_turns(part: int) -> None:
    firm = turned = 0
    for number, program in enumerate(programs(f"margin {part}", PROGRAMS // PARTS)):
        composing = COMPOSING[number % len(COMPOSING)]
        result = evaluated(prediction_at(built(program), N), composing)
        margin, root = result.margin, program.at(N)
        law = spent(root, composing)
        if margin is None:
            continue
        told = f"{margin}, {composing}:\n{program.text()}"
        assert root.stated is None and margin.bound == law.ties[0], told
        rivals = law.rivals
        most, second = sorted([*rivals.values(), Fraction(), Fraction()])[:-3:-1]
        assert rivals.get(margin.next or "", Fraction()) == second and margin.next != margin.bound
        assert (margin.ratio is None) == (second == 0), told
        assert margin.ratio is None or margin.ratio == pytest.approx(float(most / second))
        keys = keys_of(program)
        used = _used(program, keys)
        for factors in _within(margin.tolerance, keys, used, Random(part)):
            firm += 1
            bound = spent(scaled(program, factors).at(N), composing).ties[0]
            assert bound == result.bound, f"{bound} at {factors}, {told}"
        if margin.turned is None:
            continue
        turned += 1
        rates = {
            key: Fraction(margin.turned.rates.get(".".join(filter(None, key)), 1)) for key in keys
        }
        assert max(abs(rate - 1) for rate in rates.values()) <= margin.turned.change + 1e-12
        assert spent(scaled(program, rates).at(N), composing).ties[0] == margin.turned.bound, told
        if len(used) <= 3:
            assert margin.turned.change <= 1.01 * margin.tolerance + 1e-6, told
    assert firm and turned, "nothing holds, or nothing turns, so nothing was tried"


@pytest.mark.parametrize("seed", [*range(40), 1706])
def test_of_steps_one_after_another_it_is_exact(seed: int) -> None:
    """At most one rate is neither of the bound nor of what it is compared with."""
    random = Random(seed)
    names = ("flops", "memory", "network")[: random.choice((2, 3))]
    times = [[random.randrange(12) for _ in names] for _ in range(random.randrange(1, 7))]
    if seed % 4 == 0:
        times = times[:1]
    units = {"flops": "", "memory": " B", "network": " B"}
    works = (
        "; ".join(f"{name} = {time}{units[name]}" for name, time in zip(names, each, strict=True))
        for each in times
    )
    margin = evaluated(
        _placed("; ".join(f"step s{at} {{ {work} }}" for at, work in enumerate(works)))
    ).margin
    charged = _charged(times, [Fraction(1)] * len(names))
    bound = charged.index(max(charged))
    low, high = Fraction(), Fraction(1)
    if not any(time for each in times for place, time in enumerate(each) if place != bound):
        assert margin is None
        return
    assert margin is not None and margin.bound == names[bound]
    while high - low > Fraction(1, 2**40):
        middle = (low + high) / 2
        if _turns(times, bound, middle):
            high = middle
        else:
            low = middle
    if low > 0.999:
        assert margin.tolerance > 0.99
    else:
        assert margin.tolerance == pytest.approx(float(low), rel=1e-9, abs=1e-9)
        assert margin.turned is not None
        assert margin.turned.change <= 1.001 * margin.tolerance + 1e-6


def _charged(times: Sequence[Sequence[int]], factors: Sequence[Fraction]) -> list[Fraction]:
    found = [Fraction()] * len(factors)
    for each in times:
        longer = [time * factor for time, factor in zip(each, factors, strict=True)]
        found[longer.index(max(longer))] += max(longer)
    return found


def _turns(times: Sequence[Sequence[int]], bound: int, change: Fraction) -> bool:
    """Whether a change turns a bound: at a corner, or where a third rate takes kernels away."""
    low, high = 1 / (1 + change), 1 / (1 - change)
    places = range(len(times[0]))
    for other in places:
        factors = [low if place == bound else high for place in places]
        for third in [place for place in places if place not in (bound, other)] or [other]:
            ends = {low, high}
            for each in times:
                if each[third] and third != other:
                    ends.update(each[p] * factors[p] / each[third] for p in (bound, other))
            beyond = {end * (1 + Fraction(1, 10**15)) for end in ends}
            for factor in ends | beyond:
                if third == other or low <= factor <= high:
                    tried = [*factors]
                    tried[third] = high if third == other else factor
                    charged = _charged(times, tried)
                    if other != bound and charged[other] > charged[bound]:
                        return True
    return False


def test_charges_that_jump_do_not_hold() -> None:
    """5 % more of the rate of flops makes all of it memory: 99 s, and 10 of the second step."""
    prediction = _placed("step a { flops = 100; memory = 99 B }; step b { memory = 10 B }")
    margin = evaluated(prediction).margin
    assert margin is not None
    assert (margin.bound, margin.next, margin.ratio) == ("flops", "memory", 10)
    assert margin.tolerance == pytest.approx(1 / 199)  # 100/(1 + ε) = 99/(1 - ε)
    # With everything overlapped the times are compared: 109 s of memory, 100 of flops.
    overlapped = evaluated(prediction, "max").margin
    assert overlapped is not None
    assert (overlapped.bound, overlapped.next) == ("memory", "flops")
    assert overlapped.ratio == pytest.approx(1.09)
    assert overlapped.tolerance == pytest.approx(9 / 209)


@pytest.mark.parametrize(
    "parts",
    [
        "flops = 5",
        "flops = 5; memory = 0 B",
        "flops = 0; memory = 0 B",
        "flops = 5; disk = 7 B",
        "flops = 5; memory = 7 B; time = 3 s",  # whatever the rates
        "repeat 0 { step a { flops = 5; memory = 4 B } }",
    ],
)
def test_where_nothing_competes_there_is_no_margin(parts: str) -> None:
    assert evaluated(_placed(parts)).margin is None


def test_what_is_hidden_may_come_to_bind() -> None:
    margin = evaluated(_placed("step a { flops = 5; memory = 4 B }; step b { flops = 1 }")).margin
    assert margin is not None and (margin.bound, margin.next, margin.ratio) == ("flops", None, None)
    assert margin.tolerance == pytest.approx(1 / 9)  # 5/(1 + ε) = 4/(1 - ε)
    assert margin.turned is not None and margin.turned.bound == "memory"


@pytest.mark.parametrize(
    ("parts", "tolerance"),
    [
        # Decided exactly: floats alone would fall short of each.
        ("flops = 30; memory = 10 B", 0.5),
        ("flops = 110; memory = 90 B", 0.1),
        ("flops = 11; memory = 9 B", 0.1),
        ("step a { flops = 11 }; step b { memory = 9 B }", 0.1),
        ("step a { flops = 129/10 }; step b { memory = 71/10 * 1 B }", 0.29),
        # Nothing competes but what no rate changes.
        ("step a { flops = 40 }; step b { time = 10 s }", 3),
        ("step a { flops = 1; time = 3 s }; step b { memory = 1 B; time = 2 s }", math.inf),
        ("step a { time = 3 s }; step b { flops = 2 }", 1 / 3),
        ("flops = 7; memory = 7 B", 0),
        ("flops = 10^12; memory = 1 B", 1 - 1e-9),  # more is not told from all
    ],
)
def test_what_is_known_exactly(parts: str, tolerance: float) -> None:
    margin = evaluated(_placed(parts)).margin
    assert margin is not None and margin.tolerance == pytest.approx(tolerance, abs=1e-9)
    assert (margin.turned is None) == (tolerance >= 1 - 1e-9)
    if tolerance in (0.5, 0.1, 0.29):
        assert margin.tolerance == tolerance


@pytest.mark.parametrize(("most", "second"), [(121, 100), (1_000_003, 1_000_000), (7, 4), (99, 2)])
def test_a_kernels_tolerance_is_below_its_limit_by_rounding_alone(most: int, second: int) -> None:
    # At the limit, by hand, (1 + ε)/(1 - ε) is the ratio of the times; with rates of 1 of the work.
    limit = Fraction(most - second, most + second)
    margin = evaluated(_placed(f"flops = {most}; memory = {second} B")).margin
    assert margin is not None and margin.turned is not None
    assert limit - Fraction(1, 10**11) <= Fraction(margin.tolerance) <= limit
    assert limit < Fraction(margin.turned.change) < limit + Fraction(1, 10**8)
    fast, slow = (Fraction(margin.turned.rates[name]) for name in ("flops", "memory"))
    assert fast - 1 <= Fraction(margin.turned.change) + Fraction(1, 10**15)
    assert Fraction(most) / fast < Fraction(second) / slow


@pytest.mark.parametrize(
    ("tolerance", "change", "bound", "said"),
    [
        (0.090759, 0.0907591, "memory", "holds while every rate is off by less than 9.07 %"),
        (0.29, 0.2900001, "memory", "holds while every rate is off by less than 29 %"),
        (0.2, 0.2, "disk", "holds while every rate is off by less than 20 %, then turns to disk"),
        (
            0.08,
            0.12341,
            "disk",
            "holds while every rate is off by less than 8 %; with 12.4 % disk can bind",
        ),
        (0, 0.5, "disk", "how far rates may be off is not known; with 50 % disk can bind"),
        (0, 1e-9, "memory", "rates that are off by less than 0.0001 % can turn it to memory"),
        (2.999, 0, "", "holds however slow the rates are, and up to 3.99 × as fast"),
        (math.inf, 0, "", "holds at any rates"),
        (1 - 1e-9, 0, "", "holds while every rate is off by less than 99.9 %"),
    ],
)
def test_words_are_true_as_they_stand(
    tolerance: float, change: float, bound: str, said: str
) -> None:
    turned = Turned(change, bound, {}) if bound else None
    margin = Margin("flops", "memory", 1.5, tolerance, turned)
    assert margin_text(margin, latencies=False) == f"1.5 × memory; {said}"
    assert margin_text(margin._replace(next=None, ratio=None), latencies=False).startswith(said[:9])
    if "every rate" in said:
        inverse = said.replace("every rate", "every rate, and of a latency its inverse,")
        assert margin_text(margin, latencies=True) == f"1.5 × memory; {inverse}"


def test_a_network_whose_steps_change_hands_one_by_one() -> None:
    """It was said to hold within ±10 %: a step that leaves at 9.06 % makes memory the bound."""
    from roofdsl.model.library import find_machine, find_model

    (model, _), (machine, _) = find_model("resnet50"), find_machine("h100_sxm")
    prediction, problems = predict(model, machine, {"batch": (Number(Fraction(1)), None)})
    assert not problems
    margin = evaluated(prediction).margin
    assert margin is not None and margin.turned is not None and margin.turned.bound == "memory"
    assert 0.0906 < margin.tolerance < margin.turned.change < 0.0908


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
    assert margin is not None and (margin.tolerance > 0.1) is holds


@pytest.mark.parametrize(("memory", "holds"), [("2.6", True), ("2.8", False)])
def test_a_measured_time_is_the_same_at_all_corners(memory: str, holds: bool) -> None:
    # 3 s, against at most 2.6 s / 0.9 = 2.9 s, or 2.8 s / 0.9 = 3.1 s.
    text = f"""
    model main {{ as operation(size = 2); flops = 9; memory = {memory} B }}
    machine box {{ flops = 1 flop/s; memory = 1 B/s; measured operation(size) from "{TABLE}" }}
    """
    margin = evaluated(placed(text)).margin
    assert margin is not None and (margin.bound, (margin.tolerance > 0.1)) == ("flops", holds)


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
            assert ((margin.tolerance > 0.1), margin.ratio) == (always, a / b), f"{a} s and {b} s"


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


def keys_of(program: Program) -> list[tuple[str, str]]:
    machines = [("", program.box), *program.box.devices.items()]
    return [(device, key) for device, box in machines for key in box.rates]


def _within(
    tolerance: float,
    keys: Sequence[tuple[str, str]],
    used: Sequence[tuple[str, str]],
    random: Random,
) -> Iterator[Factors]:
    """Yield the corners of what rates may be, or some of many, and points within."""
    if not tolerance:
        return
    change = Fraction(min(tolerance, 0.999999)) * (1 - Fraction(1, 10**12))
    ends = 1 - change, 1 + change
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
        parts = (Fraction(random.randint(-1000, 1000), 1000) for _ in used)
        yield everywhere | {key: 1 + change * part for key, part in zip(used, parts, strict=True)}


def _used(program: Program, keys: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the rates that change anything at all."""
    everywhere = dict.fromkeys(keys, Fraction(1))
    here = spent(program.at(N), "sum")
    return [
        key
        for key in keys
        if spent(scaled(program, everywhere | {key: Fraction(2)}).at(N), "sum").busy != here.busy
    ]
