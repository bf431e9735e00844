"""Every change of the bound over a range, and the regimes between the changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.blocks import (
    Block,
    Cell,
    Equation,
    Equations,
    Finding,
    Findings,
    Line,
    Printed,
    Table,
    Text,
    label,
    tabular,
)
from roofdsl.answer.head import head, opening, parameter_units, units
from roofdsl.answer.places import (
    finding,
    first_valid_text,
    place_text,
    proof_text,
    solved_head,
    solved_tail,
    solved_title,
    span_text,
    span_values,
    where_text,
)
from roofdsl.answer.plain import Json, as_json, fields_of
from roofdsl.answer.point import notes_blocks, on, settings_shown
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.crossover import Regime

_KINDS = {
    "tie": ", after an exact tie",
    "touch": ", where the two only touch",
    "jump": ", by a jump",
    "band": ", by jumps too dense to list",
    "switch": "",
}


@dataclass(frozen=True, slots=True)
class CrossoverAnswer:
    """Every change of the bound over a range; at most so many are shown, if `most` says so."""

    found: Crossovers
    prediction: Prediction
    most: int | None = None

    def values(self) -> dict[str, Json]:
        found = self.found
        return {
            **solved_head("crossovers", found.unknown, self.prediction),
            "range": as_json((found.low, found.high)),
            **_changes(found),
            **fields_of(found, "complete", "proven_up_to"),
            **solved_tail(found.unknown, self.prediction),
        }

    def blocks(self) -> list[Block]:
        title = Text(solved_title("crossovers", self.found, self.prediction))
        return [title, *self.changes(), *notes_blocks(self.prediction.notes)]

    def changes(self) -> list[Block]:
        """Return the regimes, the crossovers, and how far all of it is proven, without a title."""
        found, unknown = self.found, self.found.unknown
        whole = [item for item in found.crossovers if item.step is None]
        steps = [item for item in found.crossovers if item.step is not None]
        regimes = regime_table(found.regimes[: self.most], unknown, self.prediction, "")
        blocks: list[Block] = [regimes]
        if whole:
            caption = f"Crossovers of {on(self.prediction)} over {unknown.name}"
            blocks.append(Findings(tuple(self._limited(whole)), caption=caption))
        else:
            span = f"{place_text(found.low, unknown)} .. {place_text(found.high, unknown)}"
            blocks.append(Text(f"no crossover in {unknown.name} over {span}"))
        if steps:
            title = "where the bound of one step changes"
            blocks.append(Findings(tuple(self._limited(steps)), title))
        return [*blocks, Text(proof_text(found.complete, found.proven_up_to, unknown))]

    def _limited(self, items: Sequence[Crossover]) -> Iterator[Finding]:
        for item in items[: self.most]:
            yield _crossover(item, self.found.unknown)
        if self.most is not None and len(items) > self.most:
            yield Finding(f"and {len(items) - self.most:,} more")


def regime_table(
    regimes: Sequence[Regime], unknown: Unknown, prediction: Prediction, head: str
) -> Table:
    """Return what binds over which part of a range, a row for each part."""
    rows: list[list[Cell]] = [["bound", "where"]]
    for regime in regimes:
        if regime.kind == "band":
            what = f"now {', now '.join(regime.labels)}"
        elif regime.kind == "undecided":
            what = f"undecided: {' or '.join(regime.labels)}"
        else:
            what = " and ".join(regime.labels)
        rows.append([what, span_text(regime.first, regime.last, unknown)])
    name = on(prediction)
    caption = f"Regimes of {name} over {unknown.name}"
    return tabular(caption, label(name, "regimes", unknown.name), rows, head=head)


def _crossover(item: Crossover, unknown: Unknown) -> Finding:
    before, after = " and ".join(item.before), " and ".join(item.after)
    change = f"{before} → {after}" if before != after else before
    step = f"{item.step}: " if item.step else ""
    where = where_text(item.enclosure, item.first_integer, unknown)
    details = []
    if (
        item.first_integer is not None
        and item.kind in ("switch", "tie")
        and item.closed_form is None
    ):
        details.append(f"equal {where_text(item.enclosure, None, unknown)}")
    if item.first_valid is not None and item.first_valid != item.first_integer:
        details.append(first_valid_text(item.first_valid, unknown))
    sentence = f"{step}{change} {where}{_KINDS[item.kind]}"
    return finding(sentence, item.closed_form, item.closed_form_value, unknown, tuple(details))


@dataclass(frozen=True, slots=True)
class BoundaryAnswer:
    """The crossovers at many points of other parameters: a row for each."""

    swept: tuple[str, ...]
    points: tuple[tuple[Prediction, Crossovers], ...]

    def values(self) -> dict[str, Json]:
        first, found = self.points[0]
        unknown = found.unknown
        return {
            **opening("boundary"),
            "model": first.model.name,
            "machine": first.machine.name,
            "unknown": unknown.name,
            "swept": as_json(self.swept),
            "points": [
                {
                    "params": head("", prediction)["params"],
                    **_changes(found),
                    "complete": found.complete,
                }
                for prediction, found in self.points
            ],
            "notes": [*self._notes()],
            "units": units(
                {"params": parameter_units(first), "unknown": {unknown.name: unknown.dimension}}
            ),
        }

    def _notes(self) -> dict[str, None]:
        return dict.fromkeys(note for prediction, _ in self.points for note in prediction.notes)

    def blocks(self) -> list[Block]:
        first, answer = self.points[0]
        title = f"{on(first)}: crossovers in {answer.unknown.name}"
        rows: list[list[Cell]] = [[*self.swept, "from", "to", "at", "kind"]]
        forms: dict[Expression, Symbol] = {}
        for prediction, found in self.points:
            shown = settings_shown(prediction)
            values = [Printed(shown[name]) for name in self.swept]
            for item in found.crossovers:
                before, after = " and ".join(item.before), " and ".join(item.after)
                where = where_text(item.enclosure, item.first_integer, found.unknown)
                rows.append([*values, before, after, where, item.kind])
                if item.closed_form is not None:
                    forms.setdefault(item.closed_form, found.unknown.symbol)
            if not found.crossovers:
                bound = " and ".join(found.regimes[0].labels)
                rows.append([*values, bound, bound, "everywhere", "none"])
        place = label(title)
        blocks: list[Block] = [tabular(title, place, rows)]
        if forms:
            items = [Equation(symbol, "", (Line("=", root),)) for root, symbol in forms.items()]
            caption = "in closed form"
            blocks.append(Equations(caption.capitalize(), f"{place}-forms", tuple(items), caption))
        complete = all(found.complete for _, found in self.points)
        proof = Text("proven" if complete else "not all proven")
        return [*blocks, proof, *notes_blocks(self._notes())]


def _changes(found: Crossovers) -> dict[str, Json]:
    return {
        "regimes": [_regime_values(regime) for regime in found.regimes],
        "crossovers": [fields_of(crossover, *_FIELDS) for crossover in found.crossovers],
    }


_FIELDS = (
    *("step", "before", "after", "kind", "enclosure", "first_integer", "first_valid"),
    *("closed_form", "closed_form_value"),
)


def _regime_values(regime: Regime) -> Json:
    one = regime.kind in ("largest", "tie")
    bound = regime.labels[0] if one else None
    ties = list[Json](regime.labels)
    return {**span_values(regime), "kind": regime.kind, "bound": bound, "ties": ties}
