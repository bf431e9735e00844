"""What a model means on one machine: formulas, numbers, regimes, crossovers, sensitivities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from roofdsl.analysis.asymptotic import bound_in_words
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.crossover import find_crossovers
from roofdsl.analysis.formulas import formulas
from roofdsl.analysis.node import kernels
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.analysis.unknown import default_range, unknown_named
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.construct import maximum, minimum, multiply
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.report.document.answers import (
    bound_text,
    breakdown_table,
    intensity_table,
    load_table,
    peak_share,
)
from roofdsl.report.document.content import Equation, Equations, Line, Table, label
from roofdsl.report.document.forms import equation, equations, too_long
from roofdsl.report.document.point import Point, growing_parameters
from roofdsl.report.document.report import PredictionPart
from roofdsl.report.document.solved import (
    closed_forms,
    crossover_table,
    regime_table,
    sensitivity_table,
)
from roofdsl.units.dimension import FLOP, SECOND
from roofdsl.units.quantity import show_quantity

MOST_KERNELS = 12
"""A composition of more kernels is given in numbers alone: its formulas fill pages."""
MOST_UNKNOWNS = 2


@dataclass(frozen=True, slots=True)
class Predicted:
    """A model's part of one machine, and what other parts of the report use of it."""

    part: PredictionPart
    prediction: Prediction | None = None
    result: Result | None = None
    shared: tuple[Equations, ...] = ()


def predicted(
    model: ModelDefinition, machine: MachineDefinition, given: Arguments, point: Point | None
) -> Predicted:
    """Return all a report says of a model on a machine.

    `shared` are the formulas that do not depend on the machine: work, intensities, tallies.
    """
    name = f"{model.name} on {machine.name}"
    place = label(name)
    growing = frozenset(point.growing if point else growing_parameters(model, given))
    kept = {key: value for key, value in given.items() if key not in growing}
    symbolic, problems = predict(model, machine, kept, growing)
    if problems:
        return Predicted(PredictionPart(machine.name, place, problem=_told(problems)))
    shared, own = formula_blocks(symbolic, place)
    part = PredictionPart(machine.name, place, formulas=own, notes=symbolic.notes)
    if point is None:
        missing = "No example was found that the requirements allow, so there are no numbers here."
        return Predicted(replace(part, assumption=missing), symbolic, None, shared)
    numeric, problems = predict(model, machine, point.arguments)
    try:
        if problems:
            raise RoofError(problems)
        result = evaluated(numeric)
    except RoofError as error:
        return Predicted(replace(part, problem=_told(error.diagnostics)), symbolic, None, shared)
    tables = [load_table(result, numeric), intensity_table(result)]
    steps = breakdown_table(result)
    if steps is not None:
        tables.append(steps)
    crossovers: list[Equations] = []
    short = len(kernels(numeric.root)) <= MOST_KERNELS
    if short:
        for table, forms in _solved(model, machine, point):
            tables += table
            crossovers += forms
        tables.append(sensitivity_table(sensitivity(numeric), numeric))
    part = replace(
        part,
        tables=tuple(tables),
        crossovers=tuple(crossovers),
        verdict=verdict(result, numeric),
        notes=result.notes,
    )
    return Predicted(part, numeric, result, shared)


def verdict(result: Result, prediction: Prediction) -> str:
    """Return the bound, the time and the attainable performance in a sentence."""
    time = show_quantity(result.time, SECOND)
    if not result.ties:
        return "There is no work, so nothing binds."
    bound = f"Bound by {bound_text(result, prediction)}"
    if not result.flops:
        return f"{bound}: {time}."
    speed = show_quantity(result.attainable, FLOP / SECOND)
    share = peak_share(result)
    peak = "" if share is None else f", {100 * share:.3g} % of the peak"
    return f"{bound}: {time}, {speed}{peak}."


