"""PGF, the format that LaTeX draws itself: as matplotlib writes it, but for the texts.

matplotlib asks an installed TeX how wide a text is, and takes what stands in it for commands. Here
every text stands where it stands in the other formats, and is made of what every LaTeX has: no TeX
is asked, and the bytes are the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TextIO

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_pgf import FigureCanvasPgf, RendererPgf
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from numpy.typing import NDArray

from roofdsl.typeset.escape import escape_latex

_STRIDE = 4
_SIDES = {"left": (0.0, "left,"), "center": (0.5, ""), "right": (1.0, "right,")}
# No clip: a name of letters that LaTeX lacks is longer than was thought, and stays whole.
_HEAD = r"""% A figure, {width:.4g} in wide, to be put in by \input. What the preamble needs:
%   \usepackage{{pgf,lmodern}}
%   \usepackage[T1]{{fontenc}} % pdflatex only
\begingroup
\makeatletter
\begin{{pgfpicture}}%
\pgfpathrectangle{{\pgfpointorigin}}{{\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}%
\pgfusepath{{use as bounding box}}%
"""
_FOOT = r"""\end{pgfpicture}%
\endgroup
"""
_TEXT = r"""\begin{{pgfscope}}%
\definecolor{{textcolor}}{{rgb}}{{{red:f},{green:f},{blue:f}}}%
\pgfsetfillopacity{{{opacity:f}}}%
\pgftext[x={x:f}in,y={y:f}in,{side}base,rotate={angle:f}]%
{{\color{{textcolor}}{family}{weight}\fontsize{{{size:g}bp}}{{{size:g}bp}}\selectfont {text}}}%
\end{{pgfscope}}%
"""


class FigureCanvas(FigureCanvasPgf):
    """What matplotlib's `savefig` writes a file with where this module is its `backend`."""

    # One of matplotlib's own names: what opens the file calls it.
    def _print_pgf_to_fh(self, fh: TextIO, **_: object) -> None:
        width, height = self.figure.get_size_inches().tolist()
        fh.write(_HEAD.format(width=width, height=height))
        with _coarse_maps(self.figure):
            self.figure.draw(_Renderer(self.figure, fh))
        fh.write(_FOOT)


class _Renderer(RendererPgf):
    def __init__(self, figure: Figure, fh: TextIO) -> None:
        RendererPgf.__init__(self, figure, fh)  # mypy knows whose this is, not whose `super` is

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: bool | Literal["TeX"]
    ) -> tuple[float, float, float]:
        return RendererBase.get_text_width_height_descent(self, s, prop, ismath)

    # The signature is matplotlib's: `x`, `y` is where the text begins.
    def draw_text(
        self,
        gc: GraphicsContextBase,
        x: float,
        y: float,
        s: str,
        prop: FontProperties,
        angle: float,
        ismath: bool | Literal["TeX"] = False,
        mtext: Text | None = None,
    ) -> None:
        # LaTeX's letters have other widths: the side, or the middle, that was aligned stays.
        aligned = mtext.get_horizontalalignment() if mtext and not angle else "center"
        part, side = _SIDES[aligned]
        along = part * self.get_text_width_height_descent(s, prop, ismath)[0]
        red, green, blue = gc.get_rgb()[:3]
        text = _TEXT.format(
            red=red,
            green=green,
            blue=blue,
            opacity=gc.get_alpha(),
            x=(x + along * math.cos(math.radians(angle))) / self.dpi,
            y=(y + along * math.sin(math.radians(angle))) / self.dpi,
            side=side,
            angle=angle,
            family=r"\rmfamily" if "serif" in prop.get_family() else r"\sffamily",
            weight=r"\bfseries" if prop.get_weight() == "bold" else "",
            size=prop.get_size_in_points(),
            # A formula has TeX's own commands alone, but for one of amsmath's.
            text=s.replace(r"\dfrac", r"\displaystyle\frac") if ismath else escape_latex(s),
        )
        self.fh.write(text)


@contextmanager
def _coarse_maps(figure: Figure) -> Iterator[None]:
    """Draw maps in coarse patches for a while: a file of text has no place for pixels."""
    maps = figure.findobj(QuadMesh)
    coarse = [_coarser(mesh) for mesh in maps]
    try:
        yield
    finally:
        for mesh, patches in zip(maps, coarse, strict=True):
            mesh.set_visible(True)
            patches.remove()


def _coarser(mesh: QuadMesh) -> QuadMesh:
    """Hide a map behind one of patches `_STRIDE` cells wide, cut where the map has a hole."""
    corners = np.asarray(mesh.get_coordinates())
    values: NDArray[np.float64] = np.ma.masked_invalid(np.ma.asarray(mesh.get_array())).reshape(
        np.subtract(corners.shape[:2], 1)
    )
    holes = np.ma.getmaskarray(values)
    rows, columns = _edges(holes), _edges(holes.T)
    middles = np.ix_((rows[:-1] + rows[1:]) // 2, (columns[:-1] + columns[1:]) // 2)
    axes, norm = mesh.axes, mesh.norm
    assert isinstance(axes, Axes) and isinstance(norm, Normalize)
    grid = corners[np.ix_(rows, columns)]
    mesh.set_visible(False)
    return axes.pcolormesh(
        grid[..., 0],
        grid[..., 1],
        values[middles],
        cmap=mesh.cmap,
        norm=norm,
        # A hair of their own colour closes the seams between patches.
        edgecolors="face",
        linewidth=0.6,
        zorder=mesh.zorder,
    )


def _edges(holes: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the rows where patches begin: every `_STRIDE`, and where holes begin or end."""
    count = len(holes)
    changes = 1 + np.flatnonzero((holes[1:] != holes[:-1]).any(axis=1))
    return np.unique(np.concatenate([np.arange(0, count, _STRIDE), changes, [count]]))
