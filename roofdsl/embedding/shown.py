"""Answers of the solver and of studies that a notebook shows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from roofdsl.analysis.asymptotic import Asymptotics
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
from roofdsl.answer.solved import FasterAnswer, ThresholdAnswer
from roofdsl.answer.studied import AsymptoticAnswer, SensitivityAnswer
from roofdsl.embedding.displayed import Answered, Listed
from roofdsl.model.types import Definition
from roofdsl.read_only import read_only, unchanging

if TYPE_CHECKING:
    import sympy

    from roofdsl.analysis.unknown import Unknown
    from roofdsl.answer.plain import Json
    from roofdsl.embedding.displayed import Answer
    from roofdsl.embedding.symbolic import Change

MOST_CROSSOVERS = 40


class Solved(Answered):
    """What the solver found about an unknown, which SymPy can be given as expressions."""

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = ("changes",)
    unknown: Unknown

    @property
    @abstractmethod
    def changes(self) -> Sequence[Change]:
        """Where something changes."""

    @abstractmethod
    def as_piecewise(self) -> sympy.Expr:
        """Return what is the case where: a SymPy `Piecewise`, NaN where nothing is proven."""

    def as_eq(self) -> list[sympy.Eq]:
        """Return `N = …` for each change with a closed form, in what is open and the rates.

        Where a kernel's bound switches without one, the two times that are equal there. N is a real
        number in all of them, even if the model takes whole ones.
        """
        from roofdsl.embedding.symbolic import equations

        return equations(self.unknown, self.changes, self.prediction)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownCrossovers(Solved, Listed, Crossovers):
    """Every change of the bound over a range."""

    prediction: Prediction = field(kw_only=True)
    listed = "regimes"
    answered = staticmethod(partial(CrossoverAnswer, most=MOST_CROSSOVERS))

    @property
    def changes(self) -> Sequence[Change]:
        return self.crossovers

    def as_piecewise(self) -> sympy.Expr:
        """Return what binds over the range, proven: a SymPy `Piecewise` of symbols of its names.

        NaN outside of the range, and where it is not decided.
        """
        from roofdsl.embedding.symbolic import bound_over

        return bound_over(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownRegions(Solved, Listed, OpenRegions):
    """What binds over the ranges of an unknown and of another parameter that is open."""

    prediction: Prediction = field(kw_only=True)
    listed = "roots"
    answered = OpenCrossoverAnswer

    @property
    def changes(self) -> Sequence[Change]:
        return self.crossovers

    def as_piecewise(self) -> sympy.Expr:
        """Return what binds, proven: a SymPy `Piecewise` in both parameters, of symbols of names.

        NaN outside of both ranges, and where it is not decided or there is no formula for a root. A
        value that the model does not allow may have a bound, too.
        """
        from roofdsl.embedding.symbolic import bound_over_both

        return bound_over_both(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownOrders(Solved, Listed, OpenOrders):
    """Which of each two times takes longer while several numbers are open."""

    prediction: Prediction = field(kw_only=True)
    listed = "pairs"
    answered = OpenOrdersAnswer

    @property
    def changes(self) -> Sequence[Change]:
        return self.pairs

    def as_piecewise(self) -> sympy.Expr:
        """Return what binds, for all values of what is open: a SymPy `Piecewise` of symbols.

        Its conditions are bounds of N where they are known, and compare two times where not.
        """
        from roofdsl.embedding.symbolic import bound_of_orders

        return bound_of_orders(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownOverRates(Answered, Listed, OverRates):
    """What binds over a range on all machines near one."""

    prediction: Prediction = field(kw_only=True)
    listed = "regimes"
    answered = OverRatesAnswer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownThresholds(Solved, Listed, Thresholds):
    """Where a condition holds."""

    prediction: Prediction = field(kw_only=True)
    listed = "holds"
    answered = ThresholdAnswer

    @property
    def changes(self) -> Sequence[Change]:
        return self.intervals

    def as_piecewise(self) -> sympy.Expr:
        """Return where it `holds` and where it `does not hold`: a SymPy `Piecewise` of symbols.

        NaN outside of the range, where it is not decided, and where it holds for some values only.
        """
        from roofdsl.embedding.symbolic import holding_over

        return holding_over(self)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownScaling(Answered, Listed, Scaling):
    """Speed-up and efficiency by processes."""

    prediction: Prediction = field(kw_only=True)
    listed = "points"
    answered = ScalingAnswer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownSensitivity(Answered, Listed, Sensitivity):
    """The elasticities of the time."""

    prediction: Prediction = field(kw_only=True)
    listed = "elasticities"
    answered = SensitivityAnswer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownAsymptotics(Answered, Listed, Asymptotics):
    """What becomes of the times as a parameter grows."""

    prediction: Prediction = field(kw_only=True)
    answered = AsymptoticAnswer

    def rows(self) -> list[dict[str, Json]]:
        """Return the leading term of each time as a text, null where none is known."""
        values = self.to_dict()["times"]
        assert isinstance(values, dict)
        return [{"of": name, "leading": told} for name, told in values.items()]

    @property
    @unchanging
    def leading(self) -> Mapping[str, sympy.Expr | None]:
        """The leading term of each time [s], None where none is known."""
        from roofdsl.algebra.to_sympy import to_sympy

        return {name: tree and to_sympy(tree) for name, tree in self.times.items()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownFaster(Listed, Crossovers):
    """Which of several predictions is the fastest, or has the least of something, where."""

    contenders: tuple[tuple[str, Prediction], ...] = field(kw_only=True)
    constant: str = field(kw_only=True)
    by: str = field(kw_only=True)
    listed = "fastest"

    def answer(self) -> Answer:
        return FasterAnswer(self, self.contenders, self.constant, self.by)

    def as_piecewise(self) -> sympy.Expr:
        """Return who is best over the range, proven: a SymPy `Piecewise` of symbols of their names.

        NaN outside of the range, and where it is not decided.
        """
        from roofdsl.embedding.symbolic import bound_over

        return bound_over(self)

    def as_eq(self) -> list[sympy.Eq]:
        """Return `N = …` for each change with a closed form, in the rates of all machines."""
        from roofdsl.embedding.symbolic import closed_forms

        return closed_forms(self.unknown, self.crossovers)

    def _of(self) -> tuple[Definition, ...]:
        return tuple(x for _, each in self.contenders for x in (each.model, each.machine))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {' or '.join(name for name, _ in self.contenders)}>"


def shown_faster(answer: FasterAnswer) -> ShownFaster:
    """Return who is the fastest as an answer that shows itself."""
    told = {item.name: read_only(getattr(answer.found, item.name)) for item in fields(Crossovers)}
    contenders, constant, by = answer.contenders, answer.constant, answer.by
    return ShownFaster(**told, contenders=contenders, constant=constant, by=by)
