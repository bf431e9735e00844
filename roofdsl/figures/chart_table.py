"""The data of a roofline chart as a table."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.figures.chart import Chart
from roofdsl.figures.picture import Cell, Table

COLUMNS = (
    "what",
    "machine",
    "name",
    "intensity",
    "intensity [flop/B]",
    "performance [flop/s]",
    "bandwidth [B/s]",
    "level",
    "parameter",
    "value",
    "share of time",
    "measured",
)


def chart_table(shown: Sequence[Chart]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for chart in shown:
        symbol = chart.axis.symbol
        for roof in chart.roofs:
            machine = roof.machine
            for line in roof.ceilings:
                rows.append(_row("ceiling", machine, line.name, symbol, y=line.value))
            for line in roof.slopes:
                rows.append(_row("bandwidth", machine, line.name, symbol, rate=line.value))
                if roof.ceiling is not None:
                    ridge, height = roof.ceiling.value / line.value, roof.ceiling.value
                    rows.append(_row("ridge point", machine, line.name, symbol, ridge, height))
        for point in chart.points:
            rows.append(
                (
                    "point",
                    point.machine,
                    point.kernel,
                    symbol,
                    point.x,
                    point.y,
                    None,
                    point.level,
                    None,
                    None,
                    point.share,
                    point.measured,
                )
            )
        for path in chart.trajectories:
            for value, x, y in zip(path.values, path.x, path.y, strict=True):
                rows.append(
                    (
                        "trajectory",
                        path.machine,
                        path.kernel,
                        symbol,
                        float(x),
                        float(y),
                        None,
                        path.level,
                        path.parameter,
                        float(value),
                        None,
                        False,
                    )
                )
    return Table(COLUMNS, tuple(rows))


def _row(
    what: str,
    machine: str,
    name: str,
    symbol: str,
    x: float | None = None,
    y: float | None = None,
    rate: float | None = None,
) -> tuple[Cell, ...]:
    return (what, machine, name, symbol, x, y, rate, *(None,) * 5)
