"""Points and trajectories together in one panel: drawn first, labelled when all lines stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from roofdsl.figures.chart import Point, Trajectory
from roofdsl.figures.key import Entry
from roofdsl.figures.marks import MOST_COLOURED, SHAPES, Mark, shapes
from roofdsl.figures.panel import Panel
from roofdsl.figures.points import Stand, draw_markers, name_points, stand
from roofdsl.figures.trajectory import draw_trajectory, name_trajectory

MOST_ENTRIES = 16
_ELSEWHERE = Mark("#7a7f86")


@dataclass(frozen=True, slots=True)
class Scatter:
    """What stands in a panel. `y` values are divided by `unit`.

    `found` holds the marks of machines if `by_machine`, else of kernels; `ink`, if given, is the
    colour of all labels, for a coloured ground; `at_edge` says how high a point stands whose x is 0
    and so lies left of any logarithmic frame.
    """

    points: tuple[Point, ...]
    trajectories: tuple[Trajectory, ...]
    found: Mapping[str, Mark]
    by_machine: bool = False
    undrawn: tuple[str, ...] = ()
    unit: float = 1.0
    ink: str = ""
    at_edge: Callable[[Point], float] = lambda point: point.y

    def mark(self, item: Point | Trajectory) -> Mark:
        # What was measured on a machine that is not shown is grey.
        return self.found.get(item.machine if self.by_machine else item.kernel, _ELSEWHERE)

    def lettered(self, item: Point | Trajectory) -> Mark:
        """Return the mark whose colour its label has."""
        return Mark(self.ink) if self.ink else self.mark(item)

    @property
    def levels(self) -> dict[str, str]:
        """The marker's shape for each memory level that is shown."""
        levels = [point.level for point in self.points]
        return shapes(levels + [path.level for path in self.trajectories if path.shown.any()])


def by_share(points: tuple[Point, ...], trajectories: tuple[Trajectory, ...]) -> list[str]:
    """Return the kernels: those with trajectories, then by their share of the time.

    >>> by_share((Point("a", 1, 1, share=0.2), Point("b", 1, 1, share=0.8)), ())
    ['b', 'a']
    """
    shares = {path.kernel: float("inf") for path in trajectories}
    for point in points:
        shares[point.kernel] = shares.get(point.kernel, 0.0) + (point.share or 0.0)
    return sorted(shares, key=lambda kernel: -shares[kernel])


def draw(panel: Panel, scatter: Scatter) -> list[Stand | None]:
    """Draw trajectories and points; return where the points stand."""
    levels = scatter.levels
    for path in scatter.trajectories:
        shape = levels.get(path.level, SHAPES[0])
        draw_trajectory(panel, path, scatter.mark(path), shape, scatter.unit)
    stands = [stand(panel, point, scatter.unit, scatter.at_edge) for point in scatter.points]
    several = len(levels) > 1
    drawn = [scatter.mark(point) for point in scatter.points]
    return draw_markers(panel, scatter.points, stands, drawn, levels if several else None)


def name(panel: Panel, scatter: Scatter, stands: list[Stand | None]) -> list[Entry]:
    """Label trajectories and points as far as there is room; return what the key must say."""
    named: dict[str, bool] = {}
    for path in scatter.trajectories:
        mark = scatter.lettered(path)
        done = name_trajectory(panel, path, mark, scatter.unit, nameless=scatter.by_machine)
        named[path.kernel] = done or named.get(path.kernel, False)
    drawn = [scatter.lettered(point) for point in scatter.points]
    for kernel, done in name_points(panel, scatter.points, stands, drawn).items():
        named[kernel] = done or named.get(kernel, False)
    entries: list[Entry] = []
    if not scatter.by_machine and not all(named.values()):
        entries += _kernels(panel, scatter)
    return entries + _meanings(panel, scatter)


def _kernels(panel: Panel, scatter: Scatter) -> list[Entry]:
    kernels = by_share(scatter.points, scatter.trajectories)
    most = MOST_ENTRIES if len(kernels) <= MOST_COLOURED else len(panel.palette.series) - 1
    lines = {path.kernel for path in scatter.trajectories}
    measured = {point.kernel for point in scatter.points if point.measured}
    several = len(scatter.levels) > 1
    entries = []
    for kernel in kernels[:most]:
        mark = scatter.found[kernel]
        shape = SHAPES[mark.round % len(SHAPES)]
        if kernel in lines:
            entry = Entry(kernel, mark.colour, mark.dash, "o", filled=False, line=True)
        elif several:
            entry = Entry(kernel, mark.colour, patch=True)
        else:
            entry = Entry(kernel, mark.colour, marker=shape, filled=kernel in measured)
        entries.append(entry)
    if len(kernels) > most:
        others = f"{len(kernels) - most:,} others"
        entries.append(Entry(others, panel.palette.muted, marker="o", filled=bool(measured)))
    return entries


def _meanings(panel: Panel, scatter: Scatter) -> list[Entry]:
    """Return what shapes and fillings mean, where both kinds occur, and what is not drawn."""
    ink = panel.palette.ink
    entries: list[Entry] = []
    if len(scatter.levels) > 1:
        entries += [
            Entry(level or "default level", ink, marker=shape, filled=False)
            for level, shape in scatter.levels.items()
        ]
    measured = any(point.measured for point in scatter.points)
    predicted = any(not point.measured for point in scatter.points) or scatter.trajectories
    if measured and predicted:
        entries += [
            Entry("measured", ink, marker="o"),
            Entry("predicted", ink, marker="o", filled=False),
        ]
    if any(point.share is not None for point in scatter.points):
        entries.append(Entry("size: share of time"))
    return entries + [Entry(f"not drawn: {text}") for text in scatter.undrawn[:3]]
