"""What many results note, each note once: with the machines or the rows it is of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from roofdsl.analysis.result import Result
from roofdsl.answer.result_cells import unanswered_metrics
from roofdsl.answer.titles import shared_notes


def row_notes(results: Sequence[Result]) -> Iterator[str]:
    """Yield each note of some rows once, with the machines or the rows it is of if not of all."""
    machines = dict.fromkeys(result.machine for result in results)
    of_machine: dict[str, list[str]] = {name: [] for name in machines}
    noted = [(*result.notes, *_unanswered(result)) for result in results]
    for note, held in with_rows(results, noted):
        for name in held:
            of_machine[name].append(note)
        if not held:
            yield note
    yield from shared_notes([*of_machine.items()])


def with_rows(
    results: Sequence[Result], noted: Sequence[Sequence[str]]
) -> Iterator[tuple[str, set[str]]]:
    """Yield each note of some rows once, with the machines that it is of.

    Where it is not of all rows of a machine there is none: it says then which rows it is of.
    """
    for note in dict.fromkeys(note for notes in noted for note in notes):
        rows = [place for place, notes in enumerate(noted, 1) if note in notes]
        held = {results[place - 1].machine for place in rows}
        if len(rows) == sum(result.machine in held for result in results):
            yield note, held
        else:
            yield f"in {_numbered(rows)}: {note}", set()


def _unanswered(result: Result) -> list[str]:
    return [f"{name} is not answered: {why}" for name, why in unanswered_metrics(result).items()]


def _numbered(rows: Sequence[int]) -> str:
    """Return which rows these are.

    >>> _numbered([1, 2, 3, 5])
    'rows 1–3, 5'
    """
    runs = [
        [place for _, place in run] for _, run in groupby(enumerate(rows), lambda x: x[1] - x[0])
    ]
    shown = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return f"row{'s' if len(rows) > 1 else ''} {', '.join(shown)}"
