"""Kinds of flops in units: which rate of a machine serves `flops.matrix.bf16` or `flops.fp64`.

A unit is `matrix` (matrix products), `vector` (elementwise work), `special` (exponentials and the
like), or one of a machine's own; a kind is a precision, or whatever a machine calls it. What a
matrix or special unit cannot do, the vector unit does. Nothing else is done by a matrix unit than
what asks for it, or for no unit where the machine states that default.
"""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.model.precision import PRECISIONS
from roofdsl.model.resource import UNITS
from roofdsl.model.types import MachineDefinition, Rate

VECTOR = "vector"


class Asked(NamedTuple):
    """What work asks for: a unit, a kind, or both; "" where it says nothing of it."""

    unit: str
    kind: str


class Serving(NamedTuple):
    """The rate that serves, and why it does where it is not the one asked for."""

    rate: Rate
    note: str


def asked(key: str, machine: MachineDefinition) -> Asked:
    """Return the unit and the kind that a resource such as `flops.matrix.bf16` names."""
    _, first, *rest = key.split(".")
    own = any(rate.key.startswith(f"flops.{first}.") for rate in machine.rates)
    if rest or own or first in UNITS:
        return Asked(first, ".".join(rest))
    return Asked("", first)


def standing_in(key: str, machine: MachineDefinition) -> Serving | None:
    """Return what serves a kind of flops for which the machine states no rate of that name."""
    unit, kind = asked(key, machine)
    if not unit:
        return _of_no_unit(key, kind, machine)
    name = f"'{machine.name}'"
    for other in dict.fromkeys((unit, VECTOR) if unit in UNITS else (unit,)):
        rate = _of_unit(other, kind, machine)
        if rate is not None and other == unit:
            return Serving(rate, f"{key} runs at {rate.key} of {name}")
        if rate is not None:
            return Serving(rate, f"{name} has no {key}: it runs at {rate.key}")
    # A machine of before, or one without units, states kinds alone.
    plain = machine.rate(f"flops.{kind}") if kind and unit in UNITS else None
    if plain is None:
        return None
    return Serving(plain, f"{name} has one rate for {kind} of every unit: {plain.key}")


def served_by_plain(key: str, machine: MachineDefinition) -> str:
    """Return the note that a machine's one rate of flops serves a kind, or kinds of any unit."""
    unit, kind = asked(key, machine)
    served = f"{key} too" if not unit else f"{kind or 'flops'} of every unit"
    return f"'{machine.name}' has one rate for all flops: it serves {served}"


def without_default(key: str, machine: MachineDefinition) -> list[str]:
    """Return the rates of several units for a kind of no unit, none of which is its default."""
    unit, kind = asked(key, machine)
    return [] if unit else [rate.key for rate in _of_kind(kind, machine)]


def of_the_same_size(key: str, machine: MachineDefinition) -> list[str]:
    """Return the precisions as large as that of a kind of flops, which the machine does serve."""
    kind = asked(key, machine).kind
    if kind not in PRECISIONS:
        return []
    whole = kind.startswith("int")
    return [
        other
        for other, size in PRECISIONS.items()
        for name in [f"{key.removesuffix(kind)}{other}"]
        if (size, other.startswith("int")) == (PRECISIONS[kind], whole) and other != kind
        if machine.rate(name) is not None or standing_in(name, machine) is not None
    ]


def serves_all(key: str, machine: MachineDefinition) -> bool:
    """Whether a machine's only rate of a resource serves what names no level, unit or kind."""
    return not key.startswith("flops.") or asked(key, machine).unit in ("", VECTOR)


def _of_no_unit(key: str, kind: str, machine: MachineDefinition) -> Serving | None:
    default = machine.rate(machine.defaults.get(key, ""))
    name = f"'{machine.name}'"
    if default is not None:
        note = f"{key} of no stated unit runs at the default of {name} for {kind}: {default.key}"
        return Serving(default, note)
    rates = _of_kind(kind, machine)
    if len(rates) == 1 and asked(rates[0].key, machine).unit == VECTOR:
        note = f"{key} of no stated unit runs at the only rate of {name} for {kind}: {rates[0].key}"
        return Serving(rates[0], note)
    return None


def _of_kind(kind: str, machine: MachineDefinition) -> list[Rate]:
    rates = [rate for rate in machine.rates if rate.resource.name == "flops" and "." in rate.key]
    return [rate for rate in rates if asked(rate.key, machine).kind == kind]


def _of_unit(unit: str, kind: str, machine: MachineDefinition) -> Rate | None:
    """Return the rate of a unit for a kind: its own, that of all kinds, or the default of none."""
    for key in (f"flops.{unit}.{kind}" if kind else "", f"flops.{unit}"):
        if (rate := machine.rate(key)) is not None:
            return rate
    if kind:
        return None
    inside = [rate for rate in machine.rates if rate.key.startswith(f"flops.{unit}.")]
    default = machine.defaults.get("flops", "")
    chosen = [rate for rate in inside if rate.key == default] or inside
    return chosen[0] if len(chosen) == 1 else None
