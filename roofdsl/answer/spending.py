"""What an answer says of energy and money, where the machine states something of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from roofdsl.analysis.balance import Balance
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.energy import StepEnergy
from roofdsl.analysis.intensity import intensity_units
from roofdsl.analysis.of_jobs import OF_JOBS
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result
from roofdsl.analysis.spending import steps_at
from roofdsl.analysis.tariff import spending_unit
from roofdsl.answer.blocks import Table, label, tabular
from roofdsl.answer.cells import NOTHING, Cell, Quantity
from roofdsl.answer.plain import Json, number
from roofdsl.answer.result_cells import percent, unanswered_metrics
from roofdsl.answer.row_notes import with_rows
from roofdsl.units.dimension import JOULE, SECOND, Dimension
from roofdsl.units.quantity import show_quantity

Energies: TypeAlias = Mapping[int, float | None]
"""The energy [J] of each part of a breakdown over all its runs, by its id; None if not known."""
NO_ENERGIES: Energies = MappingProxyType({})
BALANCES = {"energy": "energy balance", "effective": "effective"}
"""The balance points in energy, and what they are called: without and with constant power."""
COLUMNS = ("energy", "power", "cost")
"""What stands beside the other numbers of each result."""


def spending_names(results: Sequence[Result]) -> list[str]:
    """Return the names of energy and money that are told of results, none where none is stated."""
    stating = [result for result in results if result.prices]
    found = dict.fromkeys(
        name
        for each in stating
        for name in (*each.spending, *each.unanswered)
        if name in COLUMNS or name.startswith("energy.")
    )
    return [*(name for name in COLUMNS if name in found), *(n for n in found if n not in COLUMNS)]


def spending_values(result: Result) -> dict[str, Json]:
    """Return energies [J], power [W] and cost in plain values, null for what is not answered.

    Beside their reasons are those of metrics.
    """
    left = {name: result.unanswered[name] for name in OF_JOBS if name in result.unanswered}
    why = {**left, **unanswered_metrics(result)}
    if not result.prices:
        return {"unanswered": {**why}} if why else {}
    names = spending_names([result])
    reasons: dict[str, Json] = {
        name: result.unanswered[name] for name in names if name in result.unanswered
    }
    amounts: dict[str, Json] = {name: number(result.spending.get(name)) for name in names}
    units = intensity_units(result.own)
    return {
        "prices": {**result.prices},
        **{
            f"{which}_balance": {name: getattr(result.ridge, which).of(name) for name in units}
            for which in BALANCES
        },
        "spending": amounts,
        "unanswered": {**reasons, **why},
    }


def spending_units(predictions: Iterable[Prediction]) -> dict[str, dict[str, Dimension]]:
    """Return the units of what is stated of energy and money, and of what comes of it.

    Where they are not the same on all machines they are by machine, `box.cost`.
    """
    stated: dict[str, dict[str, Dimension]] = {}
    spent: dict[str, dict[str, Dimension]] = {}
    for prediction in predictions:
        if not prediction.tariff.is_stated:
            continue
        machine = prediction.machine.name
        for name, item in prediction.tariff.values.items():
            stated.setdefault(name.partition(".")[2], {})[machine] = item.dimension
        found = prediction.spending
        for name in (*found.amounts, *found.unanswered, "power"):
            unit = spending_unit(name, prediction.tariff)
            spent.setdefault(name, {})[machine] = unit
    return {"prices": _told_apart(stated), "spending": _told_apart(spent)} if stated else {}


def _told_apart(units: Mapping[str, Mapping[str, Dimension]]) -> dict[str, Dimension]:
    found: dict[str, Dimension] = {}
    for name, by_machine in units.items():
        if len({str(unit) for unit in by_machine.values()}) == 1:
            found[name] = next(iter(by_machine.values()))
        else:
            found |= {f"{machine}.{name}": unit for machine, unit in by_machine.items()}
    return found


def spending_row(result: Result) -> dict[str, Json]:
    """Return energies, power and cost as columns of a row."""
    return {name: number(result.spending.get(name)) for name in spending_names([result])}


def spending_cell(result: Result, name: str, unit: Dimension) -> Cell:
    """Return an energy, the power or the cost; a dash where it is not answered."""
    value = result.spending.get(name)
    return NOTHING if value is None else Quantity(value, unit)


def verdict_rows(result: Result, prediction: Prediction) -> Iterator[list[Cell]]:
    """Yield what all processes take in total, or why that is not answered."""
    if not result.prices:
        return
    for name in COLUMNS:
        if name == "power" and name in result.unanswered:
            continue  # for the same reason as the energy
        if name in result.unanswered:
            yield [name, f"{NOTHING} ({result.unanswered[name]})"]
            continue
        remark = ""
        if name == "energy":
            work, constant = (result.spending[f"energy.{part}"] for part in ("work", "constant"))
            of_work, drawn = show_quantity(work, JOULE), show_quantity(constant, JOULE)
            remark = f"({of_work} of work, {drawn} constant)"
        unit = spending_unit(name, prediction.tariff)
        yield [name, Quantity(result.spending[name], unit, remark=remark)]


def energy_table(result: Result, prediction: Prediction) -> Iterator[Table]:
    """Yield the energy of the work on each resource, and what is drawn whatever is done."""
    if "energy.work" not in result.spending:
        return
    whole = result.spending.get("energy")
    rows: list[list[Cell]] = [["", "for each unit", "energy", "share"]]
    loads = {load.name: load for load in prediction.placed if load.energy is not None}
    shown = [
        (name, Quantity(prediction.prices[load.energy.name], JOULE / load.resource.dimension))
        for name, load in loads.items()
        if load.energy is not None and f"energy.{name}" in result.spending
    ]
    powers: list[tuple[str, Quantity]] = []
    if "energy.constant" in result.spending:
        each = sum(
            prediction.prices[symbol.name]
            for symbol in prediction.tariff.powers.values()
            if symbol is not None
        )
        powers = [("constant", Quantity(each, JOULE / SECOND))]
    for name, unit in (*shown, *powers):
        spent = result.spending[f"energy.{name}"]
        share: Cell = "" if whole is None else percent(ratio(spent, whole))
        rows.append([name, unit, Quantity(spent, JOULE), share])
    name = f"{result.model} on {result.machine}"
    yield tabular(f"Energy of {name}", label(name, "energy"), rows, head="")


def energies_of(result: Result) -> Energies:
    """Return the energy of each part of a result's breakdown, none where it is not answered."""
    if "energy" not in result.spending or result.rivalry is None:
        return NO_ENERGIES
    found: dict[int, float | None] = {}
    rivalry, waiting = result.rivalry, list[tuple[Composed[float], StepEnergy[float]]]()
    whole = result.breakdown
    waiting.append((whole, steps_at(rivalry.prediction, whole, rivalry.amounts)))
    while waiting:
        part, (work, constant, children) = waiting.pop()
        found[id(part)] = None if work is None or constant is None else work + constant
        waiting += zip(part.children, children, strict=True)
    return found


