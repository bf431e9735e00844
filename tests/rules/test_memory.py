"""Peaks of memory and what is kept are those of random programs written out in full."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.construct import number
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.scalar import evaluate
from tests.counts import inputs
from tests.rules.memory_programs import Writer
from tests.rules.timeline import Model, Run, written
from tests.unwarned import defined

PARTS = 2
EACH = inputs(50, 1000)


def told(text: str) -> dict[str, Fraction]:
    """Return what is kept, and the peak, as the package says."""
    prediction, wrong = predict(*defined(text), {})
    assert wrong == (), text
    tallies = evaluated(prediction).tallies
    return {name: Fraction(tallies.get(name, 0)) for name in ("activations", "peak_memory")}


def differs(main: Model) -> str:
    """Say where what is told of a program is not what it comes to."""
    text = written(main)
    run = Run(main)
    if run.spoiled:
        return ""
    found = told(text)
    wanted = {"activations": run.activations, "peak_memory": run.peak}
    if found == wanted:
        return ""
    numbers = {name: float(each) for name, each in found.items()}
    return f"{numbers}, not {wanted}\n{text}"


@pytest.mark.parametrize("part", range(PARTS))
def test_inference_is_as_written_out(part: int) -> None:
    for place in range(EACH):
        assert not differs(Writer(f"inference {part} {place}").inference())


@pytest.mark.parametrize("part", range(PARTS))
def test_what_runs_at_once_is_as_written_out(part: int) -> None:
    for place in range(EACH):
        assert not differs(Writer(f"at once {part} {place}", True).inference())


@pytest.mark.parametrize("part", range(PARTS))
def test_training_is_as_written_out(part: int) -> None:
    for place in range(EACH):
        assert not differs(Writer(f"training {part} {place}").training())


def opened(main: Model) -> str:
    """Return the text of a program all of whose repeats run `n` times."""
    text = re.sub(r"repeat [1-9] ", "repeat n ", written(main))
    text = re.sub(r"^model (\w+) { ", r"model \1 { param n: integer; ", text, flags=re.M)
    return re.sub(r"= (\w+)\(\)", r"= \1(n = n)", text)


@pytest.mark.parametrize("sort", ["inference", "training"])
def test_formulas_are_no_less_than_numbers(sort: str) -> None:
    """With an open count the peak is that of numbers, or a bound where the first round differs."""
    same = more = 0
    for place in range(inputs(40, 400)):
        writer = Writer(f"open {sort} {place}")
        main = writer.training() if sort == "training" else writer.inference()
        text = opened(main)
        if "repeat n" not in text or Run(main).spoiled:
            continue
        free, wrong = predict(*defined(text), {}, frozenset({"n"}))
        assert wrong == (), text
        formulas = {tally.name: tally.amount for tally in free.tallies()}
        for count in (1, 2, 3, 7):
            told = evaluated(predict(*defined(text), {"n": (number(count), None)})[0]).tallies
            for name in {"activations", "peak_memory"} & told.keys() & formulas.keys():
                put_in = substitute(formulas[name], {**free.rates, "n": number(count)})
                value = evaluate(put_in, {})
                assert value >= told[name], f"{name} at n = {count}: {value}\n{text}"
                same += value == told[name]
                more += value > told[name]
    assert same > more
