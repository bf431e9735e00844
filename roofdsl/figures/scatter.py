"""Points and trajectories together in one panel: drawn first, labelled when all lines stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isinf, isnan
from typing import TypeAlias

from roofdsl.figures import trajectory
from roofdsl.figures.chart import Point, Trajectory
from roofdsl.figures.edges import Beyond, draw_badges, undrawn_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import three_digits
from roofdsl.figures.marks import SHAPES, Mark, shapes
from roofdsl.figures.panel import Panel
from roofdsl.figures.points import (
    Stand,
    Style,
    draw_ceiling,
    draw_markers,
    name_ceilings,
    name_points,
    sides,
    stands_of,
)
from roofdsl.figures.scale import CategoryScale

PointOrTrajectory: TypeAlias = Point | Trajectory
MOST_ENTRIES = 16
_ELSEWHERE = Mark("#7a7f86")
UNDEFINED = "its intensity is 0/0"
BOUNDS = {"flops": "compute-bound", "memory": "memory-bound", "network": "network-bound"}


def bound_name(bound: str, *, region: bool = False) -> str:
    """Return what a marker of a colour, or a region, says of what binds there.

    >>> bound_name("flops"), bound_name("gpu.memory"), bound_name("nvme", region=True)
    ('compute-bound', 'bound by gpu.memory', 'nvme-bound')
    """
    return BOUNDS.get(bound, f"{bound}-bound" if region else f"bound by {bound}")


def shape_keys(items: Sequence[PointOrTrajectory]) -> list[str]:
    """Return what the marker of each item stands for: its machine, its memory level, or both.

    Only what there is more than one of is told apart.
    """
    machines = len({item.machine for item in items if item.machine}) > 1
    levels = len({item.level for item in items}) > 1
    keys = []
    for item in items:
        parts = [item.machine or "no machine given"] if machines else []
        parts += [item.level or "default level"] if levels else []
        keys.append(" ".join(parts))
    return keys


def by_share(points: Sequence[Point], paths: Sequence[Trajectory]) -> list[str]:
    """Return the kernels: those with trajectories, then by their share of the time.

    >>> by_share((Point("a", 1, 1, share=0.2), Point("b", 1, 1, share=0.8)), ())
    ['b', 'a']
    """
    shares = {path.kernel: float("inf") for path in paths}
    for point in points:
        shares[point.kernel] = shares.get(point.kernel, 0.0) + (point.share or 0.0)
    return sorted(shares, key=lambda kernel: -shares[kernel])


def bounds_of(points: Sequence[Point], paths: Sequence[Trajectory]) -> tuple[str, ...]:
    """Return what binds something that has a place, each once."""
    found = [point.bound for point in points if not isnan(point.x)]
    found += [bound for path in paths for bound in path.bounds]
    return tuple(bound for bound in dict.fromkeys(found) if bound)


@dataclass(slots=True)
class Scatter:
    """What stands in a panel. `y` values are divided by `unit`; `symbols` are those of x and y.

    `found` holds the marks of machines if `by_machine`, else of kernels; `ink`, if given, is the
    colour of all labels, for a coloured ground; `at_edge` says how high a point stands whose x is 0
    and so lies left of any logarithmic frame. `says` tells whether regions and lines say what a
    point is bound by: through one of which they do not, a ceiling is drawn. `binding` are all
    bounds in the figure, in the order of their colours.
    """

    panel: Panel
    points: tuple[Point, ...]
    trajectories: tuple[Trajectory, ...]
    found: Mapping[str, Mark]
    symbols: tuple[str, str]
    by_machine: bool = False
    undrawn: tuple[str, ...] = ()
    unit: float = 1.0
    ink: str = ""
    at_edge: Callable[[Point], float] = lambda point: point.y
    says: Callable[[Point], bool] = lambda _: True
    binding: tuple[str, ...] = ()
    _items: list[PointOrTrajectory] = field(init=False)
    _keys: list[str] = field(init=False)
    _shapes: dict[str, str] = field(init=False)
    _several: bool = field(init=False)
    _stands: list[Stand | None] = field(init=False)
    _beyond: list[Beyond] = field(default_factory=list)
    _undefined: list[str] = field(default_factory=list)
    _ceilings: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._items = [*self.points, *self.trajectories]
        self._keys = shape_keys(self._items)
        self._shapes = shapes(self._keys)
        self._several = len({item.machine for item in self._items if item.machine}) > 1
        self._stands = stands_of(self.panel, self.points, self.unit, self.at_edge)

    def mark(self, item: PointOrTrajectory) -> Mark:
        # What was measured on a machine that is not shown is grey.
        return self.found.get(item.machine if self.by_machine else item.kernel, _ELSEWHERE)

    def lettered(self, item: PointOrTrajectory) -> Mark:
        """Return the mark whose colour its label has."""
        return Mark(self.ink) if self.ink else self.mark(item)

    def draw(self) -> None:
        """Draw trajectories and points, and a ceiling through each whose bound nothing else says.

        What does not stand inside the frame is noted for `name`.
        """
        panel, unit, keys = self.panel, self.unit, self._keys
        for path, key in zip(self.trajectories, keys[len(self.points) :], strict=True):
            trajectory.draw_trajectory(panel, path, self.mark(path), unit)
            spots, style = trajectory.spots_of(panel, path, unit), partial(self._style, key=key)
            along = trajectory.draw_along(panel, path, spots, style)
            self._draw_ceilings([path.point(index) for index in along])
            beyond = sides(panel, path.x, path.y / unit).tolist()
            for _, run in trajectory.runs(path, beyond):
                first = path.point(run.first)
                (place,) = stands_of(panel, [first], unit, self.at_edge)
                self._leave(first, place, style(first), run)
        styles = [self._style(point, key) for point, key in zip(self.points, keys, strict=False)]
        draw_markers(panel, self.points, self._stands, styles)
        inside = []
        for point, place, each in zip(self.points, self._stands, styles, strict=True):
            if place is None or place.edge:
                self._leave(point, place, each, trajectory.Run(point.kernel, 1))
            else:
                inside.append(point)
        self._draw_ceilings(inside)

    def _style(self, point: Point, key: str) -> Style:
        mark = self.mark(point)
        # With one shape for all, shapes are free to tell a colour's second round.
        alike = len(self._shapes) < 2
        shape = SHAPES[mark.round % len(SHAPES)] if alike else self._shapes[key]
        inside = "" if point.measured else face(self.panel, point.bound, self.binding)
        return Style(mark, shape, inside)

    def _leave(self, point: Point, place: Stand | None, style: Style, run: trajectory.Run) -> None:
        """Note a point, or several of a trajectory, that do not stand inside the frame."""
        name = f"{run.name} on {point.machine}" if self._several else run.name
        if place is None:
            self._undefined.append(name)
            return
        symbol, value = self.symbols[0], point.x
        if place.edge in "SN":
            scale = self.panel.plan.y
            of_axis = 1.0 if isinstance(scale, CategoryScale) else scale.unit
            symbol, value = self.symbols[1], point.y / self.unit / of_axis
        text = point.note or f"({symbol} {'∞' if isinf(value) else three_digits(value)})"
        ceiling = "" if self.says(point) else self._edge(point.bound)
        spot, colour = (place.edge, place.x, place.y), self.lettered(point).colour
        self._beyond.append(Beyond(*spot, name, text, colour, style.face, ceiling, run.points))

    def _draw_ceilings(self, points: Sequence[Point]) -> None:
        for point in points:
            if not self.says(point):
                label = f"bound:{point.machine}:{point.kernel}:{point.bound}"
                y = point.y / self.unit
                draw_ceiling(self.panel, point.x, y, self._edge(point.bound), label)
                self._ceilings.append(point)

    def _edge(self, bound: str) -> str:
        return self.panel.palette.edge(bound, self.binding)

    def name(self) -> list[Entry]:
        """Label trajectories and points as far as there is room; return what the key must say."""
        panel = self.panel
        named: dict[str, bool] = {}
        for path in self.trajectories:
            mark, spots = self.lettered(path), trajectory.spots_of(panel, path, self.unit)
            done = trajectory.name_trajectory(panel, path, spots, mark, self.by_machine)
            named[path.kernel] = done or named.get(path.kernel, False)
        name_ceilings(panel, self._ceilings, self.unit, self.binding)
        lettered = [self.lettered(point) for point in self.points]
        for kernel, done in name_points(panel, self.points, self._stands, lettered).items():
            named[kernel] = done or named.get(kernel, False)
        badges = draw_badges(panel, self._beyond)
        kernels = [] if self.by_machine or all(named.values()) else self._kernels(set(named))
        undefined = undrawn_entries(self._undefined, UNDEFINED)
        undrawn = [Entry(f"not drawn: {text}") for text in self.undrawn[:MOST_ENTRIES]]
        if left := len(self.undrawn) - len(undrawn):
            undrawn.append(Entry(f"not drawn: {left} more"))
        return [*kernels, *self._meanings(), *self._bounds(), *badges, *undefined, *undrawn]

    def _kernels(self, inside: set[str]) -> list[Entry]:
        """Return the colours of the kernels inside the frame, the largest shares of time first."""
        kernels = [k for k in by_share(self.points, self.trajectories) if k in inside]
        coloured = [k for k in kernels if self.found[k].colour != self.panel.palette.muted]
        lines = {path.kernel for path in self.trajectories}
        measured = {point.kernel for point in self.points if point.measured}
        entries = []
        for kernel in coloured[:MOST_ENTRIES]:
            mark = self.found[kernel]
            shape = SHAPES[mark.round % len(SHAPES)]
            if kernel in lines:
                entry = Entry(kernel, mark.colour, mark.dash, "o", filled=False, line=True)
            elif len(self._shapes) > 1:
                entry = Entry(kernel, mark.colour, patch=True)
            else:
                entry = Entry(kernel, mark.colour, marker=shape, filled=kernel in measured)
            entries.append(entry)
        left = len(kernels) - len(entries)
        if left:
            others, muted = f"{left} other{'s' if left > 1 else ''}", self.panel.palette.muted
            entries.append(Entry(others, muted, marker="o", filled=bool(measured)))
        return entries

    def _meanings(self) -> list[Entry]:
        """Return what shapes and sizes mean, and what was measured, where both kinds occur."""
        ink = self.panel.palette.ink
        entries: list[Entry] = []
        for key, shape in self._shapes.items() if len(self._shapes) > 1 else ():
            colour = (
                self.mark(self._items[self._keys.index(key)]).colour if self.by_machine else ink
            )
            entries.append(Entry(key, colour, marker=shape, filled=False))
        measured = any(point.measured for point in self.points)
        predicted = any(not point.measured for point in self.points) or self.trajectories
        if measured and predicted:
            entries.append(Entry("measured", ink, marker="o"))
            if not bounds_of(self.points, self.trajectories):
                entries.append(Entry("predicted", ink, marker="o", filled=False))
        if any(point.share is not None for point in self.points):
            entries.append(Entry("size: share of time"))
        return entries

    def _bounds(self) -> list[Entry]:
        """Return what the colours inside markers mean, and those of points' own ceilings."""
        bounds = bounds_of(self.points, self.trajectories)
        entries = bound_entries(self.panel, bounds, self.binding)
        for bound in dict.fromkeys(point.bound for point in self._ceilings):
            reasons = {point.ceiling.text for point in self._ceilings if point.bound == bound}
            text = reasons.pop() if len(reasons) == 1 else f"{bound}, where no roof says it"
            entries.append(Entry(text, self._edge(bound), line=True))
        return entries


def face(panel: Panel, bound: str, binding: tuple[str, ...] = ()) -> str:
    """Return the colour inside a marker: that of what binds, the ground's where it is not known.

    `binding` are all bounds in the figure, in the order of their colours.
    """
    return panel.palette.fill(bound, binding) if bound else panel.palette.paper


def bound_entries(
    panel: Panel, bounds: Sequence[str], binding: tuple[str, ...] = ()
) -> list[Entry]:
    """Return what the colours inside markers mean."""
    ink = panel.palette.ink
    known = [(bound_name(b), face(panel, b, binding)) for b in bounds]
    return [Entry(text, ink, marker="o", filled=False, face=inside) for text, inside in known]
