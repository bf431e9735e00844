"""What binds, as SymPy expressions: which resource is a symbol of its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import sympy

from roofdsl.algebra.to_sympy import Basic, symbol_to_sympy, to_sympy
from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.open_contest import OpenStretch
from roofdsl.analysis.open_regimes import OpenRegimes
from roofdsl.analysis.refused import cut
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.tree import Expression
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Regime


def bound_of(times: Mapping[str, Expression]) -> sympy.Expr:
    """Return which of some times is the largest: a symbol of its name, as a `Piecewise`.

    The first of those that are equal, NaN without any.
    """
    shown = {name: to_sympy(tree) for name, tree in times.items()}
    names = [*shown]
    pieces: list[tuple[Basic, Basic]] = []
    for place, name in enumerate(names[:-1]):
        # What stood before is not the largest here: it need not be compared again.
        conditions = [
            sympy.Ge(shown[name], shown[other], evaluate=False) for other in names[place + 1 :]
        ]
        pieces.append((sympy.Symbol(name), sympy.And(*conditions, evaluate=False)))
    if not names:
        return sympy.nan
    last = sympy.Symbol(names[-1])
    return sympy.Piecewise(*pieces, (last, True), evaluate=False) if pieces else last


def bound_over(found: Crossovers) -> sympy.Expr:
    """Return what binds over a proven range as a `Piecewise` in the unknown.

    NaN outside of the range and where it is undecided.
    """
    unknown = symbol_to_sympy(found.unknown.symbol)
    return _piecewise(_pieces(unknown, found.regimes))


def time_over(over: RegimesOver) -> sympy.Expr:
    """Return the time over a range as a `Piecewise` in the unknown; NaN where it has no value."""
    unknown = symbol_to_sympy(over.unknown.symbol)
    pieces = []
    for first, last, tree in over.times():
        for start, end, refusal in cut(first, last, over.holes):
            if refusal != "all":
                pieces.append((to_sympy(tree), _within(unknown, start, end)))
    return _piecewise(pieces)


def bound_over_both(found: OpenRegimes) -> sympy.Expr:
    """Return what binds over the ranges of two names as a `Piecewise` in both; NaN elsewhere."""
    pieces: list[tuple[Basic, Basic]] = []
    other = symbol_to_sympy(found.other.symbol)
    for stretch in found.stretches:
        within = _within(other, stretch.first, stretch.last)
        for bound, condition in _along(found, stretch):
            pieces.append((bound, sympy.And(within, condition)))
    return _piecewise(pieces)


def equation(unknown: Unknown, root: Expression) -> sympy.Eq:
    """Return `N = …` for a closed form, N as a real number: the place need not be a whole one."""
    place = symbol_to_sympy(replace(unknown.symbol, integer=False))
    return sympy.Eq(place, to_sympy(root), evaluate=False)


def _along(found: OpenRegimes, stretch: OpenStretch) -> Iterator[tuple[Basic, Basic]]:
    """Yield what binds along the unknown, as far as it can be said in a formula."""
    unknown = symbol_to_sympy(found.unknown.symbol)
    if stretch.exact is not None:
        yield from _pieces(unknown, stretch.exact.regimes)
        return
    begins: Basic | None = _number(found.low)
    ends = [None if root.numbers is None else to_sympy(root.numbers) for root in stretch.roots]
    for bound, end in zip(stretch.bounds, [*ends, _number(found.high)], strict=False):
        if begins is not None and end is not None:
            # At a root both bind: the one before is told.
            yield sympy.Symbol(bound[0]), sympy.And(begins <= unknown, unknown <= end)
        begins = end


def _pieces(unknown: Basic, regimes: Sequence[Regime]) -> Iterator[tuple[Basic, Basic]]:
    for regime in regimes:
        if regime.certain:
            yield sympy.Symbol(regime.labels[0]), _within(unknown, regime.first, regime.last)


def _within(symbol: Basic, first: Place, last: Place) -> Basic:
    if first == last:
        return sympy.Eq(symbol, _number(first))
    return sympy.And(symbol >= _number(first), symbol <= _number(last))


def _number(place: Place) -> Basic:
    exactly = Fraction(place)
    return sympy.Rational(exactly.numerator, exactly.denominator)


def _piecewise(pieces: Sequence[tuple[Basic, Basic]] | Iterator[tuple[Basic, Basic]]) -> sympy.Expr:
    return sympy.Piecewise(*pieces, (sympy.nan, True))