def balance_cell(balance: Balance | None, name: str, own: Mapping[str, Dimension]) -> Cell:
    """Return a balance point in energy, nothing where the machine does not state what it takes.

    `own` are the units of work on resources that files declare.
    """
    value = None if balance is None else balance.of(name)
    return "" if value is None else Quantity(value, intensity_units(own)[name])


def spending_unit_of(result: Result, name: str) -> Dimension:
    """Return the unit of what a result takes, under one of `COLUMNS`."""
    assert result.rivalry is not None
    return spending_unit(name, result.rivalry.prediction.tariff)


def spending_notes(results: Sequence[Result]) -> Iterator[str]:
    """Yield why a column of energy or money has no number for a machine."""
    told = [name for name in spending_names(results) if name in COLUMNS and name != "power"]
    noted = [
        [f"no {name} on {x.machine}: {x.unanswered[name]}" for name in told if name in x.unanswered]
        for x in results
    ]
    yield from (note for note, _ in with_rows(results, noted))


def unanswered_notes(prediction: Prediction) -> Iterator[str]:
    """Yield why a machine that states something of energy or money does not answer all of it."""
    for name in ("energy", "cost"):
        reason = prediction.spending.unanswered.get(name)
        if prediction.tariff.is_stated and reason is not None:
            yield f"no {name}: {reason}"
