"""What binds over a range on all machines near one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.over_rates import OverRates, RatesRegime
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer import places
from roofdsl.answer.blocks import Block, Finding, Findings, Text, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.margins import box_values, has_latencies, rates_text
from roofdsl.answer.plain import Json, as_json, numbers
from roofdsl.answer.table_part import TablePart, part_over
from roofdsl.answer.titles import notes_blocks, notes_of, on
from roofdsl.roles import Binding, Open

_MOST_SHOWN = 10
_SAID = {
    "all": "on every machine",
    "depends": "it depends on the rates",
    "undecided": Open("not decided"),
    "refused": "an amount is below 0 there, or has no value",
}


@dataclass(frozen=True, slots=True)
class OverRatesAnswer:
    """What binds where on all machines of a box, and where that depends on their rates."""

    found: OverRates
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found = self.found
        own: dict[str, Json] = {
            "range": as_json((found.low, found.high)),
            **box_values(found.box),
            "regimes": [
                {
                    **places.span_values(regime),
                    "verdict": regime.verdict,
                    "bounds": as_json(regime.bounds),
                    "machines": [numbers(machine) for machine in regime.machines],
                    "some_refused": regime.some_refused,
                }
                for regime in found.regimes
            ],
        }
        told = places.values("over_rates", found, self.prediction, own)
        return {**told, "notes": [*self._notes()]}

    def part(self) -> TablePart:
        """Return a row for each stretch, with what binds there and how sure that is."""
        found = self.found
        rows: list[dict[Cell, Cell]] = [
            {"bound": _bound(each), "where": where, "": _SAID[each.verdict]}
            for each, where in self._stretches()
        ]
        asked = "rates", found.box.words
        part = part_over("what binds on every machine", found, self.prediction, rows, asked=asked)
        return part._replace(notes=self._notes())

    def _stretches(self) -> Iterator[tuple[RatesRegime, str]]:
        for regime in self.found.regimes:
            where = places.span(regime, self.found.unknown)
            yield regime, where + places.but_refused(regime)

    def blocks(self) -> list[Block]:
        found, unknown = self.found, self.found.unknown
        what = f"what binds on every machine {found.box.words}"
        rows: list[list[Cell]] = [["bound", "where", ""]]
        for regime, where in self._stretches():
            rows.append([_bound(regime), where, _SAID[regime.verdict]])
        name = on(self.prediction)
        caption = f"Regimes of {name} over {unknown.name}, {found.box.words}"
        blocks: list[Block] = [
            places.title(what, found, self.prediction),
            tabular(caption, label(name, "rates", unknown.name), rows, head=""),
        ]
        if shown := tuple(self._shown()):
            blocks.append(Findings(shown, "such as"))
        if len(found.regimes) == 1 and found.regimes[0].verdict == "all":
            ((regime, where),) = self._stretches()
            text = f"{_bound(regime)} binds {where}, on every machine {found.box.words}"
            blocks.append(Text(text))
        return [*blocks, places.proof(found.proof, unknown), *notes_blocks(self._notes())]

    def _shown(self) -> Iterator[Finding]:
        """Yield machines that differ in what binds."""
        unknown = self.found.unknown
        differing = [each for each in self.found.regimes if each.machines]
        for regime in differing[:_MOST_SHOWN]:
            cases = (
                f"{bound} binds with {rates_text(machine, self.found.box)}"
                for bound, machine in zip(regime.bounds, regime.machines, strict=True)
            )
            place = places.shown(regime.first, unknown)
            yield Finding(f"at {unknown.name} = {place}: {'; '.join(cases)}")
        if len(differing) > _MOST_SHOWN:
            yield Finding(f"and {len(differing) - _MOST_SHOWN} more")

    def _notes(self) -> list[str]:
        notes = [*notes_of(self.prediction, rates=False)]
        if self.found.box.change is not None and has_latencies(self.prediction):
            notes.append(f"of a latency, its inverse is {self.found.box.words}")
        return notes


def _bound(regime: RatesRegime) -> str:
    return Binding(" or ".join(regime.bounds) or ("nothing" if regime.verdict == "all" else "–"))
