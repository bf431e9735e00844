"""Where a figure will be printed or shown: how wide it is there, in which letters and lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection, PathCollection
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text

_MILLIMETRES = 25.4
# From this width of its own on, a figure has panels beside one another: it takes the whole page.
_PANELS = 6.0


@dataclass(frozen=True, slots=True)
class Style:
    """What a place asks of its figures. All is drawn as in a figure's own style, then resized.

    `column` and `page` [in] are the widths of one column and of all, `tallest` [in] the height it
    has room for, all 0 for a figure's own. Texts, which have 7 to 8.5 pt otherwise, and markers
    grow by `scale`, the widths of lines, 0.5 to 1.8 pt otherwise, by `stroke`. Of the fonts in
    `families` the first that is there is taken; the last are always there.
    """

    column: float = 0.0
    page: float = 0.0
    tallest: float = 0.0
    scale: float = 1.0
    stroke: float = 1.0
    families: tuple[str, ...] = ("sans-serif",)
    math: str = "dejavusans"

    def width(self, own: float) -> float:
        """Return the width [in] of a figure that by itself is `own` inches wide.

        >>> round(STYLES["nature"].width(4.6), 2), STYLES["ieee"].width(7.16), Style().width(4.6)
        (3.5, 7.16, 4.6)
        """
        return (self.page if own > _PANELS else self.column) or own


_SANS = ("Arial", "Helvetica", "Liberation Sans", "sans-serif")
_TIMES = ("Times New Roman", "Times", "STIXGeneral", "serif")

STYLES: Mapping[str, Style] = MappingProxyType(
    {
        # research-figure-guide.nature.com: 89 and 183 mm, at most 170 mm high, Arial or Helvetica
        # of 5 to 7 pt; lines of 0.25 to 1 pt (nature.com, final submission).
        "nature": Style(
            89 / _MILLIMETRES, 183 / _MILLIMETRES, 170 / _MILLIMETRES, 7 / 8.5, 0.55, _SANS
        ),
        # ieeeauthorcenter.ieee.org, "Size Requirements for Graphics": 3.5 and 7.16 in. The
        # conference template asks for labels of 8 pt in Times New Roman.
        "ieee": Style(3.5, 7.16, 8.8, 8 / 7, 0.9, _TIMES, "stix"),
        # acmart.cls, sigconf: 241.15 and 506.3 of TeX's points (1/72.27 in), text 9.2 in high, in
        # Libertine; its \footnotesize has 7 pt.
        "acm": Style(
            3.337, 7.006, 9.0, 1.0, 0.9, ("Linux Libertine O", "Libertinus Serif", *_TIMES), "stix"
        ),
        # A slide of 13.33 × 7.5 in with its heading: nothing below 14 pt.
        "slides": Style(12.4, 12.4, 6.2, 14 / 7, 14 / 7, _SANS),
        # A column of two on an A0 sheet, 33.1 in wide: nothing below 24 pt.
        "poster": Style(15.0, 15.0, 20.0, 24 / 7, 24 / 7, _SANS),
    }
)


@lru_cache
def fonts(families: tuple[str, ...]) -> list[str]:
    """Return the fonts to draw with, in order: those of some families that are on this machine.

    A letter that the first has not is taken from the next.
    """
    known = {*fontManager.get_font_names(), "sans-serif", "serif"}
    return [name for name in families if name in known]


def resize(figure: Figure, style: Style) -> None:
    """Make a figure as large as its style asks: its page, its texts, markers and lines."""
    width, height = figure.get_size_inches()
    figure.set_size_inches(width * style.scale, height * style.scale)
    for artist in figure.findobj():
        _resize_artist(artist, style)
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            axis.labelpad = style.scale * float(axis.labelpad)
            # Where a tick's label stands goes by these; axes that are not shown have none.
            given = axis.get_tick_params()
            length, pad = (style.scale * float(given.get(name, 0.0)) for name in ("length", "pad"))
            axis.set_tick_params(length=length, pad=pad)


def _resize_artist(artist: Artist, style: Style) -> None:
    if isinstance(artist, Text):
        artist.set_fontsize(float(artist.get_fontsize()) * style.scale)
        if isinstance(artist, Annotation):
            x, y = (style.scale * float(offset) for offset in artist.xyann)
            artist.xyann = (x, y)
    elif isinstance(artist, Line2D):
        artist.set_markersize(artist.get_markersize() * style.scale)
        artist.set_markeredgewidth(artist.get_markeredgewidth() * style.stroke)
        artist.set_linewidth(artist.get_linewidth() * style.stroke)
    elif isinstance(artist, Patch):
        artist.set_linewidth(artist.get_linewidth() * style.stroke)
    elif isinstance(artist, Collection):
        artist.set_linewidth((np.atleast_1d(artist.get_linewidth()) * style.stroke).tolist())
        if isinstance(artist, PathCollection):
            artist.set_sizes(artist.get_sizes() * style.scale**2)
