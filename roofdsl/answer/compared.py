"""Tables that put models and machines beside one another: rates, formulas, results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from roofdsl.algebra.leading import spend_on_forms
from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.counting import total_works
from roofdsl.analysis.intensity import intensity_units, is_zero, quotient_of
from roofdsl.analysis.machine_ridge import machine_own, machine_ridge
from roofdsl.analysis.rates import machine_rates
from roofdsl.answer.blocks import Block, Table, label, tabular
from roofdsl.answer.cells import (
    ELLIPSIS,
    LEFT_OUT,
    NOTHING,
    Cell,
    Code,
    Column,
    Printed,
    Quantity,
    Written,
    too_long,
)
from roofdsl.answer.columns import Entry, Row, why_missing
from roofdsl.answer.forms import unit_text
from roofdsl.answer.head import opening, units
from roofdsl.answer.plain import Json, number
from roofdsl.answer.rates import rate_cell
from roofdsl.answer.result_cells import ridge_cell
from roofdsl.answer.row_notes import row_notes
from roofdsl.answer.wanted import Best
from roofdsl.expression.construct import divide
from roofdsl.model.results import own_resources
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.typeset.text import text
from roofdsl.units.dimension import Dimension


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """One table."""

    table: Table

    def values(self) -> dict[str, Json]:
        return {
            **opening("table"),
            "caption": self.table.caption,
            "rows": [*self.rows()],
            "notes": [*self.table.notes],
            "units": units({"rows": self._units()}),
        }

    def _units(self) -> dict[str, Dimension]:
        """Return the unit of each column that has numbers."""
        return {
            name: cell.dimension
            for row in self.table.rows
            for name, cell in zip(self._names(), row, strict=True)
            if isinstance(cell, Quantity)
        }

    def _names(self) -> list[str]:
        """Return the names of the columns; what is shown as printed has its unit beside it."""
        found = []
        for place, column in enumerate(self.table.columns):
            as_printed = any(isinstance(row[place], Printed) for row in self.table.rows)
            unit = f" [{column.unit}]" if as_printed and column.unit else ""
            found.append(f"{cell_value(column.heading)}{unit}")
        return found

    def rows(self) -> list[dict[str, Json]]:
        names, rows = self._names(), self.table.rows
        return [dict(zip(names, map(cell_value, row), strict=True)) for row in rows]

    def blocks(self) -> list[Block]:
        return [self.table]


def cell_value(cell: Cell) -> Json:
    """Return a cell as a plain value: a number in SI base units, a formula in the language.

    >>> cell_value(Quantity(22e9)), cell_value("karst")
    (22000000000.0, 'karst')
    """
    match cell:
        case Quantity():
            return number(cell.value)
        case Printed() | Code() | Written():
            return cell.text
        case str():
            return None if cell == NOTHING else cell
    return text(cell)


def rate_table(machines: Sequence[MachineDefinition]) -> Table:
    """Return the rates of machines, a row each, and their ridge points."""
    keys = list(dict.fromkeys(rate.key for machine in machines for rate in machine.rates))
    own = {name: unit for machine in machines for name, unit in machine_own(machine).items()}
    rows: list[list[Cell]] = [["machine", *keys, *(f"{name}*" for name in intensity_units(own))]]
    for machine in machines:
        values, ridge = machine_rates(machine), machine_ridge(machine)
        rates = {rate.key: rate_cell(rate, values.get(rate.key)) for rate in machine.rates}
        corners = (ridge_cell(ridge, name, own) for name in intensity_units(own))
        rows.append([machine.name, *(rates.get(key, NOTHING) for key in keys), *corners])
    names = ", ".join(machine.name for machine in machines)
    notes = tuple(machine.altered for machine in machines if machine.altered)
    return tabular(f"Rates and ridge points of {names}", label("rates", names), rows, notes=notes)


def intensity_formulas(models: Sequence[ModelDefinition]) -> Table:
    """Return the intensities of models as formulas, common factors of the works cancelled."""
    own = own_resources(*models)
    named = intensity_units(own)
    columns = (Column(name, unit_text(unit)) for name, unit in named.items())
    rows: list[list[Cell]] = []
    for model in models:
        cells: list[Cell] = [model.name]
        work = total_works(model, chain(*map(quotient_of, named)))
        for above, below in map(quotient_of, named):
            if is_zero(work[below]):
                cells.append(NOTHING)
                continue
            tree = divide(work[above], work[below])
            spend_on_forms(tree)
            shortest = simplify_ratio(tree)
            cells.append(ELLIPSIS if too_long(shortest) else shortest)
        rows.append(cells)
    names = ", ".join(model.name for model in models)
    place = label("intensities", names)
    notes = (LEFT_OUT,) if any(ELLIPSIS in row for row in rows) else ()
    title = f"Intensities of {names}"
    return tabular(title, place, rows, headings=("model", *columns), notes=notes)


def result_table(
    rows: Sequence[Row],
    settings: Sequence[str],
    columns: Sequence[str],
    best: Best | None = None,
    left_out: Sequence[str] = (),
) -> Table:
    """Return results, a row each, with the columns asked for; `left_out` is told as notes."""
    nothing = Entry(NOTHING)
    lines: list[list[Cell]] = [["model", "machine", "at", *columns]]
    for row, setting in zip(rows, settings, strict=True):
        cells = [row.entries.get(name, nothing).cell for name in columns]
        lines.append([row.result.model, row.result.machine, setting, *cells])
    results = [row.result for row in rows]
    models = ", ".join(dict.fromkeys(result.model for result in results))
    machines = ", ".join(dict.fromkeys(result.machine for result in results))
    title = f"{models} on {machines}"
    place = label(title)
    notes = [*row_notes(results), *why_missing(rows, columns)]
    if best is not None:
        title, notes = f"{title}, {best.words}", [*notes, *best.notes()]
    return tabular(title, place, lines, notes=(*notes, *left_out))
