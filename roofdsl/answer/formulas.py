"""A prediction in formulas: each quantity in full, as a parameter grows, with numbers put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from roofdsl.analysis.asymptotic import bound_in_words
from roofdsl.analysis.convention import Convention
from roofdsl.analysis.formulas import (
    Derived,
    PredictionFormulas,
    counted_formulas,
    let_formulas,
)
from roofdsl.analysis.intensity import intensity_of, is_zero
from roofdsl.analysis.machine_ridge import machine_ridge
from roofdsl.analysis.peak import TOO_MANY_SUMS, lacks_peak
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.blocks import Block, Table, Text, label, tabular
from roofdsl.answer.cells import Cell, Quantity
from roofdsl.answer.forms import brief_form, equations, with_unit
from roofdsl.answer.head import answered, opening
from roofdsl.answer.plain import Json, fields_of
from roofdsl.answer.point import ridge_values
from roofdsl.answer.rates import ridge_table
from roofdsl.answer.shared import with_shared_parts
from roofdsl.answer.spending import unanswered_notes
from roofdsl.answer.titles import notes_blocks, notes_of, on, parameters_text
from roofdsl.diagnostic import RoofError
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Symbol
from roofdsl.units.dimension import SECOND

_LEFT_OUT = (
    f"peak_memory is no formula here: {TOO_MANY_SUMS}; it is told where more parameters have values"
)
WIDEST = 100
"""More parameters than a line of so many characters has room for are told in several."""


@dataclass(frozen=True, slots=True)
class FormulaAnswer:
    """A model on a machine with parameters left open; its `lets` are told if they are asked for."""

    prediction: Prediction
    conventions: Sequence[Convention] = ()
    lets: bool = False

    def values(self) -> dict[str, Json]:
        prediction = self.prediction
        derived = PredictionFormulas(prediction.opened(decided=True), prediction)
        own: dict[str, Json] = {
            "free": [parameter.name for parameter in prediction.free],
            "formulas": {
                (f"time.{item.name}" if item in derived.times else item.name): _values(item)
                for item in derived.all()
            },
            "steps": {item.name: _values(item) for item in derived.steps},
            "counts": {item.name: _values(item) for item in self._counted()},
            **(
                {"lets": {x.name: _values(x) for x in let_formulas(prediction)}}
                if self.lets
                else {}
            ),
            **fields_of(derived, "growing", "eventual_bound"),
            "ridge": ridge_values(machine_ridge(prediction.machine), prediction.own),
        }
        return answered("formulas", prediction, own, {"ridge": prediction.intensity_units})

    def blocks(self) -> list[Block]:
        prediction = self.prediction
        opened = prediction.opened(decided=True)
        derived = PredictionFormulas(opened, prediction)
        found: list[Block] = [Text("\n".join(self._title()))]
        found += work_blocks(derived, prediction.model.name)
        title = "ridge points of the machine"
        ridge, place = machine_ridge(prediction.machine), prediction.machine.name
        found += ridge_table(ridge, place, prediction.own, title)
        found += time_blocks(derived, prediction)
        if derived.tallies:
            found.append(equations("tallies", prediction.model.name, derived.tallies))
        if derived.spending:
            title = "energy and money of all processes"
            found.append(equations(title, on(prediction), derived.spending))
        if derived.metrics:
            found.append(equations("metrics", prediction.model.name, derived.metrics))
        if self.lets and prediction.model.intermediates:
            found.append(equations("lets", prediction.model.name, let_formulas(prediction)))
        if self.conventions:
            found.append(equations("counted as", prediction.model.name, self._counted()))
        if len(prediction.free) == 1:
            found += self._regimes()
        if derived.growing is not None:
            found.append(Text(eventual_bound(derived, prediction)))
        notes = [*notes_of(prediction), *unanswered_notes(prediction)]
        if lacks_peak(opened.root):
            notes.append(_LEFT_OUT)
        return [*with_shared_parts(found, on(prediction)), *notes_blocks(notes)]

    def _title(self) -> list[str]:
        prediction = self.prediction
        known = parameters_text(prediction)
        free = ", ".join(parameter.name for parameter in prediction.free)
        title = f"{on(prediction)}, for any {free}"
        return [title, *wrap(f"with {known}", WIDEST)] if known else [title]

    def _counted(self) -> tuple[Derived, ...]:
        if not self.conventions:
            return ()
        return counted_formulas(
            self.prediction.opened(decided=True), self.prediction, self.conventions
        )

    def _regimes(self) -> list[Block]:
        prediction = self.prediction
        parameter = prediction.free[0]
        if not parameter.is_number:
            return []
        # Here, since most formulas have several free parameters, and need no solver.
        from roofdsl.analysis.crossover import find_regimes
        from roofdsl.analysis.domain import domain_of
        from roofdsl.answer.crossovers import regime_table
        from roofdsl.answer.places import all_proven

        unknown = unknown_named(parameter.name, prediction.model, prediction.machine)
        try:
            domain = domain_of(prediction, unknown)
            found = find_regimes(prediction, unknown, *domain.range())
            allowed = domain.first_of_each(found.regimes)
        except RoofError:
            return []  # the bound does not depend on it
        title = f"regimes over {unknown.name}, {all_proven([found.proof])}"
        return [regime_table(found.regimes, allowed, unknown, prediction, head=title)]


@dataclass(frozen=True, slots=True)
class FormulaAnswers:
    """The same on several machines."""

    answers: Sequence[FormulaAnswer]

    def values(self) -> dict[str, Json]:
        answers: list[Json] = [answer.values() for answer in self.answers]
        return {**opening("answers"), "answers": answers}

    def blocks(self) -> list[Block]:
        return [block for answer in self.answers for block in answer.blocks()]


def work_blocks(derived: PredictionFormulas, place: str) -> list[Block]:
    """Return the formulas that no machine changes: work and intensities."""
    found = [equations("work of one process", place, derived.work)]
    if derived.intensities:
        found.append(equations("intensities", place, derived.intensities))
    return [*found]


def time_blocks(derived: PredictionFormulas, prediction: Prediction) -> list[Block]:
    """Return the time of each resource, and what is attainable of it."""
    place = on(prediction)
    kernel = prediction.is_roofline
    busy = equations("time" if kernel else "time each resource is busy", place, derived.times)
    if kernel and prediction.root.stated is None:
        single = all(len(loads) == 1 for loads in prediction.groups().values())
        single = single and prediction.is_largest and all(x.follows for x in prediction.loads)
        if single and not is_zero(prediction.time()):
            return [busy, _roofs(prediction)]
        attainable = equations("attainable performance", place, [derived.attainable])
        if prediction.is_largest:
            return [busy, attainable]
        return [busy, equations("time with the start-up", place, [derived.time]), attainable]
    found = [busy, equations("time as composed", place, [derived.time])]
    if brief_form(derived.time) is not None:
        steps = equations("time of each step, run once", place, derived.steps)
        named = tuple(
            told._replace(name=Symbol(step.name))  # as it stands in the formula above
            for told, step in zip(steps.items, derived.steps, strict=True)
        )
        found.append(steps._replace(items=named))
    return [*found]


def eventual_bound(derived: PredictionFormulas, prediction: Prediction) -> str:
    """Return what binds in the end, in a sentence."""
    assert derived.growing is not None  # else nothing grows
    bound = bound_in_words(derived.eventual_bound, prediction, derived.growing)
    return f"bound as {derived.growing} grows: {bound}"


def _roofs(prediction: Prediction) -> Table:
    """Return the roofs of which the lowest is attainable: rates times intensities."""
    rows: list[list[Cell]] = [["roof", "value"]]
    for load in prediction.loads:
        if load.rate is None:
            continue
        unit = load.resource.dimension / SECOND
        shown = with_unit(prediction.rates[load.rate.name], unit)
        if load.resource.name == "flops":
            rows.append([load.rate.name, shown])
            continue
        factor = intensity_of(load.key)
        if isinstance(shown, Quantity):
            value: Cell = shown._replace(remark=f"× {factor}")
        else:
            value = multiply(shown, Symbol(factor))
        rows.append([f"{load.rate.name} × {factor}", value])
    title = "attainable performance: the smallest of"
    return tabular(title.capitalize(), label(on(prediction), "roofs"), rows, head=title)


def _values(item: Derived) -> Json:
    fields = fields_of(item, "full", "leading", "growing", "numbers")
    return {"unit": str(item.dimension), **fields}
