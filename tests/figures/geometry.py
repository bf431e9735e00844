"""How labels stand on a drawn page: measured in points from the artists that are drawn, alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from numpy.typing import NDArray

from roofdsl.figures.chart import Point, Roof
from roofdsl.figures.picture import PNG_DPI, Picture
from tests.figures.seen import Lettering, letterings

Array = NDArray[np.float64]
# Letters and lines are set to whole pixels.
SLACK = 0.4


class Drawn:
    """What one pair of axes shows, by the names of its artists, in points on the page."""

    def __init__(self, picture: Picture, axes: Axes) -> None:
        scale = 72 / picture.dpi
        self.axes = axes
        self.frame: Array = np.asarray(axes.get_window_extent().get_points()) * scale
        self.labels = {
            each.name: each._replace(corners=each.corners * scale)
            for each in letterings(picture)
            if each.axes is axes and each.name.startswith("label:")
        }
        self.lines: dict[str, Array] = {}
        self.leaders: dict[str, Array] = {}
        for line in axes.lines:
            name = line.get_gid() or ""
            if name and line.get_transform() == axes.transData:
                path = np.asarray(axes.transData.transform(line.get_xydata())) * scale
                kind = self.leaders if name.startswith("leader:") else self.lines
                kind[name] = clipped(path, self.frame)
        self.markers: list[tuple[str, Array, Array]] = []
        for marks in axes.collections:
            if isinstance(marks, PathCollection):
                self.markers += list(_markers(marks, scale))


def _markers(marks: PathCollection, scale: float) -> Iterator[tuple[str, Array, Array]]:
    """Yield the name, the centre and the outline of each marker of a collection."""
    places = np.asarray(marks.get_offset_transform().transform(marks.get_offsets())) * scale
    (shape,) = marks.get_paths()
    outline = shape.to_polygons()[0]
    sizes = np.broadcast_to(np.sqrt(np.asarray(marks.get_sizes())), (len(places),))
    for centre, size in zip(places, sizes.tolist(), strict=True):
        yield marks.get_gid() or "", centre, np.asarray(centre + outline * size)


def clipped(path: Array, frame: Array) -> Array:
    """Return the segments (n × 4) of a line inside a frame."""
    start, end = path[:-1], path[1:]
    step = end - start
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = np.stack([(frame[0] - start) / step, (frame[1] - start) / step])
    still = step == 0
    inside = (start >= frame[0] - 1e-6) & (start <= frame[1] + 1e-6)
    enter = np.where(still, np.where(inside, 0, 2), np.min(bounds, axis=0)).max(axis=1).clip(0)
    leave = (
        np.where(still, np.where(inside, 1, -1), np.max(bounds, axis=0)).min(axis=1).clip(None, 1)
    )
    kept = enter <= leave
    parts = [start[kept] + at[kept, None] * step[kept] for at in (enter, leave)]
    return np.concatenate(parts, axis=1)


def meet(first: Array, second: Array) -> bool:
    """Whether two convex shapes, given by their corners, share a point: no axis separates them."""
    for corners in (first, second):
        sides = np.roll(corners, -1, axis=0) - corners
        axes = np.concatenate([sides, sides[:, ::-1] * (-1, 1)])
        one, two = first @ axes.T, second @ axes.T
        if ((one.max(axis=0) < two.min(axis=0)) | (two.max(axis=0) < one.min(axis=0))).any():
            return False
    return True


def distance(corners: Array, segments: Array) -> float:
    """Return how far a convex polygon is from segments (n × 4): 0 where one enters it."""
    if not len(segments):
        return np.inf
    if any(meet(corners, segment.reshape(2, 2)) for segment in segments):
        return 0.0
    sides = np.concatenate([corners, np.roll(corners, -1, axis=0)], axis=1)
    return min(
        _from_points(corners, segments),
        _from_points(segments[:, :2], sides),
        _from_points(segments[:, 2:], sides),
    )


def _from_points(points: Array, segments: Array) -> float:
    """Return the least distance of points from segments."""
    start, step = segments[None, :, :2], segments[None, :, 2:] - segments[None, :, :2]
    along = ((points[:, None] - start) * step).sum(axis=2)
    squared = np.maximum((step**2).sum(axis=2), 1e-12)
    nearest = start + np.clip(along / squared, 0, 1)[..., None] * step
    return float(np.hypot(*np.moveaxis(points[:, None] - nearest, 2, 0)).min())


def shrunk(corners: Array, slack: float = SLACK) -> Array:
    """Return a rectangle without its outermost points."""
    centre = corners.mean(axis=0)
    reach = np.linalg.norm(corners - centre, axis=1, keepdims=True)
    return np.asarray(centre + (corners - centre) * (1 - slack * np.sqrt(2) / reach))


def collisions(picture: Picture) -> list[str]:
    """Return labels on other texts, on markers, on the axes' lines, or outside the picture."""
    picture.set_dpi(PNG_DPI)
    scale = 72 / picture.dpi
    size = picture.get_size_inches() * 72
    everything = [each._replace(corners=each.corners * scale) for each in letterings(picture)]
    found = [
        f"'{a.text}' on '{b.text}'"
        for a, b in combinations(everything, 2)
        if meet(shrunk(a.corners), shrunk(b.corners))
    ]
    for each in everything:
        if each.corners.min() < -SLACK or (each.corners > size + SLACK).any():
            found.append(f"'{each.text}' outside the picture")
    for axes in picture.axes:
        drawn = Drawn(picture, axes)
        for label in drawn.labels.values():
            low, high = label.corners.min(axis=0), label.corners.max(axis=0)
            if axes.axison and (
                (low < drawn.frame[0]).any() or (high > drawn.frame[1] + SLACK).any()
            ):
                found.append(f"'{label.text}' on the frame")
            found += [
                f"'{label.text}' on marker {name}"
                for name, _, outline in drawn.markers
                if meet(shrunk(label.corners), outline)
            ]
    return found


