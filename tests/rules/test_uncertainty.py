"""Uncertainty carried through, against samples of the numbers, and a law of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import numpy as np
import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.uncertainty import Uncertainties
from roofdsl.model.library import find_machine, find_model
from tests.counts import inputs
from tests.rules.uncertain_programs import Array, Program, program

SAMPLES = 10_000
PROGRAMS = range(inputs(100, 200))
ROUNDING = 1e-12
"""Relative to the largest of what is compared: doubles, here and there."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], tuple[Program, Result]]:
    folder, known = tmp_path_factory.mktemp("programs"), dict[int, tuple[Program, Result]]()

    def result(number: int) -> tuple[Program, Result]:
        if number not in known:
            written = program(Random(number))
            path = folder / f"{number}.roof"
            path.write_text(written.text, encoding="utf-8")
            model, machine = find_model(f"{path}:asked")[0], find_machine(f"{path}:box")[0]
            prediction, problems = predict(model, machine, {})
            assert problems == ()
            known[number] = written, evaluated(prediction)
        return known[number]

    return result


Found = Callable[[int], tuple[Program, Result]]


def nominal(result: Result, name: str) -> float | None:
    """Return what a result says of a quantity."""
    first, _, rest = name.partition(".")
    if first == "time" and rest:
        return result.times[rest]
    named = {**result.spending, **result.metrics}
    return named[name] if name in named else getattr(result, name)


def answers(found: Program, known: Mapping[str, Array]) -> dict[str, Array]:
    """Return what a program takes, each as an array of all samples."""
    count = max((len(each) for each in known.values()), default=1)
    return {name: np.broadcast_to(value, (count,)) for name, value in found.answers(known).items()}


def one(found: Program, changed: Mapping[str, float]) -> dict[str, Array]:
    """Return what a program takes at its stated numbers, but for some."""
    known = {**{name: value for name, (value, _) in found.sources.items()}, **changed}
    return answers(found, {name: np.array([value]) for name, value in known.items()})


@pytest.mark.parametrize("number", PROGRAMS)
def test_the_stated_numbers_have_the_answers_they_had(found: Found, number: int) -> None:
    written, result = found(number)
    for name, value in one(written, {}).items():
        said = nominal(result, name)
        if said is None or np.isnan(value[0]):
            assert said is None or np.isnan(said)
            assert np.isnan(value[0])
        else:
            assert said == pytest.approx(value[0], rel=1e-9)
    assert isinstance(result.uncertainty, Uncertainties)
    assert {*result.uncertainty.numbers} == {*written.sources}


@pytest.mark.parametrize("number", PROGRAMS)
def test_no_sample_lies_outside(found: Found, number: int) -> None:
    written, result = found(number)
    for name, values in answers(written, written.samples(SAMPLES, number)).items():
        least, most = float(values.min()), float(values.max())
        ends = result.uncertainty.get(name)
        if ends is None:
            assert most - least <= ROUNDING * abs(most) or np.isnan(most)
            continue
        slack = ROUNDING * max(abs(least), abs(most))
        assert ends.low <= least + slack, name
        assert most <= ends.high + slack, name


@pytest.mark.parametrize("number", PROGRAMS)
def test_the_ends_of_a_kernel_are_attained_to_one_per_cent(found: Found, number: int) -> None:
    written, result = found(number)
    if not written.is_kernel:
        return
    for name, values in answers(written, written.samples(SAMPLES, number)).items():
        ends = result.uncertainty.get(name)
        if ends is None:
            continue
        near = 0.01 * (ends.high - ends.low) + ROUNDING * abs(ends.high)
        least, most = float(values.min()), float(values.max())
        if max(least - ends.low, ends.high - most) > near:  # a quotient may have a kink there
            least, most = (extreme(written, name, number, sign) for sign in (1, -1))
        assert least - ends.low <= near, name
        assert ends.high - most <= near, name


@pytest.mark.parametrize("number", PROGRAMS)
def test_to_first_order_each_number_owes_its_slope(found: Found, number: int) -> None:
    written, result = found(number)
    for name in one(written, {}):
        ends = result.uncertainty.get(name)
        if ends is None:
            continue
        owed = {source: slopes(written, name, source) for source in written.sources}
        largest = max(abs(each) for pair in owed.values() for each in pair)
        bent = [source for source, pair in owed.items() if abs(pair[1] - pair[0]) > 0.01 * largest]
        if ends.first_order is None:
            assert bent, f"{name} has a slope"
            assert ends.shares == {}
        elif not bent:
            slope = {source: abs(sum(pair)) / 2 for source, pair in owed.items()}
            whole = sum(slope.values())
            scale = 1e-6 * abs(float(one(written, {})[name][0]))
            assert ends.first_order == pytest.approx(whole, rel=1e-3, abs=scale)
            for source, part in slope.items():
                share = ends.shares.get(source, 0.0)
                assert share * ends.first_order == pytest.approx(part, rel=1e-3, abs=scale)
            if whole > scale:
                assert sum(ends.shares.values()) == pytest.approx(1, abs=1e-12)
                assert {*ends.shares} <= {*written.sources}


def extreme(written: Program, name: str, number: int, sign: int) -> float:
    """Return the least (1) or largest (-1) value found, by samples around the best so far."""
    rng, known = np.random.default_rng(number), written.samples(SAMPLES, number)
    for halvings in range(12):
        best = int(np.argmin(sign * answers(written, known)[name]))
        around = {source: values[best] for source, values in known.items()}
        for source, (value, half) in written.sources.items():
            apart = rng.normal(size=SAMPLES) * (rng.random(SAMPLES) < 0.5) * half / 2**halvings
            apart[0] = 0
            known[source] = np.clip(around[source] + apart, value - half, value + half)
    return float(sign * np.min(sign * answers(written, known)[name]))


def slopes(written: Program, name: str, source: str) -> tuple[float, float]:
    """Return the slope below and above the stated number, times how far it may be off."""
    value, half = written.sources[source]
    part = 1e-6
    here = float(one(written, {})[name][0])
    below = float(one(written, {source: value - part * half})[name][0])
    above = float(one(written, {source: value + part * half})[name][0])
    return (here - below) / part, (above - here) / part
