"""Answers as JSON, a line for each row: of points, steps, regimes and the like."""

from __future__ import annotations

import json
from collections.abc import Iterator

from roofdsl.answer.answer import Valued
from roofdsl.answer.plain import Json
from roofdsl.inert import escaped

WIDTH = 100
ROW = 2000
"""A row of a list that has more characters is broken into lines as well."""
# Without indents it is the encoder in C, so that many thousand rows take no longer than to find.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False)


def written(answer: Valued) -> str:
    """Return an answer as JSON in SI base units; infinite is "inf", undefined is null."""
    # Piece by piece: of most, it is known at once that they are ASCII.
    return "".join(map(escaped, _pieces(answer.values(), "\n", 0)))


def _pieces(value: Json, line: str, longest: int) -> Iterator[str]:
    """Yield the text of a value, on one line if it is no longer than that.

    `line` begins a line as far to the right as the value stands.
    """
    if not isinstance(value, dict | list) or not value:
        yield _ENCODER.encode(value)
    # Each item takes three characters or more: long lists need not be tried.
    elif 3 * len(value) <= longest and len(flat := _ENCODER.encode(value)) + len(line) <= longest:
        yield flat
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield f"{',' if place else '['}{line}  "
            yield from _pieces(item, f"{line}  ", ROW)
        yield f"{line}]"
    else:
        for place, (name, item) in enumerate(value.items()):
            yield f"{',' if place else '{'}{line}  {_ENCODER.encode(name)}: "
            yield from _pieces(item, f"{line}  ", WIDTH)
        yield f"{line}}}"