def misleading(picture: Picture, points: Sequence[Sequence[Point]] = ()) -> list[str]:
    """Return labels nearer a line or point that is not theirs, and leaders that lead elsewhere."""
    picture.set_dpi(PNG_DPI)
    found: list[str] = []
    for number, axes in enumerate(picture.axes):
        drawn = Drawn(picture, axes)
        for name, label in drawn.labels.items():
            own = {line for line in drawn.lines if owns(line, name)}
            if own:
                found += _of_a_line(drawn, name, label, own)
            elif name.startswith("label:point:") and number < len(points):
                found += _of_a_point(drawn, name, label, points[number])
    return found


def owns(line: str, label: str) -> bool:
    """Whether a line is the one that a label is about, by their names.

    >>> owns("slope:karst:memory:main", "label:slope:karst:memory")
    True
    """
    about = label.removeprefix("label:")
    if about.startswith("trajectory:"):
        return about == line or about.startswith(f"{line}:")
    plain = line.removesuffix(":main")
    return plain == about or plain.partition(":")[2] == about


def _of_a_line(drawn: Drawn, name: str, label: Lettering, own: set[str]) -> Iterator[str]:
    leader = drawn.leaders.get(f"leader:{name}")
    area = label.corners
    if leader is not None:
        if distance(label.corners, leader[-1:]) > 3.0:
            yield f"'{label.text}' has a leader that begins elsewhere"
        area = np.repeat(leader[:1, :2], 4, axis=0)
    own_distance = min(distance(area, drawn.lines[line]) for line in own)
    at_marker = any(
        distance(area, np.concatenate([outline, np.roll(outline, -1, axis=0)], axis=1)) < 1.0
        for each, _, outline in drawn.markers
        if each.startswith(tuple(own))
    )
    if leader is not None and own_distance > SLACK and not at_marker:
        yield f"'{label.text}' has a leader that ends {own_distance:.1f} pt off its line"
    for line, path in drawn.lines.items():
        if line not in own and distance(area, path) < own_distance - SLACK and not at_marker:
            yield f"'{label.text}' is nearer {line}"
    yield from _struck(drawn, name, label, own)


def _struck(drawn: Drawn, name: str, label: Lettering, own: Collection[str] = ()) -> Iterator[str]:
    """Yield lines that run through a label, and those that lead to others."""
    for line, path in {**drawn.lines, **drawn.leaders}.items():
        mine = line in own or line == f"leader:{name}"
        if not mine and distance(shrunk(label.corners), path) == 0:
            yield f"'{label.text}' is struck by {line}"


def _of_a_point(
    drawn: Drawn, name: str, label: Lettering, points: Sequence[Point]
) -> Iterator[str]:
    point = points[int(name.rpartition(":")[2])]
    others = np.array([at for each, at, _ in drawn.markers if each.startswith("points:")])
    # The axis may be in any unit: the marker at the point's x, at its y in one of them.
    scale, transform = 72 / PNG_DPI, drawn.axes.transData.transform
    places = np.array([transform((point.x, point.y / 10**n)) for n in range(0, 22, 3)]) * scale
    off = np.hypot(*(others[:, None] - places).transpose(2, 0, 1)).min(axis=1)
    at = others[int(np.argmin(off))]
    assert off.min() < SLACK, f"no marker at {point}"
    apart = [centre for centre in others if np.hypot(*(centre - at)) > SLACK]
    leader = drawn.leaders.get(f"leader:{name}")
    area = label.corners if leader is None else np.repeat(leader[:1, :2], 4, axis=0)
    own = distance(area, np.array([[*at, *at]]))
    for centre in apart:
        if distance(area, np.array([[*centre, *centre]])) < own - SLACK:
            yield f"'{label.text}' is nearer another point"
    yield from _struck(drawn, name, label)


def unlabelled(picture: Picture, roofs: Sequence[Sequence[Roof]]) -> list[str]:
    """Return the default roofs without a label that says their rate."""
    missing = []
    for axes, shown in zip(picture.axes, roofs, strict=False):
        drawn = Drawn(picture, axes)
        for roof in shown:
            for kind, lines in (("ceiling", roof.ceilings), ("slope", roof.slopes)):
                for line in lines:
                    name = f"{kind}:{roof.machine}:{line.name}"
                    if not line.main or not len(drawn.lines.get(name, ())):
                        continue
                    label = drawn.labels.get(f"label:{name}")
                    if label is None or line.text not in label.text:
                        missing.append(f"{name} {line.text}")
    return missing
