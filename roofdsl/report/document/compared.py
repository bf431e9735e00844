"""Tables that put models and machines beside one another: rates, formulas, results."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.analysis.counting import total_work
from roofdsl.analysis.intensity import INTENSITIES, is_zero
from roofdsl.analysis.result import Result, machine_rates, machine_ridge
from roofdsl.expression.construct import divide
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.report.document.content import Cell, Column, Quantity, Table, label
from roofdsl.report.document.forms import formula_cell
from roofdsl.report.document.rates import rate_cell
from roofdsl.report.numeric import INTENSITY_UNITS
from roofdsl.report.table import COLUMNS

RESULT_COLUMNS = (*(name for name, _ in COLUMNS), "bound")


def rate_table(machines: Sequence[MachineDefinition]) -> Table:
    """Return the rates of machines, a row each, and their ridge points."""
    keys = list(dict.fromkeys(rate.key for machine in machines for rate in machine.rates))
    rows: list[tuple[Cell, ...]] = []
    for machine in machines:
        values, ridge = machine_rates(machine), machine_ridge(machine)
        cells: list[Cell] = [machine.name]
        for key in keys:
            rate = machine.rate(key)
            cells.append("–" if rate is None else rate_cell(rate, values.get(key)))
        for name, unit in INTENSITY_UNITS.items():
            corner = getattr(ridge, name)
            cells.append("–" if corner is None else Quantity(corner, unit))
        rows.append(tuple(cells))
    columns = (
        Column("Machine"),
        *(Column(key, align="right") for key in keys),
        *(Column(f"{name}*", align="right") for name in INTENSITY_UNITS),
    )
    names = ", ".join(machine.name for machine in machines)
    return Table(f"Rates and ridge points of {names}", label("rates", names), columns, tuple(rows))


def intensity_formulas(models: Sequence[ModelDefinition]) -> Table:
    """Return the intensities of models as formulas, work over work as written."""
    rows: list[tuple[Cell, ...]] = []
    for model in models:
        cells: list[Cell] = [model.name]
        for above, below in INTENSITIES.values():
            work, other = total_work(model, above), total_work(model, below)
            cells.append("–" if is_zero(other) else formula_cell(divide(work, other)))
        rows.append(tuple(cells))
    columns = (
        Column("Model"),
        *(Column(name, "" if str(u) == "1" else str(u)) for name, u in INTENSITY_UNITS.items()),
    )
    names = ", ".join(model.name for model in models)
    return Table(f"Intensities of {names}", label("intensities", names), columns, tuple(rows))


def result_table(
    results: Sequence[Result], settings: Sequence[str], columns: Sequence[str]
) -> Table:
    """Return results, a row each, with the columns asked for, of `RESULT_COLUMNS`."""
    units = dict(COLUMNS)
    rows: list[tuple[Cell, ...]] = []
    for result, setting in zip(results, settings, strict=True):
        cells: list[Cell] = [result.model, result.machine, setting]
        for name in columns:
            if name == "bound":
                cells.append(" and ".join(result.ties) or "none")
            else:
                cells.append(Quantity(getattr(result, name), units[name]))
        rows.append(tuple(cells))
    headings = [Column("Model"), Column("Machine"), Column("At")]
    headings += [Column(name, align="left" if name == "bound" else "right") for name in columns]
    models = ", ".join(dict.fromkeys(result.model for result in results))
    machines = ", ".join(dict.fromkeys(result.machine for result in results))
    title = f"{models} on {machines}"
    return Table(title, label(title), tuple(headings), tuple(rows))
