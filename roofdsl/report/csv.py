"""Answers as CSV: one row a result, numbers in SI base units."""

from __future__ import annotations

import csv
from io import StringIO

from roofdsl.answer.answer import Tabular
from roofdsl.answer.plain import Json
from roofdsl.inert import csv_cell


def written(answer: Tabular) -> str:
    """Return the rows of an answer under the names of all their columns."""
    rows = answer.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    output = StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(map(csv_cell, names))
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return output.getvalue().rstrip("\n")


def _cell(value: Json) -> Json:
    """Return a value of which the writer makes the shortest text; it writes nothing for None."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return csv_cell(value) if isinstance(value, str) else value
