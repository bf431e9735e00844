"""What a model or a machine is: its doc, sources, parameters, formulas, steps and rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofdsl.answer.blocks import Block, Equation, Prose, Table, Text, listed, sentences, titled
from roofdsl.answer.cells import Cell, Code, Column, Written, right_side
from roofdsl.answer.forms import stated, with_unit
from roofdsl.answer.rates import machine_tables
from roofdsl.expression.tree import ONE
from roofdsl.model import types
from roofdsl.model.kept import Tensor
from roofdsl.model.limits import bounds_condition
from roofdsl.typeset.text import text
from roofdsl.units.dimension import BYTE, SECOND

MOST_STEPS = 60
_RUNS = {
    "repeat": "{} times",
    "iterate": "{} times the same",
    "wait": "wait {} times",
    "recompute": "again",
}


@dataclass(frozen=True, slots=True)
class DefinitionPage:
    """What there is to know about a model or a machine; `file` is where it is declared."""

    definition: types.ModelDefinition | types.MachineDefinition
    file: str

    def blocks(self) -> list[Block]:
        found = self.definition
        if isinstance(found, types.ModelDefinition):
            sort, declared = "mix" if found.is_mix else "model", model_blocks(found)
        else:
            sort, declared = "machine", machine_blocks(found)
        doc = [Prose(paragraphs(found.doc))] if found.doc else []
        title = Text(f"{sort} {found.name}   ({self.file})")
        return [title, *doc, *sentences("sources", found.sources), *declared]


def paragraphs(doc: str) -> tuple[str, ...]:
    """Return a doc comment in paragraphs."""
    return tuple(line.strip() for line in doc.split("\n") if line.strip())


def model_blocks(model: types.ModelDefinition) -> list[Block]:
    """Return what a model declares."""
    tallies = titled("tallies", model.name, map(_formula, model.tallies))
    metrics = titled("metrics", model.name, map(_formula, model.metrics))
    return [
        *declared(model),
        *work_blocks(model),
        *step_table(model),
        *tensor_blocks(model),
        *tallies,
        *metrics,
    ]


def tensor_blocks(model: types.ModelDefinition) -> Iterator[Block]:
    """Yield the tensors of a model, and what it keeps from step to step."""
    yield from titled("tensors", model.name, map(_tensor, model.tensors))
    rows: list[tuple[Cell, ...]] = [
        (
            keep.name or "what its steps keep",
            "" if keep.size is None else with_unit(keep.size, BYTE),
            ".".join(keep.begins),
            ".".join(keep.ends),
        )
        for keep in model.keeps
    ]
    yield from listed("Kept", model.name, ("what", "bytes", "from", "until the end of"), rows)


def _tensor(item: Tensor) -> Equation:
    said = ("kept" if item.kept and item.word != "keep" else "", "from here" if item.here else "")
    place = f"lies in {item.of}" if item.of else ""
    remark = ", ".join(filter(None, (*said, place, item.doc)))
    if item.size is None:
        return Equation(f"{item.word} {item.name}", "B", (), remark)
    return stated(f"{item.word} {item.name}", item.size, BYTE, remark)


def machine_blocks(machine: types.MachineDefinition) -> list[Block]:
    """Return what a machine declares, and its ridge points."""
    tables, problem = machine_tables(machine)
    measured = (" ".join(table.span.text.split()) for table in machine.tables.values())
    note = [Text(f"note: {problem}")] if problem else []
    return [*declared(machine), *tables, *sentences("measured", measured), *note]


def work_blocks(model: types.ModelDefinition) -> Iterator[Block]:
    """Yield the work of a model, and its time where that is stated."""
    work = [_work(item) for item in model.work]
    if model.time is not None:
        work.append(stated("time", model.time, SECOND))
    yield from titled("work of one process", model.name, work)
    together = [_work(item) for item in model.totals]
    if model.even:
        together.append(Equation("even", "", (), "all do the same"))
    yield from titled("work of all processes", model.name, together)


def _work(item: types.Work) -> Equation:
    value = Written(right_side(item.span), item.value)
    return stated(item.name, value, item.resource.dimension, item.doc)


def _formula(item: types.Intermediate | types.Tally | types.Metric) -> Equation:
    text, tree = right_side(item.span), item.formula.tree
    value = Written(text, tree) if text else tree  # a factor has no right side
    return stated(item.name, value, item.formula.dimension, item.doc)


def declared(definition: types.Definition) -> Iterator[Block]:
    """Yield parameters, intermediates and requirements, where there are any."""
    name = definition.name
    rows: list[tuple[Cell, ...]] = []
    for parameter in definition.parameters:
        default: Cell = Code(" ".join(parameter.written.split())) if parameter.written else ""
        bounds: Cell = bounds_condition(parameter) or ""
        kind = parameter.unit or parameter.kind
        rows.append((parameter.symbol, kind, bounds, default, parameter.doc))
    headings = ("name", "kind or unit", "bounds", "default", Column("meaning", wide=True))
    yield from listed("Parameters", name, headings, rows)
    yield from titled("intermediates", name, map(_formula, definition.intermediates))
    required = [[Written(item.text, item.condition)] for item in definition.requirements]
    yield from listed("Requirements", name, ("what must hold",), required, head="requires")


def step_table(model: types.ModelDefinition) -> Iterator[Table]:
    """Yield the table of a composition's steps as written."""
    rows: list[tuple[Cell, ...]] = list(_steps(model.parts, ""))
    left = len(rows) - MOST_STEPS
    if left > 0:
        rows = [*rows[:MOST_STEPS], (f"and {left} more", "", "")]
    return listed("Steps", model.name, ("step", "model", "on"), rows)


def _steps(parts: Sequence[types.Part], indent: str) -> Iterator[tuple[Cell, ...]]:
    for part in parts:
        match part:
            case types.Step():
                yield _step(part, indent)
                if part.in_place:
                    yield from _steps(part.model.parts, f"{indent} ")
                continue
            case types.Repeat(word="job", parts=(types.Step() as step,)):
                yield _step(step, indent)
                continue
            case types.Overlap():
                yield (f"{indent}at once", "", "")
            case types.Repeat(word="if" | "else"):
                head = " ".join(part.span.text.partition("{")[0].split())
                if head.startswith("else if "):  # its two ways are those of the `if` in it
                    (first, *others) = _steps(part.parts, indent)
                    yield (f"{indent}{head}", *first[1:])
                    yield from others
                    continue
                yield (f"{indent}{head}", "", "")
            case types.Repeat():
                runs = _RUNS[part.word].format(text(part.times))
                kept = "" if part.keeping is ONE else f", {text(part.keeping)} kept at once"
                yield (f"{indent}{runs}{kept}", "", "")
        yield from _steps(part.parts, f"{indent} ")


def _step(step: types.Step, indent: str) -> tuple[Cell, ...]:
    """Return the row of a step, or of a job with its weight."""
    what = "in place" if step.in_place else step.model.name
    written = " ".join(step.span.text.split())
    for word in ("step", "job"):
        written = written.removeprefix(f"{word} {step.name}").lstrip(" =")
    shown = what if step.in_place and step.model.parts else Written(written, what)
    return indent + step.name, shown, step.device or ""
