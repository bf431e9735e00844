"""Machines as tables: rates, devices, capacities, ridge points."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.result import Ridge, machine_rates, machine_ridge
from roofdsl.answer.blocks import (
    Cell,
    Code,
    Column,
    Quantity,
    Table,
    Written,
    label,
    tabular,
)
from roofdsl.answer.cells import ridge_cell
from roofdsl.diagnostic import RoofError
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import Number
from roofdsl.model.types import MachineDefinition, Rate
from roofdsl.units.dimension import DIMENSIONLESS, SECOND


def machine_tables(machine: MachineDefinition) -> tuple[list[Table], str]:
    """Return a machine's tables; and, where its rates have no values, why."""
    try:
        values, ridge, problem = machine_rates(machine), machine_ridge(machine), ""
    except RoofError as error:
        values, ridge = {}, Ridge(None, None, None)
        problem = " ".join(found.message for found in error.diagnostics)
    tables = [*_rates(machine, machine.name, machine.name, "rates", values)]
    if machine.devices:
        rows: list[list[Cell]] = [["device", "machine", ""]]
        for name, device in machine.devices.items():
            rows.append([name, device.name, device.doc.partition("\n")[0]])
        place = label(machine.name, "devices")
        tables.append(tabular(f"Devices of {machine.name}", place, rows, head="devices"))
    for name, device in machine.devices.items():
        own = {} if problem else machine_rates(device)
        title = f"device {name}: {device.name}"
        tables += _rates(device, f"its {name}, {device.name}", f"{machine.name}-{name}", title, own)
    return [*tables, *_capacities(machine), *ridge_table(ridge, machine.name)], problem


def _rates(
    machine: MachineDefinition, title: str, place: str, head: str, values: dict[str, float]
) -> Iterator[Table]:
    rows: list[list[Cell]] = []
    for rate in machine.rates:
        default = "default" if rate.key in machine.defaults.values() else ""
        rows.append([rate.key, rate_cell(rate, values.get(rate.key)), default, rate.doc])
    if rows:
        headings = ("resource", Column("rate", align="right"), "", Column("", wide=True))
        place = label(place, "rates")
        yield tabular(f"Rates of {title}", place, rows, headings=headings, head=head)


def _capacities(machine: MachineDefinition) -> Iterator[Table]:
    rows: list[list[Cell]] = [["resource", "capacity"]]
    for item in machine.capacities:
        value = constant(item.formula.tree)
        shown: Cell = Written(" ".join(item.span.text.partition("=")[2].split()), item.formula.tree)
        if value is not None:
            shown = Quantity(float(value), item.formula.dimension)
        rows.append([item.key, shown])
    if machine.capacities:
        place = label(machine.name, "capacities")
        yield tabular(f"Capacities of {machine.name}", place, rows, head="capacities")


def ridge_table(ridge: Ridge, place: str, head: str = "ridge points") -> Iterator[Table]:
    """Yield the table of a machine's ridge points, if it has any."""
    rows: list[list[Cell]] = [["ridge point", "value", "quotient of"]]
    for name, (above, below) in INTENSITIES.items():
        if getattr(ridge, name) is not None:
            rows.append([f"{name}*", ridge_cell(ridge, name), f"{above} rate / {below} rate"])
    if len(rows) > 1:
        yield tabular(f"Ridge points of {place}", label(place, "ridges"), rows, head=head)


def rate_cell(rate: Rate, value: float | None) -> Cell:
    """Return a rate as the machine's file has it: 1.2 GB/s, or as a latency, 2 µs/message."""
    if rate.value is None:
        return "unlimited"
    if value is None:
        return Code(" ".join(rate.span.text.partition("=")[2].split()))
    unit = rate.resource.dimension / SECOND
    relative = rate.uncertainty
    uncertainty = float(relative.value) if isinstance(relative, Number) else None
    if rate.inverse:
        return Quantity(1 / value, DIMENSIONLESS / unit, uncertainty=uncertainty)
    return Quantity(value, unit, uncertainty=uncertainty)
