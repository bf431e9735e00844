"""What a model costs by one convention to count operations or another."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.analysis.convention import Convention
from roofdsl.analysis.result import Result
from roofdsl.report.columns import aligned, indented
from roofdsl.report.json_value import Json, number
from roofdsl.units.dimension import FLOP
from roofdsl.units.quantity import show_quantity


def show_count(value: float, convention: Convention) -> str:
    """Return a count with its unit and the prefix that people give it.

    >>> from roofdsl.analysis.convention import convention_named
    >>> show_count(4.089e9, convention_named("mac")), show_count(0, convention_named("fma"))
    ('4.089 GMAC', '0 op')
    """
    amount, _, unit = show_quantity(value, FLOP).partition(" ")
    return f"{amount} {unit[: -len('flop')]}{convention.unit}"


def counts_text(result: Result, conventions: Sequence[Convention]) -> str:
    """Return a line for each convention: its name, the cost, and what it counts."""
    rows = [
        [item.name, show_count(result.count(item.name), item), item.meaning] for item in conventions
    ]
    return indented(aligned([["counted as", "", ""], *rows]))


def counts_json(result: Result, conventions: Sequence[Convention]) -> dict[str, Json]:
    """Return the cost by each convention."""
    return {item.name: number(result.count(item.name)) for item in conventions}
