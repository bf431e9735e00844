"""Plain values for JSON, which has neither infinity nor NaN, and no formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from roofdsl.expression.tree import Expression
from roofdsl.typeset.text import text
from roofdsl.units.dimension import Dimension

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Told: TypeAlias = Json | Expression | Dimension | Sequence["Told"] | Mapping[str, "Told"]
"""What has a plain value: formulas and units are told as texts."""


def number(value: float | None) -> Json:
    """Return a number for JSON: infinity as "inf", what is undefined as null.

    >>> number(1.5), number(math.inf), number(math.nan)
    (1.5, 'inf', None)
    """
    if value is None or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def numbers(table: Mapping[str, float | None]) -> dict[str, Json]:
    """Return numbers by name for JSON."""
    known = (value for value in table.values() if value is not None)
    if all(map(math.isfinite, known)):  # as nearly always: then JSON has them all
        return {**table}
    return {name: number(value) for name, value in table.items()}


def as_json(value: Told) -> Json:
    """Return a value for JSON, with all that is inside it.

    >>> as_json({"ties": ("memory", "flops"), "time": math.inf})
    {'ties': ['memory', 'flops'], 'time': 'inf'}
    """
    match value:
        case float():
            return number(value)
        case None | bool() | int() | str():
            return value
        case Dimension():
            return str(value)
        case tuple():  # found ten times as fast as any sequence
            return [as_json(item) for item in value]
        case Mapping():
            return {name: as_json(item) for name, item in value.items()}
        case Sequence():
            return [as_json(item) for item in value]
    return text(value)


def fields_of(item: object, *names: str) -> dict[str, Json]:
    """Return some fields of a record for JSON, under their own names."""
    return {name: as_json(getattr(item, name)) for name in names}


def inside(values: Mapping[str, Json], name: str) -> dict[str, Json]:
    """Return the plain values under a name, none where there are none."""
    found = values.get(name)
    return found if isinstance(found, dict) else {}
