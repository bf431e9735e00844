"""The figure that is returned: it displays itself, repeats byte for byte, and carries its data."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures.look import settings
from roofdsl.model.given import as_text

PNG_DPI = 200
# Each format with what `savefig` needs for it, of any type: what a file says of itself has no date,
# so that its bytes repeat.
FORMATS: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None, "Creator": "roofdsl"}},
    "pdf": {"metadata": {"CreationDate": None, "Creator": "roofdsl"}},
    "png": {"metadata": {"Software": "roofdsl"}, "dpi": PNG_DPI},
    "pgf": {"backend": "module://roofdsl.figures.pgf"},
}
FigureCell: TypeAlias = str | float | int | bool | None


@dataclass(frozen=True, slots=True)
class FigureTable:
    """The data behind a figure, in SI base units: a column's unit is part of its name."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[FigureCell, ...]]


def rows_of(*columns: FigureCell | ArrayLike) -> list[tuple[FigureCell, ...]]:
    """Return the rows of some columns, each of values or of what is the same in every row.

    >>> rows_of("summa", np.array([1.0, 2.0]), None)
    [('summa', 1.0, None), ('summa', 2.0, None)]
    """
    listed = [np.asarray(column, dtype=object) for column in columns]
    count = next(len(column) for column in listed if column.ndim)
    return list(zip(*(np.broadcast_to(each, count).tolist() for each in listed), strict=True))


class Picture(Figure):
    """A matplotlib figure whose bytes repeat, with the data behind it in `table`.

    A notebook shows it by itself; nothing of pyplot is involved.
    """

    def __init__(self, width: float, height: float, paper: str) -> None:
        super().__init__(figsize=(width, height), dpi=72, facecolor=paper)
        FigureCanvasAgg(self)
        self.title: str = ""
        self.table: FigureTable = FigureTable((), ())

    # The signature is matplotlib's.
    def savefig(self, fname: Any, **options: Any) -> None:  # noqa: ANN401
        """Write the figure as matplotlib does, but without dates and under our settings."""
        form = options.get("format") or str(fname).rpartition(".")[2].lower()
        wanted = dict(FORMATS.get(form, {}))
        if self.title and form in ("svg", "pdf"):
            wanted["metadata"] = wanted["metadata"] | {"Title": self.title}
        with settings(), warnings.catch_warnings():
            # A name may hold letters the font has not; they are drawn as boxes.
            warnings.filterwarnings("ignore", message="Glyph")
            super().savefig(fname, **wanted | options)

    @public(form=as_text)
    def render(self, form: str) -> bytes:
        """Return the figure as the bytes of an `svg`, `pdf`, `png` or `pgf` file (else R0801)."""
        if form not in FORMATS:
            known = ", ".join(f".{name}" for name in FORMATS)
            message = f"'{form}' is no format for figures"
            raise RoofError([Diagnostic("R0801", message, hint=f"they are rendered as {known}")])
        buffer = io.BytesIO()
        self.savefig(buffer, format=form)
        return buffer.getvalue()

    def _repr_svg_(self) -> str:
        """Return what a notebook shows."""
        return self.render("svg").decode("utf-8")
