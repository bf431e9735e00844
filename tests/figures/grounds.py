"""What lies behind the texts and lines of a picture: their contrast with it, from its pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.typing import ColorType
from numpy.typing import NDArray

from roofdsl.figures.look import settings
from roofdsl.figures.picture import Picture
from tests.figures.seen import letterings

Image = NDArray[np.float64]


def without(picture: Picture, artists: Iterable[Artist]) -> Image:
    """Return the pixels [0, 1] of a picture without some artists; a label's ground stays."""
    hidden = [(artist, artist.get_alpha()) for artist in artists]
    for artist, _ in hidden:
        artist.set_alpha(0.0)
    canvas = picture.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    with settings():
        canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba(), float)[::-1, :, :3] / 255
    for artist, alpha in hidden:
        artist.set_alpha(alpha)
    return pixels.copy()


def luminances(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the luminances of WCAG 2.1 of colours (n × 3)."""
    parts = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    return np.asarray(parts @ [0.2126, 0.7152, 0.0722])


def contrasts(colour: ColorType, grounds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the contrasts of a colour with some grounds (n × 3)."""
    own = float(luminances(np.array([to_rgb(colour)]))[0])
    others = luminances(grounds)
    return np.asarray((np.maximum(own, others) + 0.05) / (np.minimum(own, others) + 0.05))


def of_texts(picture: Picture) -> Iterator[tuple[str, float]]:
    """Yield each text with its contrast with three quarters of what lies behind it."""
    shown = letterings(picture)
    colours: dict[str, list[ColorType]] = {}
    for artist in picture.findobj(Text):
        assert isinstance(artist, Text)
        colours.setdefault(artist.get_text(), []).append(artist.get_color())
    pixels = without(picture, picture.findobj(Text))
    rows, columns = np.indices(pixels.shape[:2])
    places = np.stack([columns.ravel() + 0.5, rows.ravel() + 0.5], axis=1)
    for text, corners, *_ in shown:
        low, high = corners.min(axis=0), corners.max(axis=0)
        near = ((places >= low) & (places <= high)).all(axis=1)
        inside = np.flatnonzero(near)[Path(corners).contains_points(places[near])]
        grounds = pixels.reshape(-1, 3)[inside]
        for colour in colours[text]:
            yield text, float(np.quantile(contrasts(colour, grounds), 0.25))


def of_lines(picture: Picture) -> Iterator[tuple[str, float]]:
    """Yield each line that has a name with its contrast with what half of it lies on.

    Lines of the grid are none: they are to be seen only by who looks for them.
    """
    lines: list[Line2D] = picture.findobj(Line2D)
    pixels = without(picture, [*lines, *picture.findobj(PathCollection)])
    for line in lines:
        name = str(line.get_gid() or "grid")
        if name.startswith(("grid", "drape")):
            continue
        if not line.get_linewidth() or line.get_linestyle() == "None" or not line.get_visible():
            continue
        ends = line.get_transform().transform(np.asarray(line.get_xydata(), float))
        ends = ends[np.isfinite(ends).all(axis=1)]
        steps = np.linspace(0.0, 1.0, 20)[:, None, None]
        along = (ends[:-1] * (1 - steps) + ends[1:] * steps).reshape(-1, 2).astype(int)
        inside = ((along >= 0) & (along < np.array(pixels.shape[1::-1]))).all(axis=1)
        if inside.any():
            across, up = along[inside].T
            found = contrasts(line.get_color(), pixels[up, across])
            yield name, float(np.quantile(found, 0.5))
