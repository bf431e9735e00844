"""Where a condition holds over a range, and who is faster where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.threshold import Thresholds
from roofdsl.answer import places
from roofdsl.answer.blocks import Block, Finding, Findings, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.crossovers import change
from roofdsl.answer.head import opening, settings, tied, units
from roofdsl.answer.plain import Json, as_json, fields_of
from roofdsl.answer.table_part import TablePart, part_over
from roofdsl.answer.titles import in_short, notes_blocks, notes_of, settings_shown, shared_notes


@dataclass(frozen=True, slots=True)
class ThresholdAnswer:
    """Over which parts of a range a condition holds."""

    found: Thresholds
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found = self.found
        fields = ["kind", "some_refused", "first_holding", "last_holding", *places.FIRST_VALID]
        fields += ["closed_form", "closed_form_value"]
        own: dict[str, Json] = {
            "condition": found.condition.text,
            "range": as_json((found.low, found.high)),
            "holds": [
                {**places.span_values(interval), **fields_of(interval, *fields)}
                for interval in found.intervals
            ],
        }
        return places.values("thresholds", found, self.prediction, own)

    def part(self) -> TablePart:
        """Return a row for each stretch that holds; one that says so where none does."""
        found, unknown = self.found, self.found.unknown
        rows: list[dict[Cell, Cell]] = []
        for interval in found.intervals:
            details = places.first_valid(interval.allowed, interval.first, unknown)
            rows.append({"holds": ": ".join([places.holding(interval, unknown), *details])})
        nowhere = "nowhere" if found.complete else "nowhere that is decided"
        rows = rows or [{"holds": nowhere}]
        asked, roots = ("such that", found.condition.text), found.intervals
        part = part_over(asked[0], found, self.prediction, rows, roots=roots, asked=asked)
        return part._replace(kind="where a condition holds")

    def blocks(self) -> list[Block]:
        found, unknown = self.found, self.found.unknown
        items = [
            places.finding(
                f"holds {places.holding(interval, unknown)}",
                interval,
                unknown,
                places.first_valid(interval.allowed, interval.first, unknown),
            )
            for interval in found.intervals
        ]
        nowhere = places.none("holds nowhere", "it holds anywhere", found.proof, unknown)
        return [
            places.title(f"such that {found.condition.text}", found, self.prediction),
            Findings(tuple(items or [Finding(nowhere)])),
            places.proof(found.proof, unknown),
            *notes_blocks(notes_of(self.prediction)),
        ]


@dataclass(frozen=True, slots=True)
class FasterAnswer:
    """Which of two models or machines is faster over which part of a range.

    `by`: what else than the time is compared, as it was written; the least is told.
    """

    found: Crossovers
    contenders: tuple[tuple[str, Prediction], ...]
    constant: str
    by: str = "time"

    def values(self) -> dict[str, Json]:
        found = self.found
        fields = ["before", "after", "kind", "enclosure", "first_integer", *places.FIRST_VALID]
        fields += ["closed_form", "closed_form_value"]
        return {
            **opening("faster"),
            "contenders": [name for name, _ in self.contenders],
            "of": self.constant,
            **({} if self.by == "time" else {"by": self.by}),
            "params": {name: settings(prediction) for name, prediction in self.contenders},
            "tied": {name: tied(prediction) for name, prediction in self.contenders},
            "unknown": found.unknown.name,
            "range": as_json((found.low, found.high)),
            "fastest": [
                {
                    **places.span_values(regime),
                    "fastest": [*regime.labels],
                    "kind": regime.kind,
                    "some_refused": regime.some_refused,
                    "proven": regime.kind != "undecided",
                    **places.first_valid_values(found.allowed, place),
                }
                for place, regime in enumerate(found.regimes)
            ],
            "changes": [fields_of(change, *fields) for change in found.crossovers],
            **places.proof_values(found),
            "notes": [*self._notes()],
            "units": units({"unknown": {found.unknown.name: found.unknown.dimension}}),
        }

    def _notes(self) -> Iterator[str]:
        return shared_notes([(name, notes_of(prediction)) for name, prediction in self.contenders])

    def _settings(self) -> dict[str, str]:
        """Return the parameters' values, with the contender's name where not all have them."""
        own = [(name, settings_shown(prediction).items()) for name, prediction in self.contenders]
        found: dict[str, str] = {}
        for item in dict.fromkeys(item for _, items in own for item in items):
            names = [name for name, items in own if item in items]
            of = "" if len(names) == len(own) or "." in item[0] else f" of {names[0]}"
            found[f"{item[0]}{of}"] = item[1]
        return found

    @property
    def _names(self) -> str:
        return " or ".join(name for name, _ in self.contenders)

    @property
    def _best(self) -> str:
        return "fastest" if self.by == "time" else f"lowest {self.by}"

    def _rows(self, changes: Sequence[Crossover]) -> Iterator[tuple[Cell, Cell]]:
        """Yield who is best where; what the model allows first, where no change says it."""
        found, together = self.found, " equally fast" if self.by == "time" else " alike"
        for regime, allowed in zip(found.regimes, found.allowed, strict=True):
            verdict = places.verdict(regime.labels, regime.kind, together)
            yield verdict, places.span_allowed(regime, allowed, found.unknown, changes)

    def part(self) -> TablePart:
        """Return a row for each stretch, with who is best there."""
        found, (_, first) = self.found, self.contenders[0]
        rows: list[dict[Cell, Cell]] = [
            {self._best: best, "where": where} for best, where in self._rows(())
        ]
        part = part_over(self._best, found, first, rows, roots=found.crossovers)
        one_model = self.constant == first.model.name
        model, machine = (self.constant, self._names) if one_model else (self._names, self.constant)
        return part._replace(
            model=model, machine=machine, settings=self._settings(), notes=[*self._notes()]
        )

    def blocks(self) -> list[Block]:
        found, unknown = self.found, self.found.unknown
        timed, names, best = self.by == "time", self._names, self._best
        title = f"{names}, {'' if timed else f'{best} '}by {unknown.name}"
        rows: list[list[Cell]] = [
            [best, "where"],
            *([*row] for row in self._rows(found.crossovers)),
        ]
        given = {name for _, each in self.contenders for name in (*each.given, *each.varied)}
        at = in_short(self._settings(), given)
        shared = f"({self.constant})" if self.constant else ""
        head = "   ".join(filter(None, (title, shared, at))) + "\n"  # an empty line below it
        caption = f"{title} {shared}".rstrip()
        caption = f"{caption}, at {at}" if at else caption
        blocks: list[Block] = [tabular(caption, label(title), rows, head=head)]
        if found.crossovers:
            blocks.append(Findings(tuple(change(item, unknown) for item in found.crossovers)))
        proof = places.proof(found.proof, unknown)
        return [*blocks, proof, *notes_blocks(self._notes())]
