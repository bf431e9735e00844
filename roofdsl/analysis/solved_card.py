"""Answers about a range as cards: regimes and crossovers, thresholds, elasticities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.sensitivity import Sensitivity
from roofdsl.analysis.threshold import Thresholds
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.crossover import Regime
from roofdsl.numeric.search import Place
from roofdsl.typeset.breaking import widths
from roofdsl.typeset.card import Card, Cell, Row, Section
from roofdsl.units.quantity import show_number, show_quantity

MOST_ROWS = 40
LONGEST = 60
"""An elasticity of more characters in print is not shown."""


def crossovers_card(answer: Crossovers) -> Card:
    """Return the card of the regimes over a range, and of the crossovers between them."""
    unknown = answer.unknown
    whole = [item for item in answer.crossovers if item.step is None]
    steps = [item for item in answer.crossovers if item.step is not None]
    return Card(
        f"regimes over {unknown.name}",
        _proof(answer.complete, answer.proven_up_to, unknown),
        (
            Section("regimes", tuple(_regime(item, unknown) for item in answer.regimes)),
            Section("crossovers", tuple(_limited([_crossover(item, unknown) for item in whole]))),
            Section(
                "where the bound of one step changes",
                tuple(_limited([_crossover(item, unknown) for item in steps])),
            ),
        ),
    )


def thresholds_card(answer: Thresholds) -> Card:
    """Return the card of where a condition holds."""
    unknown = answer.unknown
    rows = [
        Row(
            (
                f"{place(item.first, unknown)} ≤",
                unknown.symbol,
                f"≤ {place(item.last, unknown)}",
                "" if item.closed_form is None else item.closed_form,
            )
        )
        for item in answer.intervals
    ]
    return Card(
        f"where {answer.condition.text}",
        _proof(answer.complete, answer.proven_up_to, unknown),
        (Section("holds" if rows else "nowhere in the range", tuple(rows) or (Row(("–",)),)),),
    )


def sensitivity_card(answer: Sensitivity) -> Card:
    """Return the card of the elasticities, the largest first."""
    rows = [
        Row(
            (
                Symbol(item.name),
                "none here" if item.value is None else show_number(item.value),
                _short(item.formula),
            )
        )
        for item in answer.elasticities
    ]
    return Card(
        "how the time depends on each name",
        "1 % more of it makes so many per cent more time",
        (Section("elasticity", tuple(rows)),),
    )


def _short(tree: Expression | None) -> Cell:
    """Return a formula, or nothing where it is too long to say anything."""
    return "" if tree is None or widths(tree)[id(tree)] > LONGEST else tree


def place(value: Place, unknown: Unknown) -> str:
    """Return a value of the unknown as people read it."""
    if isinstance(value, int):
        exponent = len(str(value)) - 1
        return f"10^{exponent}" if exponent >= 15 and value == 10**exponent else str(value)
    return show_quantity(value, unknown.dimension, digits=6)


def _regime(item: Regime, unknown: Unknown) -> Row:
    names = " and ".join(item.labels)
    what = f"{names}-bound" if item.kind == "largest" else f"{item.kind}: {names}"
    span = f"≤ {place(item.last, unknown)}"
    return Row((what, f"{place(item.first, unknown)} ≤", unknown.symbol, span))


def _crossover(item: Crossover, unknown: Unknown) -> Row:
    change = f"{' and '.join(item.before)} → {' and '.join(item.after)}"
    low, high = item.enclosure
    at = place((low + high) / 2, unknown)
    if item.first_integer is not None:
        at = f"from {place(item.first_integer, unknown)} on"
    form: Cell = "" if item.closed_form is None else item.closed_form
    equals: Cell = "" if item.closed_form is None else "="
    name: Cell = unknown.symbol if item.closed_form is not None else ""
    step = "" if item.step is None else item.step
    return Row((change, at, name, equals, form, step))


def _proof(complete: bool, up_to: Place | None, unknown: Unknown) -> str:
    if complete:
        return "all of them, proven"
    return "not all is proven" if up_to is None else f"proven up to {place(up_to, unknown)}"


def _limited(rows: Sequence[Row]) -> Iterator[Row]:
    yield from rows[:MOST_ROWS]
    if len(rows) > MOST_ROWS:
        yield Row((f"and {len(rows) - MOST_ROWS:,} more",))
