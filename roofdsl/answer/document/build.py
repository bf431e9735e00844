"""Build a report: machines, models, what these mean on those, sources, provenance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.intensity import INTENSITY_UNITS
from roofdsl.analysis.result import Result, Setting
from roofdsl.answer.blocks import Block, Drawing, Equations, Table, label, tabular
from roofdsl.answer.cells import Cell
from roofdsl.answer.definition import declared, paragraphs, step_table, work_blocks
from roofdsl.answer.document import bibliography
from roofdsl.answer.document.prediction import Predicted, predicted
from roofdsl.answer.document.provenance import files_of, today, versions
from roofdsl.answer.document.report import MachinePart, ModelPart, Report, Source
from roofdsl.answer.example import Point, point_of, result_at
from roofdsl.answer.point import parameters_text
from roofdsl.answer.rates import machine_tables
from roofdsl.answer.result_cells import result_cell
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module


class Subject(NamedTuple):
    """What a model's figures show: the machines it runs on, its parameters at some values."""

    model: ModelDefinition
    machines: tuple[MachineDefinition, ...]
    settings: dict[str, Setting]


Drawn: TypeAlias = Callable[[int], tuple[Drawing, ...]]
Draw: TypeAlias = Callable[[Sequence[Subject]], Drawn]
"""Begins with the figures of some subjects; what it returns waits for those of one by its place."""


class Asked(NamedTuple):
    """What a report is asked for: models and machines with their files, values by model."""

    models: Sequence[tuple[ModelDefinition, Module]]
    machines: Sequence[tuple[MachineDefinition, Module]]
    given: Mapping[str, Arguments]
    title: str = ""


def build(
    asked: Asked,
    draw: Draw | None = None,
    done: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return the report of models on machines; `done` is told of each model that is finished."""
    machines = [machine for machine, _ in asked.machines]
    parts: list[ModelPart] = []
    rows: list[list[Cell]] = [["model", "machine", "at", *_SUMMARISED]]
    points = [point_of(m, machines, asked.given.get(m.name, {})) for m, _ in asked.models]
    subjects = [
        subject_of(model, machines, point)
        for (model, _), point in zip(asked.models, points, strict=True)
    ]
    drawn = draw(subjects) if draw is not None else None
    for number, (model, module) in enumerate(asked.models):
        given = asked.given.get(model.name, {})
        found, results = _model(model, module, machines, given, points[number])
        parts.append(found)
        rows += results
        done(model.name)
    labels: set[str] = set()
    for number, part in enumerate(parts):  # last, for figures may be drawn at the same time
        figures = drawn(number) if drawn is not None and subjects[number].machines else ()
        place = _free(label("model", part.name), labels)
        parts[number] = _placed(replace(part, figures=figures), place)
    machine_parts = tuple(_machine(machine, module) for machine, module in asked.machines)
    cited = [item for part in machine_parts for item in part.sources]
    cited += [item for part in parts for item in part.sources]
    modules = [module for _, module in (*asked.models, *asked.machines)]
    return Report(
        title=asked.title or _title(asked),
        date=today(),
        version=dict(versions()).get("roofdsl", ""),
        language="en",
        summary=tabular("Every model on every machine", "summary", rows),
        machines=machine_parts,
        models=tuple(parts),
        references=bibliography.references(cited),
        files=files_of(modules),
        versions=versions(),
    )


def _title(asked: Asked) -> str:
    machines = ", ".join(machine.name for machine, _ in asked.machines)
    if len(asked.models) > 3:
        return f"{len(asked.models)} models on {machines}"
    return f"{', '.join(model.name for model, _ in asked.models)} on {machines}"


def _free(place: str, labels: set[str]) -> str:
    """Return a label that is not in use yet: models of two files may have one name."""
    found, number = place, 2
    while found in labels:
        found, number = f"{place}-{number}", number + 1
    labels.add(found)
    return found


def _placed(part: ModelPart, place: str) -> ModelPart:
    """Return a model's part with labels of its own throughout."""
    suffix = place.removeprefix(part.label)
    if not suffix:
        return part

    def own(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        return tuple(
            replace(each, label=each.label + suffix)
            if isinstance(each, Table | Equations)
            else each
            for each in blocks
        )

    return replace(
        part,
        label=place,
        blocks=own(part.blocks),
        figures=tuple(replace(each, label=each.label + suffix) for each in part.figures),
        predictions=tuple(
            replace(each, label=each.label + suffix, blocks=own(each.blocks))
            for each in part.predictions
        ),
    )


def _machine(machine: MachineDefinition, module: Module) -> MachinePart:
    tables, problem = machine_tables(machine)
    blocks = (*declared(machine), *tables)
    return MachinePart(
        machine.name,
        label("machine", machine.name),
        module.source.name,
        paragraphs(machine.doc),
        _sources(machine.sources),
        blocks,
        problem,
    )


def _model(
    model: ModelDefinition,
    module: Module,
    machines: Sequence[MachineDefinition],
    given: Arguments,
    point: Point | None,
) -> tuple[ModelPart, list[list[Cell]]]:
    found = [predicted(model, machine, given, point) for machine in machines]
    shared = next((each.shared for each in found if each.prediction is not None), None)
    blocks = [*declared(model), *step_table(model)]
    assumed: tuple[str, ...] = ()
    if point is not None and point.example:
        assumed = (f"Numbers are for an example, as no values were given: {point.example}.",)
    part = ModelPart(
        name=model.name,
        label=label("model", model.name),
        file=module.source.name,
        doc=paragraphs(model.doc),
        sources=_sources(model.sources),
        blocks=(*blocks, *(work_blocks(model) if shared is None else shared)),
        predictions=tuple(each.part for each in found),
        notes=assumed,
    )
    place = _settings(point, found)
    return part, [_row(model, place, each) for each in found]


def subject_of(
    model: ModelDefinition, machines: Sequence[MachineDefinition], point: Point | None
) -> Subject:
    """Return what a model's figures show: nothing where it runs nowhere."""
    working: list[MachineDefinition] = []
    settings: dict[str, Setting] = {}
    if point is None:
        return Subject(model, (), {})
    for machine in machines:
        result = result_at(model, machine, point.arguments)
        if result is not None:
            working.append(machine)
            settings = {name: result.parameters[name] for name in point.arguments}
    return Subject(model, tuple(working), settings)


def _settings(point: Point | None, found: Sequence[Predicted]) -> str:
    """Return the values a model's numbers are for."""
    prediction = next((each.prediction for each in found if each.result), None)
    if point is None or prediction is None:
        return "–"
    return parameters_text(prediction, point.arguments)


def _row(model: ModelDefinition, settings: str, each: Predicted) -> list[Cell]:
    result: Result | None = each.result
    where: list[Cell] = [model.name, each.part.machine, settings]
    if result is None:
        return [*where, *["–"] * len(_SUMMARISED)]
    return [*where, *(result_cell(result, name) for name in _SUMMARISED)]


_SUMMARISED = (*INTENSITY_UNITS, "time", "attainable", "bound")


def _sources(lines: Sequence[str]) -> tuple[Source, ...]:
    return tuple(bibliography.source(line) for line in lines)
