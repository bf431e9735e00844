"""Machines as tables: rates, devices, capacities, ridge points."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.result import Ridge, machine_rates, machine_ridge
from roofdsl.diagnostic import RoofError
from roofdsl.expression.constant import constant
from roofdsl.expression.tree import Number
from roofdsl.model.types import MachineDefinition, Rate
from roofdsl.report.document.content import (
    Cell,
    Code,
    Column,
    Quantity,
    Table,
    label,
    used_columns,
)
from roofdsl.report.document.parameters import parameter_table, statements_table
from roofdsl.report.numeric import INTENSITY_UNITS
from roofdsl.units.dimension import DIMENSIONLESS, SECOND


def machine_tables(machine: MachineDefinition) -> tuple[tuple[Table, ...], str]:
    """Return a machine's tables; and, where its rates have no values, why."""
    try:
        values, ridge, problem = machine_rates(machine), machine_ridge(machine), ""
    except RoofError as error:
        values, ridge = {}, Ridge(None, None, None)
        problem = " ".join(found.message for found in error.diagnostics)
    tables = [
        *parameter_table(machine.parameters, machine.name),
        *statements_table("Intermediates", machine.name, machine.intermediates),
        *_rates(machine, machine.name, machine.name, values),
        *_devices(machine, failed=bool(problem)),
        *_capacities(machine),
        *ridge_table(ridge, machine.name),
    ]
    return tuple(tables), problem


def _rates(
    machine: MachineDefinition, title: str, place: str, values: dict[str, float]
) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for rate in machine.rates:
        default = "default" if rate.key in machine.defaults.values() else ""
        rows.append((rate.key, rate_cell(rate, values.get(rate.key)), default, rate.doc))
    if rows:
        columns = (
            Column("Resource"),
            Column("Rate", align="right"),
            Column(""),
            Column("", wide=True),
        )
        yield Table(f"Rates of {title}", label(place, "rates"), *used_columns(columns, rows))


def _devices(machine: MachineDefinition, *, failed: bool) -> Iterator[Table]:
    for name, device in machine.devices.items():
        values = {} if failed else machine_rates(device)
        yield from _rates(device, f"its {name}, {device.name}", f"{machine.name}-{name}", values)


def _capacities(machine: MachineDefinition) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for item in machine.capacities:
        value = constant(item.formula.tree)
        shown: Cell = item.formula.tree
        if value is not None:
            shown = Quantity(float(value), item.formula.dimension)
        rows.append((item.key, shown))
    if rows:
        columns = (Column("Resource"), Column("Capacity", align="right"))
        yield Table(
            f"Capacities of {machine.name}",
            label(machine.name, "capacities"),
            columns,
            tuple(rows),
        )


def ridge_table(ridge: Ridge, place: str) -> Iterator[Table]:
    """Yield the table of a machine's ridge points, if it has any."""
    rows: list[tuple[Cell, ...]] = []
    for name, (above, below) in INTENSITIES.items():
        corner = getattr(ridge, name)
        if corner is not None:
            shown = Quantity(corner, INTENSITY_UNITS[name])
            rows.append((f"{name}*", shown, f"{above} rate / {below} rate"))
    if rows:
        columns = (Column("Ridge point"), Column("Value", align="right"), Column("Quotient of"))
        yield Table(f"Ridge points of {place}", label(place, "ridges"), columns, tuple(rows))


def rate_cell(rate: Rate, value: float | None) -> Cell:
    """Return a rate as the machine's file has it: 1.2 GB/s, or as a latency, 2 µs/message."""
    if rate.value is None:
        return "unlimited"
    if value is None:
        return Code(" ".join(rate.span.text.partition("=")[2].split()))
    unit = rate.resource.dimension / SECOND
    if rate.inverse:
        return Quantity(1 / value, DIMENSIONLESS / unit)
    if isinstance(rate.uncertainty, Number):
        return Quantity(value, unit, uncertainty=float(rate.uncertainty.value))
    return Quantity(value, unit)
