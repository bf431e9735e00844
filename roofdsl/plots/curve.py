"""Quantities of predictions along a parameter: an intensity, a time, a tally, formulas of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from roofdsl.analysis.intensity import ATTAINABLE, IN_FULL, QUANTITIES
from roofdsl.analysis.larger import read_quantities
from roofdsl.analysis.metrics import unit_of_file
from roofdsl.analysis.quantities import quantity
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.swept import Sweep
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression
from roofdsl.figures.axis_unit import in_unit, with_unit
from roofdsl.figures.curves import Curve, Quantities, quantity_lines
from roofdsl.figures.formula import followed, formula
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import FigureTable, Picture, rows_of
from roofdsl.figures.scale import Array
from roofdsl.numeric.array import evaluate
from roofdsl.plots import cases
from roofdsl.source import Source
from roofdsl.units.dimension import BYTE, FLOP, SECOND, Dimension

_LABELS = {
    **IN_FULL,
    "time": "Time",
    "attainable": ATTAINABLE,
}
_TOGETHER = {FLOP / BYTE: "Intensity", SECOND: "Time", FLOP / SECOND: "Performance"}
"""What quantities of one unit are called together."""


class _Drawn(NamedTuple):
    """What is drawn of one case: quantities along its parameter, by how they are written."""

    name: str
    values: Array
    heights: dict[str, Array]
    dimension: Dimension


def curve(
    *predictions: cases.PredictionLike,
    quantities: Sequence[str | Source],
    at: cases.Settings = cases.NOWHERE,
    look: Look = PLAIN,
    each_machine: bool = False,
) -> Picture:
    """Draw quantities of one unit along a parameter that is given several values.

    They are results (`OI`, `time`), work (`network`), busy times (`time.memory`), tallies, `let`s,
    rates (`karst.memory`), and formulas of these (`network/memory`), as in conditions. There is a
    line for each prediction, each value of other parameters, and each quantity; `each_machine`
    makes a panel for each, all with the same axes.
    Raises RoofError for what is no quantity (R0707), and for different units (R0301, R0807).

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> summa = load_model("summa").on(load_machine("karst"))
    >>> figure = curve(summa, quantities=["CAI"], at={"N": [1024, 2048], "P": 64})
    >>> figure.table.columns, [round(row[2], 6) for row in figure.table.rows]
    (('name', 'N', 'CAI [flop/B]'), [5.338542, 10.671875])
    """
    items = [cases.asked_of(each) for each in predictions]
    data = along(items, quantities, at, each_machine=each_machine)
    return quantity_lines(data, look, *cases.titles(items, at))


def along(
    items: Sequence[ModelOnMachine],
    quantities: Sequence[str | Source],
    at: cases.Settings,
    *,
    each_machine: bool = False,
) -> Quantities:
    """Return quantities of models on machines along a parameter, as `curve` draws them."""
    found = cases.cases_of(items, at)
    if not quantities or not found or any(case.sweep is None for case in found):
        message = "a curve is of a quantity, along a parameter with several values"
        hint = "such as the quantity OI along batch = 8..4096:x2"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])
    texts = [Source("quantity", each) if isinstance(each, str) else each for each in quantities]
    named = zip(found, cases.told_apart(found), strict=True)
    drawn = [_drawn(case, name, texts) for case, name in named]
    dimensions = dict.fromkeys(each.dimension for each in drawn)
    if len(dimensions) > 1:
        kinds = " and ".join(dimension.describe() for dimension in dimensions)
        message = f"{texts[0].body} of these models is {kinds}: there is no axis for both"
        raise RoofError([Diagnostic("R0807", message, hint="draw the models one by one")])
    names, (dimension,) = [*drawn[0].heights], dimensions
    base, swept = in_unit(0.0, dimension)[0], cases.swept_names(found)
    columns = ("name", swept.in_base_units, *(with_unit(name, base) for name in names))
    rows = [
        row for each in drawn for row in rows_of(each.name, each.values, *each.heights.values())
    ]
    together = _TOGETHER.get(dimension, ", ".join(names))
    label = _LABELS.get(names[0], names[0]) if len(names) == 1 else together
    table = FigureTable(columns, rows)
    unit = _unit_stated(names[0], found) if len(names) == 1 else None
    lines = _in_panels(drawn, found) if each_machine else _lines(drawn)
    return Quantities(lines, label, dimension, swept, table, unit)


def _unit_stated(name: str, found: Sequence[cases.Case]) -> tuple[str, float] | None:
    """Return the unit that a metric is stated in, if it is one of its file, the same for all."""
    models = [case.sweep.prediction.model for case in found if case.sweep is not None]
    metrics = [metric for model in models for metric in model.metrics if metric.name == name]
    units = {unit_of_file(metric) for metric in metrics}
    return units.pop() if len(units) == 1 and len(metrics) == len(models) else None


def _drawn(case: cases.Case, name: str, texts: Sequence[Source]) -> _Drawn:
    assert case.sweep is not None and case.parameter is not None
    formulas = read_quantities(texts, case.sweep.prediction)
    heights = {
        formula(" ".join(written.split()), found.tree): _heights(found.tree, case.sweep)
        for written, found in formulas.items()
    }
    values = np.ravel(case.sweep.parameters[case.parameter.name])
    return _Drawn(name, values, heights, next(iter(formulas.values())).dimension)


def _in_panels(drawn: Sequence[_Drawn], found: Sequence[cases.Case]) -> list[Curve]:
    """Return the curves of each machine in a panel, named by what they differ in there."""
    alone = len({case.name for case in found}) == 1
    lines = []
    for one, case in zip(drawn, found, strict=True):
        for written, heights in one.heights.items():
            name = written if alone else followed(written, f", {case.name}")
            name = case.name if len(one.heights) == 1 else name
            lines.append(Curve(name, one.values, heights, case.asked.machine.name))
    return lines


def _lines(drawn: Sequence[_Drawn]) -> list[Curve]:
    """Return the curves, named by what they differ in; one where a quantity is the same for all."""
    lines = []
    for written in (names := [*drawn[0].heights]):
        curves = [Curve(each.name, each.values, each.heights[written]) for each in drawn]
        if len(names) > 1:
            curves = [replace(line, name=followed(written, f", {line.name}")) for line in curves]
            first = np.array([curves[0].values, curves[0].heights])
            if all(np.array_equal([line.values, line.heights], first) for line in curves):
                curves = [replace(curves[0], name=written)]
        lines += curves
    return lines


def _heights(tree: Expression, sweep: Sweep) -> Array:
    """Return a formula in the names of quantities at each point of a sweep."""
    known = {symbol.name: _quantity(symbol.name, sweep) for symbol in free_symbols(tree)}
    return np.ravel(np.broadcast_to(evaluate(tree, known), np.shape(sweep.time)))


def _quantity(name: str, sweep: Sweep) -> Array:
    """Return what a sweep has of this name; else its formula in parameters and rates."""
    if name in QUANTITIES:
        return np.asarray(getattr(sweep, name))
    known = {f"time.{key}": each for key, each in sweep.times.items()}
    known |= {**sweep.tallies, **sweep.metrics}
    known |= {f"intensity.{key}": each for key, each in sweep.intensity.items()}
    if name in known:
        return known[name]
    rates = {key: np.asarray(value) for key, value in sweep.prediction.rate_values.items()}
    for key, tree in sweep.prediction.open_values.items():
        rates[key] = np.asarray(evaluate(tree, sweep.parameters), dtype=float)
    formula = quantity(sweep.prediction, name)
    return np.asarray(evaluate(formula, {**sweep.parameters, **rates}), dtype=float)
