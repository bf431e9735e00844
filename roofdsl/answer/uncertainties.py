"""What the numbers with `±` do to a result: its ends, half of the way between them, who owes it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from math import isfinite, isinf
from typing import TYPE_CHECKING, Literal, TypeAlias

from roofdsl.answer.blocks import Table, in_a_row, label, tabular
from roofdsl.answer.cells import NOTHING, Cell, Printed, Quantity
from roofdsl.answer.plain import Json, number, numbers
from roofdsl.answer.result_cells import fits_surely, metric_cell, result_cell
from roofdsl.answer.spending import COLUMNS, spending_cell, spending_unit_of
from roofdsl.units.quantity import show_number, show_percent

if TYPE_CHECKING:
    from roofdsl.analysis.result import Result
    from roofdsl.analysis.uncertainty import Uncertainty

End: TypeAlias = Literal["low", "high"]
_ENDS = {
    "low": Context(prec=4, rounding=ROUND_FLOOR),
    "high": Context(prec=4, rounding=ROUND_CEILING),
}
_ROUNDING = 1e-12
"""An end that is so near to a short number, relatively, is that number."""
_MOST = 4
"""So many are named that owe something."""


def _shown(result: Result) -> dict[str, Uncertainty]:
    """Return what the numbers with `±` do to what is told of a result first."""
    found = result.uncertainty
    names = ("time", "attainable", *COLUMNS, *result.metrics)
    return {name: found[name] for name in names if name in found}


def with_half(result: Result, name: str, cell: Cell) -> Cell:
    """Return a cell with a quantity's `±`, to first order, where there is one."""
    found = result.uncertainty.get(name)
    if found is None or not found.first_order:
        return cell
    if isinstance(cell, Quantity) and cell.value and isfinite(cell.value):
        return cell._replace(uncertainty=found.first_order / cell.value)
    if isinstance(cell, Printed) and name in result.shown_in:
        unit, factor = result.shown_in[name]
        half = show_number(found.first_order / factor, 2)
        return Printed(f"{cell.text.removesuffix(unit).rstrip()} ± {half} {unit}")
    return cell


def within_rows(result: Result) -> Iterator[list[Cell]]:
    """Yield what binds for all numbers within their `±`, where some have it."""
    found = result.uncertainty.bound
    if found is None:
        return
    here, *others = found.bounds
    text = f"{here} binds for all of them, proven"
    if others:
        text = f"it depends on them: {here} binds here, {others[0]} for others"
    elif found.verdict == "undecided":
        text = f"{here} binds here; for all of them it is not decided"
    yield ["within ±", text]


def uncertainty_table(result: Result) -> Iterator[Table]:
    """Yield the ends of what depends on a number with `±`, and which of these owe most."""
    found = _shown(result)
    if not found:
        return
    rows: list[list[Cell]] = [["", "at least", "at most", "± owed to"]]
    for name, item in found.items():
        ends = [_end(result, name, item, "low"), _end(result, name, item, "high")]
        rows.append([name, *ends, _owed(item)])
    name = f"{result.model} on {result.machine}"
    yield tabular(f"Uncertainty of {name}", label(name, "uncertainty"), rows, head="")


def uncertainty_notes(result: Result) -> Iterator[str]:
    """Yield what the `±` of results, and their ends, mean."""
    if result.uncertainty.why:
        yield f"what the numbers with ± do is not answered: {result.uncertainty.why}"
    found = _shown(result)
    if found:
        yield "within ±, at least, at most: proven for all numbers within their ±, each by itself"
        yield "± of a result is to first order: the sum of what each of these numbers owes"
    loose = [name for name, item in found.items() if not item.attained]
    if loose:
        yield f"the ends of {in_a_row(loose)} may not be reached"


def uncertainty_values(result: Result) -> dict[str, Json]:
    """Return all that the numbers with `±` do in plain values; nothing where there are none."""
    found = result.uncertainty
    if not found.numbers:
        return {}
    within = found.bound
    return {
        "uncertainty": {
            "bound": within and {"verdict": within.verdict, "bounds": [*within.bounds]},
            "numbers": {
                name: {"low": float(each.low), "value": float(each.value), "high": float(each.high)}
                for name, each in found.numbers.items()
            },
            "quantities": {name: _values(item) for name, item in found.items()},
            "fits": {name: fits_surely(result, name) for name in result.fits},
            "unanswered": found.why or None,
        }
    }


def _values(item: Uncertainty) -> dict[str, Json]:
    return {
        "low": item.low if isfinite(item.low) else None,
        "high": item.high if isfinite(item.high) else None,
        "attained": item.attained,
        "first_order": number(item.first_order),
        "shares": numbers(item.shares),
    }


def _end(result: Result, name: str, item: Uncertainty, end: End) -> Cell:
    """Return an end of a quantity, rounded outwards: it is true as it stands."""
    value = item.low if end == "low" else item.high
    if isinf(value):
        return NOTHING
    if name in result.shown_in:
        unit, factor = result.shown_in[name]
        return Printed(f"{show_number(outward(value / factor, end))} {unit}")
    if name in result.metrics:
        cell = metric_cell(result, name)
    elif name in COLUMNS:
        cell = spending_cell(result, name, spending_unit_of(result, name))
    else:
        cell = result_cell(result, name)
    assert isinstance(cell, Quantity)
    return cell._replace(value=outward(value, end), remark="")


def outward(value: float, end: End) -> float:
    """Return an end rounded to the digits that are shown, down or up.

    >>> outward(0.0507231, "low"), outward(0.0507231, "high"), outward(21599999999.999996, "low")
    (0.05072, 0.05073, 21600000000.0)
    """
    short = float(f"{value:.3e}")
    if abs(short - value) <= _ROUNDING * abs(value):
        return short
    return float(_ENDS[end].create_decimal_from_float(value))


def _owed(item: Uncertainty) -> str:
    """Return which numbers owe most of the way between the ends, to first order."""
    if item.first_order is None:
        return f"{NOTHING} (no slope is known here)"
    shares = sorted(item.shares.items(), key=lambda each: -each[1])
    shown = [f"{name} {show_percent(share)}" for name, share in shares[:_MOST]]
    more = f" and {len(shares) - _MOST} more" if len(shares) > _MOST else ""
    return ", ".join(shown) + more or NOTHING
