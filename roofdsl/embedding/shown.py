"""Answers of the solver and of studies that a notebook shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.sensitivity import Sensitivity
from roofdsl.analysis.threshold import Thresholds
from roofdsl.answer.crossovers import CrossoverAnswer
from roofdsl.answer.solved import ThresholdAnswer
from roofdsl.answer.studied import SensitivityAnswer
from roofdsl.embedding.displayed import Answered

if TYPE_CHECKING:
    from roofdsl.embedding.displayed import Answer

MOST_CROSSOVERS = 40


@dataclass(frozen=True, slots=True)
class ShownCrossovers(Answered, Crossovers):
    """Every change of the bound over a range."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return CrossoverAnswer(self, self.prediction, MOST_CROSSOVERS)


@dataclass(frozen=True, slots=True)
class ShownThresholds(Answered, Thresholds):
    """Where a condition holds."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return ThresholdAnswer(self, self.prediction)


@dataclass(frozen=True, slots=True)
class ShownSensitivity(Answered, Sensitivity):
    """The elasticities of the time."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return SensitivityAnswer(self, self.prediction)
