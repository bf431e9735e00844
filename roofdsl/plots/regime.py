"""Regimes over two unknowns: the boundaries come from the solver, column by column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from roofdsl.allowance import WORK, Budget
from roofdsl.analysis.crossover import check_dependence
from roofdsl.analysis.domain import Domain
from roofdsl.analysis.open_machine import asked_on, open_domain
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.roots import Rivals
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Number
from roofdsl.figures import regime as regime_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.regime import (
    CHANGING,
    NO_VALUE,
    NOTHING,
    UNDECIDED,
    Boundary,
    RegimeMap,
    Region,
)
from roofdsl.model.given import number_in
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Regime, Regimes
from roofdsl.plots import cases
from roofdsl.typeset.text import text

COLUMNS = 33
# A column more is solved between two whose regimes differ, or whose boundaries are further apart
# than this part of the height, down to this part of the width: a boundary may jump.
_HIGHEST = 1 / 20
_FINEST = 1 / 400
# What the columns may work together, and one between two others of what those before it left.
_WORK, _BETWEEN = 3 * WORK, 1 / 8
_LONGEST_FORMULA = 70


@dataclass(frozen=True, slots=True)
class RegimeSlice:
    """The regimes along y at one x: their bounds from the lowest y, and where they begin and end.

    Of n bounds there are n + 1 ends; no bounds where the model allows no y.
    """

    x: float
    bounds: tuple[str, ...]
    ends: tuple[float, ...]


def regime(
    prediction: cases.PredictionLike,
    x: tuple[str, float, float],
    y: tuple[str, float, float],
    at: cases.Settings = cases.NOWHERE,
    look: Look = PLAIN,
) -> Picture:
    """Draw which resource binds over two unknowns, each a name and the ends of its range.

    An unknown is a parameter or a rate of the machine (`karst.network`). The boundaries are the
    solver's, proven over the whole range of `y` at each of the columns they go through.

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> prediction = load_model("summa").on(load_machine("karst"))
    >>> figure = regime(prediction, x=("P", 4, 10_000), y=("N", 2, 1_000_000))
    >>> [row[1] for row in figure.table.rows][:1]
    ['network → flops']
    """
    asked = cases.asked_of(prediction)
    machine, across = asked_on(x[0], asked.model, asked.machine, closed=True)
    machine, up = asked_on(y[0], asked.model, machine, closed=True)
    asked = ModelOnMachine(asked.model, machine)
    values = cases.one_value_each(at, "a map has its own two ranges")
    known = asked.bound(values, (*across.free, *up.free))
    ranges = [
        open_domain(known, unknown).within(
            *(
                number_in(unknown.dimension, unknown.units)(f"an end of the range of {name}", end)
                for end in ends
            )
        )
        for unknown, (name, *ends) in ((across, x), (up, y))
    ]
    for unknown, (low, high) in zip((across, up), ranges, strict=True):
        if low == high:
            message = f"a map needs a range of {unknown.name}, and this is one value"
            raise RoofError([Diagnostic("R0702", message, hint="give two ends, the lower first")])
    data = regime_map(known, across, up, *ranges)
    return regime_figure.regime(data, look, *cases.titles([asked], at))


def regime_map(
    prediction: Prediction,
    x: Unknown,
    y: Unknown,
    x_range: tuple[Place, Place],
    y_range: tuple[Place, Place],
) -> RegimeMap:
    """Return the map of a prediction in which both unknowns are free.

    Each column is proven over the whole of y's range, as far as its bounds at that x admit; a line
    between two columns is drawn straight, columns being close where a boundary jumps.
    """
    numbers = _numbers(prediction, x, y)
    for one, other in ((x, y), (y, x)):
        check_dependence(numbers.values(), one, prediction, [other.name])
    columns = _columns(prediction, x, open_domain(prediction, y), x_range, y_range)
    low, high = (float(end) for end in y_range)
    regions: list[Region] = []
    boundaries: list[Boundary] = []
    runs = [*_runs(columns)]
    for place, run in enumerate(runs):
        before = runs[place - 1][-1] if place else None
        after = runs[place + 1][0] if place + 1 < len(runs) else None
        places = np.array([column.x for column in run])
        ends = np.array([column.ends for column in run])
        bounds = run[0].bounds
        for number, bound in enumerate(bounds):
            regions.append(Region(bound, places, ends[:, number], ends[:, number + 1]))
        for number, (below, above) in enumerate(pairwise(bounds)):
            formula = _formula(prediction, x, y, run, number)
            first, last = _beside(run[0], number, before), _beside(run[-1], number, after)
            heights = np.array([*first, *ends[:, number + 1], *last])
            along = np.array([*places[: len(first)], *places, *places[: -len(last) - 1 : -1]])
            boundaries.append(Boundary(below, above, along, heights, formula))
    return RegimeMap(
        _label(x),
        _label(y),
        (float(x_range[0]), float(x_range[1])),
        (low, high),
        tuple(regions),
        tuple(boundaries),
    )


def _numbers(prediction: Prediction, x: Unknown, y: Unknown) -> dict[str, Expression]:
    """Return what competes for the bound, with all known but the two unknowns."""
    rates = {n: tree for n, tree in prediction.rates.items() if n not in (x.name, y.name)}
    return {name: substitute(tree, rates) for name, tree in prediction.rivals.items()}


def _columns(
    prediction: Prediction,
    x: Unknown,
    domain: Domain,
    x_range: tuple[Place, Place],
    y_range: tuple[Place, Place],
) -> list[RegimeSlice]:
    budget = Budget(_WORK)

    def solved(value: float, share: Budget) -> RegimeSlice:
        known = {x.name: Number(Fraction(value))}
        here = domain.at(known)
        least, most = here.limits
        low = y_range[0] if least is None else max(y_range[0], here.place(least, up=True))
        high = y_range[1] if most is None else min(y_range[1], here.place(most, up=False))
        if low > high:
            return RegimeSlice(value, (), ())
        # Drawn to where the bounds are themselves: x is no whole number here either.
        least, most = here.unrounded
        bottom = max(float(y_range[0]), float(least or 0))
        top = float(y_range[1]) if most is None else min(float(y_range[1]), float(most))
        if not share.left:
            return RegimeSlice(value, (UNDECIDED,), (bottom, top))
        over = RegimesOver(prediction, domain.unknown, low, high, share, values=known)
        column = _column(value, over.regimes(over.parts()))
        return replace(column, ends=(bottom, *column.ends[1:-1], top))

    first, last = (float(end) for end in x_range)
    grid = np.geomspace(first, last, COLUMNS)
    places = [*dict.fromkeys([first, *grid[1:-1].tolist(), last])]
    columns = [
        solved(value, budget.share(1 / (len(places) - number)))
        for number, value in enumerate(places)
    ]
    step = (last / first) ** _FINEST
    rise = (float(y_range[1]) / float(y_range[0])) ** _HIGHEST
    waiting = list(pairwise(columns))
    while waiting and budget.left:
        left, right = waiting.pop()
        heights = zip(left.ends, right.ends, strict=False)
        jumps = any(max(pair) > rise * min(pair) for pair in heights)
        # Where a bound of y meets an end of its range there is a corner.
        both = [each.ends for each in (left, right) if each.ends]
        met = [[ends[end] == y_range[end] for end in (0, -1)] for ends in both]
        corner = len(met) == 2 and met[0] != met[1]
        if (jumps or corner or left.bounds != right.bounds) and right.x / left.x > step:
            middle = solved(float(np.sqrt(left.x * right.x)), budget.share(_BETWEEN))
            columns.append(middle)
            waiting += [(left, middle), (middle, right)]
    return sorted(columns, key=lambda column: column.x)


def _column(value: float, found: Regimes) -> RegimeSlice:
    """Return a column, each run of regimes with one bound taken together."""
    bounds: list[str] = []
    ends: list[float] = []
    for number, regime in enumerate(found.regimes):
        bound = _bound(regime)
        if bounds and bounds[-1] == bound:
            continue
        ends.append(_between(found, number) if bounds else float(regime.first))
        bounds.append(bound)
    return RegimeSlice(value, tuple(bounds), (*ends, float(found.regimes[-1].last)))


def _bound(regime: Regime) -> str:
    if regime.certain:
        return regime.labels[0]
    return {"band": CHANGING, "refused": NO_VALUE, "idle": NOTHING}.get(regime.kind, UNDECIDED)


def _between(found: Regimes, number: int) -> float:
    """Return where a regime begins: the crossing proven between it and the one before."""
    start, end = float(found.regimes[number - 1].last), float(found.regimes[number].first)
    for crossing in found.crossings:
        middle = sum(crossing.enclosure) / 2
        if start <= middle <= end:
            return middle
    return (start + end) / 2


def _runs(columns: Sequence[RegimeSlice]) -> Iterable[list[RegimeSlice]]:
    """Yield runs of columns with the same bounds; two runs meet halfway."""
    run: list[RegimeSlice] = []
    for column in columns:
        if run and column.bounds != run[-1].bounds:
            meet = float(np.sqrt(run[-1].x * column.x))
            yield [*run, RegimeSlice(meet, run[-1].bounds, run[-1].ends)]
            run = [RegimeSlice(meet, column.bounds, column.ends)]
        run.append(column)
    if run:
        yield run


def _beside(column: RegimeSlice, number: int, other: RegimeSlice | None) -> tuple[float, ...]:
    """Return to where a boundary goes on along its column, if the other there does not have it.

    One of its two bounds holds on in the other column, beside the region of the one that ends, up
    to where the other column has that, too.
    """
    below, above = column.bounds[number : number + 2]
    if other is None or not other.bounds or (below, above) in pairwise(other.bounds):
        return ()
    height = column.ends[number + 1]
    met = other.bounds[bisect_right(other.ends[1:-1], height)]
    if met == below:
        starts = [low for low, b in zip(other.ends, other.bounds, strict=False) if b == above]
        return (min(end for end in (column.ends[number + 2], *starts) if end >= height),)
    if met == above:
        stops = [high for high, b in zip(other.ends[1:], other.bounds, strict=True) if b == below]
        return (max(end for end in (column.ends[number], *stops) if end <= height),)
    return ()


def _formula(
    prediction: Prediction, x: Unknown, y: Unknown, run: Sequence[RegimeSlice], number: int
) -> str:
    """Return the closed form of a boundary as text, "" where there is none or it is long."""
    if not prediction.is_roofline:
        return ""
    column = run[len(run) // 2]
    below, above = column.bounds[number : number + 2]
    opened = prediction.opened()
    symbols = opened.times()
    if below not in symbols or above not in symbols:
        return ""
    known = {x.name: Number(Fraction(column.x))}
    trees = {**prediction.binding.trees, **prediction.rates}
    place = column.ends[number + 1]
    put_in = y.known({n: substitute(t, known) for n, t in trees.items()})
    rivals = Rivals(y, {}, symbols, {**put_in, **known})
    root, _ = rivals.root(below, above, (place * (1 - 1e-9), place * (1 + 1e-9)))
    if root is None:
        return ""
    # Late: only boundaries with a closed form need SymPy.
    from roofdsl.algebra.simplify import simplify_ratio

    written = f"{y.name} = {text(simplify_ratio(root))}".replace(f"{prediction.machine.name}.", "")
    written = re.sub(r"sqrt\((\w+)\)", r"√\1", written).replace("*", "·").replace(" - ", " − ")
    return written if len(written) <= _LONGEST_FORMULA else ""


def _label(unknown: Unknown) -> str:
    doc = unknown.parameter.doc if unknown.parameter is not None else ""
    name = unknown.name
    unit = "" if not unknown.dimension.powers else f" [{unknown.dimension}]"
    return f"{name}: {doc}{unit}" if doc and len(doc) < 40 else f"{name}{unit}"
