"""What a row of results has under a name: what people see, its value, and its unit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from roofdsl.analysis.binding import show_setting
from roofdsl.analysis.ends import FIRST_ORDER, HIGH, LOW, end_of
from roofdsl.analysis.intensity import quantities
from roofdsl.analysis.machine_values import machine_value
from roofdsl.analysis.members import Unanswered, names_of, step_asked, value_of
from roofdsl.analysis.result import Result
from roofdsl.analysis.tariff import spending_unit
from roofdsl.answer.blocks import in_a_row
from roofdsl.answer.cells import NOTHING, Cell, Printed, Quantity
from roofdsl.answer.parameter_names import parameter_columns
from roofdsl.answer.plain import Json, number
from roofdsl.answer.result_cells import (
    RESULT_COLUMNS,
    capacity_remark_of,
    metric_cell,
    unanswered_metrics,
)
from roofdsl.answer.row_notes import with_rows
from roofdsl.answer.spending import COLUMNS
from roofdsl.answer.uncertainties import outward
from roofdsl.answer.wanted import Best, Key, Wanted
from roofdsl.answer.winners import nearly_least
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.model.results import BOUND_KIND
from roofdsl.model.types import Parameter
from roofdsl.numeric.scalar import evaluate
from roofdsl.roles import Bad, Good
from roofdsl.units.dimension import Dimension
from roofdsl.units.quantity import show_number

if TYPE_CHECKING:
    from roofdsl.analysis.rate_box import RatesVerdict

Plain: TypeAlias = float | str | bool | None
_MEANT = {
    "price": "no machine here states a price, as in `price = 2 euro/h`",
    "ridge": "name one of the ridge points: ridge.OI",
}
"""What is said of names that look like others."""
_MOST_NAMED = 20
_MOST_REASONS = 3


class Entry(NamedTuple):
    """What stands in a column: as people see it, and as a plain value with its unit.

    `why` says why there is nothing.
    """

    cell: Cell
    value: Plain = None
    unit: Dimension | None = None
    why: str = ""

    @property
    def plain(self) -> Json:
        """Its value for JSON and CSV: in SI base units, null where there is none."""
        return number(self.value) if isinstance(self.value, float) else self.value


class Row(NamedTuple):
    """A result, what was asked of it by name, and what binds on all machines near."""

    result: Result
    entries: Mapping[str, Entry]
    near: Sequence[RatesVerdict] = ()


def entry(result: Result, name: str) -> Entry | None:
    """Return what a result with its steps has under a name of a metric or a condition.

    Besides, there are the bound, whether it `fits`, what the machine states (`price`), and the ends
    of what is uncertain (`time.low`). Parameters are called as rows call them. None where nothing
    has this name.
    """
    holder, key = step_asked(result, name.split("."))
    if name in ("model", "machine"):
        own = getattr(result, name)
        return Entry(own, own)
    if name in result.varied:
        item = result.varied[name]
        return Entry(Printed(item.written), item.value, item.dimension)
    if key in ("bound", BOUND_KIND):
        bound = (" and ".join(holder.ties) if key == "bound" else holder.bound_kind) or None
        return Entry(bound or "none", bound)
    if (parameter := _called(result, name)) is not None:
        return _parameter(result, parameter)
    if name in COLUMNS and name in result.parameters:
        return _spending(result, name)
    units = quantities(holder.own)
    if key in units and key not in (*holder.metrics, *holder.unanswered):
        return _number(holder.quantities[key], units[key])
    found = value_of(holder, key)
    if found is None and key == "fits":
        return entry_of_fits(holder)
    if found is None or isinstance(found, Unanswered):
        end = _end(holder, key)  # of `energy`, whose parts are not all answered, too
        if end is not None or found is None:
            return end or _of_machine(result, name)
        return Entry(NOTHING, why=found.reason)
    value, unit = found
    if key in holder.metrics:
        cell = metric_cell(holder, key)
        return Entry(cell, value, None if isinstance(cell, str) else unit)
    return _number(value, unit, capacity_remark_of(holder, key))


def _number(value: float, unit: Dimension, remark: str = "") -> Entry:
    if isinstance(value, bool):
        return Entry("true" if value else "false", value)
    return Entry(Quantity(value, unit, remark=remark), None if math.isnan(value) else value, unit)


def entry_of_fits(holder: Result) -> Entry:
    """Return whether what is stated is within the machine's capacity."""
    from roofdsl.analysis.such_that import lacks_to_fit  # few ask

    for within in holder.fits.values():
        return Entry(Good("true") if within else Bad("false"), within)
    assert holder.rivalry is not None
    lacking = lacks_to_fit(holder.rivalry.prediction)
    return Entry(NOTHING, why=lacking[0] if lacking else "")


