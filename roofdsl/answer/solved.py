"""Answers of the solver: regimes, crossovers, where a condition holds, who is faster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofdsl.analysis.crossover import Crossover, Crossovers
from roofdsl.analysis.faster import Faster
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.threshold import Thresholds
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
    Quantity,
    Table,
    Text,
    label,
    tabular,
)
from roofdsl.answer.head import SCHEMA, head, parameter_units, tail, units
from roofdsl.answer.plain import Json, number
from roofdsl.answer.point import notes_blocks, on, parameters_text, settings_shown, shared_notes
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.crossover import Regime
from roofdsl.numeric.search import Place
from roofdsl.typeset.text import text
from roofdsl.units.quantity import show_number, show_quantity

DIGITS = 7
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
            **_head("crossovers", found.unknown, self.prediction),
            "range": [number(found.low), number(found.high)],
            "regimes": [_regime_values(regime) for regime in found.regimes],
            "crossovers": [_crossover_values(crossover) for crossover in found.crossovers],
            "complete": found.complete,
            "proven_up_to": found.proven_up_to,
            **_tail(found.unknown, self.prediction),
        }

    def blocks(self) -> list[Block]:
        title = Text(_title("crossovers", self.found, self.prediction))
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
        return [*blocks, Text(_proof(found.complete, found.proven_up_to, unknown))]

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
    where = _where(item.enclosure, item.first_integer, unknown)
    details = []
    if (
        item.first_integer is not None
        and item.kind in ("switch", "tie")
        and item.closed_form is None
    ):
        details.append(f"equal {_where(item.enclosure, None, unknown)}")
    if item.first_valid is not None and item.first_valid != item.first_integer:
        details.append(_first_valid(item.first_valid, unknown))
    sentence = f"{step}{change} {where}{_KINDS[item.kind]}"
    form = closed_form(item.closed_form, item.closed_form_value, unknown)
    return Finding(sentence, tuple(details), unknown.symbol if form else None, form)


def closed_form(root: Expression | None, value: float | None, unknown: Unknown) -> tuple[Line, ...]:
    """Return a closed form and the number that it comes to, nothing where there is none."""
    if root is None or value is None:
        return ()
    return Line("=", root), Line("=", Quantity(value, unknown.dimension, DIGITS))


def _first_valid(value: int, unknown: Unknown) -> str:
    return f"first {unknown.name} that the model allows: {place_text(value, unknown)}"


@dataclass(frozen=True, slots=True)
class BoundaryAnswer:
    """The crossovers at many points of other parameters: a row for each."""

    swept: tuple[str, ...]
    points: tuple[tuple[Prediction, Crossovers], ...]

    def values(self) -> dict[str, Json]:
        first, found = self.points[0]
        unknown = found.unknown
        swept: list[Json] = [*self.swept]
        notes: list[Json] = [*self._notes()]
        return {
            "schema": SCHEMA,
            "answer": "boundary",
            "model": first.model.name,
            "machine": first.machine.name,
            "unknown": unknown.name,
            "swept": swept,
            "points": [
                {
                    "params": head("", prediction)["params"],
                    "regimes": [_regime_values(regime) for regime in found.regimes],
                    "crossovers": [_crossover_values(crossover) for crossover in found.crossovers],
                    "complete": found.complete,
                }
                for prediction, found in self.points
            ],
            "notes": notes,
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
                where = _where(item.enclosure, item.first_integer, found.unknown)
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


@dataclass(frozen=True, slots=True)
class ThresholdAnswer:
    """Over which parts of a range a condition holds."""

    found: Thresholds
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found = self.found
        return {
            **_head("thresholds", found.unknown, self.prediction),
            "condition": found.condition.text,
            "range": [number(found.low), number(found.high)],
            "holds": [
                {
                    "from": interval.first,
                    "to": interval.last,
                    "first_valid": interval.first_valid,
                    **_closed_form_values(interval.closed_form, interval.closed_form_value),
                }
                for interval in found.intervals
            ],
            "complete": found.complete,
            "proven_up_to": found.proven_up_to,
            **_tail(found.unknown, self.prediction),
        }

    def blocks(self) -> list[Block]:
        found, unknown = self.found, self.found.unknown
        items = []
        for interval in found.intervals:
            valid = interval.first_valid
            told = valid is not None and valid != interval.first
            form = closed_form(interval.closed_form, interval.closed_form_value, unknown)
            items.append(
                Finding(
                    f"holds {span_text(interval.first, interval.last, unknown)}",
                    (_first_valid(valid, unknown),) if told and valid is not None else (),
                    unknown.symbol if form else None,
                    form,
                )
            )
        return [
            Text(_title(f"such that {found.condition.text}", found, self.prediction)),
            Findings(tuple(items or [Finding("holds nowhere in the range")])),
            Text(_proof(found.complete, found.proven_up_to, unknown)),
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
        notes: list[Json] = [*shared_notes(of_each)]
        return {
            "schema": SCHEMA,
            "answer": "faster",
            "contenders": [name for name, _ in self.contenders],
            "of": self.constant,
            "unknown": found.unknown.name,
            "range": [number(found.low), number(found.high)],
            "fastest": [
                {
                    "from": lead.first,
                    "to": lead.last,
                    "fastest": list(lead.fastest),
                    "proven": lead.proven,
                }
                for lead in found.leads
            ],
            "changes": [
                {
                    "before": list(crossing.before),
                    "after": list(crossing.after),
                    "enclosure": [number(end) for end in crossing.enclosure],
                    "first_integer": crossing.first_integer,
                    **_closed_form_values(root, value),
                }
                for crossing, root, value in found.changes
            ],
            "complete": found.complete,
            "notes": notes,
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
            where = _where(crossing.enclosure, crossing.first_integer, unknown)
            change = f"{' and '.join(crossing.before)} → {' and '.join(crossing.after)}"
            form = closed_form(root, value, unknown)
            items.append(Finding(f"{change} {where}", (), unknown.symbol if form else None, form))
        if items:
            blocks.append(Findings(tuple(items)))
        notes = shared_notes([(name, prediction.notes) for name, prediction in self.contenders])
        proof = Text(_proof(found.complete, None, unknown))
        return [*blocks, proof, *notes_blocks(notes)]


def _title(what: str, found: Crossovers | Thresholds, prediction: Prediction) -> str:
    unknown = found.unknown
    low, high = place_text(found.low, unknown), place_text(found.high, unknown)
    others = [name for name in prediction.binding.values if name != unknown.name]
    settings = parameters_text(prediction, others)
    return f"{on(prediction)}: {what}, {unknown.name} in {low} .. {high}   {settings}".rstrip()


def _head(answer: str, unknown: Unknown, prediction: Prediction) -> dict[str, Json]:
    return {**head(answer, prediction), "unknown": unknown.name}


def _tail(unknown: Unknown, prediction: Prediction) -> dict[str, Json]:
    return tail(prediction, {"unknown": {unknown.name: unknown.dimension}})


def _regime_values(regime: Regime) -> Json:
    one = regime.kind in ("largest", "tie")
    return {
        "from": regime.first,
        "to": regime.last,
        "kind": regime.kind,
        "bound": regime.labels[0] if one else None,
        "ties": list(regime.labels),
    }


def _crossover_values(crossover: Crossover) -> Json:
    return {
        "step": crossover.step,
        "before": list(crossover.before),
        "after": list(crossover.after),
        "kind": crossover.kind,
        "enclosure": [number(end) for end in crossover.enclosure],
        "first_integer": crossover.first_integer,
        "first_valid": crossover.first_valid,
        **_closed_form_values(crossover.closed_form, crossover.closed_form_value),
    }


def _closed_form_values(root: Expression | None, value: float | None) -> dict[str, Json]:
    shown = None if root is None else text(root)
    return {"closed_form": shown, "closed_form_value": number(value)}


def _where(enclosure: tuple[float, float], first: int | None, unknown: Unknown) -> str:
    low, high = enclosure
    if first is not None:
        return f"from {unknown.name} = {place_text(first, unknown)}"
    if high - low > 1e-9 * abs(high):
        return f"between {unknown.name} = {_real(low, unknown)} and {_real(high, unknown)}"
    return f"at {unknown.name} = {_real(low, unknown)}"


def span_text(first: Place, last: Place, unknown: Unknown) -> str:
    """Return a part of a range in words: `for 2 ≤ N ≤ 5580`."""
    low, high = place_text(first, unknown), place_text(last, unknown)
    return f"at {unknown.name} = {low}" if first == last else f"for {low} ≤ {unknown.name} ≤ {high}"


def _proof(complete: bool, proven_up_to: Place | None, unknown: Unknown) -> str:
    if complete:
        return "proven over the whole range"
    if proven_up_to is None:
        return "not proven: the search stopped at its limit of work"
    shown = place_text(proven_up_to, unknown)
    return f"proven up to {unknown.name} = {shown}; the search stopped there"


def place_text(value: Place, unknown: Unknown) -> str:
    """Return a value of the unknown: a whole number to its last digit, another with its unit."""
    if isinstance(value, int) and unknown.integer:
        exponent = len(str(value)) - 1
        if exponent >= 15 and value == 10**exponent:
            return f"10^{exponent}"
        return f"{value:,}".replace(",", " ") if value >= 10_000 else str(value)
    return _real(float(value), unknown)


def _real(value: float, unknown: Unknown) -> str:
    if unknown.integer:
        return show_number(value, DIGITS)
    return show_quantity(value, unknown.dimension, DIGITS)
