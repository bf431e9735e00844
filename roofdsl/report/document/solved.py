"""Regimes, crossovers and studies as tables and equations."""

from __future__ import annotations

from fractions import Fraction

from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.sensitivity import Sensitivity
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.tree import Number, Symbol
from roofdsl.numeric.search import Place
from roofdsl.report.document.content import (
    Cell,
    Column,
    Equation,
    Equations,
    Line,
    Quantity,
    Table,
    label,
)
from roofdsl.report.document.forms import too_long, width
from roofdsl.units.quantity import show_number

DIGITS = 7
MOST_CROSSOVERS = 40
_WIDEST_CELL = 40


def regime_table(answer: Crossovers, prediction: Prediction) -> Table:
    """Return what binds from where to where."""
    unknown = answer.unknown
    rows: list[tuple[Cell, ...]] = []
    for regime in answer.regimes[:MOST_CROSSOVERS]:
        if regime.kind == "band":
            what = f"now {', now '.join(regime.labels)}"
        elif regime.kind == "undecided":
            what = f"undecided: {' or '.join(regime.labels)}"
        else:
            what = " and ".join(regime.labels)
        rows.append((what, place_cell(regime.first, unknown), place_cell(regime.last, unknown)))
    columns = (Column("Bound"), Column("From", align="right"), Column("To", align="right"))
    name = f"{prediction.model.name} on {prediction.machine.name}"
    left = len(answer.regimes) - MOST_CROSSOVERS
    notes = [proof(answer)] + ([f"{left:,} more regimes are not shown."] if left > 0 else [])
    return Table(
        f"Regimes of {name} over {unknown.name}",
        label(name, "regimes", unknown.name),
        columns,
        tuple(rows),
        notes=tuple(notes),
    )


def proof(answer: Crossovers) -> str:
    """Return how far the regimes are proven."""
    if answer.complete:
        return "Proven over the whole range."
    if answer.proven_up_to is None:
        return "Not proven: the search stopped at its limit of work."
    up_to = show_number(float(answer.proven_up_to), DIGITS)
    return f"Proven up to {answer.unknown.name} = {up_to}; the search stopped there."


def crossover_table(answer: Crossovers, prediction: Prediction) -> Table | None:
    """Return every crossover with its proven enclosure, None where there is none."""
    unknown = answer.unknown
    if not answer.crossovers:
        return None
    steps = any(item.step for item in answer.crossovers)
    rows: list[tuple[Cell, ...]] = []
    for item in answer.crossovers[:MOST_CROSSOVERS]:
        row: tuple[Cell, ...] = (change(item), *(_end(item, end, unknown) for end in (0, 1)))
        if unknown.integer:
            row = (*row, _whole(item.first_integer, unknown), _whole(item.first_valid, unknown))
        rows.append((item.step or "", *row) if steps else row)
    columns = [
        *([Column("Step")] if steps else []),
        Column("Change of bound"),
        Column("Root at least", align="right"),
        Column("Root at most", align="right"),
    ]
    if unknown.integer:
        columns += [
            Column("First whole number", align="right"),
            Column("First allowed", align="right"),
        ]
    name = f"{prediction.model.name} on {prediction.machine.name}"
    left = len(answer.crossovers) - MOST_CROSSOVERS
    notes = (f"{left:,} more are not shown.",) if left > 0 else ()
    return Table(
        f"Crossovers of {name} over {unknown.name}",
        label(name, "crossovers", unknown.name),
        tuple(columns),
        tuple(rows),
        notes=notes,
    )


def change(item: Crossover) -> str:
    """Return a change of what binds in words: `network → flops`."""
    before, after = " and ".join(item.before), " and ".join(item.after)
    kinds = {"tie": " (a tie)", "touch": " (touch)", "jump": " (a jump)", "band": " (jumps)"}
    arrow = f"{before} → {after}" if before != after else before
    return arrow + kinds.get(item.kind, "")


def closed_forms(answer: Crossovers, prediction: Prediction) -> Equations | None:
    """Return the closed forms of the crossovers that have one, each once."""
    unknown = answer.unknown
    found: dict[object, Equation] = {}
    for item in answer.crossovers:
        root = item.closed_form
        if root is None or item.closed_form_value is None or too_long(root) or root in found:
            continue
        value = Quantity(item.closed_form_value, unknown.dimension, DIGITS)
        lines = (Line("=", root), Line("=", value))
        step = f"{item.step}: " if item.step else ""
        found[root] = Equation(Symbol(unknown.name), "", lines, step + change(item))
    if not found:
        return None
    name = f"{prediction.model.name} on {prediction.machine.name}"
    title = f"Crossovers in closed form, for {unknown.name}"
    place = label(name, "closed-forms", unknown.name)
    return Equations(title, place, tuple(found.values())[:MOST_CROSSOVERS])


def sensitivity_table(answer: Sensitivity, prediction: Prediction) -> Table:
    """Return the elasticities of the time, the largest first; a note names what has none."""
    rows: list[tuple[Cell, ...]] = []
    idle = [item.name for item in answer.elasticities if item.value == 0]
    for item in answer.elasticities:
        if item.value == 0:
            continue
        value: Cell = "–" if item.value is None else Quantity(item.value)
        formula: Cell = "–"
        if item.formula is not None:
            formula = item.formula if width(item.formula) <= _WIDEST_CELL else "…"
        rows.append((Symbol(item.name), value, formula, effect(item.value)))
    columns = [
        Column("Name"),
        Column("Elasticity", align="right"),
        Column("Formula"),
        Column("One per cent more gives"),
    ]
    if all(isinstance(row[2], str) for row in rows):  # none is short enough
        del columns[2]
        rows = [(*row[:2], row[3]) for row in rows]
    name = f"{prediction.model.name} on {prediction.machine.name}"
    return Table(
        f"Sensitivities of the time of {name}",
        label(name, "sensitivities"),
        tuple(columns),
        tuple(rows),
        notes=(f"Without effect here: {', '.join(idle)}.",) if idle else (),
    )


def effect(value: float | None) -> str:
    """Return what one per cent more of something does to the time."""
    if value is None:
        return "has no derivative here"
    if not value:
        return "no effect"
    return f"{show_number(abs(value), 3)} % {'less' if value < 0 else 'more'} time"


def place_cell(value: Place, unknown: Unknown) -> Cell:
    """Return a place of a search: whole where the unknown is, else with its unit."""
    if isinstance(value, int) and unknown.integer:
        return Number(Fraction(value)) if abs(value) >= 10**9 else Quantity(value, digits=10)
    return Quantity(float(value), unknown.dimension, DIGITS)


def _end(item: Crossover, end: int, unknown: Unknown) -> Cell:
    return Quantity(item.enclosure[end], unknown.dimension, DIGITS)


def _whole(value: int | None, unknown: Unknown) -> Cell:
    return "–" if value is None else place_cell(value, unknown)
