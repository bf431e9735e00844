"""Rooflines over operational and communication intensity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.figure_data.cases import (
    NOWHERE,
    Setting,
    cases,
    heading,
    machines_of,
    settings_text,
)
from roofdsl.embedding.figure_data.charts import chart
from roofdsl.embedding.figure_data.measured import Measured
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.prediction import Prediction
from roofdsl.figures.chart import CAI, OI, Axis
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.roofline import charts


def roofline(
    *items: Machine | Prediction,
    at: Mapping[str, Setting] = NOWHERE,
    measured: Iterable[Measured] = (),
    level: str | None = None,
    look: Look = PLAIN,
) -> Picture:
    """Draw attainable performance [GFLOP/s] over operational intensity [flop/B].

    `items` are machines, and predictions (`model.on(machine)`) with their parameters `at` values;
    an array of values makes a trajectory. `level` picks the memory level that counts. Raises
    RoofError where a value is missing or does not fit, or a machine lacks the level (R0804).

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> prediction = load_model("summa").on(load_machine("karst"))
    >>> figure = roofline(prediction, at={"N": [242, 4096, 61952], "P": 121})
    >>> figure.title, len(figure.table.rows)
    ('summa on karst P = 121', 6)
    """
    return _charts((OI,), items, at, measured, level, look)


def communication(
    *items: Machine | Prediction,
    at: Mapping[str, Setting] = NOWHERE,
    measured: Iterable[Measured] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw attainable performance [GFLOP/s] over communication arithmetic intensity [flop/B].

    Otherwise like `roofline`. Raises RoofError also where no model sends anything (R0803).
    """
    return _charts((CAI,), items, at, measured, None, look)


def pair(
    *items: Machine | Prediction,
    at: Mapping[str, Setting] = NOWHERE,
    measured: Iterable[Measured] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw `roofline` and `communication` side by side."""
    return _charts((OI, CAI), items, at, measured, None, look)


def _charts(
    axes: tuple[Axis, ...],
    items: tuple[Machine | Prediction, ...],
    at: Mapping[str, Setting],
    measured: Iterable[Measured],
    level: str | None,
    look: Look,
) -> Picture:
    machines = machines_of(items)
    if not machines:
        raise RoofError([Diagnostic("R0807", "a roofline needs a machine")])
    shown = cases((item for item in items if isinstance(item, Prediction)), at)
    points = tuple(measured)
    drawn = [chart(axis, machines, shown, points, level) for axis in axes]
    return charts(drawn, look, heading(items, machines), settings_text(shown, at))
