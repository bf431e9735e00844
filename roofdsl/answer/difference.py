"""Two versions of a model or machine: what changed, and what that does to bound and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from roofdsl.analysis.bound_kind import several_kinds
from roofdsl.analysis.difference.change import Change
from roofdsl.analysis.intensity import INTENSITIES, QUANTITIES, intensity_units, quantities
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result
from roofdsl.answer.blocks import Block, Equation, Equations, Form, Table, label, tabular
from roofdsl.answer.cells import Cell, Column, Quantity, too_long
from roofdsl.answer.forms import unit_text, with_unit
from roofdsl.answer.head import opening, units
from roofdsl.answer.plain import Json, fields_of, numbers
from roofdsl.answer.result_cells import (
    metric_cell,
    metrics_of,
    own_of,
    result_cell,
    tally_cell,
)
from roofdsl.answer.spending import COLUMNS, spending_unit_of
from roofdsl.expression.order import weight
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.results import BOUND_KIND
from roofdsl.numeric.failure import EvaluationError, double
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

_MOST_PLACES = 4
_COMPARED = ("time", "attainable")
_WORDS = ("bound", "bound_kind", "ties", "notes")


class Effect(NamedTuple):
    """A prediction before and after, `where` says of what, on what, at which values."""

    where: str
    before: Result
    after: Result

    @property
    def units(self) -> dict[str, Dimension]:
        """The numbers that are compared, with their units."""
        own = own_of([self.before, self.after])
        known = quantities(own)
        shown = {name: known[name] for name in (*_COMPARED, *intensity_units(own))}
        for name in COLUMNS:  # what both answer, in one unit
            sides = [each for each in (self.before, self.after) if name in each.spending]
            units = [spending_unit_of(each, name) for each in sides]
            if len(sides) == 2 and units[0] == units[1]:
                shown[name] = units[0]
        return shown


class Difference(NamedTuple):
    """What differs between two definitions, and what comes of it."""

    sort: str
    name: str
    changes: tuple[Change, ...]
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class DifferenceAnswer:
    """What differs between two files, or two definitions."""

    found: tuple[Difference, ...]

    def values(self) -> dict[str, Json]:
        return {
            **opening("difference"),
            "comparisons": [_values(each) for each in self.found],
            "units": units({"effects": self._units()}),
        }

    def _units(self) -> dict[str, Dimension]:
        units = {name: QUANTITIES[name] for name in (*_COMPARED, *INTENSITIES)}
        effects = (effect for each in self.found for effect in each.effects)
        return {**units, **{name: unit for each in effects for name, unit in each.units.items()}}

    def blocks(self) -> list[Block]:
        return [block for each in self.found for block in _blocks(each)]


def _blocks(found: Difference) -> Iterator[Block]:
    title = f"{found.sort} {found.name}"
    words = [change for change in found.changes if not _is_formula(change)]
    formulas = [change for change in found.changes if _is_formula(change)]
    lines: list[tuple[Cell, ...]] = [
        (f"{c.kind} {c.what}", _name(c), _where(c), c.detail) for c in words
    ]
    if not found.changes:
        lines = [("none: both mean the same", "", "", "")]
    if lines:
        headings = ("change", "name", Column("in", wide=True), Column("", wide=True))
        yield tabular(f"Changes of {title}", label(title, "changes"), lines, headings=headings)
    if formulas:
        items = tuple(_equation(change) for change in formulas)
        yield Equations(f"Formulas of {title} that changed", label(title, "formulas"), items)
    for effect in found.effects:
        yield _effect_table(effect)


def _is_formula(change: Change) -> bool:
    return change.before is not None or change.after is not None


def _name(change: Change) -> str:
    return f"{change.name} of {change.model}".strip() if change.model else change.name


def _where(change: Change) -> str:
    """Return the steps a change is in: the first ones by name, the others by their number."""
    shown, more = ", ".join(change.places[:_MOST_PLACES]), len(change.places) - _MOST_PLACES
    return f"{shown} and {more} more" if more > 0 else shown


def _equation(change: Change) -> Equation:
    unit = unit_text(change.dimension)
    title = f"{change.kind} {change.what} {_name(change)}".rstrip()
    place = f"in {_where(change)}" if change.places else ""
    written = [tree for tree in (change.before, change.after) if tree is not None]
    if any(too_long(tree) for tree in written):
        remark = _joined("too long to be written out", change.detail, place)
        return Equation(title, unit, (), remark)
    lines = []
    if change.before is not None:
        lines.append(Form("=", with_unit(change.before, change.dimension), "before"))
    if change.after is not None:
        lines.append(Form("→", with_unit(change.after, change.dimension), "after"))
    # What is said of the whole stands behind the formulas: every notation has room there.
    lines[0] = lines[0]._replace(remark=_joined(lines[0].remark, place))
    lines[-1] = lines[-1]._replace(remark=_joined(lines[-1].remark, change.detail))
    if change.factor is not None and (
        isinstance(change.factor, Number) or weight(change.factor) <= max(map(weight, written))
    ):
        lines.append(Form("=", with_unit(change.factor, DIMENSIONLESS), "the factor between them"))
    return Equation(title, unit, tuple(lines))


def _joined(*remarks: str) -> str:
    return "; ".join(remark for remark in remarks if remark)


def _effect_table(effect: Effect) -> Table:
    before, after = effect.before, effect.after
    rows: list[list[Cell]] = [["", "before", "after", "factor"]]
    for name, unit in effect.units.items():
        if name in before.unanswered and name in after.unanswered:  # each job has its own
            continue
        values = _number(before, name), _number(after, name)
        factor = Quantity(ratio(values[1], values[0]))
        rows.append([name, *(Quantity(value, unit) for value in values), factor])
    for name in dict.fromkeys((*before.fits, *after.fits)):
        sides = [tally_cell(each, name) for each in (before, after)]
        factor = Quantity(ratio(*(each.tallies.get(name, 0.0) for each in (after, before))))
        rows.append([name, *sides, factor])
    for name in metrics_of([before, after]):
        cells = [metric_cell(each, name) for each in (before, after)]
        one, other = before.metrics.get(name), after.metrics.get(name)
        known = type(one) is type(other) is float
        rows.append([name, *cells, Quantity(ratio(other or 0, one or 0)) if known else ""])
    rivalries = [each.rivalry for each in (before, after)]
    several = any(each is not None and several_kinds(each.prediction) for each in rivalries)
    for name in ("bound", *([BOUND_KIND] if several else [])):
        bounds = [result_cell(each, name) for each in (before, after)]
        rows.append([name, *bounds, "" if bounds[0] == bounds[1] else "another"])
    return tabular(effect.where, label("effect", effect.where), rows)


def _values(found: Difference) -> Json:
    return {
        **fields_of(found, "sort", "name"),
        "same": not found.changes,
        "changes": [
            {
                **fields_of(change, "kind", "what", "name", "model", "places"),
                "unit": str(change.dimension),
                **fields_of(change, "before", "after", "factor"),
                "factor_value": _value(change.factor),
                "detail": change.detail,
            }
            for change in found.changes
        ],
        "effects": [
            {
                "where": effect.where,
                "before": _result_values(effect.before, effect.units),
                "after": _result_values(effect.after, effect.units),
            }
            for effect in found.effects
        ],
    }


def _number(result: Result, name: str) -> float:
    """Return a quantity; of a resource that is not worked on an intensity is as with no work."""
    found = {**result.spending, **result.quantities}
    return found[name] if name in found else ratio(result.flops, 0.0)


def _result_values(result: Result, names: Iterable[str]) -> dict[str, Json]:
    return {
        **numbers({name: _number(result, name) for name in names}),
        **fields_of(result, *_WORDS),
        "within_capacity": dict(result.fits),
    }


def _value(tree: Expression | None) -> Json:
    """Return a number as a double, None where there is none for it."""
    try:
        return double(tree) if isinstance(tree, Number) else None
    except EvaluationError:
        return None
