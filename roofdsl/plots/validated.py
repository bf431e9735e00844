"""Scores of models as a figure: each run as it was measured, and as it is predicted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofdsl.analysis.validation import EXTENDED, Measure, Validation
from roofdsl.answer.blocks import in_a_row
from roofdsl.answer.validated import named
from roofdsl.figures.predicted import MeasuredAgainstPredicted


def compared(found: Validation) -> MeasuredAgainstPredicted:
    """Return each run with its prediction: the extended one where there is one.

    Where scores are of different quantities all of them are times.
    """
    measures = {score.measure for score in found.scores}
    measure: Measure = "time" if len(measures) > 1 else measures.pop()
    scores = [replace(score, measure=measure) for score in found.scores]
    pairs = [(score, point) for score in scores for point in score.points]
    several = len(scores) > 1
    return MeasuredAgainstPredicted(
        tuple(named(score, point) or point.run.kernel for score, point in pairs),
        np.array([score.value(point) for score, point in pairs]),
        np.array([score.value(point, score.kinds[-1]) for score, point in pairs]),
        "Time" if measure == "time" else "Performance of a process",
        "s" if measure == "time" else "flop/s",
        groups=tuple(score.name for score, _ in pairs) if several else (),
    )


def title_of(found: Validation, stem: str) -> tuple[str, str]:
    """Return the title of the figure, and which Roofline predicts."""
    names = [score.name for score in found.scores]
    extended = [score.name for score in found.scores if EXTENDED in score.kinds]
    original = [name for name in names if name not in extended]
    subtitle = f"by the {'extended' if extended else 'original'} Roofline"
    if extended and original:
        subtitle += f", {in_a_row(original)} by the original"
    title = f"{names[0]} on {found.machine}" if len(names) == 1 else f"{stem} on {found.machine}"
    return title, subtitle