def _parameter(result: Result, parameter: Parameter) -> Entry:
    value = result.parameters[parameter.name]
    shown = show_setting(value, parameter)
    if isinstance(value, str | bool):
        return Entry(shown, value)
    return Entry(Printed(shown), value, parameter.dimension)


def _spending(result: Result, name: str) -> Entry:
    """Return the energy, power or cost beside a parameter that is called so."""
    assert result.rivalry is not None
    if name not in result.spending:
        return Entry(NOTHING)
    unit = spending_unit(name, result.rivalry.prediction.tariff)
    return _number(result.spending[name], unit)


def _called(result: Result, column: str) -> Parameter | None:
    """Return the parameter that rows call so."""
    assert result.rivalry is not None
    model = result.rivalry.prediction.model
    columns = parameter_columns(model)
    return next((each for each in model.parameters if columns[each.name] == column), None)


def _end(holder: Result, name: str) -> Entry | None:
    """Return an end of what is uncertain: `time.low`; without any ± the number is its own end.

    Half of the way between its ends, to first order, is then 0; there is none without a slope.
    """
    base, _, end = name.rpartition(".")
    found = entry(holder, base) if end in (LOW, HIGH, FIRST_ORDER) and base else None
    if found is None or found.unit is None:
        return None if found is None or isinstance(found.value, str | bool) else found
    value = end_of(holder, base, end)
    if isinstance(value, Unanswered) and value_of(holder, base) is None:
        value = end_of(holder, f"machine.{base}", end)
    if isinstance(value, Unanswered):
        return Entry(NOTHING, why=value.reason)
    if value is None and end != FIRST_ORDER:
        return found
    value = value or 0.0
    unit, factor = holder.shown_in.get(base, ("", 1.0))
    shown = value / factor
    shown = shown if end == FIRST_ORDER else outward(shown, LOW if end == LOW else HIGH)
    cell = Printed(f"{show_number(shown)} {unit}") if unit else Quantity(shown, found.unit)
    return Entry(cell, value, found.unit)


def _of_machine(result: Result, name: str) -> Entry | None:
    """Return what the machine states: `karst.network`, `machine.price`, `price`."""
    assert result.rivalry is not None
    prediction = result.rivalry.prediction
    first, _, rest = name.partition(".")
    name = rest if first in ("machine", result.machine) and rest else name
    unit = prediction.runs_on.units().get(name)
    if unit is None:
        return None
    found = machine_value(prediction, name)
    if isinstance(found, Unanswered):
        return Entry(NOTHING, why=found.reason)
    return _number(evaluate(found, prediction.rate_values), unit)


def lets_of(result: Result) -> dict[str, Entry]:
    """Return what the `let`s of a whole result's model come to, by name."""
    assert result.rivalry is not None
    model = result.rivalry.prediction.model
    found = ((item.name, entry(result, item.name)) for item in model.intermediates)
    return {name: value for name, value in found if value is not None}


def row_of(result: Result, wanted: Wanted, *, whole: bool) -> Row:
    """Return a whole result with what is asked of it; its steps are left out unless `whole`."""
    values = ((name, entry(result, name)) for name in wanted.names)
    found = {name: value for name, value in values if value is not None}
    near = [result.over_rates(text) for text in wanted.near]
    return Row(result if whole else result.without_steps(), found, near)


