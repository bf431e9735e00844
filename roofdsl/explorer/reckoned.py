"""Energy, cost and metrics as formulas in the times that the page works out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.metrics import unit_of_file, why_unanswered
from roofdsl.analysis.node import Node
from roofdsl.analysis.peak import TOO_MANY_SUMS, lacks_peak
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import metric_formula
from roofdsl.analysis.steps import steps_of
from roofdsl.analysis.tariff import spending_unit
from roofdsl.answer.spending import COLUMNS
from roofdsl.diagnostic import RoofError
from roofdsl.explorer.controls import Described, Units, units
from roofdsl.explorer.formulas import Functions
from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.tally import PEAK_MEMORY
from roofdsl.model.types import Metric

TIME = "time of all"
"""What stands for the time; behind it, the places of jobs for theirs: `time of all.0`."""


def times_of(node: Node, name: str = TIME) -> Iterator[str]:
    """Yield the names of the times of a model and, of a mix, of one run of each job."""
    yield name
    for place, job in enumerate(node.children if node.arrangement == "mix" else ()):
        (inner,) = job.children
        yield from times_of(inner, f"{name}.{place}")


def reckoned(prediction: Prediction, functions: Functions) -> Described:
    """Return energies and money, metrics, and why others are not answered.

    A metric that is `written` is of the times as the model composes them alone.
    """
    tariff, unanswered = prediction.tariff, dict[str, str]()
    time = Symbol(TIME, integer=False, positive=False)
    timed = _timed(prediction.root, prediction.formulas, TIME)
    found = prediction.spending_in(Formulas(), timed)
    spent = {name: substitute(tree, tariff.formulas) for name, tree in found.amounts.items()}
    if "energy" in spent:
        spent["power"] = divide(spent["energy"], time)
    if tariff.is_stated:
        why = found.unanswered
        unanswered |= {name: why[name] for name in ("energy", "cost") if name in why}
    if lacks_peak(prediction.root):
        unanswered[PEAK_MEMORY] = TOO_MANY_SUMS
    names = [name for name in dict.fromkeys([*COLUMNS, *spent]) if name in spent]
    return {
        "spending": [
            {
                "name": name,
                "function": functions.place(spent[name]),
                "units": units(spending_unit(name, tariff)),
            }
            for name in names
        ],
        "metrics": [*_metrics(prediction, functions, {"time": time, **spent}, unanswered)],
        "unanswered": unanswered,
    }


def _timed(node: Node, part: Composed[Expression], name: str) -> Composed[Expression]:
    """Return what the law says of a part, its time and those of its jobs by name."""
    children = part.children
    if node.arrangement == "mix":
        children = tuple(
            replace(each, children=(_timed(job.children[0], each.children[0], f"{name}.{place}"),))
            for place, (job, each) in enumerate(zip(node.children, part.children, strict=True))
        )
    time = Symbol(name, integer=False, positive=False)
    return replace(part, time=time, children=children)


def _metrics(
    prediction: Prediction,
    functions: Functions,
    results: dict[str, Expression],
    unanswered: dict[str, str],
) -> Iterator[Described]:
    """Yield the metrics that are answered; put why others are not into `unanswered`."""
    if not prediction.is_mix:
        results["attainable"] = divide(prediction.work("flops"), results["time"])
    steps, metrics = steps_of(prediction), prediction.model.metrics
    written = set[str]()
    for metric in metrics:
        try:
            tree = metric_formula(prediction, metric, results)
        except RoofError as error:
            unanswered[metric.name] = why_unanswered(error)
            continue
        own = {*prediction.binding.trees, *prediction.formulas.tallies}
        names = {symbol.name for symbol in free_symbols(metric.formula.tree)} - own
        composed = {*steps, *written, *(each.name for each in metrics if each.name not in results)}
        if any(" is " in each or each.partition(".")[0] in composed for each in names):
            written.add(metric.name)
        results[metric.name] = tree
        yield {
            "name": metric.name,
            "function": functions.place(tree),
            "units": _units(metric),
            "written": metric.name in written,
        }


def _units(metric: Metric) -> Units:
    """Return the unit that a metric's file defines for it, if it is a power of ten, else SI's."""
    unit, factor = unit_of_file(metric) or ("", 0.0)
    exponent = round(math.log10(factor)) if factor else 0
    if factor and math.isclose(factor, 10.0**exponent, rel_tol=1e-12):
        return ((exponent, unit),)
    return units(metric.formula.dimension)
