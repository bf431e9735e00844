"""What a picture shows: its artists by name, its texts and where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.path import Path
from matplotlib.text import Text
from numpy.typing import NDArray

from roofdsl.figures.look import settings
from roofdsl.figures.picture import Picture


class Lettering(NamedTuple):
    """A text as it stands on the page: what it says, its corners in pixels, its name, its axes."""

    text: str
    corners: NDArray[np.float64]
    name: str = ""
    axes: Artist | None = None


def named(picture: Picture, name: str | tuple[str, ...]) -> list[Artist]:
    """Return the artists whose name begins with `name`, or with one of several."""
    return [artist for artist in picture.findobj() if (artist.get_gid() or "").startswith(name)]


def line(picture: Picture, name: str) -> NDArray[np.float64]:
    """Return the values of the one line of this name, n × 2."""
    (found,) = [artist for artist in named(picture, name) if artist.get_gid() == name]
    assert isinstance(found, Line2D)
    return np.array(found.get_xydata(), dtype=float)


def polygon(picture: Picture, name: str) -> Polygon:
    (found,) = [artist for artist in named(picture, name) if artist.get_gid() == name]
    assert isinstance(found, Polygon)
    return found


def offsets(picture: Picture, name: str | tuple[str, ...]) -> list[list[float]]:
    """Return where the markers of a name stand."""
    found: list[list[float]] = []
    for artist in named(picture, name):
        if isinstance(artist, PathCollection):
            found += np.asarray(artist.get_offsets()).tolist()
    return found


def badges(picture: Picture) -> int:
    """Return how many points have a badge; of those that share one, it says the number."""
    return sum(int(str(a.get_gid()).rpartition(":")[2]) for a in named(picture, "badge:"))


def key(picture: Picture) -> list[str]:
    """Return the texts below a picture."""
    return [artist.get_text() for artist in named(picture, "key:") if isinstance(artist, Text)]


def not_drawn(picture: Picture) -> list[str]:
    """Return the names below a picture of that which has no place in it."""
    shown = key(picture)
    start = next((n for n, text in enumerate(shown) if text.startswith("not drawn,")), len(shown))
    return shown[start + 1 :]


def left_out(picture: Picture) -> int:
    """Return how many things are named as not drawn, those only counted included."""
    names = [name for name in not_drawn(picture) if not name.startswith("not drawn,")]
    more = [int(name.split()[1]) for name in names if name.startswith("and ")]
    return len(names) - len(more) + sum(more)


def accounted(picture: Picture) -> tuple[int, int, int]:
    """Return how many points are drawn, have a badge, and are named below."""
    drawn = len(offsets(picture, ("points:", "trajectory:")))
    return drawn, badges(picture), left_out(picture)


def colour_at(picture: Picture, prefix: str, x: float, y: float) -> set[str]:
    """Return the names of the filled regions that hold a point of values, as they are drawn."""
    found = set()
    for artist in named(picture, prefix):
        if isinstance(artist, Polygon) and artist.axes is not None:
            drawn = Path(artist.axes.transData.transform(artist.get_xy()))
            across, up = artist.axes.transData.transform((x, y))
            if drawn.contains_point((float(across), float(up))):
                found.add(artist.get_gid() or "")
    return found


def texts(picture: Picture) -> list[str]:
    return [lettering.text for lettering in letterings(picture)]


@lru_cache(maxsize=4)  # drawing is what takes the time
def letterings(picture: Picture) -> list[Lettering]:
    """Return every text of a picture with its corners: labels, ticks, title, key."""
    with settings():
        picture.canvas.draw()
        canvas = picture.canvas
        assert isinstance(canvas, FigureCanvasAgg)
        return list(_letterings(picture, canvas))


def _letterings(picture: Picture, canvas: FigureCanvasAgg) -> Iterator[Lettering]:
    renderer, off = canvas.get_renderer(), _switched_off(picture)
    for text in picture.findobj(Text):
        if not text.get_text().strip() or not text.get_visible() or _hidden(text) or text in off:
            continue
        angle = text.get_rotation()
        box = text.get_window_extent(renderer)
        if angle % 90:
            # Of a turned text, matplotlib gives the box around it: turn it back to measure it.
            centre = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
            text.set_rotation(0)
            flat = text.get_window_extent(renderer)
            text.set_rotation(angle)
            half = np.array([flat.width, flat.height]) / 2
        else:
            centre = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
            half, angle = np.array([box.width, box.height]) / 2, 0.0
        turn = np.radians(angle)
        along = np.array([np.cos(turn), np.sin(turn)]) * half[0]
        up = np.array([-np.sin(turn), np.cos(turn)]) * half[1]
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        corners = np.array([centre + i * along + j * up for i, j in signs])
        yield Lettering(text.get_text(), corners, text.get_gid() or "", text.axes)


def _hidden(text: Text) -> bool:
    """Whether a text belongs to axes, or an axis, that are switched off."""
    axes = text.axes
    return isinstance(axes, Axes) and not axes.axison and text.get_gid() is None


def _switched_off(picture: Picture) -> set[Artist]:
    """Return the texts of axes' one axis that is not shown: their ticks are there all the same."""
    axes = [axis for axes in picture.axes for axis in (axes.xaxis, axes.yaxis)]
    return {text for axis in axes if not axis.get_visible() for text in axis.findobj(Text)}


def overlapping(picture: Picture, slack: float = 1.0) -> list[tuple[str, str]]:
    """Return pairs of texts that share more than their outermost point."""
    shrunk = []
    for text, corners, *_ in letterings(picture):
        centre = corners.mean(axis=0)
        reach = np.linalg.norm(corners - centre, axis=1, keepdims=True)
        inner = centre + (corners - centre) * np.maximum(0.1, 1 - slack / reach)
        shrunk.append((text, Path(np.vstack([inner, inner[:1]]))))
    # Of edges that lie on one line matplotlib does not always say whether they meet: boxes do.
    return [
        (first, second)
        for (first, a), (second, b) in combinations(shrunk, 2)
        if a.get_extents().overlaps(b.get_extents()) and a.intersects_path(b, filled=True)
    ]


def outside(picture: Picture) -> list[str]:
    """Return texts that leave the page."""
    width, height = picture.get_size_inches() * picture.dpi
    return [
        text
        for text, corners, *_ in letterings(picture)
        if corners.min() < -0.5
        or corners[:, 0].max() > width + 0.5
        or corners[:, 1].max() > height + 0.5
    ]
