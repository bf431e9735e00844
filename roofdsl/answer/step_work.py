"""The work of each step of a composition as formulas in what is open."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.algebra.gather import gathered
from roofdsl.allowance import computing
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.step_times import called
from roofdsl.answer.blocks import Table, label, tabular
from roofdsl.answer.cells import Cell, Column
from roofdsl.expression.tree import Expression
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
            work = worked(step)
            rows.append([step.name, *(work.get(name, "") for name in _COLUMNS)])
    left = len(steps) - len(rows)
    headings = [Column("step"), *(Column(name, unit) for name, unit in _COLUMNS.items())]
    caption = f"Work of each step of {prediction.model.name}, run once"
    notes = (f"and {left} steps more",) if left else ()
    place = label(prediction.model.name, "step work")
    yield tabular(caption, place, rows, headings=headings, notes=notes)


def worked(part: Composed[Expression]) -> dict[str, Expression]:
    """Return what a part works on each resource that it works on, like terms added up."""
    trees = {name: gathered(part.counted[name]) for name in _COLUMNS if name in part.counted}
    return {name: tree for name, tree in trees.items() if not is_zero(tree)}
