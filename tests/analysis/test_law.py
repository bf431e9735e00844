"""Random programs follow the law of composition, written once more in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from roofdsl.analysis.algebras import Constants, Floats, Formulas, Pointwise, constant
from roofdsl.analysis.composition import Composing, composed
from roofdsl.analysis.node import stated_in
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.sweep import SweepPlan
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import HALF, ONE, ZERO, Divide, Number, Power
from roofdsl.model.loop import CHOICES
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.numeric.exact import exact
from roofdsl.numeric.scalar import evaluate
from tests.analysis.law import Amounts, Spent, spent
from tests.analysis.programs import Program, mixes, programs
from tests.counts import ALL, inputs
from tests.unwarned import defined

NEAR = 1e-12
TWO, FOUR = Number(Fraction(2)), Number(Fraction(4))
COMPOSE: tuple[Composing, ...] = ("written", "max", "sum")
PARTS = 10
EACH = 100
SIZES = (1, 4)
NUMBERS = ("time", "flops", "memory", "network", "OI", "CAI", "MI", "attainable")
TABLES = ("shares", "times", "tallies", "fits")
SAID = (*NUMBERS, *TABLES, "bound")


def built(program: Program) -> tuple[ModelDefinition, MachineDefinition]:
    return defined(program.text())


def prediction_at(definitions: tuple[ModelDefinition, MachineDefinition], n: int) -> Prediction:
    prediction, problems = predict(*definitions, {"n": (Number(Fraction(n)), None)})
    assert not problems
    return prediction


def differences(result: Result, law: Spent, capacity: int, compose: str) -> Iterator[str]:
    """Say where a result is not what the law says."""
    yield from _of_part(result.breakdown, law, "main", compose)
    yield from _of_whole({name: getattr(result, name) for name in SAID}, law, capacity)
    yield from _in_table("work", result.work, law.work)
    if law.peak is not None and not _close(result.peak or 0.0, law.peak):
        yield f"peak is {result.peak}, not {float(law.peak)}"
    if result.ties != law.ties:
        yield f"ties are {result.ties}, not {law.ties}"
    if result.bound_kind != law.kind:
        yield f"most of {result.bound} is {result.bound_kind}, not {law.kind}"


def _of_whole(said: Mapping[str, Any], law: Spent, capacity: int) -> Iterator[str]:
    shares = {name: time / law.time for name, time in law.charged.items() if law.time}
    yield from _in_table("shares", said["shares"], shares)
    flops, memory, network = (law.totals.get(n, Fraction()) for n in ("flops", "memory", "network"))
    expected = {
        "time": law.time,
        "flops": flops,
        "memory": memory,
        "network": network,
        "OI": _ratio(flops, memory),
        "CAI": _ratio(flops, network),
        "MI": _ratio(memory, network),
        "attainable": _ratio(flops, law.time),
    }
    if law.arrangement == "mix":  # each job has its own
        expected = {name: law.time if name == "time" else math.nan for name in expected}
    for name, value in expected.items():
        if not _close(said[name], value):
            yield f"{name} is {said[name]}, not {float(value)}"
    yield from _in_table("times", said["times"], law.busy)
    yield from _in_table("tallies", said["tallies"], law.tallies)
    footprint = law.tallies.get("footprint")
    fits = {} if footprint is None else {"footprint": footprint <= capacity}
    if said["fits"] != fits:
        yield f"fits is {said['fits']}, not {fits}"
    if (said["bound"] or None) != (law.ties[0] if law.ties else None):
        yield f"bound is {said['bound']}, not {law.ties[:1]}"


def _of_part(found: Any, law: Spent, place: str, compose: str) -> Iterator[str]:
    if found.name != law.name:
        yield f"{place}: name is {found.name}, not {law.name}"
    if compose != "max" and found.arrangement != law.arrangement:
        yield f"{place}: a {found.arrangement}, not a {law.arrangement}"
    if not _close(found.time, law.time):
        yield f"{place}: time is {found.time}, not {float(law.time)}"
    for name in ("busy", "charged", "work", "tallies"):
        yield from _in_table(f"{place}: {name}", getattr(found, name), getattr(law, name))
    yield from _in_table(f"{place}: rivals", found.rivals, law.rivals)
    if found.ties != law.ties:
        yield f"{place}: ties are {found.ties}, not {law.ties}"
    if found.name in CHOICES and not found.count and not any(each.time for each in found.children):
        return  # of steps that do not run only names are left
    assert len(found.children) == len(law.parts)
    for number, (child, part) in enumerate(zip(found.children, law.parts, strict=True)):
        # What `max` overlaps is the whole: the parts stay as written. A job is a whole of its own.
        inner = compose if law.arrangement in ("mix", "job") else compose.replace("max", "written")
        yield from _of_part(child, part, f"{place}.{number}", inner)


def _in_table(what: str, found: Mapping[str, float], law: Amounts) -> Iterator[str]:
    for name in {**law, **found}:
        if not _close(found.get(name, 0.0), law.get(name, Fraction())):
            yield f"{what} of {name} is {found.get(name)}, not {float(law.get(name, 0))}"


def _ratio(above: Fraction, below: Fraction) -> Fraction | float:
    if below:
        return above / below
    return math.inf if above else math.nan


def _close(found: float, law: Fraction | float) -> bool:
    if isinstance(law, float):
        return math.isnan(found) if math.isnan(law) else found == law
    return math.isfinite(found) and abs(Fraction(found) - law) <= Fraction(NEAR) * law


def placed(text: str) -> Prediction:
    return predict(*defined(text), {})[0]


def test_without_a_limit_on_some_flops_there_is_no_peak() -> None:
    text = """
    model main { step a { flops.fast = 2 }; overlap { step b { flops.slow = 3 } } }
    machine box { flops { fast = unlimited; slow = 1 flop/s; default slow } }
    """
    result = evaluated(placed(text))
    assert (result.time, result.attainable, result.peak) == (3, 5 / 3, None)


def test_devices_reach_their_limits_side_by_side() -> None:
    text = """
    machine gpu { flops = 4 flop/s }
    machine cpu { flops = 3 flop/s }
    machine box { device gpu = gpu; device cpu = cpu }
    model main {
        step a on gpu { flops = 8 }; step b on cpu { flops = 6 }; step c on cpu { flops = 3 }
    }
    """
    # Two seconds of one, three of the other: 17 flop in 3 s, if they ran at once.
    result = evaluated(placed(text))
    assert result.time == 5 and result.peak == pytest.approx(17 / 3)


@pytest.mark.parametrize("flops", [0, 1, 2])
@pytest.mark.parametrize("memory", [0, 1, 2])
def test_irrational_times_are_told_apart_where_floats_cannot(flops: int, memory: int) -> None:
    text = f"""
    model main {{
        flops  = sqrt(2) * (10000000000000 + {flops})
        memory = sqrt(2) * (10000000000000 + {memory}) * 1 B
    }}
    machine box {{ flops = 1 flop/s; memory = 1 B/s }}
    """
    most = max(flops, memory)
    ties = [name for name, time in (("flops", flops), ("memory", memory)) if time == most]
    assert evaluated(placed(text)).ties == tuple(ties)


@pytest.mark.parametrize(
    ("flops", "memory"),
    [
        # Equal, though floats make the first of these larger and the second smaller.
        ("(sqrt(2) + sqrt(3)) * sqrt(2)", "2 + sqrt(6)"),
        ("(sqrt(5) + sqrt(3)) * sqrt(3)", "3 + sqrt(15)"),
    ],
)
def test_irrational_times_are_known_to_be_equal(flops: str, memory: str) -> None:
    text = f"""
    model main {{
        flops = 10^13 * ({flops}); memory = 10^13 * 1 B * ({memory}); network = sqrt(3) * 1 B
    }}
    machine box {{ flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }}
    """
    assert evaluated(placed(text)).ties == ("flops", "memory")


@pytest.mark.parametrize(
    "steps",
    [
        "overlap { step a { flops = 10^17 }; step b { memory = (10^17 + 1) * 1 B } }",
        "step a { flops = 10^17 }; step b { memory = (10^17 + 1) * 1 B }",
        # The second takes longer, by one byte more; it uses all that the first does.
        "overlap { step a = parts(6, 3, 0); step b = parts(3, 6, 1) }",
    ],
)
def test_what_takes_longest_is_told_apart_where_floats_cannot(steps: str) -> None:
    text = f"""
    model parts {{
        param f; param m; param more: integer[0..]
        step x {{ flops = f*10^16 }}
        step y {{ memory = (m*10^16 + more) * 1 B }}
        step z {{ network = 10^16 * 1 B }}
    }}
    model main {{ {steps} }}
    machine box {{ flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }}
    """
    assert evaluated(placed(text)).ties == ("memory",)


def test_the_longest_of_nearly_equal_steps_is_charged_in_full() -> None:
    text = """
    model main { overlap { step a { time = 10^13 * 1 s }; step b { time = (10^13 + 1) * 1 s } } }
    machine box { flops = 1 flop/s }
    """
    assert evaluated(placed(text)).shares == {"time": 1}


def test_no_charged_time_is_not_listed() -> None:
    text = (
        "model main { flops = 0; memory = 0 B }\nmachine box { flops = 1 flop/s; memory = 1 B/s }"
    )
    result = evaluated(placed(text))
    assert (result.ties, result.shares, result.breakdown.charged) == ((), {}, {})


def test_a_constant_is_a_number_where_it_has_an_exact_one() -> None:
    assert constant(Power(FOUR, HALF)) == TWO
    for tree in (Power(TWO, HALF), Divide(ONE, ZERO)):
        assert constant(tree) is tree


@pytest.mark.parametrize("times", [*permutations((1, 2, 3))])
def test_a_kernel_is_charged_to_the_largest_alone(times: tuple[int, int, int]) -> None:
    flops, memory, network = times
    text = f"""
    model main {{ flops = {flops}; memory = {memory} B; network = {network} B }}
    machine box {{ flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }}
    """
    found = composed(placed(text).root, Formulas())
    rates = dict.fromkeys(["box.flops", "box.memory", "box.network"], 1.0)
    charges = [evaluate(tree, rates) for tree in found.charged.values()]
    assert charges == [time if time == 3 else 0 for time in times]
    assert found.ties == ()


def test_formulas_and_exact_constants_are_those_of_the_law() -> None:
    for program in programs("formulas", 40):
        prediction, law = prediction_at(built(program), 3), spent(program.at(3))
        formulas = composed(prediction.root, Formulas())
        constants = composed(prediction.root, Constants(prediction.rates))
        assert constants.ties == law.ties, program.text()
        expected = {name: time for name, time in law.charged.items() if time}
        for charges in (formulas.charged, constants.charged):
            trees = {name: substitute(tree, prediction.rates) for name, tree in charges.items()}
            found = {name: exact(tree, {}) for name, tree in trees.items()}
            assert {name: time for name, time in found.items() if time} == expected, program.text()


def test_floats_of_many_points_are_those_of_each_point() -> None:
    for program in programs("points", 40):
        prediction, _ = predict(*built(program), {}, frozenset({"n"}))
        root, rates = prediction.root, prediction.rate_values
        amounts = {item.amount for item in stated_in(root)}
        points = [{x: evaluate(x, {"n": n}) for x in amounts} for n in SIZES]
        values = {x: [point[x] for point in points] for x in amounts}
        for compose in COMPOSE:
            found = composed(root, Pointwise(values, rates, len(SIZES)), compose)
            assert found.ties == ()
            for place, point in enumerate(points):
                alone = composed(root, Floats({ONE: 1.0, **point}, rates), compose)
                assert found.time[place] == alone.time, program.text()
                for name in ("work", "busy", "tallies", "counted", "peaks"):
                    table = getattr(found, name)
                    columns = table and {key: column[place] for key, column in table.items()}
                    assert columns == getattr(alone, name), f"{name}: {program.text()}"
                charged = {key: column[place] for key, column in found.charged.items()}
                kept = {key: time for key, time in charged.items() if time}
                assert kept == {key: time for key, time in alone.charged.items() if time}


def _of_steps(result: Result, law: Spent, place: str) -> Iterator[str]:
    """Say where the steps of a result are not what the law says of each alone, and in the whole."""
    steps = result.steps
    assert [*steps] == [*law.steps]
    shares = {name: time / law.time for name, time in law.by_step.items() if law.time}
    if law.time:
        found = {name: steps.share(name) for name in steps}
        yield from _in_table(f"{place}: shares of steps", found, shares)
    for name, (count, alone) in law.steps.items():
        step = steps[name]
        if not _close(steps.count(name), count):
            yield f"{place}.{name} runs {steps.count(name)} times, not {count}"
        compose = "max" if law.arrangement == "mix" else "written"  # of which names are told apart
        yield from _of_part(step.breakdown, alone, f"{place}.{name}", compose)
        if step.ties != alone.ties or not _close(step.time, alone.time):
            yield f"{place}.{name}: bound {step.ties}, {step.time} s, not {alone.ties}"
        yield from _of_steps(step, alone, f"{place}.{name}")


def _follow_the_law(written: Iterable[Program]) -> None:
    """Compare programs and their steps, each at one size in turn unless all inputs are wanted."""
    for number, program in enumerate(written):
        definitions, capacity = built(program), program.box.capacity
        for n in SIZES if ALL else (SIZES[number % len(SIZES)],):
            part, prediction = program.at(n), prediction_at(definitions, n)
            law = {compose: spent(part, compose) for compose in COMPOSE}
            assert law["max"].time <= law["written"].time <= law["sum"].time
            for place, compose in enumerate(COMPOSE):
                result = evaluated(prediction, compose)
                found = [*differences(result, law[compose], capacity, compose)]
                if ALL or number % len(COMPOSE) == place:
                    found += _of_steps(result, law[compose], "main")
                assert found == [], f"program {number} at n = {n}, {compose}:\n{program.text()}"


@pytest.mark.parametrize("part", range(PARTS))
def test_programs_and_their_steps_follow_the_law(part: int) -> None:
    _follow_the_law(programs(part, EACH))


@pytest.mark.parametrize("part", range(inputs(1, PARTS)))
def test_mixes_follow_the_law(part: int) -> None:
    _follow_the_law(mixes(part, EACH))


@pytest.mark.parametrize("part", range(inputs(1, PARTS)))
def test_sweeps_follow_the_law(part: int) -> None:
    asked: list[float] = []
    written = [*programs(part, EACH), *mixes(part, EACH // 5)]
    for number, program in enumerate(written):
        definitions = built(program)
        prediction, problems = predict(*definitions, {}, frozenset({"n"}))
        assert not problems

        def at(
            values: dict[str, float],
            definitions: tuple[ModelDefinition, MachineDefinition] = definitions,
        ) -> Result:
            asked.append(values["n"])
            return evaluated(prediction_at(definitions, int(values["n"])))

        sweep = SweepPlan(prediction).sweep({"n": SIZES}, at)
        for place, n in enumerate(SIZES):
            said: dict[str, Any] = {name: getattr(sweep, name)[place] for name in NUMBERS}
            for name in TABLES:
                table = getattr(sweep, name).items()
                said[name] = {each: values[place] for each, values in table}
            said["bound"] = str(sweep.bound[place])
            law = spent(program.at(n))
            found = list(_of_whole(said, law, program.box.capacity))
            if sweep.bound_kind[place] != (law.kind or ""):
                found.append(f"the kind is {sweep.bound_kind[place]}, not {law.kind}")
            assert found == [], f"program {number} at n = {n}:\n{program.text()}"
    assert len(asked) < EACH * len(SIZES) / 2, "most points are not those of arrays"
