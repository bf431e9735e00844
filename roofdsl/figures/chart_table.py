"""What stands in charts and planes as tables: the data behind them, complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from roofdsl.figures.chart import Axis, Chart, Point, Trajectory
from roofdsl.figures.picture import FigureCell, FigureTable
from roofdsl.units.dimension import SECOND

ChartRow: TypeAlias = dict[str, FigureCell]
PERFORMANCE = "performance [flop/s]"
_ENDS = ("level", "parameter", "value", "share of time", "measured", "bound")


def table_of(columns: Sequence[str], rows: Iterable[Mapping[str, FigureCell]]) -> FigureTable:
    """Return rows as a table; what a row does not have is left empty."""
    return FigureTable(tuple(columns), tuple(tuple(map(row.get, columns)) for row in rows))


def standing_rows(
    points: Iterable[Point], paths: Iterable[Trajectory], names: tuple[str, str]
) -> Iterator[ChartRow]:
    """Yield a row for each point, and each value of a trajectory; `names` are those of x and y."""
    for point in points:
        yield _row("point", point, names) | {
            "share of time": point.share,
            "measured": point.measured,
        }
    for path in paths:
        for index, value in enumerate(path.values.tolist()):
            yield _row("trajectory", path.point(index), names) | {
                "parameter": path.parameter,
                "value": value,
                "measured": False,
            }


def _row(what: str, point: Point, names: tuple[str, str]) -> ChartRow:
    return {
        "what": what,
        "machine": point.machine,
        "name": point.kernel,
        names[0]: point.x,
        names[1]: point.y,
        "level": point.level,
        "bound": point.bound or None,
    }


def chart_table(shown: Sequence[Chart]) -> FigureTable:
    """Return ceilings, bandwidth lines, ridge points and all that stands in some charts."""
    axes = [chart.axis for chart in shown]
    intensities, rates = (dict.fromkeys(map(of, axes)) for of in (_intensity, _bandwidth))
    columns = ["what", "machine", "name", "intensity", *intensities, PERFORMANCE, *rates, *_ENDS]
    return table_of(columns, (row for chart in shown for row in _chart_rows(chart)))


def _intensity(axis: Axis) -> str:
    return f"intensity [{axis.unit}]"


def _bandwidth(axis: Axis) -> str:
    return f"bandwidth [{axis.work / SECOND}]"


def _chart_rows(chart: Chart) -> Iterator[ChartRow]:
    x, y = names = _intensity(chart.axis), PERFORMANCE
    over: ChartRow = {"intensity": chart.axis.symbol}
    for roof in chart.roofs:
        own: ChartRow = over | {"machine": roof.machine}
        for line in roof.ceilings:
            yield own | {"what": "ceiling", "name": line.name, y: line.value}
        for line in roof.slopes:
            yield own | {"what": "bandwidth", "name": line.name, _bandwidth(chart.axis): line.value}
            for peak in roof.peaks:
                ridge: ChartRow = {x: peak.value / line.value, y: peak.value}
                yield own | {"what": "ridge point", "name": line.name} | ridge
    for text in chart.undrawn:
        yield over | {"what": "not drawn", "name": text}
    for row in standing_rows(chart.points, chart.trajectories, names):
        yield row | over
