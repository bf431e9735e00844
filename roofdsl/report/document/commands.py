"""What each command prints, as tables and equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofdsl.analysis.asymptotic import Asymptotics, bound_in_words
from roofdsl.analysis.contest import Faster
from roofdsl.analysis.convention import Convention
from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.projection import Profile, Projection
from roofdsl.analysis.result import Result, machine_ridge
from roofdsl.analysis.scaling import Isoefficiency, Scaling
from roofdsl.analysis.sensitivity import Sensitivity
from roofdsl.analysis.threshold import Thresholds
from roofdsl.expression.tree import Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.report import breakdown, projection, solved, studied, table
from roofdsl.report.convention import show_count
from roofdsl.report.document.answers import intensity_table, load_table, verdict_table
from roofdsl.report.document.content import (
    Block,
    Cell,
    Column,
    Equation,
    Equations,
    Line,
    Printed,
    Quantity,
    Table,
    label,
)
from roofdsl.report.document.forms import too_long
from roofdsl.report.document.parameters import (
    parameter_table,
    requirement_table,
    statements_table,
    step_table,
)
from roofdsl.report.document.prediction import formula_blocks, stated_work
from roofdsl.report.document.rates import machine_tables, ridge_table
from roofdsl.report.document.solved import (
    DIGITS,
    closed_forms,
    crossover_table,
    place_cell,
    regime_table,
    sensitivity_table,
)
from roofdsl.report.numeric import parameters_text
from roofdsl.units.dimension import SECOND


def point_blocks(
    result: Result,
    prediction: Prediction,
    by: breakdown.By,
    top: int | None,
    conventions: Sequence[Convention],
) -> list[Block]:
    """Return what `eval` answers at a point."""
    name = label(result.model, "on", result.machine)
    blocks: list[Block] = [
        load_table(result, prediction),
        intensity_table(result),
        verdict_table(result, prediction),
    ]
    if not prediction.is_kernel:
        rows, more = breakdown.breakdown_rows(result, by, top, conventions)
        title = f"Breakdown of {result.model} on {result.machine} by {by}"
        blocks.append(printed(title, f"{name}-by-{by}", rows, (more.strip(),) if more else ()))
    if conventions:
        counts = [[c.name, show_count(result.count(c.name), c), c.meaning] for c in conventions]
        heading = ["counted as", "cost", "what it counts"]
        blocks.append(
            printed(f"Operations of {result.model}", f"{name}-counts", [heading, *counts])
        )
    return blocks


def formula_answer(prediction: Prediction) -> list[Block]:
    """Return what `eval` answers in formulas."""
    name = label(prediction.model.name, "on", prediction.machine.name)
    shared, own = formula_blocks(prediction, name)
    ridges = ridge_table(machine_ridge(prediction.machine), prediction.machine.name)
    return [*shared, *ridges, *own]


def result_blocks(
    results: Sequence[Result],
    swept: Sequence[str],
    model: ModelDefinition,
    conventions: Sequence[Convention],
) -> list[Block]:
    """Return many results, a row each; or a column each machine, at one point."""
    if swept:
        title, rows = table.result_rows(results, swept, model, conventions)
    else:
        title, rows = table.machine_rows(results, model, conventions)
    return [printed(" ".join(title.split()), label(model.name, "results"), rows)]


def crossover_blocks(answer: Crossovers, prediction: Prediction) -> list[Block]:
    """Return regimes, crossovers and their closed forms."""
    changes, forms = crossover_table(answer, prediction), closed_forms(answer, prediction)
    found: list[Block] = [regime_table(answer, prediction)]
    return found + ([changes] if changes else []) + ([forms] if forms else [])


def boundary_blocks(
    title: str, swept: Sequence[str], points: Sequence[tuple[list[str], Crossovers]]
) -> list[Block]:
    """Return the crossovers at many points, and the closed forms among them."""
    rows, forms = solved.boundary_rows(swept, points)
    place = label(title)
    blocks: list[Block] = [printed(title, place, rows)]
    items = tuple(
        Equation(Symbol(name), "", (Line("=", root),))
        for root, name in forms.items()
        if not too_long(root)
    )
    return [*blocks, Equations("In closed form", f"{place}-forms", items)] if items else blocks


def threshold_blocks(answer: Thresholds, prediction: Prediction) -> list[Block]:
    """Return where a condition holds."""
    unknown = answer.unknown
    rows: list[tuple[Cell, ...]] = [
        (place_cell(each.first, unknown), place_cell(each.last, unknown))
        for each in answer.intervals
    ]
    name = f"{prediction.model.name} on {prediction.machine.name}"
    title = f"Where {answer.condition.text} holds: {unknown.name} of {name}"
    place = label(name, "where", unknown.name)
    columns = (Column("From", align="right"), Column("To", align="right"))
    notes = () if answer.intervals else ("It holds nowhere in the range.",)
    blocks: list[Block] = [Table(title, place, columns, tuple(rows), notes)]
    items = tuple(
        Equation(
            Symbol(unknown.name),
            "",
            (
                Line("=", each.closed_form),
                Line("=", Quantity(each.closed_form_value, unknown.dimension, DIGITS)),
            ),
        )
        for each in answer.intervals
        if each.closed_form is not None
        and each.closed_form_value is not None
        and not too_long(each.closed_form)
    )
    return [*blocks, Equations("In closed form", f"{place}-forms", items)] if items else blocks


def faster_blocks(answer: Faster, title: str) -> list[Block]:
    """Return who is fastest where."""
    rows = [["who", "where"], *solved.lead_rows(answer)]
    place = label(title)
    blocks: list[Block] = [printed(" ".join(title.split()), place, rows)]
    items = tuple(
        Equation(
            Symbol(answer.unknown.name),
            "",
            (Line("=", root), Line("=", Quantity(value, answer.unknown.dimension, DIGITS))),
        )
        for _, root, value in answer.changes
        if root is not None and value is not None and not too_long(root)
    )
    return [*blocks, Equations("In closed form", f"{place}-forms", items)] if items else blocks


def sensitivity_blocks(answer: Sensitivity, prediction: Prediction) -> list[Block]:
    """Return the elasticities of the time."""
    return [sensitivity_table(answer, prediction)]


def scaling_blocks(
    answer: Scaling, prediction: Prediction, iso: Isoefficiency | None
) -> list[Block]:
    """Return speed-up and efficiency by processes."""
    name = f"{prediction.model.name} on {prediction.machine.name}"
    title = f"Strong scaling of {name}: {parameters_text(prediction)}".rstrip(": ")
    useful = studied.useful_text(answer)
    notes = (f"{useful[:1].upper()}{useful[1:]}.",)
    blocks: list[Block] = [
        printed(title, label(name, "scaling"), studied.scaling_rows(answer), notes)
    ]
    if iso is not None:
        caption = studied.efficiency_text(iso)
        place = label(name, "sizes")
        blocks.append(printed(caption[:1].upper() + caption[1:], place, studied.size_rows(iso)))
    return blocks


def asymptotic_blocks(answer: Asymptotics, prediction: Prediction) -> list[Block]:
    """Return the leading term of each time."""
    name = f"{prediction.model.name} on {prediction.machine.name}"
    bound = bound_in_words(answer.bound, prediction, answer.unknown.name)
    items = tuple(
        Equation(resource, str(SECOND), (), "no leading term known")
        if tree is None
        else Equation(resource, str(SECOND), (Line("→", tree),))
        for resource, tree in answer.times.items()
    )
    title = f"Times of {name} as {answer.unknown.name} grows; bound in the end: {bound}"
    return [Equations(title, label(name, "asymptotics"), items)]


def projection_blocks(
    name: str, profile: Profile, projections: Sequence[Projection]
) -> list[Block]:
    """Return the times of each group on every machine."""
    title, rows = projection.projection_rows(name, profile, projections)
    rest = f"{projection.THE_REST[:1].upper()}{projection.THE_REST[1:]}."
    notes = (rest,) if projections[0].coverage < 1 else ()
    return [printed(title, label("projection", name), rows, notes)]


def listing_blocks(sorts: Mapping[str, Mapping[str, str]]) -> list[Block]:
    """Return names with what they are, a table each sort."""
    columns = (Column("Name"), Column("What it is", wide=True))
    return [
        Table(f"Bundled {sort}", label("bundled", sort), columns, tuple(sorted(names.items())))
        for sort, names in sorts.items()
    ]


def model_blocks(model: ModelDefinition) -> list[Block]:
    """Return what `show` tells of a model."""
    return [
        *parameter_table(model.parameters, model.name),
        *statements_table("Intermediates", model.name, model.intermediates),
        *requirement_table(model.requirements, model.name),
        *stated_work(model),
        *step_table(model),
        *statements_table("Tallies", model.name, model.tallies),
    ]


def machine_blocks(machine: MachineDefinition) -> list[Block]:
    """Return what `show` tells of a machine."""
    return list(machine_tables(machine)[0])


def printed(
    caption: str, place: str, rows: Sequence[Sequence[str]], notes: tuple[str, ...] = ()
) -> Table:
    """Return rows of texts, headings first, as a table; a column of numbers stands right."""
    headings, *lines = rows
    columns = tuple(
        Column(heading, align="right" if lines and _numbers([r[at] for r in lines]) else "left")
        for at, heading in enumerate(headings)
    )
    cells = tuple(
        tuple(
            Printed(text) if column.align == "right" else _indented(text)
            for text, column in zip(line, columns, strict=True)
        )
        for line in lines
    )
    return Table(caption, place, columns, cells, notes)


def _numbers(texts: Sequence[str]) -> bool:
    """Whether a column holds numbers, apart from dashes and gaps."""
    shown = [text for text in texts if text not in ("", "–", "none")]
    return bool(shown) and sum(text.lstrip("-+")[:1].isdigit() for text in shown) * 2 > len(shown)


def _indented(text: str) -> str:
    stripped = text.lstrip(" ")
    return "\u2003" * ((len(text) - len(stripped)) // 2) + stripped
