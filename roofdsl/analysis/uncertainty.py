"""What the numbers with `±` do to a result: between what ends it lies, and who owes it.

Every number with `±` is an unknown of its own, anywhere within what is stated. The ends enclose
what a result is for all of these, which is proven. To first order, half of the way between them is
the sum of |∂y/∂x| δ over all x ± δ: each x owes a share of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, isfinite
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.allowance import Budget
from roofdsl.analysis.intensity import QUANTITIES, intensity_of
from roofdsl.analysis.margin import UncertaintyOf, Within
from roofdsl.analysis.node import stated_in
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.quantities import quantity
from roofdsl.analysis.rate_box import STATED, rate_box, rates_within
from roofdsl.analysis.steps import step_prediction, steps_of
from roofdsl.analysis.tolerance import over_rates
from roofdsl.analysis.uncertain_numbers import OpenNumber
from roofdsl.analysis.uncertain_sources import sources_of
from roofdsl.diagnostic import RoofError
from roofdsl.expression.apart import apart
from roofdsl.expression.condition import decided
from roofdsl.expression.construct import subtract
from roofdsl.expression.rational import as_float
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ZERO, Comparison, Expression
from roofdsl.numeric.interval import around
from roofdsl.numeric.over_box import Box, OverBox
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.settled import Settling
from roofdsl.read_only import ReadOnly
from roofdsl.unchanging import Unchanging

if TYPE_CHECKING:
    from roofdsl.analysis.margin import Rivalry

_WORK = 8_000.0
"""What the ends of one quantity may take."""
_SETTLING = 8_000.0
"""What may be worked to settle which of two times is the longer."""
_CHECKING = 1_000.0
"""What one condition may take."""
_UNKNOWN = "not known to hold for all of them"
_CONSTANT = 1e-12
"""What changes by less, relatively, is one value but for rounding."""
_BELOW = 1e-11
"""Work that is less below 0, relatively, is 0 but for rounding."""
_APART = 1e-9
"""What binds elsewhere is longer by more, relatively."""


@dataclass(frozen=True, slots=True)
class Uncertainty(Unchanging):
    """The ends of a quantity, in SI base units, and who owes the way between them.

    No value lies outside `low` and `high`; `attained`: both are values, but for a thousandth of the
    way between them. `first_order` is half of that way to first order, `shares` the part of it that
    each number with `±` owes; None and empty where the quantity has a kink or jumps at the numbers
    as stated, or no slope is known.
    """

    low: float
    high: float
    attained: bool
    first_order: float | None
    shares: Mapping[str, float]


class Opened(NamedTuple):
    """A prediction with every number that has `±` open; `why` it is not answered, "" if it is."""

    prediction: Prediction
    numbers: tuple[OpenNumber, ...]
    why: str = ""


def opened(prediction: Prediction) -> Opened:
    """Return a prediction with every number that has `±` open."""
    if prediction.within is not None:
        whole, name = prediction.within
        there, numbers, why = whole.with_numbers_open
        step = None if why else steps_of(there).get(name)
        inside = there if step is None else step_prediction(there, step.node)
        return Opened(inside, numbers, why)
    found = sources_of(prediction.model, prediction.machine)
    free = frozenset(parameter.name for parameter in prediction.free)
    there, problems = predict(found.model, found.machine, prediction.given, free)
    why = ""
    if problems:
        why = problems[0].message
    elif there.unmeasured and not prediction.unmeasured:
        why = "a measured time depends on a number with ±"
    return Opened(there, found.numbers, why)


class Uncertainties(UncertaintyOf):  # no slots: each is worked out once
    """What the numbers with `±` do to each quantity that depends on them, by its name.

    Any quantity may be asked for, `fc1.time` or `karst.network`; one that depends on none of these
    numbers, or is not answered, is not there. `why` says why nothing is answered, "" if it is.
    """

    def __init__(self, rivalry: Rivalry) -> None:
        self._rivalry = rivalry
        self._found: dict[str, Uncertainty | None] = {}
        there, numbers, why = rivalry.prediction.with_numbers_open
        if rivalry.composing != there.composing:
            there = replace(there, composing=rivalry.composing)
        self._opened = Opened(there, numbers, why)
        self.why = why or self._not_allowed()
        self.numbers = ReadOnly({number.name: number for number in self._opened.numbers})

    def __getitem__(self, name: str) -> Uncertainty:
        if name not in self._found:
            self._found[name] = self._of(name)
        found = self._found[name]
        if found is None:
            self.__missing__(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def bound(self) -> Within | None:
        """What binds for all numbers within their `±`, None where nothing binds."""
        here = self._rivalry.parts.bound
        if here is None:
            return None
        if self.why:
            return Within("undecided", (here,))
        rivals = {name: self._put_in(tree) for name, tree in self._opened.prediction.rivals.items()}
        names = {symbol.name for tree in rivals.values() for symbol in free_symbols(tree)}
        prediction = self._rivalry.prediction
        rates = {f"{name} ±" for name in rates_within(prediction)}
        if names and names <= rates:  # more is known of rates
            found = over_rates(self._rivalry, rate_box(STATED, prediction))
            return Within(found.verdict, found.bounds)
        return _ahead(here, rivals, self._box)

    @cached_property
    def _amounts(self) -> tuple[str, ...]:
        """The quantities that are never below 0."""
        there = self._opened.prediction
        times = (f"time.{name}" for name in there.times())
        own = (intensity_of(name) for name in there.own)
        return (*QUANTITIES, *times, *own, *there.spending.amounts, "power")

    @cached_property
    def _names(self) -> tuple[str, ...]:
        there = self._opened.prediction
        work = (name for name in there.formulas.work if name not in there.dimensions)
        named = (*there.dimensions, *there.named_rates)
        return tuple(dict.fromkeys([*self._amounts, *work, *named]))

    def _of(self, name: str) -> Uncertainty | None:
        tree = None if self.why else self._formula(name)
        found = None if tree is None else self._range(tree)
        if found is not None and found.low < 0 and name in self._amounts:  # as was asked
            return replace(found, low=0.0)
        return found

    def is_fixed(self, name: str) -> bool:
        """Whether a quantity is known to depend on none of these numbers."""
        tree = self._quantity(name)
        return tree is not None and (not free_symbols(tree) or name not in self)

    def _formula(self, name: str) -> Expression | None:
        """Return a quantity in the numbers with `±` alone, None where it depends on none."""
        tree = None if name in self._truths else self._quantity(name)
        return tree if tree is not None and free_symbols(tree) else None

    def _quantity(self, name: str) -> Expression | None:
        """Return a quantity's formula, None where there is none in these numbers alone."""
        try:
            tree = self._put_in(quantity(self._opened.prediction, name))
        except RoofError:  # it is infinite, or not answered
            return None
        return tree if {symbol.name for symbol in free_symbols(tree)} <= self._box.keys() else None

    def _put_in(self, tree: Expression) -> Expression:
        """Return a formula of a prediction in the numbers with `±` alone."""
        there = self._opened.prediction
        known = {**there.rates, **there.tariff.formulas, **self._rivalry.known}
        return self._settling.settled(substitute(tree, known))

    @cached_property
    def _settling(self) -> Settling:
        return Settling(self._box, Budget(_SETTLING))

    @cached_property
    def _truths(self) -> frozenset[str]:
        there = self._opened.prediction
        metrics = (metric.name for metric in there.model.metrics if metric.formula.truth)
        return there.truths | {*metrics}

    @cached_property
    def _box(self) -> Box:
        return {
            number.symbol.name: (around(number.low)[0], around(number.high)[1])
            for number in self._opened.numbers
        }

    def _not_allowed(self) -> str:
        """Return what may not hold for some of the numbers within their `±`; "" if all does."""
        there = self._opened.prediction
        asked = [(condition, text) for text, condition in there.checks.items()]
        asked += [(Comparison(">", x, ZERO), f"{name} > 0") for name, x in there.rates.items()]
        for condition, text in asked:
            tree = self._put_in(condition)
            if decided(tree) is not True:
                truth = OverBox(tree, self._box)  # it is 1, or 0 where it does not hold
                if not truth.is_positive and truth.range(Budget(_CHECKING)).low < 1 / 2:
                    return f"{_UNKNOWN}: {text}"
        least = [(item.amount, item.what) for item in stated_in(there.root) if not item.signed]
        least += [(item.value, item.what) for item in there.tariff.values.values()]
        for tree, what in least:
            if not self._is_never_negative(self._put_in(tree)):
                return f"{_UNKNOWN}: {what} >= 0"
        return ""

    def _is_never_negative(self, tree: Expression) -> bool:
        """Whether a formula is nowhere below 0, by more than rounding."""
        if not free_symbols(tree):  # it is a number, which was asked where it was stated
            return True
        over = OverBox(tree, self._box)
        if over.is_positive:
            return True
        low, high, *_ = over.range(Budget(_CHECKING), _CONSTANT)
        return isfinite(low) and low >= -_BELOW * max(abs(low), abs(high))

    def _is_positive(self, tree: Expression) -> bool:
        return OverBox(tree, self._box).is_positive

    def _range(self, tree: Expression) -> Uncertainty | None:
        """Return what the numbers with `±` do to a formula; None for one they cancel in."""
        numbers = {number.symbol.name: number for number in self._opened.numbers}
        over = OverBox(tree, self._box)
        found = over.range(Budget(_WORK))
        ends = found.low, found.high, found.attained
        if not found.attained:
            other = apart(tree, self._is_positive)
            closer = found if other == tree else OverBox(other, self._box).range(Budget(_WORK))
            low, high = max(found.low, closer.low), min(found.high, closer.high)
            ends = low, high, closer.attained
        slopes = over.slopes({name: as_float(x.value) for name, x in numbers.items()})
        owed = {
            numbers[name].name: abs(slope) * as_float(numbers[name].high / numbers[name].value - 1)
            for name, slope in (slopes or {}).items()
        }
        whole, far = fsum(owed.values()), over.raised + abs(ends[1])
        if not whole and isfinite(far) and ends[1] - ends[0] <= _CONSTANT * far:
            return None
        if slopes is None:
            return Uncertainty(*ends, None, ReadOnly({}))
        shares = {name: part / whole for name, part in owed.items() if part} if whole else {}
        return Uncertainty(*ends, whole, ReadOnly(shares))


def _ahead(here: str, rivals: Mapping[str, Expression], box: Box) -> Within:
    """Return whether what binds at the numbers as stated is ahead of all others over a box."""
    order, decided = [*rivals], True
    for name, tree in rivals.items():
        gap = subtract(rivals[here], tree)
        if name == here or not free_symbols(gap):
            continue
        found = OverBox(gap, box).range(Budget(_WORK))
        # Of equals the first declared binds.
        if found.low > 0 or (found.low == 0 and order.index(here) < order.index(name)):
            continue
        place = {key: found.low_at.get(key, (low + high) / 2) for key, (low, high) in box.items()}
        values = {each: evaluate(rival, place) for each, rival in rivals.items()}
        most = max(values, key=values.__getitem__)
        if values[most] > values[here] * (1 + _APART):
            return Within("depends", (here, most))
        decided = False
    return Within("all" if decided else "undecided", (here,))
