"""PGF, the format that LaTeX draws itself; only where TeX is installed."""

from __future__ import annotations

import shutil

import matplotlib as mpl
from matplotlib.text import Text

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures.picture import Picture

SYSTEMS = ("lualatex", "xelatex", "pdflatex")
_PACKAGES = "texlive-latex-recommended texlive-pictures texlive-luatex"
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
    try:
        for text, written in texts:
            text.set_text(escaped(written))
        with mpl.rc_context({"pgf.texsystem": system, "pgf.rcfonts": False}):
            return picture.render("pgf")
    except RuntimeError as error:  # matplotlib's LatexError is one
        first = str(error).strip().splitlines()[:1] or ["it says nothing"]
        message = f"{system} cannot set the figure's texts: {first[0]}"
        raise RoofError([Diagnostic("R0805", message, hint=f"install {_PACKAGES}")]) from None
    finally:
        for text, written in texts:
            text.set_text(written)


def escaped(text: str) -> str:
    r"""Return a text that TeX sets as it is; matplotlib escapes `%` itself.

    >>> escaped(r"a_b \input{x}")
    'a\\_b \\textbackslash{}input\\{x\\}'
    """
    return text.translate(_ESCAPES)
