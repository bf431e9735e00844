"""The surface, the ridgeline, and the map of regimes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofdsl.analysis.unknown import Unknown, check_range, unknown_named
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.figure_data.cases import (
    NOWHERE,
    Setting,
    cases,
    heading,
    is_single,
    machines_of,
    settings_text,
)
from roofdsl.embedding.figure_data.freed import freed
from roofdsl.embedding.figure_data.planes import plane, space
from roofdsl.embedding.figure_data.regimes import regime_map
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.prediction import Prediction
from roofdsl.figures import regime as regime_figure
from roofdsl.figures import ridgeline as ridgeline_figure
from roofdsl.figures import surface as surface_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.numeric.search import Place


def surface(
    *items: Machine | Prediction,
    at: Mapping[str, Setting] = NOWHERE,
    cut: tuple[float, float] | None = None,
    look: Look = PLAIN,
) -> Picture:
    """Draw performance over OI and CAI, in three planes coloured by bound, and two slices.

    All `items` are on one machine. `cut`, an OI and a CAI [flop/B], is where the slices go.
    """
    machine = _one_machine(items, "a surface")
    shown = cases((item for item in items if isinstance(item, Prediction)), at)
    data = space(machine, shown, cut)
    return surface_figure.surface(data, look, heading(items, [machine]), settings_text(shown, at))


def ridgeline(
    *items: Machine | Prediction, at: Mapping[str, Setting] = NOWHERE, look: Look = PLAIN
) -> Picture:
    """Draw the plane of memory and operational intensity with its three regions.

    All `items` are on one machine. Raises RoofError where no model sends anything (R0803).
    """
    machine = _one_machine(items, "a ridgeline")
    shown = cases((item for item in items if isinstance(item, Prediction)), at)
    title, subtitle = heading(items, [machine]), settings_text(shown, at)
    return ridgeline_figure.ridgeline(plane(machine, shown), look, title, subtitle)


def regime(
    prediction: Prediction,
    x: tuple[str, float, float],
    y: tuple[str, float, float],
    at: Mapping[str, Setting] = NOWHERE,
    look: Look = PLAIN,
) -> Picture:
    """Draw which resource binds over two unknowns, each a name and the ends of its range.

    An unknown is a parameter or a rate of the machine (`karst.network`). The boundaries are the
    solver's, proven over the whole range of `y` at each of the columns they go through.

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> prediction = load_model("summa").on(load_machine("karst"))
    >>> figure = regime(prediction, x=("P", 4, 10_000), y=("N", 2, 1_000_000))
    >>> [row[1] for row in figure.table.rows][:1]
    ['network → flops']
    """
    model, machine = prediction.model.definition, prediction.machine.definition
    unknowns = [unknown_named(name, model, machine) for name, _, _ in (x, y)]
    ranges = [_range(unknown, *ends[1:]) for unknown, ends in zip(unknowns, (x, y), strict=True)]
    values = {}
    for name, value in at.items():
        if not is_single(value):
            message = f"{name} has several values, but a map has its own two ranges"
            raise RoofError([Diagnostic("R0807", message, hint=f"give {name} one value")])
        values[name] = value
    free = [unknown.name for unknown in unknowns if unknown.parameter is not None]
    known = freed(prediction, values, free)
    data = regime_map(known, unknowns[0], unknowns[1], ranges[0], ranges[1])
    title = heading([prediction], [prediction.machine])
    shown = settings_text([], at, [prediction])
    return regime_figure.regime(data, look, title, shown)


def _range(unknown: Unknown, low: float, high: float) -> tuple[Place, Place]:
    return check_range(unknown, Fraction(low), Fraction(high))


def _one_machine(items: tuple[Machine | Prediction, ...], what: str) -> Machine:
    machines = machines_of(items)
    if len(machines) == 1:
        return machines[0]
    names = ", ".join(machine.name for machine in machines) or "none"
    message = f"{what} shows one machine, given: {names}"
    raise RoofError([Diagnostic("R0807", message, hint="make one figure for each")])
