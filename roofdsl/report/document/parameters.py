"""What a model or machine declares: parameters, intermediates, requirements, steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofdsl.expression.tree import Number
from roofdsl.model.bounds import bounds_condition
from roofdsl.model.types import (
    Intermediate,
    ModelDefinition,
    Overlap,
    Parameter,
    Part,
    Repeat,
    Requirement,
    Step,
    Tally,
)
from roofdsl.report.document.content import (
    Cell,
    Code,
    Column,
    Quantity,
    Table,
    label,
    used_columns,
)
from roofdsl.report.document.forms import formula_cell
from roofdsl.typeset.text import text

MOST_STEPS = 60


def parameter_table(parameters: Sequence[Parameter], place: str) -> Iterator[Table]:
    """Yield the table of parameters, with kinds, units, bounds and defaults, if there are any."""
    rows: list[tuple[Cell, ...]] = []
    for parameter in parameters:
        kind = parameter.unit or parameter.kind
        default: Cell = Code(" ".join(parameter.written.split())) if parameter.written else "–"
        bounds: Cell = bounds_condition(parameter) or "–"
        rows.append((parameter.symbol, kind, bounds, default, parameter.doc))
    if rows:
        columns = (
            Column("Name"),
            Column("Kind or unit"),
            Column("Bounds"),
            Column("Default"),
            Column("Meaning", wide=True),
        )
        title = f"Parameters of {place}"
        yield Table(title, label(place, "parameters"), *used_columns(columns, rows))


def statements_table(
    caption: str, place: str, items: Sequence[Intermediate] | Sequence[Tally]
) -> Iterator[Table]:
    """Yield the table of intermediates or tallies with formulas and units, if there are any."""
    rows: list[tuple[Cell, ...]] = []
    for item in items:
        unit = str(item.formula.dimension)
        tree = item.formula.tree
        shown: Cell = formula_cell(tree)
        if isinstance(tree, Number):
            shown = Quantity(float(tree.value), item.formula.dimension)
        rows.append((Code(item.name), shown, "" if unit == "1" else unit, item.doc))
    if rows:
        columns = (Column("Name"), Column("Formula"), Column("Unit"), Column("", wide=True))
        yield Table(f"{caption} of {place}", label(place, caption), *used_columns(columns, rows))


def requirement_table(items: Sequence[Requirement], place: str) -> Iterator[Table]:
    """Yield the table of what a model requires, if it does."""
    if items:
        rows = tuple((formula_cell(item.condition),) for item in items)
        columns = (Column("What must hold"),)
        yield Table(f"Requirements of {place}", label(place, "requirements"), columns, rows)


def step_table(model: ModelDefinition) -> Iterator[Table]:
    """Yield the table of a composition's steps as written."""
    rows: list[tuple[Cell, ...]] = list(_steps(model.parts, 0))
    if not rows:
        return
    left = len(rows) - MOST_STEPS
    if left > 0:
        rows = [*rows[:MOST_STEPS], (f"and {left:,} more", "", "")]
    columns = (Column("Step"), Column("Model"), Column("On"))
    place = label(model.name, "steps")
    yield Table(f"Steps of {model.name}", place, *used_columns(columns, rows))


def _steps(parts: Sequence[Part], depth: int) -> Iterator[tuple[Cell, ...]]:
    indent = "\u2003" * depth
    for part in parts:
        match part:
            case Step():
                what = "in place" if part.in_place else part.model.name
                yield (indent + part.name, what, part.device or "")
            case Overlap():
                yield (f"{indent}at once", "", "")
                yield from _steps(part.parts, depth + 1)
            case Repeat():
                yield (f"{indent}{text(part.times)} times", "", "")
                yield from _steps(part.parts, depth + 1)
