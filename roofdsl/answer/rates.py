"""Machines as tables: rates, devices, capacities, ridge points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from roofdsl.analysis.intensity import intensity_units, quotient_of
from roofdsl.analysis.machine_ridge import machine_own, machine_ridge
from roofdsl.analysis.rates import bind_machine, machine_rates
from roofdsl.analysis.ridge import Ridge
from roofdsl.answer.blocks import Table, label, listed
from roofdsl.answer.cells import Cell, Code, Column, Printed, Quantity, right_side
from roofdsl.answer.result_cells import ridge_cell
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import Capacity, Energy, Formula, MachineDefinition, Rate, Standing
from roofdsl.model.varying import OperationRate
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, JOULE, SECOND, Dimension
from roofdsl.units.quantity import show_binary, show_number

_HOUR = 3600
_OF_BALANCE = {
    "energy": "{below} energy / {above} energy",
    "effective": "half the {above} per joule, constant power with it",
}


_BINARY = re.compile(r"\d[ \t]*[KMGTPE]iB(?!\w)")


def machine_tables(machine: MachineDefinition) -> tuple[list[Table], str]:
    """Return a machine's tables; and, where its rates have no values, why."""
    try:
        values, ridge, problem = machine_rates(machine), machine_ridge(machine), ""
    except RoofError as error:
        values, ridge = {}, Ridge(None, None, None)
        problem = " ".join(found.message for found in error.diagnostics)
    name = machine.name
    tables = [*_rates(machine, name, name, "rates", values)]
    tables += [*_startups(machine, name, "start-up"), *tariff_table(machine, name)]
    tables += _joined(machine, name)
    devices = [
        (key, device.name, device.doc.partition("\n")[0]) for key, device in machine.devices.items()
    ]
    tables += listed("Devices", name, ("device", "machine", ""), devices)
    for key, device in machine.devices.items():
        own = {} if problem else machine_rates(device)
        title = f"device {key}: {device.name}"
        tables += _rates(device, f"its {key}, {device.name}", f"{name}-{key}", title, own)
        tables += _startups(device, f"{name} {key}", f"start-up of {key}")
        tables += tariff_table(device, f"{name} {key}", f"energy and money of {key}")
        tables += _joined(device, f"{name} {key}")
        tables += _capacities(device, f"{name} {key}", f"capacities of {key}")
    tables += [*_capacities(machine, name), *ridge_table(ridge, name, machine_own(machine))]
    return tables, problem


def _joined(machine: MachineDefinition, name: str) -> Iterator[Table]:
    """Yield what of a machine adds up, and which of its units run at once."""
    rows = [("add up", ", ".join(names)) for names in machine.serial]
    rows += [("run at once", ", ".join(machine.concurrent))] if machine.concurrent else []
    yield from listed("Overlap", name, ("", ""), rows)


def _rates(
    machine: MachineDefinition, title: str, place: str, head: str, values: dict[str, float]
) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    made = {item.key: "added" if item.added else "changed" for item in machine.changes}
    for rate in machine.rates:
        marks = ["default"] if rate.key in machine.defaults.values() else []
        marks += [made[rate.key]] if rate.key in made else []
        rows.append((rate.key, rate_cell(rate, values.get(rate.key)), ", ".join(marks), rate.doc))
        if rate.parameters and rate.key in values:
            rows.append((called(rate), Code(right_side(rate.span)), "", ""))
    for own in machine.operation_rates:
        rows.append((called(own), Code(right_side(own.span)), "", own.doc))
    headings = ("resource", Column("rate", align="right"), "", Column("", wide=True))
    return listed("Rates", title, headings, rows, place=label(place, "rates"), head=head)


def tariff_table(
    machine: MachineDefinition, place: str, head: str = "energy and money"
) -> Iterator[Table]:
    """Yield the table of what a machine states of energy and money, if it states anything."""
    binding, _ = bind_machine(machine)
    stated: list[tuple[str, Formula, Energy | Standing]] = [
        (f"energy {item.key}", Formula(item.value, JOULE / item.resource.dimension), item)
        for item in machine.energies
    ]
    standing = [item for item in (machine.power, machine.price) if item is not None]
    stated += [(item.name, item.formula, item) for item in standing]
    rows: list[tuple[Cell, ...]] = []
    for name, formula, item in stated:
        off = _relative(item.uncertainty)
        try:
            value = evaluate(binding.expand(formula.tree), {})
            cell: Cell = _as_stated(value, formula.dimension, off)
            if item is machine.price:
                money = formula.dimension * SECOND if formula.dimension.powers else ""
                spread = f" ± {show_number(value * _HOUR * off, 3)}" if off else ""
                cell = Printed(f"{show_number(value * _HOUR)}{spread} {money}/h" if money else "0")
        except EvaluationError:
            cell = Code(right_side(item.span))
        rows.append((name, cell, item.doc))
    headings = ("", Column("of one process", align="right"), Column("", wide=True))
    return listed("Energy and money", place, headings, rows, head=head)


