"""What a report says first: every model on every machine; of many models, chapters of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import NamedTuple

from roofdsl.analysis.intensity import intensity_units
from roofdsl.analysis.result import Result
from roofdsl.answer.blocks import Table, in_a_row, label, tabular
from roofdsl.answer.cells import NOTHING, Cell, Printed
from roofdsl.answer.columns import entry_of_fits
from roofdsl.answer.document.report import Chapter
from roofdsl.answer.result_cells import result_cell
from roofdsl.model.results import own_resources
from roofdsl.model.types import ModelDefinition, Module

MOST_TOGETHER = 12
"""More models stand in chapters, each with a summary of its own."""
_MOST_BOUNDS = 4
_NO_BREAK = "\u00a0"
_LIBRARY = "stdlib"


class Outcome(NamedTuple):
    """A model on a machine, at some values: its numbers, None where there are none."""

    model: ModelDefinition
    machine: str
    at: str
    result: Result | None


def area(module: Module) -> str:
    """Return the chapter that a file is in: of the library its area, else the file itself.

    >>> from roofdsl.model.library import find_model
    >>> area(find_model("summa")[1])
    'linalg'
    """
    path = PurePath(module.source.name)
    return path.parts[1] if path.parts[0] == _LIBRARY and len(path.parts) > 2 else path.name


def overview(outcomes: Sequence[Outcome], caption: str, place: str) -> Table:
    """Return a row for each model on each machine: first what binds and fits, then numbers."""
    fits = ["fits"] if any(each.result and each.result.fits for each in outcomes) else []
    own = own_resources(*(each.model for each in outcomes))
    columns = ["bound", *fits, "time", "attainable", *intensity_units(own)]
    rows: list[list[Cell]] = [["model", "machine", *columns, "at"]]
    for each in outcomes:
        cells = (_cell(each.result, name) for name in columns)
        at = each.at.replace(" = ", f"{_NO_BREAK}={_NO_BREAK}")  # lines end between values
        rows.append([each.model.name, each.machine, *cells, at])
    return tabular(caption, place, rows)


def _cell(result: Result | None, name: str) -> Cell:
    if result is None:
        return NOTHING
    if name == "fits":
        return entry_of_fits(result).cell if result.fits else NOTHING
    return result_cell(result, name)


def chapters(areas: Sequence[str], outcomes: Sequence[Sequence[Outcome]]) -> tuple[Chapter, ...]:
    """Return the chapters of models, by their areas in order, with what is found of each model."""
    if len(areas) <= MOST_TOGETHER or len(set(areas)) < 2:
        whole = [each for found in outcomes for each in found]
        table = overview(whole, "Every model on every machine", "summary")
        return (Chapter("Models", "models", "", table, 0, len(areas)),)
    return tuple(_chapters(areas, outcomes))


def _chapters(areas: Sequence[str], outcomes: Sequence[Sequence[Outcome]]) -> Iterator[Chapter]:
    for name, places in groupby(range(len(areas)), key=lambda place: areas[place]):
        first, *others = places
        after = (others or [first])[-1] + 1
        found = [each for place in range(first, after) for each in outcomes[place]]
        place = label("chapter", name)
        table = overview(found, f"Models of {name} on every machine", f"{place}-summary")
        yield Chapter(name, place, _told(after - first, found), table, first, after)


def _told(models: int, outcomes: Sequence[Outcome]) -> str:
    """Return in sentences how many models there are, and what binds how many of them where."""
    told = [f"{models} {'model' if models == 1 else 'models'}."]
    for machine in dict.fromkeys(each.machine for each in outcomes):
        here = [each.result for each in outcomes if each.machine == machine]
        counts = Counter(str(result_cell(x, "bound")) for x in here if x is not None)
        most = counts.most_common(_MOST_BOUNDS)
        shown = [f"{count} bound by {name}" for name, count in most]
        other = sum(counts.values()) - sum(count for _, count in most)
        shown += [f"{other} by something else"] if other else []
        without = here.count(None)
        shown += [f"{without} without numbers"] if without else []
        told.append(f"On {machine}: {in_a_row(shown)}.")
    return " ".join(told)


def contents(found: Sequence[Chapter]) -> Table:
    """Return what stands first: the one overview there is, or a row for each chapter."""
    if len(found) == 1:
        return found[0].table
    rows: list[list[Cell]] = [["chapter", "models", "what binds"]]
    rows += [
        [x.title, Printed(str(x.after - x.first)), x.summary.partition(". ")[2]] for x in found
    ]
    table = tabular("Chapters", "summary", rows)
    last = table.columns[-1]._replace(wide=True)
    return table._replace(columns=(*table.columns[:-1], last))
