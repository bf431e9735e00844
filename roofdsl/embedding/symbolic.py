"""What binds, as SymPy expressions: which resource is a symbol of its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import TypeAlias

import sympy

from roofdsl.algebra.to_sympy import Basic, symbol_to_sympy, to_sympy
from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.open_contest import OpenRoot
from roofdsl.analysis.open_orders import OpenOrder, OpenOrders
from roofdsl.analysis.open_regimes import OpenRegions
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.refused import cut
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.threshold import HoldingRange, Thresholds
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import CERTAIN, Regime

Change: TypeAlias = Crossover | OpenRoot | OpenOrder | HoldingRange


def bound_of(times: Mapping[str, Expression]) -> sympy.Expr:
    """Return which of some times is the largest: a symbol of its name, as a `Piecewise`.

    The first of those that are equal, NaN without any.
    """
    if not times:
        return sympy.nan
    pieces = [*_largest([*times], _compared(times))]
    return sympy.Piecewise(*pieces, evaluate=False) if len(times) > 1 else pieces[0][0]


def _compared(times: Mapping[str, Expression]) -> dict[tuple[str, str], Basic]:
    """Return for each two times the condition that the one is at least the other."""
    shown = {name: to_sympy(tree) for name, tree in times.items()}
    return {
        (one, two): sympy.Ge(shown[one], shown[two], evaluate=False)
        for one, two in permutations(shown, 2)
    }


def _largest(
    names: Sequence[str], at_least: Mapping[tuple[str, str], Basic]
) -> Iterator[tuple[Basic, Basic]]:
    """Yield the name of what is the largest, and where it is the first that is."""
    for place, name in enumerate(names[:-1]):
        # What stood before is not the largest here: it need not be compared again.
        conditions = [at_least[name, other] for other in names[place + 1 :]]
        yield sympy.Symbol(name), sympy.And(*conditions, evaluate=False)
    yield sympy.Symbol(names[-1]), sympy.true


def bound_of_orders(found: OpenOrders) -> sympy.Expr:
    """Return which of some times is the largest as a `Piecewise`: by bounds of the unknown.

    Two times are compared where no bounds are known, or are not proven.
    """
    compared = _compared(found.times)
    known, unknown = {**compared}, symbol_to_sympy(found.unknown.symbol)
    symbols = {each.name: symbol_to_sympy(each.symbol) for each in (found.unknown, *found.others)}
    limits: dict[Basic, None] = {}
    for pair in found.pairs:
        if pair.kind == "turns" and pair.closed_form is not None:
            root = to_sympy(pair.closed_form)
            applies = sympy.true if pair.condition is None else to_sympy(pair.condition)
            before = sympy.And(applies, unknown <= root)
            after = sympy.Or(sympy.Not(applies), unknown >= root)
        elif pair.kind == "equal" or (pair.kind == "longer" and pair.condition is None):
            before, after = sympy.true, sympy.true if pair.kind == "equal" else sympy.false
        else:
            continue
        one, two = pair.names
        known[one, two], known[two, one] = before, after
        limits |= {symbols[name] > _number(low): None for name, low in pair.above}
    names = [*found.times]
    told = [(name, sympy.And(where, *limits)) for name, where in _largest(names, known)]
    return sympy.Piecewise(*told, *(_largest(names, compared) if limits else ()), evaluate=False)


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
    for first, last, tree in over.whole.time:
        for start, end, refusal in cut(first, last, over.holes):
            if refusal != "all":
                pieces.append((to_sympy(tree), _within(unknown, start, end)))
    return _piecewise(pieces)


def bound_over_both(found: OpenRegions) -> sympy.Expr:
    """Return what binds over the ranges of two names as a `Piecewise` in both; NaN elsewhere."""
    unknown, other = symbol_to_sympy(found.unknown.symbol), symbol_to_sympy(found.other.symbol)
    pieces: list[tuple[Basic, Basic]] = []
    for stretch in found.whole.stretches:
        within = _within(other, stretch.first, stretch.last)
        for regime in stretch.regimes:
            first, last = _end(regime.first), _end(regime.last)
            if regime.kind in CERTAIN and first is not None and last is not None:
                label, root = regime.labels[0], regime.last
                # Of two that are equal at a root the one given first binds, as for `eval`.
                before = isinstance(root, OpenRoot) and root.at[0] != label
                below = unknown < last if before else unknown <= last
                pieces.append((sympy.Symbol(label), sympy.And(within, first <= unknown, below)))
    return _piecewise(pieces)


def _end(end: Place | OpenRoot) -> Basic | None:
    """Return a number or a root, None where there is no formula for it."""
    if isinstance(end, OpenRoot):
        return None if end.numbers is None else to_sympy(end.numbers)
    return _number(end)


def holding_over(found: Thresholds) -> sympy.Expr:
    """Return where a condition holds as a `Piecewise` of the symbols that say so; NaN elsewhere."""
    unknown = symbol_to_sympy(found.unknown.symbol)
    pieces = [
        (
            sympy.Symbol("holds") if each.kind == "all" else sympy.nan,
            _within(unknown, each.first, each.last),
        )
        for each in found.intervals
    ]
    if found.complete:
        pieces.append((sympy.Symbol("does not hold"), _within(unknown, found.low, found.high)))
    return _piecewise(pieces)


def equations(
    unknown: Unknown, changes: Iterable[Change], prediction: Prediction
) -> list[sympy.Eq]:
    """Return `N = …` for closed forms, N as a real number: the place need not be a whole one.

    Without one, the two times of a kernel that are equal where its bound switches.
    """
    place = replace(unknown.symbol, integer=False)
    times = prediction.rivals if prediction.is_roofline else {}
    found: list[sympy.Eq] = []
    for change in changes:
        if change.closed_form is not None:
            found += closed_forms(unknown, [change])
        elif isinstance(change, Crossover) and change.kind == "switch":
            sides = [times.get(names[0]) for names in (change.before, change.after)]
            before, after = (side and substitute(side, {unknown.name: place}) for side in sides)
            if before is not None and after is not None:
                found.append(_equal(before, after))
    return found


def closed_forms(unknown: Unknown, changes: Iterable[Change]) -> list[sympy.Eq]:
    """Return `N = …` for the changes that have a closed form, N as a real number."""
    place = replace(unknown.symbol, integer=False)
    return [_equal(place, x.closed_form) for x in changes if x.closed_form is not None]


def _equal(one: Expression, other: Expression) -> sympy.Eq:
    return sympy.Eq(to_sympy(one), to_sympy(other), evaluate=False)


def _pieces(unknown: Basic, regimes: Sequence[Regime]) -> Iterator[tuple[Basic, Basic]]:
    for regime in regimes:
        if regime.certain:
            yield sympy.Symbol(regime.labels[0]), _within(unknown, regime.first, regime.last)


def _within(symbol: Basic, first: Place, last: Place) -> Basic:
    if first == last:
        return sympy.Eq(symbol, _number(first))
    return sympy.And(symbol >= _number(first), symbol <= _number(last))


def _number(place: Place | Fraction) -> Basic:
    exactly = Fraction(place)
    return sympy.Rational(exactly.numerator, exactly.denominator)


def _piecewise(pieces: Sequence[tuple[Basic, Basic]] | Iterator[tuple[Basic, Basic]]) -> sympy.Expr:
    return sympy.Piecewise(*pieces, (sympy.nan, True))
