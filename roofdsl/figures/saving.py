"""Write figures and their data to files: whole, or not at all."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures.picture import FORMATS, FigureTable, Picture
from roofdsl.inert import csv_value
from roofdsl.writing import write_whole


def save(picture: Picture, path: str | os.PathLike[str], form: str | None = None) -> None:
    """Write a figure; its format is `form`, or what the path ends with.

    Raises RoofError for an unknown format (R0801) and a path that cannot be written (R0802). An
    interrupted write leaves no half file.
    """
    write_whole(Path(path), picture.render(format_of(Path(path), form)))


def save_data(picture: Picture, path: str | os.PathLike[str]) -> None:
    """Write the data behind a figure as CSV; raises RoofError where it cannot (R0802)."""
    write_whole(Path(path), csv_text(picture.table).encode("utf-8"))


def format_of(path: Path, form: str | None = None) -> str:
    """Return the format to write, from what was asked for or the path's ending.

    >>> format_of(Path("summa.SVG")), format_of(Path("summa"), "pdf")
    ('svg', 'pdf')
    """
    chosen = (path.suffix.removeprefix(".") if form is None else form).lower()
    if chosen in FORMATS:
        return chosen
    known = ", ".join(f".{name}" for name in FORMATS)
    what = f"'{path}' has no ending" if not chosen else f"'{chosen}' is no format for figures"
    raise RoofError([Diagnostic("R0801", what, hint=f"figures are written as {known}")])


def csv_text(table: FigureTable) -> str:
    """Return a table as CSV: full precision, `inf` where infinite, empty where undefined.

    >>> csv_text(FigureTable(("name", "OI [flop/B]"), (("copy", 0.0), ("dot", float("nan")))))
    'name,OI [flop/B]\\r\\ncopy,0\\r\\ndot,\\r\\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(map(csv_value, table.columns))
    writer.writerows(map(csv_value, row) for row in table.rows)
    return buffer.getvalue()
