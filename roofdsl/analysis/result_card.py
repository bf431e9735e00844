"""A prediction in numbers as a card for notebooks."""

from __future__ import annotations

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.result import Result, ratio
from roofdsl.expression.tree import Symbol
from roofdsl.typeset.card import Card, Row, Section
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, MESSAGE, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity

MOST_STEPS = 20
_UNITS = {"flops": FLOP, "memory": BYTE, "network": BYTE, "messages": MESSAGE}
_INTENSITY_UNITS = {"OI": FLOP / BYTE, "CAI": FLOP / BYTE, "MI": DIMENSIONLESS}


def result_card(result: Result) -> Card:
    """Return the card of a result: parameters, work and time by resource, intensities, the bound.

    Work on a resource that a file declares is given without its unit.
    """
    return Card(
        f"{result.model} on {result.machine}",
        "",
        (
            Section("parameters", tuple(_parameters(result))),
            Section("work", tuple(_work(result))),
            Section("time", tuple(_times(result))),
            Section("intensity, and the ridge point", tuple(_intensities(result))),
            Section("steps", tuple(_steps(result))),
            Section("prediction", tuple(_verdict(result))),
            Section("notes", tuple(Row((), note) for note in result.notes)),
        ),
    )


def _parameters(result: Result) -> list[Row]:
    rows = []
    for name, value in result.parameters.items():
        if isinstance(value, bool):
            shown = "true" if value else "false"
        elif isinstance(value, str):
            shown = value
        else:
            shown = show_quantity(value, result.dimensions.get(name, DIMENSIONLESS), digits=6)
        rows.append(Row((Symbol(name), "=", shown)))
    return rows


def _work(result: Result) -> list[Row]:
    return [Row((key, show_quantity(amount, _unit(key)))) for key, amount in result.work.items()]


def _times(result: Result) -> list[Row]:
    return [
        Row((name, show_quantity(spent, SECOND), "bound" if name in result.ties else ""))
        for name, spent in result.times.items()
    ]


def _intensities(result: Result) -> list[Row]:
    rows = []
    for name in INTENSITIES:
        ridge = getattr(result.ridge, name)
        corner = "–" if ridge is None else show_quantity(ridge, _INTENSITY_UNITS[name])
        here = show_quantity(getattr(result, name), _INTENSITY_UNITS[name])
        rows.append(Row((name, here, corner)))
    return rows


def _steps(result: Result) -> list[Row]:
    steps = result.breakdown.children
    rows = [
        Row((step.name, show_quantity(step.time, SECOND), _percent(step.time, result.time)))
        for step in steps[:MOST_STEPS]
    ]
    if len(steps) > MOST_STEPS:
        rows.append(Row((f"and {len(steps) - MOST_STEPS:,} more", "", "")))
    return rows


def _verdict(result: Result) -> list[Row]:
    rows = [
        Row(("bound", " and ".join(result.ties) if result.ties else "none: there is no work")),
        Row(("time", show_quantity(result.time, SECOND))),
        Row(("attainable", show_quantity(result.attainable, FLOP / SECOND))),
    ]
    if result.processes != 1 and result.total_attainable is not None:
        whole = show_quantity(result.total_attainable, FLOP / SECOND)
        rows.append(Row((f"on {show_number(result.processes)} processes", whole)))
    for name, amount in result.tallies.items():
        verdict = ""
        if name in result.fits:
            verdict = " (fits)" if result.fits[name] else " (does not fit)"
        shown = show_quantity(amount, result.dimensions.get(name, DIMENSIONLESS))
        rows.append(Row((name, shown + verdict)))
    return rows


def _unit(key: str) -> Dimension:
    """Return the unit of work by its name with level and device: `gpu.memory.L2`."""
    return next((_UNITS[part] for part in key.split(".") if part in _UNITS), DIMENSIONLESS)


def _percent(part: float, whole: float) -> str:
    return f"{100 * ratio(part, whole):.3g} %"
