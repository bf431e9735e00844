"""What a model or a machine is: its doc, sources, parameters, formulas, steps and rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofdsl.answer.blocks import (
    Block,
    Cell,
    Code,
    Column,
    Equation,
    Equations,
    Finding,
    Findings,
    Line,
    Prose,
    Table,
    Text,
    Written,
    label,
    tabular,
)
from roofdsl.answer.forms import unit_text
from roofdsl.answer.rates import machine_tables
from roofdsl.expression.tree import Expression
from roofdsl.model.limits import bounds_condition
from roofdsl.model.types import (
    Definition,
    Intermediate,
    MachineDefinition,
    ModelDefinition,
    Overlap,
    Parameter,
    Part,
    Repeat,
    Requirement,
    Step,
    Tally,
)
from roofdsl.source import Span
from roofdsl.typeset.text import text
from roofdsl.units.dimension import SECOND, Dimension

MOST_STEPS = 60


@dataclass(frozen=True, slots=True)
class ModelPage:
    """What there is to know about a model; `file` is where it is declared."""

    model: ModelDefinition
    file: str

    def blocks(self) -> list[Block]:
        return [*_head("model", self.model, self.file), *model_blocks(self.model)]


@dataclass(frozen=True, slots=True)
class MachinePage:
    """What there is to know about a machine; `file` is where it is declared."""

    machine: MachineDefinition
    file: str

    def blocks(self) -> list[Block]:
        found = [*_head("machine", self.machine, self.file)]
        return [*found, *machine_blocks(self.machine)]


def _head(sort: str, definition: Definition, file: str) -> Iterator[Block]:
    yield Text(f"{sort} {definition.name}   ({file})")
    if definition.doc:
        yield Prose(paragraphs(definition.doc))
    yield from source_blocks(definition.sources)


def source_blocks(sources: Sequence[str]) -> Iterator[Block]:
    """Yield where numbers and formulas come from, if that is said."""
    if sources:
        yield Findings(tuple(Finding(source) for source in sources), "sources")


def paragraphs(doc: str) -> tuple[str, ...]:
    """Return a doc comment in paragraphs."""
    return tuple(line.strip() for line in doc.split("\n") if line.strip())


def model_blocks(model: ModelDefinition) -> list[Block]:
    """Return what a model declares."""
    tallies = [_formula(item) for item in model.tallies]
    return [
        *declared(model),
        *work_blocks(model),
        *step_table(model),
        *_titled("tallies", model.name, tallies),
    ]


def work_blocks(model: ModelDefinition) -> Iterator[Block]:
    """Yield the work of a model, and its time where that is stated."""
    work = [
        _equation(
            item.key if item.selector is None else f"{item.key}[{item.selector}]",
            _written(item.value, item.span),
            item.resource.dimension,
            item.doc,
        )
        for item in model.work
    ]
    if model.time is not None:
        work.append(_equation("time", model.time, SECOND))
    yield from _titled("work of one process", model.name, work)
    together = [
        _equation(item.key, _written(item.value, item.span), item.resource.dimension, item.doc)
        for item in model.totals
    ]
    if model.even:
        together.append(Equation("even", "", (), "all do the same"))
    yield from _titled("work of all processes", model.name, together)


def declared(definition: Definition) -> Iterator[Block]:
    """Yield parameters, intermediates and requirements, where there are any."""
    name = definition.name
    yield from parameter_table(definition.parameters, name)
    yield from _titled("intermediates", name, [_formula(item) for item in definition.intermediates])
    yield from _requirements(definition.requirements, name)


def machine_blocks(machine: MachineDefinition) -> list[Block]:
    """Return what a machine declares, and its ridge points."""
    tables, problem = machine_tables(machine)
    found: list[Block] = [*declared(machine), *tables]
    measured = [Finding(" ".join(table.span.text.split())) for table in machine.tables.values()]
    if measured:
        found.append(Findings(tuple(measured), "measured"))
    return [*found, Text(f"note: {problem}")] if problem else found


def _titled(title: str, place: str, items: Sequence[Equation]) -> Iterator[Equations]:
    if items:
        caption = f"{title.capitalize()} of {place}"
        yield Equations(caption, label(place, title), tuple(items), title)


def _formula(item: Intermediate | Tally) -> Equation:
    tree, dimension = item.formula.tree, item.formula.dimension
    return _equation(item.name, _written(tree, item.span), dimension, item.doc)


def _equation(
    name: str, value: Expression | Written, dimension: Dimension, doc: str = ""
) -> Equation:
    return Equation(name, unit_text(dimension), (Line("=", value),), doc)


def _written(tree: Expression, span: Span) -> Written:
    """Return the right side of a statement: as its file has it, and as a formula."""
    return Written(" ".join(span.text.partition("=")[2].split()), tree)


def parameter_table(parameters: Sequence[Parameter], place: str) -> Iterator[Table]:
    """Yield the table of parameters, with kinds, units, bounds and defaults, if there are any."""
    rows: list[tuple[Cell, ...]] = []
    for parameter in parameters:
        kind = parameter.unit or parameter.kind
        default: Cell = Code(" ".join(parameter.written.split())) if parameter.written else ""
        bounds: Cell = bounds_condition(parameter) or ""
        rows.append((parameter.symbol, kind, bounds, default, parameter.doc))
    if rows:
        headings = ("name", "kind or unit", "bounds", "default", Column("meaning", wide=True))
        title, place = f"Parameters of {place}", label(place, "parameters")
        yield tabular(title, place, rows, headings=headings, head="parameters")


def _requirements(items: Sequence[Requirement], place: str) -> Iterator[Table]:
    """Yield the table of what a model or machine requires, if it does."""
    if items:
        title, place = f"Requirements of {place}", label(place, "requirements")
        rows = [[Written(item.text, item.condition)] for item in items]
        yield tabular(title, place, rows, headings=("what must hold",), head="requires")


def step_table(model: ModelDefinition) -> Iterator[Table]:
    """Yield the table of a composition's steps as written."""
    rows: list[tuple[Cell, ...]] = list(_steps(model.parts, 0))
    if not rows:
        return
    left = len(rows) - MOST_STEPS
    if left > 0:
        rows = [*rows[:MOST_STEPS], (f"and {left:,} more", "", "")]
    title, place = f"Steps of {model.name}", label(model.name, "steps")
    yield tabular(title, place, rows, headings=("step", "model", "on"), head="steps")


def _steps(parts: Sequence[Part], depth: int) -> Iterator[tuple[Cell, ...]]:
    indent = "\u2003" * depth
    for part in parts:
        match part:
            case Step():
                what = "in place" if part.in_place else part.model.name
                text_of = " ".join(part.span.text.split()).removeprefix(f"step {part.name}")
                shown = Written(text_of.lstrip(" ="), what)
                yield (indent + part.name, shown, part.device or "")
            case Overlap():
                yield (f"{indent}at once", "", "")
                yield from _steps(part.parts, depth + 1)
            case Repeat():
                yield (f"{indent}{text(part.times)} times", "", "")
                yield from _steps(part.parts, depth + 1)
