"""The values that an unknown may take in a prediction: all that `eval` accepts, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import TYPE_CHECKING, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.demands import Demands
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import RoofError, listing
from roofdsl.expression.condition import decided
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Comparison, Expression, Function, Number
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.checker import checker
from roofdsl.numeric.limit import RationalLimits, limits_of
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Regime
from roofdsl.numeric.scalar import evaluate
from roofdsl.typeset.text import text
from roofdsl.units.quantity import show_given

if TYPE_CHECKING:
    from roofdsl.numeric.holding import Holding

NOT_ASKED = Allowed[float](None, False)


class FirstAllowed:
    """What says which value is the first that is allowed where it holds: `allowed`."""

    __slots__ = ()
    allowed: Allowed[float]

    @property
    def first_valid(self) -> Place | None:
        """The first value that is allowed there, None where none was found."""
        return self.allowed.value

    @property
    def first_valid_proven(self) -> bool:
        """Whether it is proven that none comes before it, or that there is none."""
        return self.allowed.proven


LARGEST = 10**18
NEAR_ZERO = 10**9
"""A range of a real number that would begin at 0 begins this far below its end."""
FINITE = Fraction(10**300)
"""A range ends at most here, and begins at most so far below 1: it is sought in floats, too."""
FAR = 10**6
"""A range of what the machine states goes this far below and above it, unless one is given."""
# In units of work: a formula of a prediction computed at a number, and where it is put in first.
_COMPUTED, _PUT_IN = 1 / 8, 10


# No slots: what follows from the conditions is derived once.
@dataclass(frozen=True, eq=False, repr=False)
class Domain:
    """The values that an unknown may take: those that meet conditions and demands.

    Both may hold other names that are open; what these have to do with is not checked, and `open`
    says what that is. Whole numbers are those from 1 on.
    """

    unknown: Unknown
    conditions: tuple[Expression, ...]
    demands: Demands
    predictions: tuple[Prediction, ...]
    """Those that refuse the values outside."""

    @cached_property
    def open(self) -> tuple[Expression, ...]:
        """The conditions that other names have to do with, which have no value."""
        own = {self.unknown.name}
        return tuple(x for x in self.conditions if {s.name for s in free_symbols(x)} - own)

    @cached_property
    def closed(self) -> tuple[Expression, ...]:
        """The conditions on the unknown alone, but for the one that it is whole if it is."""
        known = {id(each) for each in self.open}
        if self.unknown.integer:
            whole = Function("is_integer", (self.unknown.symbol,))
            known |= {id(each) for each in self.conditions if each == whole}
        return tuple(each for each in self.conditions if id(each) not in known)

    @cached_property
    def _own(self) -> _Split:
        """What the conditions say of the unknown itself, and those that say something else."""
        return _split(self.closed, self.unknown.name, whole=self.unknown.integer)

    @cached_property
    def _demanded(self) -> _Split:
        """What the demands say of the unknown itself, and what else they ask for."""
        return _split(self.demanded, self.unknown.name, whole=self.unknown.integer)

    @property
    def limits(self) -> RationalLimits:
        """The least and the largest value, as the conditions say of the unknown itself."""
        return self._own[0]

    @property
    def unrounded(self) -> RationalLimits:
        """The limits as they are, not rounded to whole numbers inside."""
        return _split(self.closed, self.unknown.name, whole=False)[0]

    @cached_property
    def ends(self) -> RationalLimits:
        """The least and the largest value, as conditions and demands say of the unknown itself."""
        return RationalLimits.of([self._own[0], self._demanded[0]])

    def noted(self, prediction: Prediction) -> Prediction:
        """Return a prediction of this domain with notes on what is not checked."""
        own = self.unknown.name
        notes = list(prediction.notes)
        for condition in self.open:
            others = [s.name for s in free_symbols(condition) if s.name != own]
            without = f"as {listing(others)} {'has' if len(others) == 1 else 'have'} no value"
            notes.append(f"it is not checked that {text(condition)}, {without}")
        return replace(prediction, notes=tuple(notes))

    def at(self, values: Mapping[str, Expression]) -> Domain:
        """Return the domain with values put in for other names that are open."""
        conditions = tuple(substitute(tree, values) for tree in self.conditions)
        return replace(self, conditions=conditions, demands=self.demands.at(values))

    def also(self, other: Domain) -> Domain:
        """Return what another domain of the same unknown allows as well."""
        # Trees are told apart by identity: compared as written out, they may be long.
        both = {id(each): each for each in (*self.conditions, *other.conditions)}
        return replace(
            self,
            conditions=tuple(both.values()),
            demands=self.demands.also(other.demands),
            predictions=(*self.predictions, *other.predictions),
        )

    def where(self, condition: Expression, first: Place, last: Place) -> Domain:
        """Return the values of a stretch that meet one more condition."""
        symbol = self.unknown.symbol
        above = Comparison(">=", symbol, Number(Fraction(first)))
        below = Comparison("<=", symbol, Number(Fraction(last)))
        return replace(self, conditions=(*self.conditions, above, below, condition))

    def allows(self, value: Place | Fraction) -> bool:
        """Whether `eval` accepts a value."""
        exactly = Fraction(value)
        if exactly <= 0 or (self.unknown.integer and exactly.denominator != 1):
            return False
        return all(holds(exactly, None) for holds in self._tests) and self._met(exactly)

    def has_value(self, value: int) -> bool:
        """Whether what `eval` demands of a prediction is met at a number."""
        return self._met(Fraction(value))

    @cached_property
    def _tests(self) -> list[Callable[[Fraction, Budget | None], bool]]:
        return [checker(each, self.unknown.name) for each in self.closed]

    @cached_property
    def _own_demands(self) -> Demands:
        return self.demands.about(self.unknown.name)

    @cached_property
    def _met(self) -> Callable[[Fraction], bool]:
        return self._own_demands.test(self.unknown.name, by_form=self._met_by_form)

    @cached_property
    def _met_by_form(self) -> bool:
        return not self.demanded and not self._own_demands.stated

    @cached_property
    def _budget(self) -> Budget:
        return Budget()

    def _share(self) -> Budget:
        """Return a budget for a question that brings none: a hard one leaves some to others."""
        return self._budget.share(1 / 4)

    @cached_property
    def demanded(self) -> list[Expression]:
        """Conditions on the unknown that hold wherever the demands are met."""
        return self._own_demands.conditions(self.unknown.name, whole=self.unknown.integer)

    @cached_property
    def _holding(self) -> Holding:
        demands, top = self._own_demands, self.ends.high or LARGEST
        beyond = demands.beyond(self.unknown.name, Fraction(top))
        return self._of([*self._asked, *demands.stated, *beyond])

    @cached_property
    def _asked(self) -> list[Expression]:
        """What conditions and demands say but for the ends."""
        return [*self._own[1], *self._demanded[1]]

    def _of(self, conditions: Iterable[Expression]) -> Holding:
        from roofdsl.numeric.holding import Holding  # few models have such conditions

        bottom = max(1, int(self.ends.low or 1))
        top = LARGEST if self.ends.high is None else max(bottom, int(self.ends.high))
        return Holding(conditions, self.unknown.name, bottom, top)

    def first(self, first: Place, last: Place, budget: Budget | None = None) -> Allowed[int]:
        """Return the first whole number of a stretch that is allowed."""
        return self._nearest(ceil(first), floor(last), True, budget or self._share())

    def last(self, first: Place, last: Place, budget: Budget | None = None) -> Allowed[int]:
        """Return the last whole number of a stretch that is allowed."""
        return self._nearest(ceil(first), floor(last), False, budget or self._share())

    def first_of(self, first: Place, last: Place, budget: Budget | None = None) -> Allowed[Place]:
        """Return the first value of a stretch that is allowed, be the unknown whole or real.

        Where what is allowed of a real unknown begins without its end, it is a value a little
        inside, not said to be the first.
        """
        if self.unknown.integer:
            return self.first(first, last, budget)
        low, high = map(float, _inside(first, last, self.ends))
        if low > high:
            return Allowed(None, True)
        if self.allows(low):
            return Allowed(low, True)
        from roofdsl.numeric.real_holding import first_real  # few models need it

        spent = budget or self._share()
        return first_real(self._asked, self.unknown.name, (low, high), self.allows, spent)

    def first_of_each(self, regimes: Sequence[Regime]) -> tuple[Allowed[Place], ...]:
        """Return the first value in each regime that is allowed."""
        return tuple(self.first_of(regime.first, regime.last) for regime in regimes)

    def _nearest(self, low: int, high: int, upwards: bool, budget: Budget) -> Allowed[int]:
        def accepted(value: int) -> bool:
            each = _COMPUTED if self._met_by_form else _PUT_IN
            budget.spend(len(self._own_demands.valued) * each)
            with budget.computing():
                return self._met(Fraction(value))

        low, high = map(int, _inside(max(low, 1), high, self.ends))
        end = low if upwards else high
        if low > high or self.allows(end):
            return Allowed(None if low > high else end, True)
        return self._holding.first(low, high, budget, accepted, upwards=upwards)

    def range(self) -> tuple[Place, Place]:
        """Return where to look: a parameter's bounds within 1 … 10^18, or about what a machine has.

        Raises RoofError where nothing lies between the bounds (R0702).
        """
        unknown = self.unknown
        if unknown.parameter is None:
            # Whoever predicts has refused a rate that has no value.
            rates = next(x.rates for x in self.predictions if unknown.name in x.rates)
            value = evaluate(rates[unknown.name], {})
            return value / FAR, value * FAR
        low, high = self.ends
        least, most = Fraction(1), Fraction(LARGEST)
        if unknown.rate and not unknown.integer:
            least, most = unknown.rate / FAR, unknown.rate * FAR
        bottom = least if low is None else max(least, low)
        top = most if high is None else min(most, high)
        if bottom >= top and not unknown.integer:
            # A share, say, of 0 to 1.
            bottom = max(top / NEAR_ZERO, low or Fraction(0), 1 / FINITE)
        if bottom > top:
            ends = " and ".join(show_given(x, unknown.dimension) for x in (bottom, top))
            raise self._empty(f"no value of {unknown.name} lies between its bounds, {ends}")
        if unknown.integer:
            # That a formula is whole bounds nothing.
            asked = [each for each in self._asked if not isinstance(each, Function)]
            hull = self._of(asked).hull(Budget()) if asked else (bottom, top)
            if hull is None:
                raise self._empty(f"the model allows no value of {unknown.name} here")
            bottom, top = max(bottom, Fraction(hull[0])), min(top, Fraction(hull[1]))
        return self.place(bottom, up=True), self.place(top, up=False)

    def within(self, low: Fraction, high: Fraction) -> tuple[Place, Place]:
        """Return a range as places; raise RoofError if it is empty or leaves the bounds (R0702)."""
        unknown, (least, most) = self.unknown, self.ends
        shown = [show_given(end, unknown.dimension) for end in (low, high)]
        if low > high:
            raise self._outside(f"the range ends at {shown[1]}, below its start, {shown[0]}")
        if least is not None and low < least:
            message = f"the range begins at {shown[0]}, below the least {unknown.name} may be"
            raise self._outside(message, low)
        if most is not None and high > most:
            message = f"the range ends at {shown[1]}, above the most {unknown.name} may be"
            raise self._outside(message, high)
        if low == 0 and not unknown.integer and unknown.parameter is not None:
            low = high / NEAR_ZERO
        elif low <= 0:
            raise self._outside(f"the range begins at {shown[0]}; it must begin above 0")
        if not (1 / FINITE <= low and high <= FINITE):
            far = f"begins at {shown[0]}" if low < 1 / FINITE else f"ends at {shown[1]}"
            within = "1e-300 .. 1e300, in SI base units"
            raise self._outside(f"the range {far}; it must lie within {within}")
        return self.place(low, up=True), self.place(high, up=False)

    def place(self, value: Fraction, *, up: bool) -> Place:
        """Return a number as the search takes it: whole for a whole unknown, else a float."""
        if self.unknown.integer:
            return ceil(value) if up else floor(value)
        return float(value)

    def _empty(self, message: str) -> RoofError:
        from roofdsl.analysis.outside import nothing_allowed  # only mistakes need it

        return nothing_allowed(self.unknown, message)

    def _outside(self, message: str, end: Fraction | None = None) -> RoofError:
        from roofdsl.analysis.outside import outside, refusal_at  # only mistakes need it

        refusal = None if end is None else refusal_at(end, self.unknown, self.predictions)
        return outside(self.unknown, self.ends, message, refusal)


def domain_of(prediction: Prediction, unknown: Unknown) -> Domain:
    """Return the values that an unknown, left open in a prediction, may take there."""
    asked = (x for p in prediction.free for x in own_conditions(p, prediction.binding))
    conditions = tuple(
        condition
        for condition in (*asked, *prediction.checks.values())
        if unknown.name in {symbol.name for symbol in free_symbols(condition)}
    )
    return Domain(unknown, conditions, Demands.of(prediction), (prediction,))


_Split: TypeAlias = tuple[RationalLimits, list[Expression]]


def _split(conditions: Iterable[Expression], name: str, *, whole: bool) -> _Split:
    """Return what conditions say of a name itself, and those that say something else."""
    limits, others = [], []
    for condition in conditions:
        own = limits_of(condition, name, whole=whole)
        if own is not None:
            limits.append(own)
        elif decided(condition) is not True:
            others.append(condition)
    return RationalLimits.of(limits), others


def _inside(
    first: Place, last: Place, limits: RationalLimits
) -> tuple[Place | Fraction, Place | Fraction]:
    """Return the ends of a stretch within limits."""
    low, high = limits
    return first if low is None else max(first, low), last if high is None else min(last, high)
