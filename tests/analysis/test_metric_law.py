"""Metrics of random programs are those of the law, worked out once more in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import pytest

from roofdsl.analysis.metrics import metric_formulas
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.solving import find_holding
from roofdsl.analysis.such_that import read_condition
from roofdsl.analysis.threshold import Thresholds
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.sweep import SweepPlan
from roofdsl.expression.substitute import substitute
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.numeric.extended import extended
from roofdsl.source import Source
from tests.analysis.law import Spent, spent
from tests.analysis.programs import Program, programs
from tests.analysis.test_law import prediction_at
from tests.counts import inputs
from tests.unwarned import defined

PARTS, EACH = 4, 50
SIZES = (1, 2, 5)
NEAR = 1e-11
Value = Fraction | float | bool


def metrics_of(program: Program) -> dict[str, str]:
    """Return metrics of a program, by what they are: of the whole, and of all steps in it."""
    law = spent(program.at(1))
    found = {
        "rate": "1 flop / time",
        "intensity": "OI + 1 flop/B",
        "reached": "attainable * time - flops",
        "moved": "(memory + network) / 1 B",
        "counted": "machine.capacity.memory / 1 B",
        "mostly_flops": "bound is flops",
    }
    for name in law.steps:
        found |= {
            f"{name}_time": f"{name}.time",
            f"{name}_part": f"{name}.count * {name}.share",
            f"{name}_hidden": f"2*{name}.time <= time or {name}.bound is memory",
            f"{name}_rest": f"max(time - {name}.count*{name}.time, 0 s) / time",
        }
    return found


def expected(law: Spent, capacity: int) -> Iterator[tuple[str, Value]]:
    totals = {name: law.totals.get(name, Fraction()) for name in ("flops", "memory", "network")}
    yield "rate", _ratio(Fraction(1), law.time)
    quotient = _ratio(totals["flops"], totals["memory"])
    yield "intensity", quotient + 1
    yield "reached", Fraction() if law.time else math.nan
    yield "moved", totals["memory"] + totals["network"]
    yield "counted", Fraction(capacity)
    yield "mostly_flops", law.ties[:1] == ("flops",)
    for name, (count, step) in law.steps.items():
        share = _ratio(law.by_step.get(name, Fraction()), law.time)
        yield f"{name}_time", step.time
        yield f"{name}_part", count * share
        yield f"{name}_hidden", 2 * step.time <= law.time or step.ties[:1] == ("memory",)
        yield f"{name}_rest", _ratio(max(law.time - count * step.time, Fraction()), law.time)


def _ratio(above: Fraction, below: Fraction) -> Fraction | float:
    if below:
        return above / below
    return math.inf if above else math.nan


def _most(name: str, law: Spent) -> float:
    """Return how large the terms of a difference are."""
    return 1.0 if name.endswith("_rest") else float(law.totals.get("flops", 0))


def _same(found: Value, wanted: Value, most: float) -> bool:
    """Whether a value is the law's; what is left of a difference is small beside its terms."""
    if isinstance(wanted, bool):
        return isinstance(found, bool) and found == wanted
    if isinstance(wanted, float):
        return math.isnan(found) if math.isnan(wanted) else found == wanted
    return abs(found - float(wanted)) <= NEAR * max(abs(float(wanted)), most)


def written(program: Program) -> str:
    lines = "; ".join(f"metric {name} = {text}" for name, text in metrics_of(program).items())
    head, _, rest = program.text().rpartition("model main { param n: integer; ")
    return f"{head}model main {{ param n: integer; {lines}; {rest}"


def opened(definitions: tuple[ModelDefinition, MachineDefinition]) -> Prediction:
    prediction, found = predict(*definitions, {}, frozenset({"n"}))
    assert not found
    return prediction


@pytest.mark.parametrize("part", range(inputs(2, PARTS)))
def test_metrics_follow_the_law(part: int) -> None:
    for number, program in enumerate(programs(f"metrics {part}", EACH)):
        text = written(program)
        definitions = defined(text)
        for n in SIZES[:2]:
            prediction = prediction_at(definitions, n)
            result, law = evaluated(prediction), spent(program.at(n))
            trees, unanswered = metric_formulas(prediction)
            assert not (result.unanswered.keys() & trees.keys()) and not unanswered
            for name, value in expected(law, program.box.capacity):
                told = f"{name}, program {number} at n = {n}:\n{text}"
                assert _same(result.metrics[name], value, _most(name, law)), told
                if isinstance(value, float) and math.isnan(value):
                    continue  # as a formula, 0 times what is undefined is 0
                formula = extended(substitute(trees[name], prediction.rates), {})
                formula = bool(formula) if isinstance(value, bool) else formula
                assert _same(formula, value, _most(name, law)), f"the formula of {told}"


def test_sweeps_have_the_metrics_of_each_point() -> None:
    for program in programs("metrics of sweeps", 60):
        definitions = defined(written(program))

        def at(
            values: dict[str, float],
            definitions: tuple[ModelDefinition, MachineDefinition] = definitions,
        ) -> Result:
            return evaluated(prediction_at(definitions, int(values["n"])))

        sweep = SweepPlan(opened(definitions)).sweep({"n": SIZES}, at)
        for place, n in enumerate(SIZES):
            law = spent(program.at(n))
            for name, value in expected(law, program.box.capacity):
                if name == "reached" and not law.time:
                    continue
                found = sweep.metrics[name][place].item()
                assert _same(found, value, _most(name, law)), f"{name} at {n}:\n{written(program)}"


def test_where_a_metric_is_large_enough_is_found() -> None:
    """What is proven of a metric over a range is so at each number of it."""
    looked, complete = range(1, 13), 0
    for number, program in enumerate(programs("metrics solved", 25)):
        prediction = opened(defined(written(program)))
        laws = {n: dict(expected(spent(program.at(n)), 0)) for n in looked}
        name = next((x for x in laws[1] if x.endswith("_rest")), "rate")
        values = [value for law in laws.values() if math.isfinite(value := float(law[name]))]
        if len({*values}) < 2:
            continue
        limit = Fraction((min(values) + max(values)) / 2).limit_denominator(1000)
        unit = " flop/s" if name == "rate" else ""
        condition = read_condition(Source("c", f"{name} >= {float(limit)!r}{unit}"), prediction)
        unknown = unknown_named("n", prediction.model, prediction.machine)
        found = find_holding(prediction, condition, unknown, looked[0], looked[-1])
        if not isinstance(found, Thresholds) or not found.complete:
            continue
        complete += 1
        for n in looked:
            value = float(laws[n][name])
            holds = laws[n][name] >= Fraction(repr(float(limit)))
            said = any(part.first <= n <= part.last for part in found.intervals)
            assert holds == said or math.isnan(value), (
                f"{number}: {name} at {n}\n{written(program)}"
            )
    assert complete >= 8
