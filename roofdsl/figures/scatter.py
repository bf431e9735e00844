"""Points and trajectories together in one panel: drawn first, labelled when all lines stand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isinf

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
from roofdsl.figures.trajectory import (
    Run,
    draw_along,
    draw_trajectory,
    name_trajectory,
    runs,
    spots_of,
)

MOST_ENTRIES = 16
_ELSEWHERE = Mark("#7a7f86")
UNDEFINED = "its intensity is 0/0"
BOUNDS = {"flops": "compute-bound", "memory": "memory-bound", "network": "network-bound"}


@dataclass(frozen=True, slots=True)
class Scatter:
    """What stands in a panel. `y` values are divided by `unit`; `symbols` are those of x and y.

    `found` holds the marks of machines if `by_machine`, else of kernels; `ink`, if given, is the
    colour of all labels, for a coloured ground; `at_edge` says how high a point stands whose x is 0
    and so lies left of any logarithmic frame. `says` tells whether regions and lines say what a
    point is bound by: through one of which they do not, a ceiling is drawn. `binding` are all
    bounds in the figure, in the order of their colours.
    """

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

    def mark(self, item: Point | Trajectory) -> Mark:
        # What was measured on a machine that is not shown is grey.
        return self.found.get(item.machine if self.by_machine else item.kernel, _ELSEWHERE)

    def lettered(self, item: Point | Trajectory) -> Mark:
        """Return the mark whose colour its label has."""
        return Mark(self.ink) if self.ink else self.mark(item)

    @property
    def bounds(self) -> list[str]:
        """What binds the points, each once."""
        found = dict.fromkeys(point.bound for point in self.points)
        for path in self.trajectories:
            found |= dict.fromkeys(path.bounds)
        return [bound for bound in found if bound]

    @property
    def several_machines(self) -> bool:
        items: list[Point | Trajectory] = [*self.points, *self.trajectories]
        return len({item.machine for item in items if item.machine}) > 1


def shape_keys(points: tuple[Point, ...], paths: tuple[Trajectory, ...]) -> list[str]:
    """Return what the marker of each item stands for: its machine, its memory level, or both.

    Only what there is more than one of is told apart.
    """
    items: list[Point | Trajectory] = [*points, *paths]
    machines = len({item.machine for item in items if item.machine}) > 1
    levels = len({item.level for item in items}) > 1
    keys = []
    for item in items:
        parts = [item.machine or "no machine given"] if machines else []
        parts += [item.level or "default level"] if levels else []
        keys.append(" ".join(parts))
    return keys


def by_share(points: tuple[Point, ...], trajectories: tuple[Trajectory, ...]) -> list[str]:
    """Return the kernels: those with trajectories, then by their share of the time.

    >>> by_share((Point("a", 1, 1, share=0.2), Point("b", 1, 1, share=0.8)), ())
    ['b', 'a']
    """
    shares = {path.kernel: float("inf") for path in trajectories}
    for point in points:
        shares[point.kernel] = shares.get(point.kernel, 0.0) + (point.share or 0.0)
    return sorted(shares, key=lambda kernel: -shares[kernel])


@dataclass(frozen=True, slots=True)
class Drawn:
    """What `draw` has drawn: where points stand, what lies beyond the frame, points' ceilings."""

    stands: list[Stand | None]
    beyond: list[Beyond]
    undefined: list[str]
    ceilings: list[Point]


