"""The map of a model on a machine over two unknowns: proven, or sampled where it cannot be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from roofdsl.allowance import WORK, Budget, question
from roofdsl.analysis.crossover import check_dependence
from roofdsl.analysis.open_machine import asked_on, open_domain
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.roots import Rivals
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer import regime_map as maps
from roofdsl.answer.asked import ModelOnMachine, Values
from roofdsl.answer.plane import NO_VALUE, NOTHING, OUTSIDE, Plane
from roofdsl.answer.plane_columns import PlaneColumn, columns_of
from roofdsl.answer.plane_outline import RegimeSlice, outline
from roofdsl.answer.regime_map import RegimeMap, Root
from roofdsl.answer.solved_columns import solved_columns
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Comparison, Expression, Number
from roofdsl.model.given import number_in
from roofdsl.numeric.place import Place
from roofdsl.numeric.plane_cells import UNDECIDED, Cells, cells_of
from roofdsl.typeset.text import text

Range: TypeAlias = tuple[Place, Place]
COLUMNS = 97
ENOUGH = 1e-4
"""So little of the plane may be left undecided."""
# A plane of which so much is left after so many boxes cannot be enclosed.
_HOPELESS, _LOOKED_AT = 0.5, 100_000
# What the cells may work, and what a unit is worth in operations on boxes.
_WORK, _OF_A_UNIT = 3 * WORK, 1000
_LONGEST_FORMULA = 70
_SAID = {
    UNDECIDED: maps.UNDECIDED,
    OUTSIDE: maps.OUTSIDE,
    NO_VALUE: maps.NO_VALUE,
    NOTHING: maps.NOTHING,
}


@question
def map_of(
    asked: ModelOnMachine,
    x: tuple[str, object, object],
    y: tuple[str, object, object],
    at: Mapping[str, Values],
) -> RegimeMap:
    """Return the map of a model on a machine, over two unknowns and the ends of their ranges.

    An unknown is a parameter, or a rate of the machine (`karst.network`); both are taken for real
    numbers, which encloses whole ones. Raises RoofError for a range of one value (R0702), and what
    solving for one of the unknowns does.
    """
    machine, across = asked_on(x[0], asked.model, asked.machine, closed=True)
    machine, up = asked_on(y[0], asked.model, machine, closed=True)
    there = ModelOnMachine(asked.model, machine)
    known = there.bound(at, (*across.free, *up.free))
    ranges = [_range(known, unknown, ends) for unknown, ends in ((across, x), (up, y))]
    _check(known, across, up)
    plane = Plane(known, across, up)
    cells = None if known.unmeasured else _cells(plane, *ranges)
    if cells is None:
        columns = solved_columns(known, across, up, *ranges)
    else:
        first, last = (float(end) for end in ranges[0])
        places = [first, *np.geomspace(first, last, COLUMNS)[1:-1].tolist(), last]
        found = columns_of(cells, plane.decide, places)
        columns = [_named(column, plane.names) for column in found]
    sampled = len(columns) if cells is None else 0
    boundaries = _Closed(known, across, up)
    regions, lines = outline(columns, boundaries.root)
    x_range, y_range = ((float(low), float(high)) for low, high in ranges)
    whole = tuple(unknown.name for unknown in (across, up) if unknown.integer)
    ends = _label(across), _label(up), x_range, y_range
    units = across.dimension, up.dimension
    return RegimeMap(*ends, regions, lines, plane.names, cells, sampled, whole, units)


def _range(prediction: Prediction, unknown: Unknown, given: tuple[str, object, object]) -> Range:
    name, *ends = given
    read = number_in(unknown.dimension, unknown.units)
    first, last = (read(f"an end of the range of {name}", end) for end in ends)
    low, high = open_domain(prediction, unknown).within(first, last)
    if low == high:
        message = f"a map needs a range of {unknown.name}, and this is one value"
        raise RoofError([Diagnostic("R0702", message, hint="give two ends, the lower first")])
    return low, high


def _check(prediction: Prediction, x: Unknown, y: Unknown) -> None:
    """Raise RoofError unless what competes for the bound depends on both unknowns alone."""
    rates = {n: tree for n, tree in prediction.rates.items() if n not in (x.name, y.name)}
    numbers = [substitute(tree, rates) for tree in prediction.rivals.values()]
    for one, other in ((x, y), (y, x)):
        check_dependence(numbers, one, prediction, [other.name])


def _cells(plane: Plane, x: Range, y: Range) -> Cells | None:
    """Return the plane in cells, None where next to nothing of it can be enclosed."""
    budget, looked = Budget(_WORK), 0

    def may_go_on(boxes: int, left: float) -> bool:
        nonlocal looked
        work = boxes * plane.size / _OF_A_UNIT
        if left <= ENOUGH or work > budget.left or _is_hopeless(left, looked):
            return False
        budget.spend(work)
        looked += boxes
        return True

    ends = [(float(low), float(high)) for low, high in (x, y)]
    cells = cells_of(plane.decide, ends[0], ends[1], may_go_on)
    return None if _is_hopeless(1 - cells.share, looked) else cells


def _is_hopeless(left: float, looked: int) -> bool:
    return left > _HOPELESS and looked > _LOOKED_AT


def _named(column: PlaneColumn, names: Sequence[str]) -> RegimeSlice:
    bounds = tuple(_SAID[code] if code in _SAID else names[code] for code in column.codes)
    return RegimeSlice(column.x, bounds, column.ends)


class _Closed:
    """The closed forms of boundaries, as texts; those of one pair of bounds are found once."""

    def __init__(self, prediction: Prediction, x: Unknown, y: Unknown) -> None:
        self.prediction = prediction
        self.x = x
        self.y = y
        self._opened = prediction.opened() if prediction.is_roofline else None

    def root(self, column: RegimeSlice, number: int) -> Root | None:
        """Return the closed form of a boundary, None where there is none or it is long."""
        below, above = column.bounds[number : number + 2]
        symbols = {} if self._opened is None else self._opened.times()
        if below not in symbols or above not in symbols:
            return None
        prediction, y = self.prediction, self.y
        known: dict[str, Expression] = {self.x.name: Number(Fraction(column.x))}
        trees = {**prediction.binding.trees, **prediction.rates}
        place = column.ends[number + 1]
        put_in = y.known({n: substitute(tree, known) for n, tree in trees.items()})
        rivals = Rivals(y, {}, symbols, {**put_in, **known})
        root, _ = rivals.root(below, above, (place * (1 - 1e-9), place * (1 + 1e-9)))
        if root is None:
            return None
        # Late: only boundaries with a closed form need SymPy.
        from roofdsl.algebra.simplify import simplify_ratio

        shown = simplify_ratio(root)
        start = f"{prediction.machine.name}."
        short = {x.name: replace(x, name=x.name.removeprefix(start)) for x in free_symbols(shown)}
        shown = substitute(shown, short)
        written = f"{y.name} = {text(shown)}"
        written = re.sub(r"sqrt\((\w+)\)", r"√\1", written).replace("*", "·").replace(" - ", " − ")
        if len(written) > _LONGEST_FORMULA:
            return None
        return Root(Comparison("==", y.symbol, shown), written)


def _label(unknown: Unknown) -> str:
    doc = unknown.parameter.doc if unknown.parameter is not None else ""
    return f"{unknown.name}: {doc}" if doc and len(doc) < 40 else unknown.name
