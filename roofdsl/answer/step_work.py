"""The work of each step of a composition as formulas in what is open."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.algebra.gather import gathered
from roofdsl.allowance import computing
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.step_times import called
from roofdsl.answer.blocks import Table, label, tabular
from roofdsl.answer.cells import Cell, Column
from roofdsl.units.dimension import BYTE, FLOP

MOST_STEPS = 40
_COLUMNS = {"flops": str(FLOP), "memory": str(BYTE), "network": str(BYTE)}


def step_work(prediction: Prediction) -> Iterator[Table]:
    """Yield the table of what each step of a composition works on each resource, run once.

    Steps are those that the model calls itself; like terms of what is inside of one are added up.
    """
    steps = [*called(prediction.formulas.children)]
    if not steps:
        return
    rows: list[list[Cell]] = []
    with computing(f"the steps of '{prediction.model.name}'", prediction.root.span):
        for step in steps[:MOST_STEPS]:
            trees = (gathered(step.counted[x]) if x in step.counted else None for x in _COLUMNS)
            rows.append([step.name, *("" if x is None or is_zero(x) else x for x in trees)])
    left = len(steps) - len(rows)
    headings = [Column("step"), *(Column(name, unit) for name, unit in _COLUMNS.items())]
    caption = f"Work of each step of {prediction.model.name}, run once"
    notes = (f"and {left:,} steps more",) if left else ()
    place = label(prediction.model.name, "step work")
    yield tabular(caption, place, rows, headings=headings, notes=notes)
