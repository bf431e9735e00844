"""Columns of a map by the solver, each by itself: for models that no box of the plane encloses."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from roofdsl.allowance import WORK, Budget
from roofdsl.analysis.domain import Domain
from roofdsl.analysis.open_machine import open_domain
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.plane_outline import RegimeSlice
from roofdsl.answer.regime_map import NO_VALUE, NOTHING, OUTSIDE, UNDECIDED
from roofdsl.expression.tree import Number
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Regime, Regimes

_COLUMNS = 33


def solved_columns(
    prediction: Prediction,
    x: Unknown,
    y: Unknown,
    x_range: tuple[Place, Place],
    y_range: tuple[Place, Place],
) -> list[RegimeSlice]:
    """Return columns, at each of which it is proven what binds over the whole range of y."""
    budget, domain = Budget(3 * WORK), open_domain(prediction, y)
    first, last = (float(end) for end in x_range)
    places = np.geomspace(first, last, _COLUMNS)[1:-1]
    if x.integer:
        places = np.rint(places)
    every = [*dict.fromkeys([first, *places.tolist(), last])]
    return [
        _solved(prediction, x, domain, value, y_range, budget.share(1 / (len(every) - number)))
        for number, value in enumerate(every)
    ]


def _solved(
    prediction: Prediction,
    x: Unknown,
    domain: Domain,
    value: float,
    y_range: tuple[Place, Place],
    budget: Budget,
) -> RegimeSlice:
    known = {x.name: Number(Fraction(value))}
    here = domain.at(known)
    least, most = here.limits
    low = y_range[0] if least is None else max(y_range[0], here.place(least, up=True))
    high = y_range[1] if most is None else min(y_range[1], here.place(most, up=False))
    bottom, top = (float(end) for end in y_range)
    if low > high:
        return RegimeSlice(value, (OUTSIDE,), (bottom, top))
    bounds, ends = [UNDECIDED], [float(low), float(high)]
    if budget.left:
        over = RegimesOver(prediction, domain.unknown, low, high, budget, values=known)
        bounds, ends = _column(over.regimes(over.parts()))
    if low > y_range[0]:
        bounds, ends = [OUTSIDE, *bounds], [bottom, *ends]
    if high < y_range[1]:
        bounds, ends = [*bounds, OUTSIDE], [*ends, top]
    return RegimeSlice(value, tuple(bounds), tuple(ends))


def _column(found: Regimes) -> tuple[list[str], list[float]]:
    """Return what binds along a column, each run of one bound taken together, and the ends."""
    bounds: list[str] = []
    ends: list[float] = []
    for number, regime in enumerate(found.regimes):
        bound = _bound(regime)
        if bounds and bounds[-1] == bound:
            continue
        ends.append(_between(found, number) if bounds else float(regime.first))
        bounds.append(bound)
    return bounds, [*ends, float(found.regimes[-1].last)]


def _bound(regime: Regime) -> str:
    if regime.certain:
        return regime.labels[0]
    return {"refused": NO_VALUE, "idle": NOTHING}.get(regime.kind, UNDECIDED)


def _between(found: Regimes, number: int) -> float:
    """Return where a regime begins: the crossing proven between it and the one before."""
    start, end = float(found.regimes[number - 1].last), float(found.regimes[number].first)
    for crossing in found.crossings:
        middle = sum(crossing.enclosure) / 2
        if start <= middle <= end:
            return middle
    return (start + end) / 2