def arranged(rows: Sequence[Row], wanted: Wanted) -> tuple[list[Row], Best | None]:
    """Return rows in the order asked for, or the best of them: all that rounding may hide.

    Raises RoofError for a column that no row has (R0707), and for one by which rows cannot be
    compared: of several units, or for the best, without any number (R0718).
    """
    for name in wanted.names:
        _check(name, rows)
    found = [*rows]
    for key in reversed(wanted.sort):
        if all(_value(row, key.name) is None for row in rows):
            raise _without(key.name, rows, "a value", "comes first")
        found = _sorted(found, key)
    if wanted.best is None:
        return found, None
    name, most = wanted.best
    numbers = {
        at: value
        for at, row in enumerate(found)
        if not isinstance(value := _value(row, name), str | bool | None)
    }
    if not numbers:
        raise _without(name, rows, "a number", "is the best")
    kept = nearly_least({at: -value if most else value for at, value in numbers.items()})
    best = Best(wanted.best, len(numbers), len(found) - len(numbers))
    return [found[at] for at in kept], best


def why_missing(rows: Sequence[Row], columns: Sequence[str]) -> Iterator[str]:
    """Yield why columns have nothing in some rows, each reason once; of metrics rows say it."""
    noted = [
        [
            f"no {name} of {row.result.model}{_where(row.result)}: {row.entries[name].why}"
            for name in columns
            if name in row.entries
            and row.entries[name].why
            and name not in unanswered_metrics(row.result)
        ]
        for row in rows
    ]
    yield from (note for note, _ in with_rows([row.result for row in rows], noted))


def _where(result: Result) -> str:
    return f" on {result.machine}" if result.machine else ""


def _without(name: str, rows: Sequence[Row], what: str, so: str) -> RoofError:
    """Return that no row has what is needed to compare rows, and why where that is known."""
    reasons = (row.result.unanswered[name] for row in rows if name in row.result.unanswered)
    notes = tuple(dict.fromkeys(reasons))[:_MOST_REASONS]
    message, hint = f"no row has {what} for '{name}', so none {so}", None
    if not notes:
        hint = f"name a column of {'numbers' if what == 'a number' else 'values'}, as time is"
    return RoofError([Diagnostic("R0718", message, (), hint, notes=notes)])


def _value(row: Row, name: str) -> Plain:
    return row.entries[name].value if name in row.entries else None


def _sorted(rows: Sequence[Row], key: Key) -> list[Row]:
    """Return rows by a column, what has no value last; words stand behind numbers."""
    known = [row for row in rows if _value(row, key.name) is not None]
    rest = [row for row in rows if _value(row, key.name) is None]

    def place(row: Row) -> tuple[bool, float, str]:
        value = _value(row, key.name)
        return (True, 0.0, value) if isinstance(value, str) else (False, value or 0.0, "")

    return [*sorted(known, key=place, reverse=key.most), *rest]


def _check(name: str, rows: Sequence[Row]) -> None:
    having = [row for row in rows if name in row.entries]
    if not having:
        own = dict.fromkeys(each for row in rows for each in names_of(row.result))
        known = [each for each in dict.fromkeys([*RESULT_COLUMNS, *own]) if each != "ridge"]
        more = f" and {len(known) - _MOST_NAMED} more" if len(known) > _MOST_NAMED else ""
        close = _MEANT.get(name) or did_you_mean(name, known)
        hint = close or f"there are {', '.join(known[:_MOST_NAMED])}{more}"
        raise RoofError([Diagnostic("R0707", f"'{name}' is no result", (), hint)])
    units = {
        f"{each.unit}": row.result.machine
        for row in having
        if (each := row.entries[name]).unit is not None
    }
    if len(units) > 1:
        shown = in_a_row([f"in {unit} on '{machine}'" for unit, machine in units.items()])
        hint = "ask for the machines of each unit by themselves"
        raise RoofError([Diagnostic("R0718", f"the {name} is {shown}", (), hint)])
