"""What one of several answers has in the table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.cells import Cell
from roofdsl.answer.places import shown
from roofdsl.answer.titles import notes_of, settings_shown
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.numeric.proof import Proof

if TYPE_CHECKING:
    from roofdsl.analysis.crossover import Crossover, Crossovers
    from roofdsl.analysis.over_rates import OverRates
    from roofdsl.analysis.threshold import HoldingRange, Thresholds

OF, WHOLE = "of", "the whole"
"""The column that names a step, and what it says of a composition as a whole."""


class TablePart(NamedTuple):
    """What one answer has in the table of several.

    `question` is asked of a model on a machine, `over` a range; where the questions differ they are
    told by what is `asked`, with its heading, and are of one `kind`. `rows` have their cells by
    heading. `told` are sentences besides; `proven` says how far, where that is not all. Columns in
    which every number is 0 are told by `idle`, if it says so.
    """

    model: str
    machine: str
    kind: str
    question: str
    over: str
    settings: Mapping[str, str]
    rows: Sequence[Mapping[Cell, Cell]]
    notes: Sequence[str]
    proof: Proof | None = None
    proven: str = ""
    forms: Sequence[tuple[Symbol, Expression]] = ()
    asked: tuple[str, str] = ("", "")
    told: Sequence[str] = ()
    idle: str = ""


def part_over(
    kind: str,
    found: Crossovers | Thresholds | OverRates,
    prediction: Prediction,
    rows: Sequence[Mapping[Cell, Cell]],
    *,
    roots: Sequence[Crossover | HoldingRange] = (),
    asked: tuple[str, str] = ("", ""),
) -> TablePart:
    """Return an answer over a range as a part of a table of several.

    `roots`: what has closed forms. `asked`: what is asked, with a heading, where that may differ.
    """
    unknown = found.unknown
    forms = (each.closed_form for each in roots if each.closed_form is not None)
    return TablePart(
        prediction.model.name,
        prediction.machine.name,
        kind,
        f"{kind} {asked[1]}".rstrip(),
        f"{unknown.name} in {shown(found.low, unknown)} .. {shown(found.high, unknown)}",
        settings_shown(prediction),
        rows,
        notes_of(prediction),
        found.proof,
        "" if found.complete else _how_far(found.proof, unknown),
        [(unknown.symbol, form) for form in forms if not isinstance(form, Number)],
        asked,
    )


def _how_far(proven: Proof, unknown: Unknown) -> str:
    return "no" if proven.up_to is None else f"up to {shown(proven.up_to, unknown)}"
