"""The ends of a result are those of the numbers with `±`, and each of them owes a share."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from math import isclose, log2, sqrt
from random import Random

import pytest

from roofdsl.analysis.ends import end_of
from roofdsl.analysis.members import Unanswered
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.columns import entry
from roofdsl.answer.ranges import results_at
from roofdsl.answer.result_cells import capacity_remark_of
from roofdsl.expression.tree import Number
from tests.unwarned import defined

SAMPLES = 200
WITH = re.compile(r"(\d+(?:\.\d+)?) ± (\d+(?:\.\d+)?)( %)?")

KERNEL = """
unit euro
machine box {
    flops   = 22 ± 0.4 GFLOP/s
    memory  = 10 ± 5 % GB/s
    messages = 2 ± 0.1 us/message
    power   = 30 ± 2 W
    energy  { flops = 20 ± 3 pJ/flop; memory = 0 pJ/B; messages = 0 pJ/message }
    price   = 1.2 ± 0.1 euro/h
}
model main {
    param n: integer
    let eff = 0.8 ± 0.1
    param reuse = 3 ± 0.5
    flops  = 2*n/eff
    memory = 8 B*n*reuse*eff
    messages = 1 message
    metric speed: GFLOP/s = flops/time
    metric excess: s = time - n*1 ns
    metric rounds = ceil(10*eff)
}
"""
STEPS = """
machine cpu { flops = 20 ± 2 GFLOP/s; memory = 30 ± 1 GB/s }
machine gpu { flops = 300 ± 20 GFLOP/s; memory = 200 ± 10 % GB/s }
machine box {
    device cpu = cpu
    device gpu = gpu
    network = 5 ± 1 GB/s
    startup = 2 ± 0.5 us
}
model part {
    param n: integer
    let hit = 0.5 ± 0.2
    flops = 2*n; memory = 8 B*n*hit
}
model main {
    param n: integer
    step first = part(n = n) on cpu
    overlap {
        step left = part(n = 2*n) on cpu
        step right = part(n = 40*n) on gpu
    }
    repeat 3 { step send { network = n*1 B } }
    metric balance = left.time/right.time
}
"""
TEXTS = {"kernel": KERNEL, "steps": STEPS}


def result(text: str, n: int = 10**6) -> Result:
    """Return the model `main` of a text on its `box`."""
    prediction, problems = predict(*defined(text), {"n": (Number(Fraction(n)), None)})
    assert not problems
    return evaluated(prediction)


def at(text: str, parts: list[Fraction]) -> str:
    """Return a text with each number that has ± at some part of its way, from 0 to 1."""
    left = iter(parts)

    def number(found: re.Match[str]) -> str:
        value, half = Fraction(found[1]), Fraction(found[2])
        half *= value / 100 if found[3] else 1
        return f"{float(value + (2 * next(left) - 1) * half):.12f}"

    return WITH.sub(number, text)


def values_of(found: Result) -> dict[str, float]:
    times = {f"time.{name}": time for name, time in found.times.items()}
    numbers = {**found.quantities, **times, **found.spending, **found.metrics, **found.named}
    return {name: value for name, value in numbers.items() if not isinstance(value, bool)}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_sample_lies_outside(text: str) -> None:
    found, random, count = result(text).uncertainty, Random(1), len(WITH.findall(text))
    assert len(found) > 10
    told = {name: found[name] for name in found}
    seen = 0
    for _ in range(SAMPLES):
        parts = [Fraction(random.choice([0, random.random(), 1])) for _ in range(count)]
        for name, value in values_of(result(at(text, parts))).items():
            if name in told:
                seen += 1
                slack = 1e-9 * abs(value)
                assert told[name].low - slack <= value <= told[name].high + slack, (name, parts)
    assert seen >= SAMPLES * 10


def test_the_ends_of_a_kernel_are_values() -> None:
    found, corners = result(KERNEL).uncertainty, product([Fraction(0), Fraction(1)], repeat=8)
    numbers = [values_of(result(at(KERNEL, [*parts]))) for parts in corners]
    for name in ("time", "attainable", "energy", "cost", "speed", "excess", "OI"):
        ends, told = [each[name] for each in numbers], found[name]
        assert told.attained
        assert isclose(told.low, min(ends), rel_tol=1e-9)
        assert isclose(told.high, max(ends), rel_tol=1e-9)


def test_one_rate_owes_all_of_what_follows_from_it_alone() -> None:
    text = "machine box { flops = 22 ± 0.4 GFLOP/s; memory = 1 TB/s }"
    text += "model main { param n: integer; flops = 1136*n; memory = 1 B }"
    time = result(text).uncertainty["time"]
    assert isclose(time.low, 1.136 / 22.4) and isclose(time.high, 1.136 / 21.6)
    assert time.first_order is not None and isclose(time.first_order, 1.136 / 22 * 0.4 / 22)
    assert time.shares == {"box.flops": 1.0}
    assert "memory" not in result(text).uncertainty


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_first_order_is_what_small_changes_do(text: str) -> None:
    found, step = result(text).uncertainty, Fraction(1, 10**6)
    count, half = len(WITH.findall(text)), Fraction(1, 2)
    moved = []
    for place in range(count):
        sides = [[half] * count, [half] * count]
        sides[0][place] += step
        sides[1][place] -= step
        moved.append([values_of(result(at(text, side))) for side in sides])
    for name, told in found.items():
        if told.first_order is None or name not in moved[0][0]:
            continue
        parts = [abs(up[name] - down[name]) / float(4 * step) for up, down in moved]
        assert isclose(told.first_order, sum(parts), rel_tol=1e-4, abs_tol=1e-12), name
        assert isclose(sum(told.shares.values()), 1.0, rel_tol=1e-12)
        assert sorted(told.shares.values()) == pytest.approx(
            sorted(part / sum(parts) for part in parts if part > 1e-6 * sum(parts)), rel=1e-3
        )


def test_at_a_kink_there_is_no_first_order() -> None:
    text = "machine box { flops = 1 ± 0.1 GFLOP/s; memory = 1 ± 0.1 GB/s }"
    text += "model main { param n: integer; flops = n; memory = n*1 B }"
    found = result(text).uncertainty
    assert found["time"].first_order is None and not found["time"].shares
    assert isclose(found["time"].high, 1e-3 / 0.9)
    assert found["time.flops"].first_order is not None


def test_what_jumps_has_ends_alone() -> None:
    rounds = result(KERNEL).uncertainty["rounds"]
    assert 6.9 < rounds.low <= 7 and 9 <= rounds.high < 10.1
    assert rounds.first_order is None  # 10*0.8 is where it jumps


@pytest.mark.parametrize("rounds", ["ceil(log2(n))", "floor(log2(n)/2)"])
def test_what_is_rounded_and_known_has_neither_kink_nor_jump(rounds: str) -> None:
    """log2(64) is 6, not anything between 5.999… and 6.000…, which `ceil` makes 6 or 7."""
    machine = "machine box { network = 5 ± 1 GB/s; startup = 2 ± 0.5 us }"
    text = f"{machine}\nmodel main {{ param n: integer; network = {rounds}*1 kB }}"
    found = result(text, 64)
    known = found.uncertainty["time"]
    sent = found.work["network"]
    assert known.attained
    assert known.first_order == pytest.approx(sent / 5e9 * 0.2 + 0.5e-6)
    assert known.low == pytest.approx(sent / 6e9 + 1.5e-6)
    assert known.high == pytest.approx(sent / 4e9 + 2.5e-6)


def test_a_number_of_a_step_is_one_however_often_it_is_called() -> None:
    found = result(STEPS).uncertainty
    assert "part.hit" in found["time.cpu.memory"].shares
    low, high = (30 / 31) * 0.3 / 0.5, (30 / 29) * 0.7 / 0.5
    here = result(STEPS).times["cpu.memory"]
    told = found["time.cpu.memory"]
    assert isclose(told.low, low * here) and isclose(told.high, high * here)


def test_a_step_has_its_own() -> None:
    whole = result(STEPS)
    assert whole.steps["left"].uncertainty["time"] == whole.uncertainty["left.time"]


def test_everything_overlapped_is_asked_for_as_it_is_composed() -> None:
    model, machine = defined(STEPS)
    arguments = {"n": (Number(Fraction(10**6)), None)}
    prediction, _ = predict(model, machine, arguments)
    for composing in ("max", "sum"):
        found = evaluated(prediction, composing)
        told = found.uncertainty["time"]
        assert told.low < found.time < told.high
        for parts in ([Fraction(0)] * 7, [Fraction(1)] * 7):
            there, _ = predict(*defined(at(STEPS, parts)), arguments)
            end = evaluated(there, composing).time
            assert told.low * (1 - 1e-9) <= end <= told.high * (1 + 1e-9)


def test_a_value_that_is_given_has_no_uncertainty_of_its_own() -> None:
    model, machine = defined(KERNEL)
    given = {"n": (Number(Fraction(10)), None), "reuse": (Number(Fraction(3)), None)}
    found = evaluated(predict(model, machine, given)[0]).uncertainty
    assert [*found["memory"].shares] == ["eff"]


def test_rows_of_a_range_say_what_points_say() -> None:
    model, machine = defined(KERNEL)
    points = [{"n": (Number(Fraction(n)), None)} for n in (1000, 10**6)]
    for n, row in zip((1000, 10**6), results_at(model, machine, points, ["n"]), strict=True):
        assert row.uncertainty["energy"] == result(KERNEL, n).uncertainty["energy"]


def test_nothing_is_said_where_nothing_is_off() -> None:
    assert not result(at(KERNEL, [Fraction(1, 2)] * 8)).uncertainty


def test_what_binds_for_all_numbers_is_said() -> None:
    for whole, said in ((KERNEL, "all"), (STEPS, "depends")):
        found, count = result(whole).uncertainty.bound, len(WITH.findall(whole))
        corners = product([Fraction(0), Fraction(1)], repeat=count)
        assert found is not None and found.verdict == said
        assert {*found.bounds} <= {result(at(whole, [*parts])).bound for parts in corners}
    text = "machine box { flops = 1 ± 0.1 GFLOP/s; memory = {} GB/s }"
    text += "model main { param n: integer; let hit = 0.5 ± 0.1; flops = n; memory = n*hit*1 B }"
    for memory, bound in {
        "0.8": ("all", ("flops",)),
        "0.6 ± 0.1": ("depends", ("flops", "memory")),
    }.items():
        assert result(text.replace("{} GB", f"{memory} GB")).uncertainty.bound == bound


def test_what_a_model_requires_holds_for_all_numbers_or_nothing_is_said() -> None:
    text = "machine box { flops = 1 GFLOP/s }"
    text += "model main { param n: integer; let hit = 0.5 ± 0.1; require hit < {}; flops = n/hit }"
    assert "time" in result(text.replace("{}", "0.7")).uncertainty
    found = result(text.replace("{}", "0.55")).uncertainty
    assert not found and found.why == "not known to hold for all of them: main requires hit < 0.55"


ROOM = """
machine box { memory = 1 GB/s; capacity memory = 40 ± 1 GB }
model main {
    param n: integer
    let kept = 8 ± 1
    memory = 1 B*n
    tally footprint: B = 1 B*n
}
"""
WITHIN, BEYOND = "(stated footprint within the capacity", "(stated footprint beyond the capacity"


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (39.0, f"{WITHIN})"),
        (39.1, f"{WITHIN} as stated, not sure within ±)"),
        (40.9, f"{BEYOND} as stated, not sure within ±)"),
        (41.1, f"{BEYOND})"),
    ],
)
def test_a_footprint_is_within_a_capacity_that_is_off_where_it_is_for_all(
    size: float, told: str
) -> None:
    assert capacity_remark_of(result(ROOM, int(size * 1e9)), "footprint") == told


def test_a_footprint_that_is_off_is_within_a_capacity_where_all_of_it_is() -> None:
    text = ROOM.replace("40 ± 1 GB", "40 GB").replace("B = 1 B*n", "B = kept*1 B*n")
    sizes = {4.4: WITHIN, 4.5: WITHIN, 5.5: BEYOND, 5.8: BEYOND}  # 7 to 9 times each, in 40
    told = {size: capacity_remark_of(result(text, int(size * 1e9)), "footprint") for size in sizes}
    assert all(told[size].startswith(start) for size, start in sizes.items())
    assert ["not sure" in each for each in told.values()] == [False, True, True, False]


def test_a_jump_at_the_stated_number_has_no_slope_but_where_it_does_not_show() -> None:
    text = "machine box { flops = 1 GFLOP/s; memory = 3 ± 0.1 GB/s }"
    text += "model main { param n: integer; let v = 3 ± 0.01; flops = n*ceil(v); memory = {} B*n }"
    found = result(text.replace("{}", "1")).uncertainty["time"]  # a hundredth above 3 it is 4
    assert found.first_order is None and found.high > 1.3 * found.low
    hidden = result(text.replace("{}", "99")).uncertainty
    assert dict(hidden["time"].shares) == {"box.memory": 1} and hidden["flops"].first_order is None


def test_a_slope_where_a_part_is_0_is_found_beside_it() -> None:
    text = "machine box { flops = 1 GFLOP/s }"
    text += "model main { param n: integer; let y = 2 ± {} %; flops = n/((y-y)*(y-2*y)/1e3 + y^2) }"
    found = result(text.replace("{}", "99"))
    time = found.uncertainty["time"]
    assert time.first_order == pytest.approx(2 * 0.99 * found.time)  # of n/y², twice what y is off
    assert time.high > 1e4 * time.low
    text = text.replace("flops = n/(", "flops = n/ceil(y)/(").replace("{}", "99.9")
    assert "time" in result(text).uncertainty  # though no end of it is known


def test_a_square_has_no_slope_at_its_least_and_a_kink_has_two() -> None:
    text = "machine box {{ flops = 20 ± 1 GFLOP/s }} model main {{ param n: integer; "
    text += "let x = 2 ± 0.5; flops = n*(1 + {}) }}"
    square = result(text.format("(x - 2)^2")).uncertainty["time"]
    assert dict(square.shares) == {"box.flops": 1}
    assert square.first_order == pytest.approx(0.05 * result(text.format("0")).time, rel=1e-5)
    assert result(text.format("abs(x - 2)")).uncertainty["time"].first_order is None


BUSY_TWICE = """
machine box { flops = 16.4 ± 10 % GFLOP/s; memory = 17.6 ± 2 % GB/s; network = 2.87 ± 5 % GB/s }
model main {
    param n: integer
    let e = 2.34 ± 2 %
    overlap {
        step s1 { flops = 6e9; memory = 1.3e9 B; network = 4e8 B }
        step s2 { memory = 5.4e10 B; network = 1e8 B*e }
    }
}
"""


def test_two_steps_on_one_resource_are_busy_for_longer_than_one() -> None:
    found = result(BUSY_TWICE).uncertainty
    assert found.bound is not None and (found.bound.verdict, found.bound.bounds) == (
        "all",
        ("memory",),
    )
    assert found["time"].attained
    ends = [(1.3e9 + 5.4e10) / (17.6e9 * part) for part in (1.02, 0.98)]
    assert (found["time"].low, found["time"].high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("work", "least", "most"),
    [
        ("1e9*floor(x)", 0, 1e9),
        ("1e9*log2(1 + abs(1 - x))", 0, 1e9 * log2(1.3)),
        ("1e9*(x^2 - 81/100)", 0, 1e9 * (1.69 - 0.81)),
        ("1e9*(sqrt(x) - sqrt(9/10))", 0, 1e9 * (sqrt(1.3) - sqrt(0.9))),
    ],
)
def test_work_that_is_0_at_an_end_is_work(work: str, least: float, most: float) -> None:
    text = "machine box { flops = 1 GFLOP/s } model main { param n: integer; let x = 1.1 ± 0.2; "
    found = result(f"{text}flops = {work} }}").uncertainty
    assert not found.why
    assert found["time"].low >= 0
    ends = [each / 1e9 for each in (least, most)]
    near = 1e-3 * (ends[1] - ends[0])
    assert [found["time"].low, found["time"].high] == pytest.approx(ends, abs=near)


def test_repeats_are_whole_where_they_are_rounded() -> None:
    text = "machine box { flops = 1 GFLOP/s } model main { param n: integer; let x = 1.1 ± 0.2; "
    found = result(f"{text} repeat ceil(2*x) {{ step one {{ flops = 1e9 }} }} }}").uncertainty
    assert not found.why and found["time"].high == pytest.approx(3, rel=1e-3)


def test_what_is_not_worked_out_is_no_end_of_itself() -> None:
    text = """
    unit euro
    machine box {
        flops = 22 ± 1 GFLOP/s; memory = 10 GB/s; price = 1 ± 0.1 euro/h; power = 10 ± 5 W
        energy { flops = 100 ± 50 pJ/flop; memory = 250 ± 100 pJ/B }
    }
    model main { param n: integer; flops = 1e9; memory = 1e7 B }
    """
    found = result(text)
    for name in ("ridge.energy.OI", "ridge.effective.OI", "peak"):
        assert not found.uncertainty.is_fixed(name)
        assert isinstance(end_of(found, name, "low"), Unanswered)
    assert found.uncertainty.is_fixed("memory") and end_of(found, "memory", "low") is None
    price = [entry(found, f"price.{end}") for end in ("low", "high", "first_order")]
    values = [each.value for each in price if each is not None]
    assert values == pytest.approx([0.9 / 3600, 1.1 / 3600, 0.1 / 3600])


def test_a_capacity_alone_may_be_off() -> None:
    text = ROOM.replace("let kept = 8 ± 1", "metric left: B = machine.capacity.memory - footprint")
    found = result(text, 39_500_000_000)
    assert capacity_remark_of(found, "footprint").endswith("not sure within ±)")
    left = found.uncertainty["left"]
    assert (left.low, left.high) == pytest.approx((-0.5e9, 1.5e9))


SAME_NAMES = """
machine card { flops = 5 ± 1 GFLOP/s; memory = 1 TB/s; power = 0 W; energy flops = 0 J/flop }
machine box {
    let flops = 3 ± 1
    let power = 3 ± 0.5
    device startup = card
    flops = 10 ± 1 GFLOP/s
    memory = 1 GB/s * power * flops
    startup flops = 1 ± 0.1 s
    power = 20 ± 1 W
    energy { flops = 0 J/flop; memory = 0 J/B }
}
model main {
    param n: integer
    step here { flops = n; memory = 1 B*n }
    step there on startup { flops = n }
}
"""


def test_numbers_of_one_name_are_each_by_themselves() -> None:
    found = result(SAME_NAMES, 10**9)
    assert {*found.uncertainty.numbers} == {
        *("box.flops", "box.power", "box.startup.flops", "box.startup.flops (2)"),
        *("box.flops (2)", "box.power (2)"),
    }
    ends = {
        "here.time": (0.9 + 1 / 11, 1.1 + 1 / 9),
        "time.memory": (1 / 14, 1 / 5),
        "power": (19, 21),
    }
    told = {name: found.uncertainty[name] for name in ends}
    assert {name: pytest.approx((x.low, x.high)) for name, x in told.items()} == ends


def test_a_parameter_may_be_called_as_a_rate() -> None:
    text = "machine box { param flops = 2 ± 0.5; flops = 1 GFLOP/s; memory = 1 GB/s * flops }"
    text += "model main { param n: integer; flops = 1; memory = n*1 B }"
    time = result(text, 10**9).uncertainty["time"]
    assert (time.low, time.high) == pytest.approx((1 / 2.5, 1 / 1.5))


def test_work_rates_and_prices_are_what_they_may_be_for_all_numbers_or_nothing_is_said() -> None:
    text = "machine box {{ let part = 0.6 ± 0.2; flops = 1 GFLOP/s * {rate}; memory = 1 GB/s }}"
    text += "model main {{ param n: integer; let hit = 0.6 ± 0.2; flops = n*{work}; memory = 1 B }}"
    for rate, work, why in (
        ("part", "hit", ""),
        ("(part - 0.5)", "hit", "box.flops > 0"),
        ("part", "(hit - 0.5)", "flops >= 0"),
        ("part", "1/(hit - 0.5)", "flops >= 0"),
        ("part", "log2(hit + 0.5)", "flops >= 0"),
    ):
        found = result(text.format(rate=rate, work=work)).uncertainty
        assert found.why == (why and f"not known to hold for all of them: {why}")
        assert bool(found) is not bool(why)


def test_what_is_required_is_seen_to_hold_in_parts_of_the_range() -> None:
    text = "machine box { flops = 1 GFLOP/s }"
    text += "model main { param n: integer; let x = 1 ± 0.5; require x*(3 - x) > 1; flops = n*x }"
    assert not result(text).uncertainty.why  # it is 1.25 or more, seen at once only to be 0.75
