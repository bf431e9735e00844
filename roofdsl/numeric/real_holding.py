"""The first real number at which conditions hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.construct import divide, number, subtract
from roofdsl.expression.normal_form import number_form
from roofdsl.expression.polynomial import Degree, polynomial
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.cases import cases_of
from roofdsl.numeric.holding import Holding, holding_runs

# Where an end is not allowed itself, a number so far inside, relatively, is tried.
_INSIDE = 1e-6


def first_real(
    conditions: Iterable[Expression],
    name: str,
    ends: tuple[float, float],
    allows: Callable[[float], bool],
    budget: Budget,
) -> Allowed[float]:
    """Return the first number between two ends, above 0, that is allowed.

    The conditions hold for whatever `allows` admits. Where what is allowed begins without its end,
    the number lies a little inside, and is not said to be the first.

    >>> x = trees.Symbol("x")
    >>> square = trees.Comparison(">=", trees.Power(x, trees.Number(2)), trees.Number(4))
    >>> found = first_real([square], "x", (1.0, 9.0), lambda x: x * x >= 4, Budget())
    >>> abs(found.value - 2) < 1e-12
    True
    """
    conditions = list(conditions)
    for condition in conditions:
        grid = _grid(condition, name)
        if grid is not None:
            return _on_grid(conditions, name, ends, grid, allows, budget)
    proven = True
    for first, last, _ in holding_runs(cases_of(conditions), name, *ends, budget, integer=False):
        if allows(first):
            return Allowed(first, proven)
        inside = min(first * (1 + _INSIDE), last)
        if allows(inside):
            return Allowed(inside, False)
        proven = False
    return Allowed(None, proven)


_Grid: TypeAlias = tuple[Fraction, Fraction]


def _grid(condition: Expression, name: str) -> _Grid | None:
    """Return slope > 0 and constant where a condition asks slope·x + constant to be whole."""
    match condition:
        case trees.Function("is_integer", (argument,)):
            form = polynomial(argument, name)
            if form is not None and {*form.terms} <= {(1, 0), (0, 0)}:
                terms = (form.terms.get(Degree(x, 0), number_form(0)) for x in (1, 0))
                slope, constant = (each.constant for each in terms)
                if slope is not None and constant is not None and slope > 0:
                    return Fraction(slope), Fraction(constant)
    return None


def _on_grid(
    conditions: Sequence[Expression],
    name: str,
    ends: tuple[float, float],
    grid: _Grid,
    allows: Callable[[float], bool],
    budget: Budget,
) -> Allowed[float]:
    """Return the first number of a grid that is allowed, by its place k = slope·x + constant."""
    slope, constant = grid
    low, high = (slope * Fraction(end) + constant for end in ends)
    place = trees.Symbol(name, integer=True)
    put_in = {name: divide(subtract(place, number(constant)), number(slope))}
    places = [substitute(condition, put_in) for condition in conditions]

    def at(k: int) -> float:
        return float((k - constant) / slope)

    first, last = max(1, ceil(low)), floor(high)
    found = Holding(places, name, first, max(first, last)).first(
        first, last, budget, lambda k: allows(at(k))
    )
    # Places below 1 are not looked at; and where none is allowed, a number may be no float.
    proven = found.proven and low > 0
    if found.value is None:
        return Allowed(None, proven and slope.numerator == 1)
    return Allowed(at(found.value), proven)
