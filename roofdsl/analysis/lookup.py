"""Look up the measured time of an operation in a machine's table."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.measured import nearest
from roofdsl.model.types import MachineDefinition, MeasuredTable, Operation
from roofdsl.units.dimension import DIMENSIONLESS
from roofdsl.units.quantity import show_exact


class Found(NamedTuple):
    """A measured time [s]; None where the table cannot serve, and why in `note`."""

    time: Number | None
    note: str | None = None


def look_up(
    operation: Operation, arguments: dict[str, Expression], machine: MachineDefinition
) -> Found | Diagnostic:
    """Return the measured time of an operation with these arguments.

    A machine that has not measured it, or arguments that are not numbers yet, leave the work to the
    machine's roof, with a note. A missing entry is an error that names the nearest ones, unless the
    table allows interpolation.
    """
    entries = machine.tables.get(operation.name)
    if entries is None:
        return Found(None, f"'{machine.name}' has not measured {operation.name}: its roof is used")
    if set(arguments) != set(entries.parameters):
        known, given = ", ".join(entries.parameters), ", ".join(arguments)
        message = f"{operation.name} of '{machine.name}' is measured by {known}, not by {given}"
        labels = (Label(operation.span), Label(entries.span, "measured here"))
        hint = f"write `as {operation.name}({', '.join(f'{p} = …' for p in entries.parameters)})`"
        return Diagnostic("R0506", message, labels, hint)
    values = [arguments[name] for name in entries.parameters]
    if not all(isinstance(value, Number) for value in values):
        note = f"measured {operation.name} needs numbers for its arguments: the roof is used"
        return Found(None, note)
    key = tuple(value.value for value in values if isinstance(value, Number))
    if key in entries.times:
        return Found(Number(entries.times[key]))
    between = _interpolated(entries, key) if entries.interpolate else None
    if between is not None:
        return between
    near = "; ".join(f"({_shown(entries, other)})" for other in nearest(entries, key))
    how = "" if entries.interpolate else ", or let the table `interpolate`"
    message = f"'{machine.name}' has not measured {operation.name}({_shown(entries, key)})"
    labels = (Label(operation.span, "asked for here"), Label(entries.span, "the table"))
    return Diagnostic("R0507", message, labels, f"the nearest entries are {near}{how}")


def _interpolated(entries: MeasuredTable, key: tuple[Fraction, ...]) -> Found | None:
    """Interpolate along one argument, the others being measured: a power law between neighbours."""
    for place in range(len(key)):
        others = key[:place] + key[place + 1 :]
        line = sorted(
            (measured[place], time)
            for measured, time in entries.times.items()
            if measured[:place] + measured[place + 1 :] == others
        )
        below = [entry for entry in line if entry[0] < key[place]]
        above = [entry for entry in line if entry[0] > key[place]]
        if below and above:
            (x0, t0), (x1, t1) = below[-1], above[0]
            part = math.log(float(key[place] / x0)) / math.log(float(x1 / x0))
            time = float(t0) * float(t1 / t0) ** part
            name = entries.parameters[place]
            note = (
                f"{entries.name}({_shown(entries, key)}) is interpolated between "
                f"{name} = {_plain(x0)} and {name} = {_plain(x1)}"
            )
            return Found(Number(Fraction(time)), note)
    return None


def _shown(entries: MeasuredTable, key: tuple[Fraction, ...]) -> str:
    pairs = zip(entries.parameters, key, strict=True)
    return ", ".join(f"{name} = {_plain(value)}" for name, value in pairs)


def _plain(value: Fraction) -> str:
    return show_exact(value, DIMENSIONLESS)
