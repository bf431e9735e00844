"""Answers as CSV: one row a result, numbers in SI base units but where a name says another."""

from __future__ import annotations

import csv
from io import StringIO

from roofdsl.answer.answer import Tabular
from roofdsl.inert import csv_value


def written(answer: Tabular) -> str:
    """Return the rows of an answer under the names of all their columns."""
    rows = answer.rows()
    names = list(dict.fromkeys(name for row in rows for name in row))
    output = StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(map(csv_value, names))
    writer.writerows([csv_value(row.get(name)) for name in names] for row in rows)
    return output.getvalue().rstrip("\n")