def _capacities(machine: MachineDefinition, place: str, head: str = "") -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    binding, _ = bind_machine(machine)
    for item in machine.capacities:
        try:
            tree = binding.expand(item.formula.tree)
            rows.append((item.key, _held(item, evaluate(tree, {}))))
        except EvaluationError:  # a parameter has no value, or it is beyond what a float holds
            rows.append((item.key, Code(right_side(item.span))))
    return listed("Capacities", place, ("resource", "capacity"), rows, head=head)


def _held(item: Capacity, value: float) -> Cell:
    """Return what a resource holds, with a binary prefix where it was written with one: 64 GiB."""
    off = _relative(item.uncertainty)
    if item.formula.dimension == BYTE and _BINARY.search(item.span.text):
        return Printed(show_binary(value)) if off is None else Code(right_side(item.span))
    return _as_stated(value, item.formula.dimension, off)


def _relative(uncertainty: Expression | None) -> float | None:
    """Return how far a number may be off, relative to it."""
    return float(uncertainty.value) if isinstance(uncertainty, Number) else None


def _as_stated(value: float, unit: Dimension, off: float | None) -> Quantity:
    """Return a number; one that may be off has more digits, as it is written."""
    return Quantity(value, unit) if off is None else Quantity(value, unit, 6, off)


def ridge_table(
    ridge: Ridge, place: str, own: Mapping[str, Dimension], head: str = ""
) -> Iterator[Table]:
    """Yield the table of a machine's ridge points, if it has any.

    `own` are the units of work on the resources that files declare.
    """
    rows = [
        (f"{name}*", ridge_cell(ridge, name, own), " / ".join(map(_rate, quotient_of(name))))
        for name in intensity_units(own)
        if ridge.of(name) is not None
    ]
    for which, balance in (("energy", ridge.energy), ("effective", ridge.effective)):
        for name, unit in intensity_units(own).items():
            value = None if balance is None else balance.of(name)
            if value is not None:
                above, below = quotient_of(name)
                of = _OF_BALANCE[which].format(above=above, below=below)
                rows.append((f"{name}* {which}", Quantity(value, unit), of))
    headings = ("ridge point", "value", "quotient of")
    return listed("Ridge points", place, headings, rows, place=label(place, "ridges"), head=head)


def _rate(resource: str) -> str:
    return f"{resource} rate"


def rate_cell(rate: Rate, value: float | None) -> Cell:
    """Return a rate as the machine's file has it: 1.2 GB/s, or as a latency, 2 µs/message."""
    if rate.value is None:
        return "unlimited"
    if value is None:
        return Code(right_side(rate.span))
    unit = rate.resource.dimension / SECOND
    if rate.parameters:
        amount, unit = (1 / value, DIMENSIONLESS / unit) if rate.inverse else (value, unit)
        return Quantity(amount, unit, remark="for large work")
    uncertainty = _relative(rate.uncertainty)
    if rate.inverse:
        return _as_stated(1 / value, DIMENSIONLESS / unit, uncertainty)
    return _as_stated(value, unit, uncertainty)


def called(rate: Rate | OperationRate) -> str:
    """Return what a rate by the work, or of an operation, is called: `flops(w)`."""
    return f"{rate.name}({', '.join(rate.parameters)})"


def _startups(machine: MachineDefinition, place: str, head: str) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    binding, _ = bind_machine(machine)
    for item in machine.startups:
        try:
            value, off = evaluate(binding.expand(item.value), {}), _relative(item.uncertainty)
            cell: Cell = _as_stated(value, SECOND, off)
        except EvaluationError:  # a parameter has no value, or it is beyond what a float holds
            cell = Code(right_side(item.span))
        rows.append((item.key or "each kernel", cell, item.doc))
    headings = ("of", Column("time", align="right"), Column("", wide=True))
    return listed("Start-up", place, headings, rows, head=head)
