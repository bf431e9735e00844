"""Every change of the bound over a range, and the regimes between the changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor
from typing import NamedTuple

from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import IDLE
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer import places
from roofdsl.answer.blocks import Block, Finding, Findings, Table, Text, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.plain import Json, as_json, fields_of
from roofdsl.answer.table_part import OF, WHOLE, TablePart, part_over
from roofdsl.answer.titles import notes_blocks, notes_of, on
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Regime

_KINDS = {
    "tie": ", after an exact tie",
    "touch": ", where the two only touch",
    "jump": ", by a jump",
    "band": ", by jumps too dense to list",
    "switch": "",
}


class CrossoverAnswer(NamedTuple):
    """Every change of the bound over a range; at most so many are shown, if `most` says so."""

    found: Crossovers
    prediction: Prediction
    most: int | None = None

    def values(self) -> dict[str, Json]:
        found = self.found
        own = {"range": as_json((found.low, found.high)), **_changes(found)}
        return places.values("crossovers", found, self.prediction, own)

    def blocks(self) -> list[Block]:
        title = places.title("crossovers", self.found, self.prediction)
        return [title, *self.changes(), *notes_blocks(notes_of(self.prediction))]

    def part(self) -> TablePart:
        """Return a row for each change, or for each regime where there is none."""
        found, unknown = self.found, self.found.unknown
        rows: list[dict[Cell, Cell]] = []
        for item in found.crossovers:
            before, after = " and ".join(item.before), " and ".join(item.after)
            at: dict[Cell, Cell] = {
                "from": before,
                "to": after,
                "at": places.where(item, unknown),
                "kind": item.kind,
            }
            rows.append({OF: item.step or WHOLE, **at})
        if not found.crossovers:
            for regime in found.regimes:
                bound = places.verdict(regime.labels, regime.kind)
                kind = "none" if regime.certain else regime.kind
                where = places.span(regime, unknown)
                rows.append({OF: WHOLE, "from": bound, "to": bound, "at": where, "kind": kind})
        return part_over("crossovers", found, self.prediction, rows, roots=found.crossovers)

    def changes(self) -> list[Block]:
        """Return the regimes, the crossovers, and how far all of it is proven, without a title."""
        found, unknown = self.found, self.found.unknown
        whole = [item for item in found.crossovers if item.step is None]
        steps = [item for item in found.crossovers if item.step is not None]
        regimes = found.regimes[: self.most]
        changes = whole[: self.most]
        table = regime_table(regimes, found.allowed, unknown, self.prediction, changes)
        blocks: list[Block] = [table]
        if whole:
            caption = f"Crossovers of {on(self.prediction)} over {unknown.name}"
            blocks.append(Findings(tuple(self._limited(whole)), caption=caption))
        else:
            blocks += [Text(sentence) for sentence in places.without_crossover(found)]
        if steps:
            title = "where the bound of one step changes"
            blocks.append(Findings(tuple(self._limited(steps)), title))
        return [*blocks, places.proof(found.proof, unknown)]

    def _limited(self, items: Sequence[Crossover]) -> Iterator[Finding]:
        for item in items[: self.most]:
            yield change(item, self.found.unknown)
        if self.most is not None and len(items) > self.most:
            yield Finding(f"and {len(items) - self.most} more")


def regime_table(
    regimes: Sequence[Regime],
    allowed: Sequence[Allowed[Place]],
    unknown: Unknown,
    prediction: Prediction,
    changes: Sequence[Crossover] = (),
    head: str = "",
) -> Table:
    """Return what binds over which part of a range, a row for each part.

    `changes`: those that are told besides.
    """
    names = {name for each in regimes for name in each.labels}
    binding = names <= {*prediction.rivals, IDLE}
    rows: list[list[Cell]] = [["bound" if binding else "larger", "where"]]
    for regime, first in zip(regimes, allowed, strict=False):
        what = places.verdict(regime.labels, regime.kind)
        rows.append([what, places.span_allowed(regime, first, unknown, changes)])
    name = on(prediction)
    caption = f"Regimes of {name} over {unknown.name}"
    return tabular(caption, label(name, "regimes", unknown.name), rows, head=head)


def change(item: Crossover, unknown: Unknown) -> Finding:
    """Return a change in a sentence: what gives way to what, where, and how."""
    before, after = " and ".join(item.before), " and ".join(item.after)
    changed = f"{before} → {after}" if before != after else before
    step = f"{item.step}: " if item.step else ""
    first = item.first_integer
    details = list(places.first_valid(item.allowed, first, unknown))
    if first is not None and item.kind in ("switch", "tie") and item.closed_form is None:
        details.insert(0, f"equal {places.root_of(item, unknown)}")
    kind = _KINDS[item.kind]
    if item.kind == "tie" and set(item.before) < set(item.after):
        kind = ", to an exact tie"
    sentence = f"{step}{changed} {places.where(item, unknown)}{kind}"
    low, high = item.enclosure
    if not after:
        end = places.shown(floor(low) if unknown.integer else low, unknown)
        sentence = f"{step}{before} up to {unknown.name} = {end}, then jumps too dense to list"
    elif not before or (item.kind == "band" and before == after):
        again = " again" if before else ""
        begin = f"from {unknown.name} = {places.shown(high if first is None else first, unknown)}"
        sentence = f"{step}{after}{again} {begin}, after jumps too dense to list"
    return places.finding(sentence, item, unknown, tuple(details))


def _changes(found: Crossovers) -> dict[str, Json]:
    return {
        "regimes": [
            {**_regime_values(regime), **places.first_valid_values(found.allowed, place)}
            for place, regime in enumerate(found.regimes)
        ],
        "crossovers": [fields_of(crossover, *_FIELDS) for crossover in found.crossovers],
    }


_FIELDS = (
    *("step", "before", "after", "kind", "enclosure", "first_integer", *places.FIRST_VALID),
    *("closed_form", "closed_form_value"),
)


def _regime_values(regime: Regime) -> dict[str, Json]:
    one = regime.certain
    bound = regime.labels[0] if one else None
    ties = as_json(regime.labels)
    own = {"kind": regime.kind, "some_refused": regime.some_refused, "bound": bound, "ties": ties}
    return {**places.span_values(regime), **own}
