"""Answers as CSV: one row a result, numbers in SI base units."""

from __future__ import annotations

import csv
from io import StringIO

from roofdsl.answer.answer import Tabular
from roofdsl.answer.plain import Json


def written(answer: Tabular) -> str:
    """Return the rows of an answer under the names of all their columns."""
    rows = answer.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    output = StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(row.get(name)) for name in names] for row in rows)
    return output.getvalue().rstrip("\n")


def _cell(value: Json) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float() if value.is_integer() and abs(value) < 1e15:
            return repr(int(value))
        case float() | int():
            return repr(value)
    return str(value)