def formula_blocks(
    prediction: Prediction, place: str
) -> tuple[tuple[Equations, ...], tuple[Equations, ...]]:
    """Return the formulas of work and intensities, and those of times."""
    if len(kernels(prediction.root)) > MOST_KERNELS:
        return (), ()
    derived = formulas(prediction.opened(), prediction)
    name = prediction.model.name
    shared = [
        equations("Work of one process", name, derived.work),
        equations("Intensities", name, derived.intensities),
        equations("Tallies", name, derived.tallies),
    ]
    times = "Time of each resource" if prediction.is_kernel else "Time each resource is busy"
    whole = (equation(derived.time), equation(derived.attainable))
    if prediction.is_kernel and prediction.root.stated is None:
        whole = overlapped(prediction, *whole)
    bound = ""
    if derived.growing is not None:
        bound = bound_in_words(derived.eventual_bound, prediction, derived.growing)
        bound = f"bound as {derived.growing} grows: {bound}"
    own = [
        equations(times, place, derived.times),
        Equations("Time and attainable performance", label(place, "time"), whole),
    ]
    if bound:
        last = own[-1].items[-1]
        remarked = Equation(last.name, last.unit, last.lines, bound)
        own[-1] = Equations(own[-1].caption, own[-1].label, (*own[-1].items[:-1], remarked))
    return tuple(each for each in shared if each.items), tuple(each for each in own if each.items)


def overlapped(
    prediction: Prediction, time: Equation, attainable: Equation
) -> tuple[Equation, Equation]:
    """Return a kernel's time and performance by what they are made of, named above.

    The time is the largest of its resources' times, the performance the smallest of the roofs:
    rate × intensity (Cardwell 2019, Eq. 2.5).
    """
    groups = prediction.groups()
    times: list[Expression] = [Symbol(f"t_{name.replace('.', '_')}") for name in groups]
    roofs: list[tuple[Expression, Expression]] = []
    for name, loads in groups.items():
        if len(loads) != 1 or loads[0].rate is None or loads[0].spent is not None:
            return time, attainable
        rate = loads[0].rate
        known = prediction.rates[rate.name]
        factor = _INTENSITY_OF.get(name)
        if name != "flops" and factor is None:
            return time, attainable
        roofs.append(
            (rate, known)
            if factor is None
            else (multiply(rate, Symbol(factor)), multiply(known, Symbol(factor)))
        )
    full = Line("=", maximum(*times)), Line("=", minimum(*(one for one, _ in roofs)))
    last = Line("=", minimum(*(two for _, two in roofs)))
    grown = [[line for line in each.lines if line.relation == "→"] for each in (time, attainable)]
    return (
        Equation(time.name, time.unit, (full[0], *grown[0])),
        Equation(attainable.name, attainable.unit, (full[1], *grown[1], last)),
    )


_INTENSITY_OF = {"memory": "OI", "network": "CAI"}


def _solved(
    model: ModelDefinition, machine: MachineDefinition, point: Point
) -> Iterator[tuple[list[Table], list[Equations]]]:
    """Yield regimes and crossovers over each growing parameter, the others at the point."""
    for name in point.growing[:MOST_UNKNOWNS]:
        arguments = {key: value for key, value in point.arguments.items() if key != name}
        prediction, problems = predict(model, machine, arguments, frozenset({name}))
        if problems:
            continue
        unknown = unknown_named(name, model, machine)
        try:
            found = find_crossovers(prediction, unknown, *default_range(unknown))
        except RoofError:
            continue  # the bound does not depend on it
        changes, forms = crossover_table(found, prediction), closed_forms(found, prediction)
        tables = [regime_table(found, prediction)]
        yield tables + ([changes] if changes else []), ([forms] if forms else [])


def _told(problems: Iterable[Diagnostic]) -> str:
    return "; ".join(dict.fromkeys(problem.message for problem in problems))


def stated_work(model: ModelDefinition) -> tuple[Equations, ...]:
    """Return the work of a model as its file states it, where no machine can run it."""
    items = []
    for item in model.work:
        unit = str(item.resource.dimension)
        lines = () if too_long(item.value) else (Line("=", item.value),)
        items.append(Equation(item.key, unit, lines, item.doc))
    if not items:
        return ()
    return (
        Equations("Work of one process", label(model.name, "work of one process"), tuple(items)),
    )