def draw(panel: Panel, scatter: Scatter) -> Drawn:
    """Draw trajectories and points, and a ceiling through each whose bound nothing else says."""
    points, unit = scatter.points, scatter.unit
    keys = shape_keys(points, scatter.trajectories)
    known = shapes(keys)

    def style(point: Point, key: str) -> Style:
        mark = scatter.mark(point)
        # With one shape for all, shapes are free to tell a colour's second round.
        shape = known[key] if len(known) > 1 else SHAPES[mark.round % len(SHAPES)]
        return Style(
            mark, shape, "" if point.measured else face(panel, point.bound, scatter.binding)
        )

    found = Drawn(stands_of(panel, points, unit, scatter.at_edge), [], [], [])
    for path, key in zip(scatter.trajectories, keys[len(points) :], strict=True):
        draw_trajectory(panel, path, scatter.mark(path), unit)
        along = draw_along(panel, path, spots_of(panel, path, unit), partial(style, key=key))
        _ceilings(panel, scatter, [path.point(index) for index in along], found)
        for _, run in runs(path, sides(panel, path.x, path.y / unit).tolist()):
            first = path.point(run.first)
            (place,) = stands_of(panel, [first], unit, scatter.at_edge)
            _leave(panel, scatter, first, place, style(first, key), run, found)
    styles = [style(point, key) for point, key in zip(points, keys, strict=False)]
    draw_markers(panel, points, found.stands, styles)
    inside = []
    for point, place, each in zip(points, found.stands, styles, strict=True):
        if place is None or place.edge:
            _leave(panel, scatter, point, place, each, Run(point.kernel, 1), found)
        else:
            inside.append(point)
    _ceilings(panel, scatter, inside, found)
    return found


def face(panel: Panel, bound: str, binding: tuple[str, ...] = ()) -> str:
    """Return the colour inside a marker: that of what binds, the ground's where it is not known.

    `binding` are all bounds in the figure, in the order of their colours.
    """
    if not bound:
        return panel.palette.paper
    return panel.palette.fill(bound, binding)


def bound_entries(
    panel: Panel, bounds: Sequence[str], binding: tuple[str, ...] = ()
) -> list[Entry]:
    """Return what the colours inside markers mean, each once."""
    return [
        Entry(
            BOUNDS.get(bound, f"bound by {bound}"),
            panel.palette.ink,
            marker="o",
            filled=False,
            face=face(panel, bound, binding),
        )
        for bound in dict.fromkeys(bounds)
        if bound
    ]


def _leave(
    panel: Panel,
    scatter: Scatter,
    point: Point,
    place: Stand | None,
    style: Style,
    run: Run,
    found: Drawn,
) -> None:
    """Note a point, or several of a trajectory, that do not stand inside the frame."""
    name = f"{run.name} on {point.machine}" if scatter.several_machines else run.name
    if place is None:
        found.undefined.append(name)
        return
    symbol, value = scatter.symbols[0], point.x
    if place.edge in "SN":
        symbol, value = scatter.symbols[1], point.y / scatter.unit
    shown = "∞" if isinf(value) else three_digits(value)
    text = point.note or f"({symbol} {shown})"
    colour, ceiling = scatter.lettered(point).colour, ""
    if not scatter.says(point):
        ceiling = panel.palette.edge(point.bound, scatter.binding)
    spot = (place.edge, place.x, place.y)
    found.beyond.append(Beyond(*spot, name, text, colour, style.face, ceiling, run.points))


def _ceilings(panel: Panel, scatter: Scatter, points: Sequence[Point], found: Drawn) -> None:
    for point in points:
        if not scatter.says(point):
            colour = panel.palette.edge(point.bound, scatter.binding)
            label = f"bound:{point.machine}:{point.kernel}:{point.bound}"
            draw_ceiling(panel, point.x, point.y / scatter.unit, colour, label)
            found.ceilings.append(point)


