"""A model without a machine: its work, intensities, tallies, `let`s, and the metrics of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from roofdsl.analysis.formulas import Derived, named_formulas
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.without_machine import named_without_machine
from roofdsl.answer.blocks import Block, Text, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.columns import Row
from roofdsl.answer.forms import equations
from roofdsl.answer.head import opening, parameter_units, settings, tied, units
from roofdsl.answer.plain import Json, fields_of
from roofdsl.answer.titles import notes_blocks, parameters_text
from roofdsl.units.dimension import Dimension

ADD_A_MACHINE = "a machine adds times, the bound and what follows from them: --machine karst"


@dataclass(frozen=True, slots=True)
class WorkAnswer:
    """What a model comes to with a value for every parameter, on whatever machine."""

    prediction: Prediction
    row: Row

    def values(self) -> dict[str, Json]:
        names = [name for _, section in _sections(self.prediction) for name in section]
        found: dict[str, Json] = {name: self.row.entries[name].plain for name in names}
        return _values("work", self.prediction, {"values": found})

    def blocks(self) -> list[Block]:
        found: list[Block] = [Text(_title(self.prediction))]
        place = self.prediction.model.name
        for title, names in _sections(self.prediction):
            rows: list[list[Cell]] = [["", ""]]
            rows += [[name, self.row.entries[name].cell] for name in names]
            caption = f"{title.capitalize()} of {place}"
            found.append(tabular(caption, label(place, title), rows, head=title))
        return [*found, *notes_blocks(_notes(self.prediction))]


@dataclass(frozen=True, slots=True)
class WorkFormulas:
    """What a model comes to with parameters left open, on whatever machine."""

    prediction: Prediction

    def values(self) -> dict[str, Json]:
        own: dict[str, Json] = {
            "free": [parameter.name for parameter in self.prediction.free],
            "formulas": {
                item.name: {
                    "unit": str(item.dimension),
                    **fields_of(item, "full", "leading", "growing", "numbers"),
                }
                for _, items in self._derived()
                for item in items
            },
        }
        return _values("work_formulas", self.prediction, own)

    def blocks(self) -> list[Block]:
        place = self.prediction.model.name
        free = ", ".join(parameter.name for parameter in self.prediction.free)
        found: list[Block] = [Text(f"{_title(self.prediction)}, for any {free}")]
        found += (equations(title, place, items) for title, items in self._derived())
        return [*found, *notes_blocks(_notes(self.prediction))]

    def _derived(self) -> Iterator[tuple[str, tuple[Derived, ...]]]:
        opened = self.prediction.opened(decided=True)
        for title, names in _sections(self.prediction):
            yield title, named_formulas(opened, self.prediction, names)


def _sections(prediction: Prediction) -> Iterator[tuple[str, Mapping[str, Dimension]]]:
    for title, names in named_without_machine(prediction).items():
        if names:
            yield title, names


def _notes(prediction: Prediction) -> Iterator[str]:
    if prediction.is_mix:
        yield f"'{prediction.model.name}' is a mix: each of its jobs has work of its own"
    yield ADD_A_MACHINE


def _title(prediction: Prediction) -> str:
    return f"{prediction.model.name}   {parameters_text(prediction)}".rstrip()


def _values(answer: str, prediction: Prediction, own: Mapping[str, Json]) -> dict[str, Json]:
    named = {name: unit for _, section in _sections(prediction) for name, unit in section.items()}
    return {
        **opening(answer),
        "model": prediction.model.name,
        "params": settings(prediction),
        "tied": tied(prediction),
        **own,
        "notes": [*_notes(prediction)],
        "units": units({"params": parameter_units(prediction), "values": named}),
    }
