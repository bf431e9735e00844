"""Answers of the solver and of studies that a notebook shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.open_orders import OpenOrders
from roofdsl.analysis.open_regimes import OpenRegions
from roofdsl.analysis.over_rates import OverRates
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling import Scaling
from roofdsl.analysis.sensitivity import Sensitivity
from roofdsl.analysis.threshold import Thresholds
from roofdsl.answer.crossovers import CrossoverAnswer
from roofdsl.answer.open_crossovers import OpenCrossoverAnswer
from roofdsl.answer.open_orders import OpenOrdersAnswer
from roofdsl.answer.over_rates import OverRatesAnswer
from roofdsl.answer.scaling import ScalingAnswer
from roofdsl.answer.solved import ThresholdAnswer
from roofdsl.answer.studied import SensitivityAnswer
from roofdsl.embedding.displayed import Answered

if TYPE_CHECKING:
    import sympy

    from roofdsl.embedding.displayed import Answer

MOST_CROSSOVERS = 40


@dataclass(frozen=True, slots=True, repr=False)
class ShownCrossovers(Answered, Crossovers):
    """Every change of the bound over a range."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return CrossoverAnswer(self, self.prediction, MOST_CROSSOVERS)

    def as_eq(self) -> list[sympy.Eq]:
        """Return `N = …` for each change that has a closed form, as a SymPy equation.

        N is a real number in it, even if the model takes whole ones.
        """
        from roofdsl.embedding.symbolic import equations

        return equations(self.unknown, self.crossovers)

    def as_piecewise(self) -> sympy.Expr:
        """Return what binds over the range, proven: a SymPy `Piecewise` of symbols of its names.

        NaN outside of the range, and where it is not decided.
        """
        from roofdsl.embedding.symbolic import bound_over

        return bound_over(self)


@dataclass(frozen=True, slots=True, repr=False)
class ShownRegions(Answered, OpenRegions):
    """What binds over the ranges of an unknown and of another parameter that is open."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return OpenCrossoverAnswer(self, self.prediction)

    def as_eq(self) -> list[sympy.Eq]:
        """Return `N = …` in the other parameter and the rates, for each root with a closed form.

        N is a real number in it, even if the model takes whole ones.
        """
        from roofdsl.embedding.symbolic import equations

        return equations(self.unknown, self.crossovers)

    def as_piecewise(self) -> sympy.Expr:
        """Return what binds, proven: a SymPy `Piecewise` in both parameters, of symbols of names.

        NaN outside of both ranges, and where it is not decided or there is no formula for a root. A
        value that the model does not allow may have a bound, too.
        """
        from roofdsl.embedding.symbolic import bound_over_both

        return bound_over_both(self)


@dataclass(frozen=True, slots=True, repr=False)
class ShownOrders(Answered, OpenOrders):
    """Which of each two times takes longer while several numbers are open."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return OpenOrdersAnswer(self, self.prediction)

    def as_eq(self) -> list[sympy.Eq]:
        """Return `N = …` in the open parameters and the rates, for each pair with a closed form.

        N is a real number in it, even if the model takes whole ones.
        """
        from roofdsl.embedding.symbolic import equations

        return equations(self.unknown, self.pairs)

    def as_piecewise(self) -> sympy.Expr:
        """Return what binds, for all values of what is open: a SymPy `Piecewise` of symbols.

        Its conditions are bounds of N where they are known, and compare two times where not.
        """
        from roofdsl.embedding.symbolic import bound_of_orders

        return bound_of_orders(self)


@dataclass(frozen=True, slots=True, repr=False)
class ShownOverRates(Answered, OverRates):
    """What binds over a range on all machines near one."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return OverRatesAnswer(self, self.prediction)


@dataclass(frozen=True, slots=True, repr=False)
class ShownThresholds(Answered, Thresholds):
    """Where a condition holds."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return ThresholdAnswer(self, self.prediction)


@dataclass(frozen=True, slots=True, repr=False)
class ShownScaling(Answered, Scaling):
    """Speed-up and efficiency by processes."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return ScalingAnswer(self, self.prediction)


@dataclass(frozen=True, slots=True, repr=False)
class ShownSensitivity(Answered, Sensitivity):
    """The elasticities of the time."""

    prediction: Prediction = field(kw_only=True, repr=False, compare=False)

    def answer(self) -> Answer:
        return SensitivityAnswer(self, self.prediction)
