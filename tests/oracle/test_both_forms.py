"""The oracle notices every value of JSON that is not what the text says, or not so."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.asking import ask
from tests.oracle.both_forms import wrong_values
from tests.oracle.contest import Contest
from tests.oracle.families import case
from tests.oracle.questions import settings
from tests.oracle.sentences import Reader, UnreadError

PARTS = ("regimes", "fastest", "crossovers", "changes", "complete", "proven_up_to")
SILENT = ("enclosure", "first_valid_proven")
"""A wider enclosure is one, too; that a first value is proven to be the first is said of few."""


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def altered(values: Any, path: tuple[str | int, ...]) -> Any:
    """Return a copy of values with another one at a place."""
    *way, last = path
    copy = inner = deepcopy(values)
    for key in way:
        inner = inner[key]
    match inner[last]:
        case bool(truth):
            inner[last] = not truth
        case str(text):
            inner[last] = "memory" if text != "memory" else "flops"
        case int(number):
            inner[last] = number + 1
        case float(number):
            inner[last] = number * 1.001 if number else 1.0
        case None:
            inner[last] = 1
    return copy


@pytest.mark.parametrize("family", ["kernels", "compositions", "require", "real unknowns"])
def test_what_is_changed_is_noticed(family: str, tmp_path: Path) -> None:
    path = tmp_path / "case.roof"
    for number in range(5):
        model = case(family, "altered", number)
        path.write_text(model.text())
        reply = ask(["solve", f"{path}:m", "--crossover", *settings(model, path)])
        contest, values = Contest(model), reply.values
        said = Reader(model.unknown, model.integer).read(reply.text)
        assert [*wrong_values(contest, said, values)] == []
        for name in PARTS:
            for place in leaves(values[name], (name,)) if name in values else ():
                if not {*SILENT} & {*place}:
                    assert noticed(contest, said, altered(values, place)), (place, reply.text)


def noticed(contest: Contest, said: Any, values: Any) -> bool:
    try:
        return bool([*wrong_values(contest, said, values)])
    except (UnreadError, AttributeError, TypeError, ValueError):
        return True
