"""Cells that many tables have: quantities of a result, tallies, ridge points, counts, shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan

from roofdsl.analysis.convention import Convention
from roofdsl.analysis.intensity import QUANTITIES, intensity_units, quantities
from roofdsl.analysis.result import Result
from roofdsl.analysis.ridge import Ridge
from roofdsl.answer.cells import NOTHING, Cell, Printed, Quantity
from roofdsl.model.results import BOUND_KIND, RESULTS
from roofdsl.model.tally import PEAK_MEMORY
from roofdsl.roles import Bad, Binding, Good, Open
from roofdsl.units.dimension import FLOP, Dimension
from roofdsl.units.quantity import show_number, show_percent, show_quantity

RESULT_COLUMNS = (*QUANTITIES, "bound", BOUND_KIND)


def result_cell(result: Result, name: str) -> Cell:
    """Return a quantity, the bound, or a tally; all that binds, where several take as long."""
    if name == "bound":
        return Binding(" and ".join(result.ties) or "none")
    if name == BOUND_KIND:
        return Binding(result.bound_kind or "none")
    if name in result.unanswered:
        return NOTHING
    if name in QUANTITIES:
        return Quantity(getattr(result, name), QUANTITIES[name])
    units = quantities(result.own)
    if name in result.tallies or name not in units:
        return tally_cell(result, name)
    return Quantity(result.quantities[name], units[name])


def tally_cell(result: Result, name: str) -> Cell:
    """Return a tally; of a footprint, whether it is within the machine's capacity."""
    if name not in result.tallies:
        return NOTHING
    remark, unit = capacity_remark_of(result, name), result.dimensions[name]
    if result.rivalry is not None:  # a `let` of the model's own may have the name, and a unit
        own = (x.dimension for x in result.rivalry.prediction.tallied if x.name == name)
        unit = next(own, unit)
    return Quantity(result.tallies[name], unit, remark=remark)


def metric_cell(result: Result, name: str) -> Cell:
    """Return a metric; what is true or false is said so, a dash is of what is not answered."""
    value = result.metrics.get(name)
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "true" if value else "false"
    if name in result.shown_in:
        unit, factor = result.shown_in[name]
        return Printed(f"{show_number(value / factor)} {unit}")
    return Quantity(value, result.dimensions[name])


def unanswered_metrics(result: Result) -> dict[str, str]:
    """Return why metrics have no value; none of them is called as a result is."""
    return {
        name: why
        for name, why in result.unanswered.items()
        if name not in RESULTS and "." not in name
    }


def capacity_remark(name: str, within: bool | None) -> str:
    """Return whether a tally is within the machine's capacity, "" where that is not known."""
    if within is None:
        return ""
    stated = "stated tensors" if name == PEAK_MEMORY else "stated footprint"
    return (
        Good(f"({stated} within the capacity)")
        if within
        else Bad(f"({stated} beyond the capacity)")
    )


def capacity_remark_of(result: Result, name: str) -> str:
    """Return whether a footprint is within the capacity, and if not for all numbers with `±`."""
    remark = capacity_remark(name, result.fits.get(name))
    unsure = remark and fits_surely(result, name) is None
    return Open(f"{remark[:-1]} as stated, not sure within ±)") if unsure else remark


def fits_surely(result: Result, name: str) -> bool | None:
    """Return whether a footprint fits for all numbers within their `±`, None where that is open."""
    fits = result.fits[name]
    if result.rivalry is None or not result.uncertainty.numbers:
        return fits
    prediction = result.rivalry.prediction
    memory, limit = prediction.runs_on.memory_capacity, prediction.capacity
    if memory is None or limit is None:
        return fits
    found = result.uncertainty
    held, room = found.get(name), found.get(f"machine.capacity.{memory.key}")
    if held is None and room is None:
        return fits
    size = result.tallies[name]
    least, most = (size, size) if held is None else (held.low, held.high)
    low, high = (limit, limit) if room is None else (room.low, room.high)
    return fits if (most <= low if fits else least > high) else None


def own_of(results: Iterable[Result]) -> dict[str, Dimension]:
    """Return the resources that files declare and any of the results works on, with their units."""
    return {name: unit for result in results for name, unit in result.own.items()}


def ridge_cell(ridge: Ridge, name: str, own: Mapping[str, Dimension]) -> Cell:
    """Return a ridge point of a machine, a dash where it has none.

    `own` are the units of work on resources that files declare.
    """
    corner = ridge.of(name)
    return NOTHING if corner is None else Quantity(corner, intensity_units(own)[name])


def count_cell(value: float, convention: Convention) -> Printed:
    """Return a count with its unit and the prefix that people give it.

    >>> from roofdsl.analysis.convention import convention_named
    >>> count_cell(4.089e9, convention_named("mac")).text
    '4.089 GMAC'
    >>> count_cell(0, convention_named("fma")).text
    '0 op'
    """
    amount, _, unit = show_quantity(value, FLOP).partition(" ")
    return Printed(f"{amount} {unit[: -len('flop')]}{convention.unit}")


def percent(share: float) -> Printed:
    """Return a part of the whole in per cent; of no time at all nothing is a part.

    >>> percent(0.12345).text
    '12.3 %'
    """
    return Printed(NOTHING if isnan(share) else show_percent(share))


def tallies_of(results: Sequence[Result]) -> list[str]:
    """Return the names of the tallies that any of the results has."""
    return list(dict.fromkeys(name for result in results for name in result.tallies))


def metrics_of(results: Sequence[Result]) -> list[str]:
    """Return the names of the metrics that any of the results has, or does not answer."""
    names = (name for result in results for name in (*result.metrics, *unanswered_metrics(result)))
    return list(dict.fromkeys(names))
