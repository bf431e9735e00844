"""Where a condition holds over a range, and who is faster where."""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.analysis.faster import Faster
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.threshold import Thresholds
from roofdsl.answer.blocks import Block, Cell, Finding, Findings, Text, label, tabular
from roofdsl.answer.head import opening, units
from roofdsl.answer.places import (
    finding,
    first_valid_text,
    proof_text,
    solved_head,
    solved_tail,
    solved_title,
    span_text,
    span_values,
    where_text,
)
from roofdsl.answer.plain import Json, as_json, fields_of, number
from roofdsl.answer.point import notes_blocks, shared_notes


@dataclass(frozen=True, slots=True)
class ThresholdAnswer:
    """Over which parts of a range a condition holds."""

    found: Thresholds
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found = self.found
        return {
            **solved_head("thresholds", found.unknown, self.prediction),
            "condition": found.condition.text,
            "range": as_json((found.low, found.high)),
            "holds": [
                {
                    **span_values(interval),
                    **fields_of(interval, "first_valid", "closed_form", "closed_form_value"),
                }
                for interval in found.intervals
            ],
            **fields_of(found, "complete", "proven_up_to"),
            **solved_tail(found.unknown, self.prediction),
        }

    def blocks(self) -> list[Block]:
        found, unknown = self.found, self.found.unknown
        items = []
        for interval in found.intervals:
            valid = interval.first_valid
            told = valid is not None and valid != interval.first
            details = (first_valid_text(valid, unknown),) if told and valid is not None else ()
            holds = f"holds {span_text(interval.first, interval.last, unknown)}"
            form = interval.closed_form, interval.closed_form_value
            items.append(finding(holds, *form, unknown, details))
        return [
            Text(solved_title(f"such that {found.condition.text}", found, self.prediction)),
            Findings(tuple(items or [Finding("holds nowhere in the range")])),
            Text(proof_text(found.complete, found.proven_up_to, unknown)),
            *notes_blocks(self.prediction.notes),
        ]


@dataclass(frozen=True, slots=True)
class FasterAnswer:
    """Which of two models or machines is faster over which part of a range."""

    found: Faster
    contenders: tuple[tuple[str, Prediction], ...]
    constant: str

    def values(self) -> dict[str, Json]:
        found = self.found
        of_each = [(name, prediction.notes) for name, prediction in self.contenders]
        return {
            **opening("faster"),
            "contenders": [name for name, _ in self.contenders],
            "of": self.constant,
            "unknown": found.unknown.name,
            "range": as_json((found.low, found.high)),
            "fastest": [
                {**span_values(lead), **fields_of(lead, "fastest", "proven")}
                for lead in found.leads
            ],
            "changes": [
                {
                    **fields_of(crossing, "before", "after", "enclosure", "first_integer"),
                    "closed_form": as_json(root),
                    "closed_form_value": number(value),
                }
                for crossing, root, value in found.changes
            ],
            "complete": found.complete,
            "notes": [*shared_notes(of_each)],
            "units": units({"unknown": {found.unknown.name: found.unknown.dimension}}),
        }

    def blocks(self) -> list[Block]:
        found, unknown = self.found, self.found.unknown
        title = f"{' or '.join(name for name, _ in self.contenders)}, by {unknown.name}"
        rows: list[list[Cell]] = [["fastest", "where"]]
        for lead in found.leads:
            who = " and ".join(lead.fastest)
            verdict = f"{who} equally fast" if len(lead.fastest) > 1 else who
            if not lead.proven:
                verdict = f"undecided: {' or '.join(lead.fastest)}"
            rows.append([verdict, span_text(lead.first, lead.last, unknown)])
        head = f"{title}   ({self.constant})\n"  # a title, with an empty line below
        caption = f"{title} ({self.constant})"
        blocks: list[Block] = [tabular(caption, label(title), rows, head=head)]
        items = []
        for crossing, root, value in found.changes:
            where = where_text(crossing.enclosure, crossing.first_integer, unknown)
            change = f"{' and '.join(crossing.before)} → {' and '.join(crossing.after)}"
            items.append(finding(f"{change} {where}", root, value, unknown))
        if items:
            blocks.append(Findings(tuple(items)))
        notes = shared_notes([(name, prediction.notes) for name, prediction in self.contenders])
        proof = Text(proof_text(found.complete, None, unknown))
        return [*blocks, proof, *notes_blocks(notes)]
