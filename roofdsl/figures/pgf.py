"""PGF, the format that LaTeX draws itself; only where TeX is installed."""

from __future__ import annotations

import io
import shutil

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import Normalize
from matplotlib.text import Text
from numpy.typing import NDArray

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures.picture import Picture

SYSTEMS = ("lualatex", "xelatex", "pdflatex")
_PACKAGES = "texlive-latex-recommended texlive-pictures texlive-luatex"
_STRIDE = 4
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "^": r"\textasciicircum{}",
        "_": r"\_",
        "~": r"\textasciitilde{}",
    }
)


def render_pgf(picture: Picture) -> bytes:
    """Return a figure as PGF; raises RoofError where no TeX is installed, or it fails (R0805).

    What stands in names is text to TeX, never a command.
    """
    system = next((name for name in SYSTEMS if shutil.which(name)), None)
    if system is None:
        message = f"PGF needs TeX, and none of {', '.join(SYSTEMS)} is installed"
        hint = f"install {_PACKAGES} (Debian's names), or write PDF or SVG"
        raise RoofError([Diagnostic("R0805", message, hint=hint)])
    texts = [(text, text.get_text()) for text in picture.findobj(Text)]
    # A file of text has no place for pixels: maps are drawn in coarse patches.
    maps = picture.findobj(QuadMesh)
    coarse = [_coarser(mesh) for mesh in maps]
    try:
        for text, written in texts:
            text.set_text(escaped(written))
        with mpl.rc_context({"pgf.texsystem": system, "pgf.rcfonts": False}):
            buffer = io.BytesIO()
            picture.savefig(buffer, format="pgf")
            return buffer.getvalue()
    except RuntimeError as error:  # matplotlib's LatexError is one
        first = str(error).strip().splitlines()[:1] or ["it says nothing"]
        message = f"{system} cannot set the figure's texts: {first[0]}"
        raise RoofError([Diagnostic("R0805", message, hint=f"install {_PACKAGES}")]) from None
    finally:
        for mesh, patches in zip(maps, coarse, strict=True):
            mesh.set_visible(True)
            patches.remove()
        for text, written in texts:
            text.set_text(written)


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


def escaped(text: str) -> str:
    r"""Return a text that TeX sets as it is; matplotlib escapes `%` itself.

    >>> escaped(r"a_b \input{x}")
    'a\\_b \\textbackslash{}input\\{x\\}'
    """
    return text.translate(_ESCAPES)
