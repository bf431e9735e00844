"""Many results: a table of rows, side by side, CSV or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO

from roofdsl.analysis.binding import show_value
from roofdsl.analysis.convention import Convention
from roofdsl.analysis.result import Result
from roofdsl.model.types import ModelDefinition
from roofdsl.report.columns import aligned
from roofdsl.report.convention import show_count
from roofdsl.report.json_value import Json, number
from roofdsl.report.numeric import document
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_quantity

COLUMNS: tuple[tuple[str, Dimension], ...] = (
    ("flops", FLOP),
    ("memory", BYTE),
    ("network", BYTE),
    ("OI", FLOP / BYTE),
    ("CAI", FLOP / BYTE),
    ("MI", DIMENSIONLESS),
    ("time", SECOND),
    ("attainable", FLOP / SECOND),
)


def as_text(
    results: Sequence[Result],
    swept: Sequence[str],
    model: ModelDefinition,
    conventions: Sequence[Convention] = (),
) -> str:
    """Return one row a result: the machine, what was varied, intensities, time, the bound."""
    title, rows = result_rows(results, swept, model, conventions)
    return f"{title}\n\n{aligned(rows)}"


def result_rows(
    results: Sequence[Result],
    swept: Sequence[str],
    model: ModelDefinition,
    conventions: Sequence[Convention] = (),
) -> tuple[str, list[list[str]]]:
    """Return what all results have in common, and the rows, headings first."""
    left_out = ("memory", "network", *(["flops"] if conventions else []))
    columns = [(name, dimension) for name, dimension in COLUMNS if name not in left_out]
    counted = [item.name for item in conventions]
    several = len({result.machine for result in results}) > 1
    header = [*(["machine"] if several else []), *swept, *counted]
    header += [*(name for name, _ in columns), "bound"]
    rows = [header]
    for result in results:
        cells = [result.machine] if several else []
        cells += [_parameter(result, name, model) for name in swept]
        cells += [show_count(result.count(item.name), item) for item in conventions]
        cells += [show_quantity(getattr(result, name), unit) for name, unit in columns]
        rows.append([*cells, " and ".join(result.ties) or "none"])
    first = results[0]
    machines = "" if several else f" on {first.machine}"
    fixed = [
        f"{name} = {_parameter(first, name, model)}"
        for name in first.parameters
        if name not in swept
    ]
    return f"{model.name}{machines}   {', '.join(fixed)}".rstrip(), rows


def side_by_side(
    results: Sequence[Result], model: ModelDefinition, conventions: Sequence[Convention] = ()
) -> str:
    """Return one column a machine, for one point on several machines."""
    title, rows = machine_rows(results, model, conventions)
    return f"{title}\n\n{aligned(rows)}"


def machine_rows(
    results: Sequence[Result], model: ModelDefinition, conventions: Sequence[Convention] = ()
) -> tuple[str, list[list[str]]]:
    """Return what all results have in common, and the rows of one column a machine."""
    rows = [["", *(result.machine for result in results)]]
    for name, dimension in COLUMNS:
        rows.append([name, *(show_quantity(getattr(r, name), dimension) for r in results)])
    for item in conventions:
        counts = (show_count(result.count(item.name), item) for result in results)
        rows.append([f"counted as {item.name}", *counts])
    for name in ("OI", "CAI", "MI"):
        unit = dict(COLUMNS)[name]
        corners = [getattr(result.ridge, name) for result in results]
        shown = ["–" if corner is None else show_quantity(corner, unit) for corner in corners]
        rows.append([f"{name}* (ridge)", *shown])
    rows.append(["bound", *(" and ".join(result.ties) or "none" for result in results)])
    settings = [f"{n} = {_parameter(results[0], n, model)}" for n in results[0].parameters]
    return f"{model.name}   {', '.join(settings)}".rstrip(), rows


def as_csv(
    results: Sequence[Result],
    _swept: Sequence[str],
    _model: ModelDefinition,
    conventions: Sequence[Convention] = (),
) -> str:
    """Return CSV: every parameter and quantity in SI base units, one row a result."""
    output = StringIO()
    writer = csv.writer(output, lineterminator="\n")
    quantities = [name for name, _ in COLUMNS]
    counted = [f"counted_{item.name}" for item in conventions]
    head = ["model", "machine", *results[0].parameters, *quantities, "bound", *counted]
    writer.writerow(head)
    for result in results:
        settings = [_plain(value) for value in result.parameters.values()]
        numbers = [_plain(getattr(result, name)) for name in quantities]
        counts = [_plain(result.count(item.name)) for item in conventions]
        bound = result.bound or ""
        writer.writerow([result.model, result.machine, *settings, *numbers, bound, *counts])
    return output.getvalue().rstrip("\n")


def as_json(
    results: Sequence[Result],
    _swept: Sequence[str],
    _model: ModelDefinition,
    conventions: Sequence[Convention] = (),
) -> str:
    """Return a JSON list with one answer a result, each like that of a single evaluation."""
    answers: list[Json] = [document(result, conventions) for result in results]
    return json.dumps(answers, indent=2, ensure_ascii=False, allow_nan=False)


def _parameter(result: Result, name: str, model: ModelDefinition) -> str:
    parameter = next(item for item in model.parameters if item.name == name)
    return show_value(result.named[name], parameter)


def _plain(value: object) -> str:
    if isinstance(value, bool | str):
        return str(value).lower() if isinstance(value, bool) else value
    assert isinstance(value, float | int)
    shown = number(float(value))
    if shown is None:
        return ""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else str(shown)
