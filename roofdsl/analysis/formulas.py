"""A prediction in formulas: each quantity in full, its leading term, with the numbers put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from roofdsl.algebra.gather import gathered
from roofdsl.algebra.leading import leading, spend_on_forms
from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.allowance import computing
from roofdsl.analysis.asymptotic import eventual_bound
from roofdsl.analysis.convention import Convention, check_counted, count_formula
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.node import Tallied
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import metric_formula, quantity
from roofdsl.analysis.step_times import step_times
from roofdsl.analysis.tariff import spending_unit
from roofdsl.diagnostic import RoofError
from roofdsl.expression.construct import divide
from roofdsl.expression.order import weight
from roofdsl.expression.substitute import free_symbols, rewritten, substitute
from roofdsl.expression.tree import ONE, Add, Expression, Function, Number, Symbol
from roofdsl.model.types import Formula, Metric
from roofdsl.numeric.approximate import approximate
from roofdsl.units.dimension import FLOP, SECOND, Dimension

_SHORT = 400
"""A formula of more nodes is shown in the times of steps, or with what is known put in."""


@dataclass(frozen=True, slots=True)
class Derived:
    """One quantity as formulas in SI base units.

    `full` is in the model's parameters and the machine's rates; `leading` is its leading term as
    the parameter `growing` grows; `numbers` has every known value put in, constants rounded, and
    is `exact` where nothing was. `brief` is the full formula in the names of other quantities,
    where that is shorter.
    """

    name: str
    dimension: Dimension
    full: Expression
    leading: Expression | None
    numbers: Expression
    leading_numbers: Expression | None
    growing: str | None
    exact: bool
    leading_exact: bool = False
    brief: Expression | None = None


@dataclass(frozen=True, eq=False)
class PredictionFormulas:
    """A model on a machine in formulas, each derived when it is asked for.

    `opened`, with no parameter bound, has the full ones. Of a composition like terms are added up:
    it may have hundreds of kernels of a few kinds.
    """

    opened: Prediction
    prediction: Prediction

    @cached_property
    def work(self) -> tuple[Derived, ...]:
        derived, loads = self._deriving.derived, self.opened.loads
        return tuple(derived(x.name, x.resource.dimension, x.work, self.growing) for x in loads)

    @cached_property
    def intensities(self) -> tuple[Derived, ...]:
        derived, summed = self._deriving.derived, self._deriving.summed
        return tuple(
            derived(name, unit, simplify_ratio(summed(tree)), self.growing)
            for name, unit in self.opened.intensity_units.items()
            if (tree := self.opened.intensity(name)) is not None
        )

    @cached_property
    def times(self) -> tuple[Derived, ...]:
        """How long each resource is busy."""
        derived, busy = self._deriving.derived, self._deriving.busy
        return tuple(
            derived(name, SECOND, busy(tree), self._timed)
            for name, tree in self.opened.times().items()
        )

    @property
    def time(self) -> Derived:
        return self._whole.time

    @property
    def attainable(self) -> Derived:
        return self._whole.attainable

    @property
    def steps(self) -> tuple[Derived, ...]:
        """The times of the steps of a composition, one run each: its time is brief in these.

        They have names such as `forward.time`.
        """
        return self._whole.steps

    @cached_property
    def tallies(self) -> tuple[Derived, ...]:
        return tuple(self._deriving.tallied(x, self.growing) for x in self.opened.tallies())

    @cached_property
    def spending(self) -> tuple[Derived, ...]:
        return tuple(
            self._deriving.spent(name, self.opened, self.time, self._timed)
            for name in ("energy.work", "energy.constant", "energy", "cost")
            if name in self.opened.spending.amounts
        )

    @cached_property
    def metrics(self) -> tuple[Derived, ...]:
        return tuple(_metric(item, self.prediction) for item in self.prediction.model.metrics)

    @property
    def growing(self) -> str | None:
        """The parameter that leading terms are for."""
        return next((parameter.name for parameter in self.prediction.free), None)

    @cached_property
    def eventual_bound(self) -> str | None:
        """What binds as `growing` grows without end.

        None where that depends on the other free parameters, or is not known.
        """
        growing = self.growing
        return None if growing is None else _eventual_bound(self.prediction, growing)

    def all(self) -> tuple[Derived, ...]:
        found = (*self.work, *self.intensities, *self.times, self.time, self.attainable)
        return (*found, *self.tallies, *self.spending, *self.metrics)

    @cached_property
    def _deriving(self) -> _Deriving:
        return _Deriving(self.prediction, bool(self.opened.root.children))

    @cached_property
    def _whole(self) -> _Whole:
        return self._deriving.whole(self.opened, self._timed)

    @property
    def _timed(self) -> str | None:
        """What times grow with: nothing where they are measured, for there is a last size."""
        return None if self.prediction.is_tabled(self.growing) else self.growing


def named_formulas(
    opened: Prediction, prediction: Prediction, names: Mapping[str, Dimension]
) -> tuple[Derived, ...]:
    """Derive quantities by name, with their units: work, totals, tallies, `let`s, metrics."""
    growing = next((parameter.name for parameter in prediction.free), None)
    deriving = _Deriving(prediction, bool(opened.root.children))
    named = {item.name: item for item in let_formulas(prediction)}
    named |= {item.name: _metric(item, prediction) for item in prediction.model.metrics}
    found: list[Derived] = []
    for name, unit in names.items():
        if name in named:
            found.append(named[name])
            continue
        tree = quantity(opened, name)
        tree = simplify_ratio(tree) if name in opened.intensity_units else tree
        found.append(deriving.derived(name, unit, tree, growing))
    return tuple(found)


def let_formulas(prediction: Prediction) -> tuple[Derived, ...]:
    """Return the `let`s of a model: as they are written, and with what is known put in."""
    return tuple(
        _without_leading(
            item.name, item.formula, item.formula.tree, prediction.binding.expand(item.formula.tree)
        )
        for item in prediction.model.intermediates
        if not item.formula.truth
    )


class _Deriving:
    """Derives quantities of a prediction; those of a composition with like terms added up."""

    def __init__(self, prediction: Prediction, composed: bool) -> None:
        self.prediction = prediction
        self.composed = composed
        self.known = {
            **prediction.binding.trees,
            **prediction.rates,
            **prediction.tariff.formulas,
        }

    def summed(self, tree: Expression) -> Expression:
        return gathered(tree) if self.composed else tree

    def derived(
        self, name: str, dimension: Dimension, tree: Expression, growing: str | None
    ) -> Derived:
        """Derive a quantity from its formula with nothing put in."""
        prediction = self.prediction
        with computing(f"{name} of '{prediction.model.name}'", prediction.root.span):
            full = self.summed(tree)
            spend_on_forms(full)
            return self.with_numbers(name, dimension, full, self.put_in(full), growing)

    def tallied(self, tally: Tallied, growing: str | None) -> Derived:
        """Derive a tally; a long one, as a peak over many steps is, is brief in what is open."""
        found = self.derived(tally.name, tally.dimension, tally.amount, growing)
        if weight(found.full, _SHORT) < _SHORT:
            return found
        return replace(found, brief=self.put_in(found.full))

    def busy(self, tree: Expression) -> Expression:
        """Return how long a resource is busy: of a composition, a term for each of its rates."""
        return gathered(tree) if self.composed else simplify_ratio(tree)

    def spent(self, name: str, opened: Prediction, time: Derived, growing: str | None) -> Derived:
        """Derive an energy or the cost; of a composition it is brief in its time."""
        unit, tree = spending_unit(name, opened.tariff), opened.spending.amounts[name]
        whole, named = opened.time(), Symbol("time", positive=False)
        if not self.composed or isinstance(whole, Number | Symbol):
            return self.derived(name, unit, tree, growing)
        brief = self.summed(rewritten(tree, lambda node, _: named if node is whole else None))
        full = substitute(brief, {named.name: time.full})
        found = self.with_numbers(name, unit, full, self.put_in(full), growing)
        return found if full is brief else replace(found, brief=brief)

    def put_in(self, full: Expression) -> Expression:
        return self.summed(substitute(full, self.known))

    def with_numbers(
        self,
        name: str,
        dimension: Dimension,
        full: Expression,
        numbers: Expression,
        growing: str | None,
    ) -> Derived:
        """Derive a quantity from its formula, and that with all that is known put in."""
        # Each branch of a `min` or `max` stands above, simplified, as a quantity of its own; the
        # terms of what was summed are told apart.
        done = isinstance(numbers, Add if self.composed else Function)
        simple = numbers if done else simplify_ratio(numbers)
        depends = growing is not None and any(s.name == growing for s in free_symbols(full))
        lead = leading(full, growing) if growing is not None and depends else None
        grows = growing if depends else None
        shown, exact = approximate(simple)
        derived = Derived(name, dimension, full, None, shown, None, grows, exact)
        return derived if lead is None else self.with_lead(derived, lead)

    def with_leading(self, ratio: Derived, above: Expression | None, below: Derived) -> Derived:
        """Return a quotient with its leading term, from those of what it is the quotient of."""
        if above is None or below.leading is None:
            return ratio
        return self.with_lead(replace(ratio, growing=below.growing), divide(above, below.leading))

    def with_lead(self, derived: Derived, lead: Expression) -> Derived:
        numbers, exact = approximate(substitute(lead, self.known))
        return replace(derived, leading=lead, leading_numbers=numbers, leading_exact=exact)

    def whole(self, opened: Prediction, growing: str | None) -> _Whole:
        """Derive the time, and with it what is attainable and the times of the steps."""
        prediction, rate = self.prediction, FLOP / SECOND
        if not self.composed:
            time = self.derived("time", SECOND, opened.time(), growing)
            return _Whole(time, self.derived("attainable", rate, opened.attainable(), growing))

        def short(tree: Expression) -> str | None:
            """Return what grows, nothing for what is so long that its leading term is, too."""
            return growing if weight(tree, _SHORT) < _SHORT else None

        with computing(f"time of '{prediction.model.name}'", prediction.root.span):
            parts = step_times(opened.root)
            fulls = {name: self.summed(tree) for name, tree in parts.steps.items()}
            numbers = {name: self.put_in(full) for name, full in fulls.items()}
            steps = tuple(
                self.with_numbers(name, SECOND, full, numbers[name], short(full))
                for name, full in fulls.items()
            )
            composed = self.summed(parts.time)
            full = substitute(composed, fulls)
            if weight(full, _SHORT) < _SHORT:
                full = self.summed(full)
            spend_on_forms(full)
            known = self.summed(substitute(composed, {**self.known, **numbers}))
            time = self.with_numbers("time", SECOND, full, known, growing)
            flops = self.summed(opened.work("flops"))
            above = self.put_in(flops)
            if is_zero(full):  # what is attainable then, a prediction knows
                flops, full, above, known = opened.attainable(), ONE, opened.attainable(), ONE
            ratio = divide(flops, full)
            attainable = self.with_numbers(
                "attainable", rate, ratio, divide(above, known), short(ratio)
            )
            if time.leading is not None and attainable.growing is None and growing is not None:
                attainable = self.with_leading(attainable, leading(flops, growing), time)
        return _Whole(replace(time, brief=composed), attainable, steps)


class _Whole(NamedTuple):
    """The time of a whole, what is attainable, and the times of its steps."""

    time: Derived
    attainable: Derived
    steps: tuple[Derived, ...] = ()


def _metric(metric: Metric, prediction: Prediction) -> Derived:
    """Return a metric in the names of results, and with the numbers put in where it has any."""
    full = substitute(metric.formula.tree, prediction.model.numbers)
    if not metric.formula.truth:
        with suppress(RoofError):  # it is infinite, or not answered
            numbers = substitute(metric_formula(prediction, metric), prediction.rates)
            spend_on_forms(numbers)
            return _without_leading(metric.name, metric.formula, full, numbers)
    return Derived(metric.name, metric.formula.dimension, full, None, full, None, None, exact=True)


def _without_leading(name: str, formula: Formula, full: Expression, numbers: Expression) -> Derived:
    shown, exact = approximate(numbers)
    return Derived(name, formula.dimension, full, None, shown, None, None, exact)


def _eventual_bound(prediction: Prediction, growing: str) -> str | None:
    with computing(f"what binds '{prediction.model.name}' in the end", prediction.root.span):
        return eventual_bound(prediction, growing)


def counted_formulas(
    opened: Prediction, prediction: Prediction, conventions: Sequence[Convention]
) -> tuple[Derived, ...]:
    """Derive what a model costs by some conventions; see `formulas`.

    Raises RoofError (R0709) where the model lacks the tally that one needs.
    """
    growing = next((parameter.name for parameter in prediction.free), None)
    tallies, flops = opened.tallies(), opened.work("flops")
    dimensions = {item.name: item.dimension for item in tallies}
    amounts = {item.name: item.amount for item in tallies}
    deriving = _Deriving(prediction, bool(opened.root.children))
    found: list[Derived] = []
    for item in conventions:
        check_counted(item, prediction.model.name, dimensions)
        tree = simplify_ratio(deriving.summed(count_formula(item, flops, amounts)))
        found.append(deriving.derived(item.name, Dimension.base(item.unit), tree, growing))
    return tuple(found)
