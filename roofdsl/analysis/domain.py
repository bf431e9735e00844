"""The values that an unknown may take in a prediction: its kind, its bounds, what is required."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.rational import integer_root
from roofdsl.expression.substitute import constant, free_symbols, substitute
from roofdsl.expression.tree import Expression, Function, Number, Power, Symbol
from roofdsl.numeric.box import Place
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.units.quantity import show_quantity

LARGEST = 10**18
NEAR_ZERO = 10**9
"""A range of a real number that would begin at 0 begins this far below its end."""
FAR = 10**6
"""A rate's range goes this far below and above what the machine has, unless another is given."""
_MOST_TRIED = 20_000


@dataclass(frozen=True, slots=True)
class Allowed:
    """A whole number that is allowed, checked exactly; or None, and whether there is none."""

    value: int | None
    proven: bool


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that an unknown may take.

    `low` and `high` are its bounds with what is known put in, both included, None where there is
    none or where it depends on what is open. `conditions` are in the unknown and in what else is
    open.
    """

    unknown: Unknown
    low: Fraction | None
    high: Fraction | None
    conditions: tuple[Expression, ...]

    def at(self, values: Mapping[str, Expression]) -> Domain:
        """Return the domain with values put in for other names that are open."""
        put_in = tuple(substitute(tree, values) for tree in self.conditions)
        return replace(self, conditions=put_in)

    def also(self, other: Domain) -> Domain:
        """Return the domain of what another domain of the same unknown allows, too."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        conditions = dict.fromkeys((*self.conditions, *other.conditions))
        low, high = max(lows, default=None), min(highs, default=None)
        return Domain(self.unknown, low, high, tuple(conditions))

    def allows(self, value: Place | Fraction) -> bool:
        """Whether the model allows a value."""
        exactly = Fraction(value)
        if self.unknown.integer and exactly.denominator != 1:
            return False
        if (self.low is not None and exactly < self.low) or exactly < 0:
            return False
        if self.high is not None and exactly > self.high:
            return False
        return all(_holds(tree, self.unknown.name, exactly) for tree in self.conditions)

    def first(self, first: Place, last: Place) -> Allowed:
        """Return the first whole number of a stretch that is allowed."""
        return self._nearest(ceil(first), floor(last), 1)

    def last(self, first: Place, last: Place) -> Allowed:
        """Return the last whole number of a stretch that is allowed."""
        return self._nearest(floor(last), ceil(first), -1)

    def _nearest(self, start: int, end: int, step: int) -> Allowed:
        for candidate in _candidates(self.conditions, self.unknown.name, start, step):
            if (candidate - end) * step > 0:
                return Allowed(None, True)
            if self.allows(candidate):
                return Allowed(candidate, True)
        return Allowed(None, False)

    def range(self) -> tuple[Place, Place]:
        """Return where to look: a parameter's bounds within 1 … 10^18, or about a rate."""
        unknown = self.unknown
        if unknown.parameter is None:
            value = float(unknown.rate or 1)
            return value / FAR, value * FAR
        low, high = self.low, self.high
        bottom = max(Fraction(1), low) if low is not None else Fraction(1)
        top = min(Fraction(LARGEST), high) if high is not None else Fraction(LARGEST)
        if bottom >= top and not unknown.integer:
            bottom = max(top / NEAR_ZERO, low or Fraction(0))  # a share, say, of 0 to 1
        return _place(bottom, unknown, up=True), _place(top, unknown, up=False)

    def within(self, low: Fraction, high: Fraction) -> tuple[Place, Place]:
        """Return a range as places; raise RoofError if it is empty or leaves the bounds (R0702)."""
        unknown, least, most = self.unknown, self.low, self.high
        shown = [show_quantity(float(end), unknown.dimension, 6) for end in (low, high)]
        problem = None
        if low > high:
            problem = f"the range {shown[0]} .. {shown[1]} is empty"
        elif least is not None and low < least:
            problem = f"the range begins at {shown[0]}, below the least {unknown.name} may be"
        elif most is not None and high > most:
            problem = f"the range ends at {shown[1]}, above the most {unknown.name} may be"
        elif low == 0 and not unknown.integer and unknown.parameter is not None:
            low = high / NEAR_ZERO
        elif low <= 0:
            problem = f"the range begins at {shown[0]}; it must begin above 0"
        if problem:
            limits = [
                show_quantity(float(end), unknown.dimension, 6) if end is not None else "…"
                for end in (least, most)
            ]
            labels = (Label(unknown.parameter.span),) if unknown.parameter else ()
            hint = f"{unknown.name} ranges over {limits[0]} .. {limits[1]}"
            raise RoofError([Diagnostic("R0702", problem, labels, hint)])
        return _place(low, unknown, up=True), _place(high, unknown, up=False)


def domain_of(prediction: Prediction, unknown: Unknown) -> Domain:
    """Return the values that an unknown, left open in a prediction, may take there."""
    conditions = tuple(
        condition
        for condition in prediction.checks.values()
        if unknown.name in {symbol.name for symbol in free_symbols(condition)}
    )
    parameter = unknown.parameter
    if parameter is None:
        return Domain(unknown, Fraction(0), None, conditions)
    low, high = (
        None if bound is None else constant(prediction.binding.expand(bound))
        for bound in (parameter.low, parameter.high)
    )
    return Domain(unknown, low, high, conditions)


def _place(value: Fraction, unknown: Unknown, *, up: bool) -> Place:
    """Return a number as the search takes it: whole for a whole unknown, else a float."""
    if unknown.integer:
        return ceil(value) if up else floor(value)
    return float(value)


def _candidates(
    conditions: tuple[Expression, ...], name: str, start: int, step: int
) -> Iterator[int]:
    """Yield whole numbers from `start` on; only powers where a whole root is required."""
    for condition in conditions:
        match condition:
            case Function("is_integer", (Power(Symbol(name=other), Number(exponent)),)):
                if other == name and exponent.numerator == 1:
                    degree = exponent.denominator
                    root = integer_root(max(0, start - 1), degree) + 1
                    if step < 0 and root**degree > start:
                        root -= 1
                    for count in range(_MOST_TRIED):
                        yield max(0, root + step * count) ** degree
                    return
    yield from range(start, start + step * _MOST_TRIED, step)


def _holds(condition: Expression, name: str, value: Fraction) -> bool:
    try:
        return exact(substitute(condition, {name: Number(value)}), {}) is True
    except EvaluationError:
        return False
