"""Studies of a prediction: sensitivity, asymptotics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from roofdsl.analysis.asymptotic import Asymptotics, bound_in_words
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.sensitivity import Elasticity, FiniteChange, Sensitivity
from roofdsl.analysis.tariff import spending_unit
from roofdsl.answer.blocks import Block, Equation, Equations, Form, Text, label, tabular
from roofdsl.answer.cells import Cell, Quantity
from roofdsl.answer.head import answered
from roofdsl.answer.plain import Json, fields_of
from roofdsl.answer.table_part import TablePart
from roofdsl.answer.titles import notes_blocks, notes_of, on, settings_shown, title_text
from roofdsl.expression.tree import Symbol
from roofdsl.units.dimension import SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity

_NOTICED = 1e-12
"""A smaller relative difference of two times may be rounding alone."""


@dataclass(frozen=True, slots=True)
class SensitivityAnswer:
    """How much the time changes with each parameter and rate."""

    found: Sensitivity
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found = self.found
        own: dict[str, Json] = {
            **fields_of(found, "time", "bound", "partial"),
            **({} if found.of == "time" else {"of": found.of}),
            "followers": [*found.followers],
            "elasticities": [_elasticity_values(item) for item in found.elasticities],
        }
        return answered("sensitivity", self.prediction, own, {"values": {"time": self._unit()}})

    def part(self) -> TablePart:
        """Return one row: the result there, its bound, and each elasticity."""
        found, prediction = self.found, self.prediction
        row: dict[Cell, Cell] = {found.of: Quantity(found.time, self._unit())}
        row["bound"] = found.bound or "nothing"
        row |= {Symbol(item.name): _slopes(item) for item in found.elasticities}
        question = f"{'partial ' if found.partial else ''}elasticities of the {found.of}"
        return _part(prediction, question, row, idle="elasticity 0 everywhere here")

    def _unit(self) -> Dimension:
        of, stated = self.found.of, self.prediction.tariff
        for metric in self.prediction.model.metrics:
            if metric.name == of:
                return metric.formula.dimension
        return SECOND if of == "time" else spending_unit(of, stated)

    def blocks(self) -> list[Block]:
        amount = show_quantity(self.found.time, self._unit())
        what = f"{self.found.of} {amount}, bound {self.found.bound}"
        title = f"{title_text(self.prediction)}   {what}"
        tables = sensitivity_blocks(self.found, self.prediction)
        return [Text(title), *tables, *notes_blocks(notes_of(self.prediction))]


def _part(
    prediction: Prediction, question: str, row: Mapping[Cell, Cell], idle: str = ""
) -> TablePart:
    """Return an answer as one row in a table of several."""
    model, machine = prediction.model.name, prediction.machine.name
    settings, notes = settings_shown(prediction), notes_of(prediction)
    return TablePart(model, machine, question, question, "", settings, [row], notes, idle=idle)


def _elasticity_values(item: Elasticity) -> Json:
    changes = {"smaller": item.smaller, "larger": item.larger}
    return {
        **fields_of(item, "name", "rate", "value", "below", "above", "reason"),
        **{
            name: None if change is None else fields_of(change, "value", "time", "share")
            for name, change in changes.items()
        },
    }


def sensitivity_blocks(found: Sensitivity, prediction: Prediction) -> Iterator[Block]:
    """Yield the elasticities of the time, the largest first, with finite changes, and what moves.

    A finite change is said as the prediction with it says it.
    """
    rows: list[list[Cell]] = [["", "elasticity", "1 % larger", "1 % smaller"]]
    whole = {item.name for item in prediction.model.parameters if item.symbol.integer}
    for item in found.elasticities:
        changes = (item.larger, item.smaller)
        effects = (_effect(change, item, whole, found.of) for change in changes)
        rows.append([Symbol(item.name), _slopes(item), *effects])
    name = on(prediction)
    caption = f"Sensitivities of the {found.of} of {name}"
    yield tabular(caption, label(name, "sensitivities"), rows, head="")
    if found.followers:
        what = "but held here" if found.partial else "and changing with them"
        yield Text(f"computed from other parameters, {what}: {', '.join(found.followers)}")


def _slopes(item: Elasticity) -> Cell:
    if item.value is not None:
        return Quantity(item.value)
    if item.below is None and item.above is None:
        return item.reason or ""
    below, above = (
        item.reason if x is None else show_number(x, 4) for x in (item.below, item.above)
    )
    return f"{below} below, {above} above"


def _effect(change: FiniteChange | None, item: Elasticity, whole: set[str], of: str) -> str:
    if change is None:
        return "none allowed was found"
    if not change.share or (item.value == 0 and abs(change.share) < _NOTICED):
        effect = "no effect"
    elif abs(change.share) < _NOTICED:
        effect = "hardly any effect"
    else:
        percent = show_number(100 * abs(change.share), 3)
        effect = f"{percent} % {'less' if change.share < 0 else 'more'} {of}"
    return f"at {show_number(change.value, 15)}: {effect}" if item.name in whole else effect


@dataclass(frozen=True, slots=True)
class AsymptoticAnswer:
    """The leading term of each time as a parameter grows, and the bound in the end."""

    found: Asymptotics
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found = self.found
        own = {"unknown": found.unknown.name, **fields_of(found, "times", "bound")}
        sections = {"times": dict.fromkeys(found.times, SECOND)}
        return answered("asymptotics", self.prediction, own, sections)

    def part(self) -> TablePart:
        """Return one row: the leading term of each time, and the bound in the end."""
        found, prediction = self.found, self.prediction
        row: dict[Cell, Cell] = {
            resource: "no leading term known" if tree is None else tree
            for resource, tree in found.times.items()
        }
        row["bound in the end"] = bound_in_words(found.bound, prediction, found.unknown.name)
        return _part(
            prediction, f"leading terms of the times [s] as {found.unknown.name} grows", row
        )

    def blocks(self) -> list[Block]:
        name = self.found.unknown.name
        items = []
        for resource, tree in self.found.times.items():
            forms = () if tree is None else (Form("→", tree),)
            items.append(Equation(resource, "", forms, "" if forms else "no leading term known"))
        place = label(on(self.prediction), "asymptotics")
        title = "times, leading terms [s]"
        bound = bound_in_words(self.found.bound, self.prediction, name)
        return [
            Text(f"{title_text(self.prediction)}   as {name} grows"),
            Equations(title.capitalize(), place, tuple(items), title),
            Text(f"bound in the end: {bound}"),
            *notes_blocks(notes_of(self.prediction)),
        ]
