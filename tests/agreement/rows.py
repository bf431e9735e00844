"""What rows say, by the names of their columns: of CSV, of data frames, and those asked for."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from typing import Any

import numpy as np

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.answer.columns import row_of
from roofdsl.answer.parameter_names import parameter_columns
from roofdsl.answer.rows import RowsAnswer
from roofdsl.answer.sweep import SweepPlan
from roofdsl.answer.wanted import Wanted
from roofdsl.embedding.cards import ShownSweep
from tests.agreement.pages import named
from tests.agreement.points import Point
from tests.agreement.values import UNITS, Given, Shown, Value, Values, expected


def csv_row(point: Point, written: str) -> Values:
    (row,) = csv.DictReader(StringIO(written))
    yield from columns_by_name(point, {name: _plain(cell) for name, cell in row.items()})


def columns_by_name(point: Point, row: Mapping[str, Any]) -> Values:
    """A row of CSV or of a data frame, under the names of its columns."""
    for name, column in parameter_columns(point.prediction.model).items():
        yield f"parameter {name}", given(row[column])
    for name in (*UNITS, *point.result.own, *(f"flops/{name}" for name in point.result.own)):
        yield named(point, name), number(row[name])
    yield "bound", row["bound"]
    yield "kind", row["bound_kind"]
    for name, cell in row.items():
        if name.startswith("tally_"):
            yield f"tally {name.removeprefix('tally_')}", number(cell)
        elif name.startswith("metric_"):
            said = cell if isinstance(cell, bool) else number(cell)
            yield f"metric {name.removeprefix('metric_')}", said
        elif name.endswith("_within_capacity"):
            yield f"fits {name.removesuffix('_within_capacity')}", cell


def frame(point: Point, row: Mapping[str, Any]) -> Values:
    """The only row of a data frame, or the only place of a data set."""
    bounds = {name: row[name] for name in ("bound", "bound_kind")}
    words = {name: value if isinstance(value, str) else "" for name, value in bounds.items()}
    yield from columns_by_name(point, {**row, **words})
    for name in point.result.unanswered:
        if f"metric_{name}" not in row:  # then no array has it
            yield f"metric {name}", None


def _swept(point: Point) -> ShownSweep:
    return ShownSweep.of(SweepPlan(point.prediction).sweep({}, lambda _: point.result))


def in_pandas(point: Point) -> dict[str, Any]:
    return {str(name): _item(column.iloc[0]) for name, column in _swept(point).to_pandas().items()}


def in_xarray(point: Point) -> dict[str, Any]:
    data = _swept(point).to_xarray()
    return {str(name): array.item() for name, array in data.variables.items()}


def _item(value: Any) -> Any:
    """Return a scalar of NumPy as Python has it."""
    return value.item() if isinstance(value, np.generic) else value


def asked(point: Point) -> RowsAnswer:
    """Return a row with a column for each quantity that columns may be asked for."""
    wanted = Wanted(tuple(columns(point)))
    entries = row_of(point.result, wanted, whole=True).entries
    return RowsAnswer([point.result], [point.prediction], wanted=wanted, entries=[entries])


def columns(point: Point) -> dict[str, str]:
    """Return the quantities of a result by the names of columns that may be asked for."""
    found: dict[str, str] = {"time": "time", "bound": "bound", "bound.kind": "kind"}
    result = point.result
    alone = (*UNITS, *(f"flops/{name}" for name in result.own))
    metrics = [metric.name for metric in point.prediction.model.metrics]
    if not point.prediction.is_mix:
        found |= {name: name for name in alone}
        found |= {f"ridge.{name}": f"ridge {name}" for name in INTENSITIES}
    found |= {name: f"own {name}" for name in result.own}
    found |= {name: f"work {name}" for name in result.work if name not in (*UNITS, *result.own)}
    found |= {f"time.{name}": f"busy {name}" for name in result.times}
    found |= {f"total.{name}": f"total {name}" for name in result.totals}
    found |= {name: f"tally {name}" for name in result.tallies}
    found |= {name: f"metric {name}" for name in metrics}
    for name, item in result.uncertainty.items():
        found |= {f"{name}.low": f"least {name}", f"{name}.high": f"most {name}"}
        if item.first_order is not None:
            found[f"{name}.first_order"] = f"off {name}"
    own = parameter_columns(point.prediction.model).values()
    return {name: quantity for name, quantity in found.items() if name not in own}


def asked_json(point: Point, written: str) -> Values:
    (row,) = json.loads(written)["rows"]
    yield from _asked_values(point, row)


def asked_csv(point: Point, written: str) -> Values:
    (row,) = csv.DictReader(StringIO(written))
    yield from _asked_values(point, {name: _plain(cell) for name, cell in row.items()})


def _asked_values(point: Point, row: Mapping[str, Any]) -> Values:
    wanted = expected(point)
    for name, quantity in columns(point).items():
        value = row[name]
        if quantity == "bound":
            names = tuple(value.split(" and ")) if value else ()
            yield "ties", names
            yield "bound", names[0] if names else ""
        elif quantity == "kind":
            yield "kind", value or ""
        else:
            yield quantity, value if isinstance(wanted[quantity], bool) else number(value)


def asked_cells(point: Point, rows: Sequence[Sequence[str]]) -> Values:
    """Cells under the names of the columns that were asked for."""
    quantities = columns(point)
    for name, cell in zip(*rows, strict=True):
        yield from _asked_cell(quantities[name], cell)


def asked_markdown(point: Point, page: str) -> Values:
    page = page.replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
    lines = [line for line in page.split("\n") if line.startswith("|")]
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    for quantity, cell in zip(columns(point).values(), cells, strict=True):
        yield from _asked_cell(quantity, cell)


def _asked_cell(quantity: str, cell: str) -> Values:
    if quantity == "bound":
        names = () if cell == "none" else tuple(cell.split(" and "))
        yield "ties", names
        yield "bound", names[0] if names else ""
    elif quantity == "kind":
        yield "kind", cell.removeprefix("none")
    else:
        yield quantity, None if cell == "–" else Shown(cell)


def _plain(cell: str) -> Any:
    """Return a cell of CSV as a truth value, a number, or a text."""
    try:
        return (
            {"true": True, "false": False}.get(cell) if cell in ("true", "false") else Decimal(cell)
        )
    except ArithmeticError:
        return cell


def given(value: Any) -> Value:
    """Return a parameter's value; numbers of JSON and CSV are taken digit by digit."""
    return value if isinstance(value, bool | str) else Given(Fraction(str(value)))


def number(value: Any) -> float | None:
    """Return a number of JSON or CSV: infinity is "inf", what is undefined null or nothing."""
    return math.nan if value in (None, "") else float(value)
