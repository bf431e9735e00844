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
    "bound",
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
                for peak in roof.peaks:
                    ridge = peak.value / line.value
                    rows.append(_row("ridge point", machine, line.name, symbol, ridge, peak.value))
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
                    point.bound or None,
                )
            )
        for path in chart.trajectories:
            bounds = path.bounds or ("",) * len(path.x)
            for value, x, y, bound in zip(path.values, path.x, path.y, bounds, strict=True):
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
                        bound or None,
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
    return (what, machine, name, symbol, x, y, rate, *(None,) * 6)
