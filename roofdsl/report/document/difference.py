"""Two versions of a model or machine: what changed, and what that does to bound and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roofdsl.analysis.difference.change import Change
from roofdsl.analysis.result import Result, ratio
from roofdsl.expression.order import weight
from roofdsl.expression.tree import Expression, Number
from roofdsl.report.document.content import (
    Block,
    Cell,
    Column,
    Equation,
    Equations,
    Line,
    Quantity,
    Table,
    label,
    used_columns,
)
from roofdsl.report.document.forms import too_long, with_unit
from roofdsl.report.json_value import Json, number
from roofdsl.typeset.text import text
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension

_QUANTITIES: tuple[tuple[str, Dimension], ...] = (
    ("time", SECOND),
    ("attainable", FLOP / SECOND),
    ("OI", FLOP / BYTE),
    ("CAI", FLOP / BYTE),
    ("MI", DIMENSIONLESS),
)
_MOST_PLACES = 4


class Effect(NamedTuple):
    """A prediction before and after, `where` says of what, on what, at which values."""

    where: str
    before: Result
    after: Result


class Comparison(NamedTuple):
    """What differs between two definitions, and what comes of it."""

    sort: str
    name: str
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]


def difference_blocks(found: Sequence[Comparison]) -> list[Block]:
    """Return what changed as equations and tables."""
    blocks: list[Block] = []
    for each in found:
        title = f"{each.sort} {each.name}"
        if not each.changes:
            rows: tuple[tuple[Cell, ...], ...] = (("none: both mean the same",),)
            place = label(title, "changes")
            blocks.append(Table(f"Changes of {title}", place, (Column("Change"),), rows))
        formulas = [change for change in each.changes if _is_formula(change)]
        words = [change for change in each.changes if not _is_formula(change)]
        if words:
            lines = [(f"{c.kind} {c.what}", _name(c), _where(c), c.detail) for c in words]
            headings = (
                Column("Change"),
                Column("Name"),
                Column("In", wide=True),
                Column("", wide=True),
            )
            columns, rows = used_columns(headings, lines)
            blocks.append(Table(f"Changes of {title}", label(title, "changes"), columns, rows))
        if formulas:
            items = tuple(_equation(change) for change in formulas)
            place = label(title, "formulas")
            blocks.append(Equations(f"Formulas of {title} that changed", place, items))
        blocks += [_effect_table(effect) for effect in each.effects]
    return blocks


def _is_formula(change: Change) -> bool:
    return change.before is not None or change.after is not None


def _name(change: Change) -> str:
    return f"{change.name} of {change.model}".strip() if change.model else change.name


def _where(change: Change) -> str:
    """Return the steps a change is in: the first ones by name, the others by their number."""
    shown, more = ", ".join(change.places[:_MOST_PLACES]), len(change.places) - _MOST_PLACES
    return f"{shown} and {more} more" if more > 0 else shown


def _equation(change: Change) -> Equation:
    unit = "" if str(change.dimension) == "1" else str(change.dimension)
    title = f"{change.kind} {change.what} {_name(change)}".rstrip()
    place = f"in {_where(change)}" if change.places else ""
    written = [tree for tree in (change.before, change.after) if tree is not None]
    if any(too_long(tree) for tree in written):
        return Equation(
            title, unit, (), _joined("too long to be written out", change.detail, place)
        )
    lines = []
    if change.before is not None:
        lines.append(Line("=", with_unit(change.before, change.dimension), "before"))
    if change.after is not None:
        lines.append(Line("→", with_unit(change.after, change.dimension), "after"))
    # What is said of the whole stands behind the formulas: every notation has room there.
    lines[0] = lines[0]._replace(remark=_joined(lines[0].remark, place))
    lines[-1] = lines[-1]._replace(remark=_joined(lines[-1].remark, change.detail))
    if change.factor is not None and (
        isinstance(change.factor, Number) or weight(change.factor) <= max(map(weight, written))
    ):
        lines.append(Line("=", with_unit(change.factor, DIMENSIONLESS), "the factor between them"))
    return Equation(title, unit, tuple(lines))


def _joined(*remarks: str) -> str:
    return "; ".join(remark for remark in remarks if remark)


def _effect_table(effect: Effect) -> Table:
    before, after = effect.before, effect.after
    rows: list[tuple[Cell, ...]] = []
    for name, unit in _QUANTITIES:
        one, other = getattr(before, name), getattr(after, name)
        rows.append((name, Quantity(one, unit), Quantity(other, unit), Quantity(ratio(other, one))))
    bounds = [" and ".join(result.ties) or "none" for result in (before, after)]
    moved = "" if bounds[0] == bounds[1] else "another"
    rows.append(("bound", *bounds, moved))
    columns = (
        Column("Result"),
        Column("Before", align="right"),
        Column("After", align="right"),
        Column("Factor", align="right"),
    )
    return Table(effect.where, label("effect", effect.where), columns, tuple(rows))


def difference_json(found: Sequence[Comparison]) -> Json:
    """Return the same as a value for JSON."""
    return [
        {
            "sort": each.sort,
            "name": each.name,
            "same": not each.changes,
            "changes": [
                {
                    "kind": change.kind,
                    "what": change.what,
                    "name": change.name,
                    "model": change.model,
                    "places": list(change.places),
                    "unit": str(change.dimension),
                    "before": _written(change.before),
                    "after": _written(change.after),
                    "factor": _written(change.factor),
                    "factor_value": _value(change.factor),
                    "detail": change.detail,
                }
                for change in each.changes
            ],
            "effects": [
                {
                    "where": effect.where,
                    "before": _numbers(effect.before),
                    "after": _numbers(effect.after),
                }
                for effect in each.effects
            ],
        }
        for each in found
    ]


def _written(tree: Expression | None) -> str | None:
    return None if tree is None else text(tree)


def _value(tree: Expression | None) -> Json:
    return number(float(tree.value)) if isinstance(tree, Number) else None


def _numbers(result: Result) -> Json:
    values: dict[str, Json] = {name: number(getattr(result, name)) for name, _ in _QUANTITIES}
    return {**values, "bound": result.bound}
