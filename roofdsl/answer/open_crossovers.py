"""What binds where while another parameter is open: N*(P), and its regions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.open_contest import OpenRegime, OpenRoot
from roofdsl.analysis.open_regimes import OpenRegimes, OpenRegions
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer import places
from roofdsl.answer.blocks import Block, Equation, Equations, Form, Text, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.head import answered
from roofdsl.answer.plain import Json, as_json, number
from roofdsl.answer.titles import notes_blocks, notes_of, on
from roofdsl.numeric.place import Place

# What is told, and what is so where it changes.
_BOUND = "bound", "where the bound changes: both take equally long there"
_LARGER = "larger", "where the larger changes: both are equal there"
_CONDITION = "condition", "where it begins or ceases to hold: what is compared is equal there"


@dataclass(frozen=True, slots=True)
class OpenCrossoverAnswer:
    """What binds over the ranges of an unknown and of one other parameter."""

    found: OpenRegions
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found, names = self.found, _names(self.found)
        own: dict[str, Json] = {
            "condition": found.condition,
            "unknown": found.unknown.name,
            "range": as_json((found.low, found.high)),
            "other": found.other.name,
            "other_range": as_json((found.first, found.last)),
            "answers": [
                {
                    "steps": as_json(part.steps),
                    "stretches": [
                        {
                            **places.span_values(stretch),
                            "regimes": [_values(each, names) for each in stretch.regimes],
                        }
                        for stretch in part.stretches
                    ],
                    **places.proof_values(part),
                }
                for part in (found.whole, *found.of_steps)
            ],
            "roots": [
                {
                    "name": name,
                    "before": as_json(root.before),
                    "after": as_json(root.after),
                    "closed_form": as_json(root.closed_form),
                }
                for root, name in names.items()
            ],
        }
        units = {each.name: each.dimension for each in (found.unknown, found.other)}
        return answered("open_crossovers", self.prediction, own, {"unknown": units})

    def blocks(self) -> list[Block]:
        found, names = self.found, _names(self.found)
        what = f"such that {found.condition}" if found.condition else "crossovers"
        other = found.other, found.first, found.last
        blocks: list[Block] = [places.title(what, found, self.prediction, other)]
        blocks += self._regimes(found.whole, names)
        if found.of_steps and not found.complete:
            blocks.append(Text(f"give {found.other.name} a value to ask what binds the whole"))
        for part in found.of_steps:
            if not _is_constant(part):
                blocks += self._regimes(part, names)
        if names:
            place = label(on(self.prediction), "crossovers in", found.unknown.name)
            items = tuple(_equation(root, name) for root, name in names.items())
            caption = f"Crossovers of {on(self.prediction)}"
            blocks.append(Equations(caption, place, items, self._told[1]))
        return [*blocks, *notes_blocks(notes_of(self.prediction))]

    @property
    def _told(self) -> tuple[str, str]:
        """What the regimes tell, and what is so at a root."""
        if self.found.condition:
            return _CONDITION
        stretches = self.found.whole.stretches
        labels = {name for each in stretches for regime in each.regimes for name in regime.labels}
        return _BOUND if labels <= self.prediction.rivals.keys() else _LARGER

    def _regimes(self, part: OpenRegimes, names: dict[OpenRoot, str]) -> Iterator[Block]:
        found = self.found
        if not part.stretches:
            yield Text(f"no {found.other.name} is allowed in the range")
            return
        rows: list[list[Cell]] = [[found.other.name, self._told[0], "where"]]
        for stretch in part.stretches:
            where = places.span(stretch, found.other)
            tied: Place | OpenRoot | None = (
                None  # a tie at the low end, behind which the next begins
            )
            for each in stretch.regimes:
                plain = found.condition and each.kind == "undecided"
                what = "undecided" if plain else places.verdict(each.labels, each.kind)
                rows.append([where, what, self._span(each, names, tied)])
                where, tied = "", each.last if each.first == each.last else None
        steps = ", ".join(part.steps)
        of = f"{steps} in {on(self.prediction)}" if steps else on(self.prediction)
        caption = f"Regimes of {of} over {found.unknown.name} and {found.other.name}"
        if found.condition:
            caption = f"Where {found.condition}: {of}, {found.unknown.name} and {found.other.name}"
        yield tabular(caption, label(of, "regimes", found.unknown.name), rows, head=steps)
        yield places.proof(part.proof, found.other)

    def _span(self, regime: OpenRegime, names: dict[OpenRoot, str], tied: object) -> str:
        """Return where a regime is, in words; `tied`: where it begins a tie was told."""
        unknown, first, last = self.found.unknown, regime.first, regime.last
        begin, end = (
            names[each] if isinstance(each, OpenRoot) else places.shown(each, unknown)
            for each in (first, last)
        )
        if first == last:
            return f"at {unknown.name} = {begin}"
        least, most = (
            "<"
            if each == tied or (isinstance(each, OpenRoot) and each.at != regime.labels)
            else "≤"
            for each in (first, last)
        )
        return f"for {begin} {least} {unknown.name} {most} {end}"


def _names(found: OpenRegions) -> dict[OpenRoot, str]:
    """Return the names of the roots of an answer: `N*` of a single one, else `N1*`, `N2*`, …"""
    parts = (found.whole, *found.of_steps)
    stretches = (stretch for part in parts for stretch in part.stretches)
    roots = dict.fromkeys(root for stretch in stretches for root in stretch.roots)
    name = found.unknown.name
    return {
        root: f"{name}{place if len(roots) > 1 else ''}*" for place, root in enumerate(roots, 1)
    }


def _is_constant(part: OpenRegimes) -> bool:
    """Whether the same binds everywhere."""
    return len(part.stretches) == 1 and part.complete and len(part.stretches[0].regimes) == 1


def _equation(root: OpenRoot, name: str) -> Equation:
    if root.closed_form is None:
        before, after = (" and ".join(each) or "nothing" for each in (root.before, root.after))
        remark = f"no closed form; {before} → {after} there"
        return Equation(name, "", (), remark)
    return Equation(name, "", (Form("=", root.closed_form),))


def _values(regime: OpenRegime, names: dict[OpenRoot, str]) -> Json:
    first, last = (
        names[end] if isinstance(end, OpenRoot) else number(end)
        for end in (regime.first, regime.last)
    )
    return {"from": first, "to": last, "ties": as_json(regime.labels), "kind": regime.kind}
