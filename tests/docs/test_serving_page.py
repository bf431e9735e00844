"""The tables of docs/serving.md are what the models predict of what was measured.

`ROOFDSL_UPDATE_DOCS=1 pytest tests/docs/test_serving_page.py` writes them into the page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofdsl.units.quantity import show_number
from tests.dnn.served import Measured, error, measured, predicted, reached, steady, steady_state

PAGE = Path(__file__).resolve().parents[2] / "docs" / "serving.md"
HEAD = re.compile(r"^\|.*\|\n\| ---.*\|\n", re.MULTILINE)
ROWS = re.compile(r"(?:^\|.*\|\n)*", re.MULTILINE)


def signed(error: float) -> str:
    return f"{100 * error:+.1f} %".replace("-", "−")


def decoding() -> Iterator[list[str]]:
    for row in measured():
        if row.engine == "gpt-fast":
            yield [row.model, str(row.ranks), row.weights, *compared(row)]


def runs() -> Iterator[list[str]]:
    found = [row for row in measured() if row.engine == "lmdeploy"]
    for row in found:
        if row.measure == "rate":
            (each,) = (x for x in found if x.setting == row.setting and x.measure == "per_token")
            run = [str(x) for x in (row.ranks, row.batch, row.prompt, row.output)]
            yield [row.model, *run, *compared(row), *compared(each)]


def of_a_card() -> Iterator[list[str]]:
    for row in measured():
        if row.measure == "rate_of_a_rank":
            run = [str(x) for x in (row.ranks, row.batch, row.prompt, row.output)]
            yield [row.model, row.card, *run, *compared(row)]


def first_words() -> Iterator[list[str]]:
    for row in measured():
        if row.measure == "first_token":
            run = [row.card, str(row.ranks), str(row.prompt)]
            yield [row.engine, row.model, *run, *compared(row)]


def compared(row: Measured) -> list[str]:
    """Return what was measured, what is predicted and the error; times in milliseconds."""
    scale = 1000 if row.measure in ("per_token", "first_token") else 1
    found = predicted(row, reached(row.card))
    return [show_number(scale * row.value), show_number(scale * found), signed(error(row))]


def states() -> Iterator[list[str]]:
    for row in steady():
        running, rate = steady_state(row, reached(row.card))
        run = [str(x) for x in (row.ranks, row.prompt, row.output, running)]
        yield [
            row.model,
            row.card,
            *run,
            f"{row.rate:g}",
            f"{rate:.0f}",
            signed(rate / row.rate - 1),
        ]


TABLES = (decoding, runs, of_a_card, first_words, states)


@pytest.mark.parametrize("place", range(len(TABLES)))
def test_a_table_is_what_is_predicted(place: int) -> None:
    page = PAGE.read_text(encoding="utf-8")
    heads = [*HEAD.finditer(page)]
    assert len(heads) == len(TABLES)
    start = heads[place].end()
    old = ROWS.match(page, start)
    assert old is not None
    new = "".join(f"| {' | '.join(row)} |\n" for row in TABLES[place]())
    if os.environ.get("ROOFDSL_UPDATE_DOCS") == "1":
        PAGE.write_text(page[:start] + new + page[old.end() :], encoding="utf-8")
    else:
        assert old.group() == new