def name(panel: Panel, scatter: Scatter, drawn: Drawn) -> list[Entry]:
    """Label trajectories and points as far as there is room; return what the key must say."""
    named: dict[str, bool] = {}
    for path in scatter.trajectories:
        mark, spots = scatter.lettered(path), spots_of(panel, path, scatter.unit)
        done = name_trajectory(panel, path, spots, mark, nameless=scatter.by_machine)
        named[path.kernel] = done or named.get(path.kernel, False)
    name_ceilings(panel, drawn.ceilings, scatter.unit, scatter.binding)
    lettered = [scatter.lettered(point) for point in scatter.points]
    for kernel, done in name_points(panel, scatter.points, drawn.stands, lettered).items():
        named[kernel] = done or named.get(kernel, False)
    badges = draw_badges(panel, drawn.beyond)
    entries: list[Entry] = []
    if not scatter.by_machine and not all(named.values()):
        entries += _kernels(panel, scatter, set(named))
    entries += _meanings(panel, scatter) + _bounds(panel, scatter, drawn) + badges
    return entries + undrawn_entries(drawn.undefined, UNDEFINED) + list(_undrawn(scatter))


def _kernels(panel: Panel, scatter: Scatter, inside: set[str]) -> list[Entry]:
    """Return the colours of the kernels inside the frame, the largest shares of time first."""
    kernels = [k for k in by_share(scatter.points, scatter.trajectories) if k in inside]
    coloured = [k for k in kernels if scatter.found[k].colour != panel.palette.muted]
    lines = {path.kernel for path in scatter.trajectories}
    measured = {point.kernel for point in scatter.points if point.measured}
    several = len(set(shape_keys(scatter.points, scatter.trajectories))) > 1
    entries = []
    for kernel in coloured[:MOST_ENTRIES]:
        mark = scatter.found[kernel]
        shape = SHAPES[mark.round % len(SHAPES)]
        if kernel in lines:
            entry = Entry(kernel, mark.colour, mark.dash, "o", filled=False, line=True)
        elif several:
            entry = Entry(kernel, mark.colour, patch=True)
        else:
            entry = Entry(kernel, mark.colour, marker=shape, filled=kernel in measured)
        entries.append(entry)
    left = len(kernels) - len(entries)
    if left:
        others = f"{left:,} other{'s' if left > 1 else ''}"
        entries.append(Entry(others, panel.palette.muted, marker="o", filled=bool(measured)))
    return entries


def _meanings(panel: Panel, scatter: Scatter) -> list[Entry]:
    """Return what shapes and sizes mean, and what was measured, where both kinds occur."""
    items: list[Point | Trajectory] = [*scatter.points, *scatter.trajectories]
    keys = shape_keys(scatter.points, scatter.trajectories)
    entries: list[Entry] = []
    for key, shape in shapes(keys).items() if len(set(keys)) > 1 else ():
        item = next(item for item, other in zip(items, keys, strict=True) if other == key)
        colour = scatter.mark(item).colour if scatter.by_machine else panel.palette.ink
        entries.append(Entry(key, colour, marker=shape, filled=False))
    ink = panel.palette.ink
    measured = any(point.measured for point in scatter.points)
    predicted = any(not point.measured for point in scatter.points) or scatter.trajectories
    if measured and predicted:
        entries.append(Entry("measured", ink, marker="o"))
        if not scatter.bounds:
            entries.append(Entry("predicted", ink, marker="o", filled=False))
    if any(point.share is not None for point in scatter.points):
        entries.append(Entry("size: share of time"))
    return entries


def _bounds(panel: Panel, scatter: Scatter, drawn: Drawn) -> list[Entry]:
    """Return what the colours inside markers mean, and those of points' own ceilings."""
    entries = bound_entries(panel, scatter.bounds, scatter.binding)
    for bound in dict.fromkeys(point.bound for point in drawn.ceilings):
        colour = panel.palette.edge(bound, scatter.binding)
        reasons = dict.fromkeys(point.ceiling for point in drawn.ceilings if point.bound == bound)
        text = next(iter(reasons)) if len(reasons) == 1 else f"{bound}, where no roof says it"
        entries.append(Entry(text, colour, line=True))
    return entries


def _undrawn(scatter: Scatter) -> list[Entry]:
    return [Entry(f"not drawn: {text}") for text in scatter.undrawn]
