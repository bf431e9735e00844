"""Studies of a prediction: sensitivity, scaling, asymptotics."""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.analysis.asymptotic import Asymptotics, bound_in_words
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.scaling import FAR, Isoefficiency, Scaling
from roofdsl.analysis.sensitivity import Elasticity, Sensitivity
from roofdsl.answer.blocks import Block, Equation, Equations, Form, Table, Text, label, tabular
from roofdsl.answer.cells import Cell, Printed, Quantity, width
from roofdsl.answer.head import answered
from roofdsl.answer.plain import Json, fields_of
from roofdsl.answer.point import notes_blocks, on, title_text
from roofdsl.expression.tree import Number, Symbol
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_number, show_quantity

_WIDEST_FORMULA = 40


@dataclass(frozen=True, slots=True)
class SensitivityAnswer:
    """How much the time changes with each parameter and rate."""

    found: Sensitivity
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        fields = ("name", "rate", "value", "formula")
        elasticities: list[Json] = [fields_of(item, *fields) for item in self.found.elasticities]
        own = {**fields_of(self.found, "time", "bound"), "elasticities": elasticities}
        return answered("sensitivity", self.prediction, own, {"values": {"time": SECOND}})

    def blocks(self) -> list[Block]:
        time = show_quantity(self.found.time, SECOND)
        title = f"{title_text(self.prediction)}   time {time}, bound {self.found.bound}"
        table = sensitivity_table(self.found, self.prediction)
        return [Text(title), table, *notes_blocks(self.prediction.notes)]


def sensitivity_table(found: Sensitivity, prediction: Prediction) -> Table:
    """Return the elasticities of the time, the largest first, each in a sentence too."""
    rows: list[list[Cell]] = [["", "elasticity", "formula", ""]]
    for item in found.elasticities:
        formula: Cell = "–"
        if item.formula is not None:
            formula = item.formula if width(item.formula) <= _WIDEST_FORMULA else "…"
        value: Cell = "–" if item.value is None else Quantity(item.value)
        rows.append([Symbol(item.name), value, formula, _effect(item)])
    if all(isinstance(row[2], str | Number) for row in rows):  # none is short enough
        rows = [[*row[:2], row[3]] for row in rows]
    name = on(prediction)
    caption = f"Sensitivities of the time of {name}"
    return tabular(caption, label(name, "sensitivities"), rows, head="")


def _effect(item: Elasticity) -> str:
    if item.value is None:
        return "has no derivative here"
    if not item.value:
        return "no effect"
    grown = "a 1 % faster" if item.rate else "a 1 % larger"
    change = show_number(abs(item.value), 3)
    return f"{grown} {item.name} gives about {change} % {'less' if item.value < 0 else 'more'} time"


@dataclass(frozen=True, slots=True)
class ScalingAnswer:
    """Speed-up and efficiency by processes, and how many are worth it."""

    found: Scaling
    prediction: Prediction
    iso: Isoefficiency | None

    def values(self) -> dict[str, Json]:
        iso = self.iso
        own: dict[str, Json] = {
            "points": [
                fields_of(point, "processes", "time", "speedup", "efficiency")
                for point in self.found.points
            ],
            **fields_of(self.found, "kind", "most_useful", "up_to"),
            "proven": self.found.up_to is not None,
            "efficiency": None if iso is None else float(iso.efficiency),
            "sizes": [{"processes": p, "size": n} for p, n in (iso.sizes if iso else ())],
        }
        return answered("scaling", self.prediction, own, {"points": {"time": SECOND}})

    def blocks(self) -> list[Block]:
        rows: list[list[Cell]] = [["processes", "time", "speed-up", "efficiency"]]
        for point in self.found.points:
            efficiency = Printed(f"{100 * point.efficiency:.3g} %")
            time = Quantity(point.time, SECOND)
            rows.append([Quantity(point.processes), time, Quantity(point.speedup), efficiency])
        name = on(self.prediction)
        kind = f"{self.found.kind} scaling"
        blocks: list[Block] = [
            Text(title_text(self.prediction)),
            tabular(f"{kind.capitalize()} of {name}", label(name, "scaling"), rows, head=kind),
        ]
        if self.found.kind == "strong":
            blocks.append(Text(self._useful()))
        if self.iso is not None:
            wanted = f"{float(100 * self.iso.efficiency):g} %"
            title = f"least size that keeps an efficiency of {wanted}"
            sizes: list[list[Cell]] = [["processes", "size"]]
            for processes, size in self.iso.sizes:
                shown: Cell = "none found" if size is None else Quantity(size, digits=6)
                sizes.append([Quantity(processes), shown])
            blocks.append(tabular(title.capitalize(), label(name, "sizes"), sizes, head=title))
        return [*blocks, *notes_blocks(self.prediction.notes)]

    def _useful(self) -> str:
        """Return from which count of processes on more do not help."""
        useful, up_to = self.found.most_useful, self.found.up_to
        if up_to is None:
            return "the most useful count of processes is undecided"
        if useful is None:
            return "more processes still make it faster at 10^15 (proven)"
        count, end = (f"{each:,}".replace(",", " ") for each in (useful, up_to))
        if useful == up_to:
            return f"no count is faster than {count}, the most the model allows (proven)"
        end = "10^15" if up_to == FAR else f"{end}, the most the model allows"
        more = "process never makes" if useful == 1 else "processes never make"
        return f"more than {count} {more} it faster (proven up to {end})"


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
            *notes_blocks(self.prediction.notes),
        ]
