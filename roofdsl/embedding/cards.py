"""Models, machines and predictions as cards for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields

from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.counting import total_work
from roofdsl.analysis.intensity import INTENSITIES, intensity
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import machine_rates, machine_ridge
from roofdsl.answer.sweep import Sweep
from roofdsl.diagnostic import RoofError
from roofdsl.expression.construct import call
from roofdsl.expression.tree import ZERO, Expression, Function
from roofdsl.model.bounds import bounds_condition
from roofdsl.model.types import (
    MachineDefinition,
    ModelDefinition,
    Overlap,
    Parameter,
    Part,
    Repeat,
    Step,
)
from roofdsl.numeric.scalar import evaluate
from roofdsl.report.numeric import INTENSITY_UNITS, show_rate
from roofdsl.typeset.card import Card, Row, Section, card_html, card_latex
from roofdsl.typeset.escape import escape_html
from roofdsl.typeset.text import text
from roofdsl.units.dimension import FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity

MOST_STEPS = 20


class ShownSweep(Sweep):
    """A sweep that a notebook shows as a table."""

    __slots__ = ()

    @classmethod
    def of(cls, sweep: Sweep) -> ShownSweep:
        """Return a sweep as one that shows itself."""
        return cls(*(getattr(sweep, field.name) for field in fields(Sweep)))

    def _repr_html_(self) -> str:
        return card_html(sweep_card(self))


def html(card: Callable[[], Card]) -> str:
    """Return a card as HTML, or the problems that there are instead of it."""
    try:
        return card_html(card())
    except RoofError as problems:
        return f"<pre>{escape_html(str(problems))}</pre>"


def latex(card: Callable[[], Card]) -> str | None:
    """Return a card as LaTeX, None where there are problems instead of it."""
    try:
        return card_latex(card())
    except RoofError:
        return None


def model_card(model: ModelDefinition) -> Card:
    """Return the card of a model: its parameters, work, steps and intensities."""
    parameters = [_parameter(parameter) for parameter in model.parameters]
    lets = [_equation(item.name, item.formula.tree, doc=item.doc) for item in model.intermediates]
    requires = [Row((item.condition,)) for item in model.requirements]
    work = [
        _equation(
            item.key if item.selector is None else f"{item.key}[{item.selector}]",
            item.value,
            item.resource.dimension,
            item.doc,
        )
        for item in model.work
    ]
    if model.time is not None:
        work.append(_equation("time", model.time, SECOND))
    tallies = [
        _equation(item.name, item.formula.tree, item.formula.dimension, item.doc)
        for item in model.tallies
    ]
    return Card(
        f"model {model.name}",
        _first_paragraph(model.doc),
        (
            Section("parameters", tuple(parameters)),
            Section("intermediates", tuple(lets)),
            Section("requires", tuple(requires)),
            Section("work of one process", tuple(work)),
            Section("steps", tuple(_limited(list(_steps(model.parts, 0))))),
            Section("intensities", tuple(_intensities(model))),
            Section("tallies", tuple(tallies)),
            _sources(model.sources),
        ),
    )


def machine_card(machine: MachineDefinition) -> Card:
    """Return the card of a machine: its rates, those of its devices, and the ridge points.

    Raises RoofError where a rate has no value.
    """
    devices = [
        Section(f"device {name}: {device.name}", tuple(_rates(device)))
        for name, device in machine.devices.items()
    ]
    ridge = machine_ridge(machine)
    corners = [
        Row((f"{name}*", show_quantity(corner, INTENSITY_UNITS[name]), f"{above} / {below}"))
        for name, (above, below) in INTENSITIES.items()
        if (corner := getattr(ridge, name)) is not None
    ]
    return Card(
        f"machine {machine.name}",
        _first_paragraph(machine.doc),
        (
            Section("rates", tuple(_rates(machine))),
            *devices,
            Section("ridge points", tuple(corners)),
            _sources(machine.sources),
        ),
    )


def prediction_card(prediction: Prediction) -> Card:
    """Return the card of a model on a machine: the time on each resource, and what is attainable.

    `prediction` has no parameter bound. Formulas are in the parameters and the machine's rates,
    whose numbers stand below.
    """
    times = [
        _equation(name, simplify_ratio(tree), SECOND) for name, tree in prediction.times().items()
    ]
    whole = [
        _equation("time", _simplified(prediction.time()), SECOND),
        _equation("attainable", _simplified(prediction.attainable()), FLOP / SECOND),
    ]
    rates = {
        load.rate: Row(
            (
                load.rate,
                "=",
                show_quantity(
                    evaluate(prediction.rates[load.rate.name], {}),
                    load.resource.dimension / SECOND,
                ),
            )
        )
        for load in prediction.loads
        if load.rate is not None
    }
    return Card(
        f"{prediction.model.name} on {prediction.machine.name}",
        _first_paragraph(prediction.model.doc),
        (
            Section("time on each resource", tuple(times)),
            Section("prediction", tuple(whole)),
            Section("rates", tuple(rates.values())),
            Section("notes", tuple(Row((), note) for note in prediction.notes)),
        ),
    )


def sweep_card(sweep: Sweep) -> Card:
    """Return the card of a sweep: one row for each point, the first ones of many."""
    parameters = {name: values.ravel().tolist() for name, values in sweep.parameters.items()}
    columns = {
        "time": (sweep.time, SECOND),
        "attainable": (sweep.attainable, FLOP / SECOND),
        "OI": (sweep.OI, INTENSITY_UNITS["OI"]),
        "CAI": (sweep.CAI, INTENSITY_UNITS["CAI"]),
    }
    rows = [Row((*parameters, *columns, "bound"))]
    numbers = [[show_quantity(x, unit) for x in a.ravel().tolist()] for a, unit in columns.values()]
    for place, bound in enumerate(sweep.bound.ravel().tolist()):
        given = [show_number(values[place], 6) for values in parameters.values()]
        rows.append(Row((*given, *(column[place] for column in numbers), bound)))
    left = len(rows) - 1 - MOST_STEPS
    shown = (*rows[: MOST_STEPS + 1], *([Row((f"and {left:,} more",))] if left > 0 else []))
    return Card(f"{sweep.model} on {sweep.machine}", "", (Section("points", shown),))


def _parameter(parameter: Parameter) -> Row:
    default = f"= {' '.join(parameter.written.split())}" if parameter.written else ""
    kind = parameter.unit or parameter.kind
    return Row((parameter.symbol, kind, bounds_condition(parameter) or "", default), parameter.doc)


def _equation(name: str, tree: Expression, unit: Dimension | None = None, doc: str = "") -> Row:
    shown = "" if unit is None or not unit.powers else str(unit)
    return Row((name, "=", tree, shown), doc)


def _simplified(tree: Expression) -> Expression:
    """Return a formula simplified; of a `min` or `max`, each branch by itself."""
    if isinstance(tree, Function):
        return call(tree.name, *(simplify_ratio(branch) for branch in tree.arguments))
    return simplify_ratio(tree)


def _intensities(model: ModelDefinition) -> Iterator[Row]:
    if _is_long(model):
        return  # no formula of it is short enough to be shown
    work = {key: total_work(model, key) for keys in INTENSITIES.values() for key in keys}
    for name, (above, below) in INTENSITIES.items():
        tree = intensity(work, name)
        if tree is not None and ZERO not in (work[above], work[below]):
            yield _equation(name, simplify_ratio(tree), INTENSITY_UNITS[name])


def _is_long(model: ModelDefinition) -> bool:
    """Whether a model has more than `MOST_STEPS` steps, those of its steps' models included."""
    waiting = [*model.parts]
    count = 0
    while waiting and count <= MOST_STEPS:
        part = waiting.pop()
        count += isinstance(part, Step)
        waiting += part.model.parts if isinstance(part, Step) else part.parts
    return count > MOST_STEPS


def _steps(parts: Sequence[Part], depth: int) -> Iterator[Row]:
    indent = "\u2003" * depth
    for part in parts:
        match part:
            case Step():
                what = "in place" if part.in_place else part.model.name
                place = f" on {part.device}" if part.device else ""
                yield Row((indent + part.name, what + place))
            case Overlap():
                yield Row((f"{indent}at once", ""))
                yield from _steps(part.parts, depth + 1)
            case Repeat():
                yield Row((f"{indent}{text(part.times)} times", ""))
                yield from _steps(part.parts, depth + 1)


def _limited(rows: list[Row]) -> list[Row]:
    left = len(rows) - MOST_STEPS
    return [*rows[:MOST_STEPS], Row((f"and {left:,} more", ""))] if left > 0 else rows


def _rates(machine: MachineDefinition) -> Iterator[Row]:
    values = machine_rates(machine)
    for rate in machine.rates:
        default = "default" if rate.key in machine.defaults.values() else ""
        yield Row((rate.key, show_rate(rate, values.get(rate.key)), default), rate.doc)


def _sources(sources: Sequence[str]) -> Section:
    return Section("sources", tuple(Row((), source) for source in sources))


def _first_paragraph(doc: str) -> str:
    return doc.partition("\n")[0]
