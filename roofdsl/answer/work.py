"""A model without a machine: its work, intensities, tallies, `let`s, and the metrics of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from roofdsl.analysis.formulas import Derived, named_formulas
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.without_machine import named_without_machine, needs_machine
from roofdsl.answer.blocks import Block, Text, in_a_row, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.columns import Row
from roofdsl.answer.forms import equations
from roofdsl.answer.head import opening, parameter_units, settings, tied, units
from roofdsl.answer.plain import Json, fields_of
from roofdsl.answer.row_notes import row_notes
from roofdsl.answer.titles import notes_blocks, parameters_text
from roofdsl.model.types import ModelDefinition
from roofdsl.units.dimension import Dimension


@dataclass(frozen=True, slots=True)
class WorkAnswer:
    """What a model comes to with a value for every parameter, on whatever machine."""

    prediction: Prediction
    row: Row

    def values(self) -> dict[str, Json]:
        named = {
            name: unit for _, names in _sections(self.prediction) for name, unit in names.items()
        }
        found: dict[str, Json] = {name: self.row.entries[name].plain for name in named}
        return _values("work", self.prediction, {"values": found}, named, self._notes())

    def blocks(self) -> list[Block]:
        found: list[Block] = [Text(_title(self.prediction))]
        place = self.prediction.model.name
        for title, names in _sections(self.prediction):
            rows: list[list[Cell]] = [["", ""]]
            rows += [[name, self.row.entries[name].cell] for name in names]
            caption = f"{title.capitalize()} of {place}"
            found.append(tabular(caption, label(place, title), rows, head=title))
        return [*found, *notes_blocks(self._notes())]

    def _notes(self) -> Iterator[str]:
        yield from row_notes([self.row.result])
        yield from work_notes(self.prediction.model)


@dataclass(frozen=True, slots=True)
class WorkFormulas:
    """What a model comes to with parameters left open, on whatever machine."""

    prediction: Prediction

    def values(self) -> dict[str, Json]:
        derived = [item for _, items in self._derived() for item in items]
        own: dict[str, Json] = {
            "free": [parameter.name for parameter in self.prediction.free],
            "formulas": {
                item.name: {
                    "unit": str(item.dimension),
                    **fields_of(item, "full", "leading", "growing", "numbers"),
                }
                for item in derived
            },
        }
        named = {item.name: item.dimension for item in derived}
        notes = work_notes(self.prediction.model)
        return _values("work_formulas", self.prediction, own, named, notes)

    def blocks(self) -> list[Block]:
        place = self.prediction.model.name
        free = ", ".join(parameter.name for parameter in self.prediction.free)
        found: list[Block] = [Text(f"{_title(self.prediction)}, for any {free}")]
        found += (equations(title, place, items) for title, items in self._derived())
        return [*found, *notes_blocks(work_notes(self.prediction.model))]

    def _derived(self) -> Iterator[tuple[str, tuple[Derived, ...]]]:
        opened = self.prediction.opened(decided=True)
        finite = {n for n in opened.intensity_units if opened.intensity(n) is not None}
        for title, names in _sections(opened):
            known = {
                name: unit
                for name, unit in names.items()
                if name in finite or name not in opened.intensity_units
            }
            yield title, named_formulas(opened, self.prediction, known)


def _sections(prediction: Prediction) -> Iterator[tuple[str, Mapping[str, Dimension]]]:
    for title, names in named_without_machine(prediction).items():
        if names:
            yield title, names


def work_notes(model: ModelDefinition) -> Iterator[str]:
    """Yield what is not answered of a model without a machine."""
    if model.is_mix:
        yield f"'{model.name}' is a mix: each of its jobs has work of its own"
    needing = [item.name for item in model.metrics if needs_machine(model, item.name)]
    if needing:
        yield f"{in_a_row(needing)} {'needs' if len(needing) == 1 else 'need'} a machine"
    yield "a machine adds times, the bound and what follows from them: --machine karst"


def _title(prediction: Prediction) -> str:
    return f"{prediction.model.name}   {parameters_text(prediction)}".rstrip()


def _values(
    answer: str,
    prediction: Prediction,
    own: Mapping[str, Json],
    named: Mapping[str, Dimension],
    notes: Iterable[str],
) -> dict[str, Json]:
    return {
        **opening(answer),
        "model": prediction.model.name,
        "params": settings(prediction),
        "tied": tied(prediction),
        **own,
        "notes": [*notes],
        "units": units({"params": parameter_units(prediction), "values": named}),
    }
