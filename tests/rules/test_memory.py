"""Peaks of memory and what is kept are those of random programs written out in full."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from tests.counts import inputs
from tests.rules.memory_programs import Writer
from tests.rules.timeline import Model, Run, written
from tests.unwarned import defined

PARTS = 4
EACH = inputs(75, 2000)


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
    for number in range(EACH):
        assert not differs(Writer(f"inference {part} {number}").inference())


@pytest.mark.parametrize("part", range(PARTS))
def test_what_runs_at_once_is_as_written_out(part: int) -> None:
    for number in range(EACH):
        assert not differs(Writer(f"at once {part} {number}", True).inference())


@pytest.mark.parametrize("part", range(PARTS))
def test_training_is_as_written_out(part: int) -> None:
    for number in range(EACH):
        assert not differs(Writer(f"training {part} {number}").training())
