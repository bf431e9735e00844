"""Build a report: machines, models, what these mean on those, sources, provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import counting
from roofdsl.analysis.binding import Arguments, Setting
from roofdsl.analysis.result import Result
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import Block, Drawing, Equations, Table, label
from roofdsl.answer.cells import NOTHING
from roofdsl.answer.definition import declared, paragraphs, step_table, work_blocks
from roofdsl.answer.document import bibliography
from roofdsl.answer.document.overview import (
    MOST_TOGETHER,
    Outcome,
    area,
    chapters,
    contents,
)
from roofdsl.answer.document.prediction import Predicted, predicted
from roofdsl.answer.document.provenance import files_of, today, versions
from roofdsl.answer.document.report import DefinitionPart, ModelPart, Report
from roofdsl.answer.example import Start, point_of, result_at
from roofdsl.answer.rates import machine_tables
from roofdsl.answer.titles import parameters_text
from roofdsl.diagnostic import RoofError
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module


class Subject(NamedTuple):
    """What a model's figures show: the machines it runs on, its parameters at some values.

    Maps are over the parameters that are `growing`, where there are any.
    """

    model: ModelDefinition
    asked: tuple[ModelOnMachine, ...] = ()
    results: tuple[Result, ...] = ()
    settings: Mapping[str, Setting] = MappingProxyType({})
    growing: tuple[str, ...] = ()


Drawn: TypeAlias = Callable[[int], tuple[Drawing, ...]]
Draw: TypeAlias = Callable[[Sequence[Subject]], Drawn]
"""Begins with the figures of some subjects; what it returns waits for those of one by its place."""


def build(
    models: Sequence[tuple[ModelDefinition, Module]],
    machines: Sequence[tuple[MachineDefinition, Module]],
    given: Mapping[str, Arguments],
    *,
    title: str = "",
    draw: Draw | None = None,
    done: Callable[[str], None] = lambda _: None,
) -> Report:
    """Return the report of models on machines, each with its file; `given` holds values by model.

    `done` is told of each model that is finished. Each may compute as much as a command, so that a
    model that can be reported alone can be among others.
    """
    models = _by_area(models)
    targets = [machine for machine, _ in machines]
    of_its_own = counting(afresh=True)
    asked = [[ModelOnMachine(model, machine) for machine in targets] for model, _ in models]
    points = [
        _start(model, each, given.get(model.name, {}))
        for (model, _), each in zip(models, asked, strict=True)
    ]
    maps = len(models) <= MOST_TOGETHER
    subjects = [
        subject_of(model, each, point, maps=maps)
        for (model, _), each, point in zip(models, asked, points, strict=True)
    ]
    drawn = draw(subjects) if draw is not None else None
    parts: list[ModelPart] = []
    outcomes: list[list[Outcome]] = []
    for (model, module), each, point in zip(models, asked, points, strict=True):
        own = given.get(model.name, {})
        found, results = of_its_own(_model)(model, module, each, own, point)
        parts.append(found)
        outcomes.append(results)
        done(model.name)
    labels: set[str] = set()
    numbers = count(1)
    for number, part in enumerate(parts):  # last, for figures may be drawn at the same time
        figures = drawn(number) if drawn is not None and subjects[number].asked else ()
        shown = tuple(figure._replace(number=next(numbers)) for figure in figures)
        parts[number] = _placed(replace(part, figures=shown), labels)
    machine_parts = tuple(_machine(machine, module) for machine, module in machines)
    cited = [item for part in (*machine_parts, *parts) for item in part.sources]
    found_chapters = chapters([area(module) for _, module in models], outcomes)
    return Report(
        title=title or _title([model.name for model, _ in models], targets),
        date=today(),
        version=dict(versions()).get("roofdsl", ""),
        language="en",
        summary=contents(found_chapters),
        machines=machine_parts,
        models=tuple(parts),
        chapters=found_chapters,
        references=bibliography.references(cited),
        files=files_of(module for _, module in (*models, *machines)),
        versions=versions(),
    )


def _by_area(
    models: Sequence[tuple[ModelDefinition, Module]],
) -> list[tuple[ModelDefinition, Module]]:
    """Return models in the order in which they are named, those of a chapter together."""
    if len(models) <= MOST_TOGETHER:
        return [*models]
    order = [*dict.fromkeys(area(module) for _, module in models)]
    return sorted(models, key=lambda each: order.index(area(each[1])))


def _start(
    model: ModelDefinition, asked: Sequence[ModelOnMachine], given: Arguments
) -> Start | None:
    """Return the point for a model, None where looking for one is too much work, too."""
    try:
        with counting(afresh=True):
            return point_of(model, asked, given)
    except RoofError as error:
        if all(problem.code == "R0412" for problem in error.diagnostics):
            return None
        raise


def _title(models: Sequence[str], machines: Sequence[MachineDefinition]) -> str:
    what = f"{len(models)} models" if len(models) > 3 else ", ".join(models)
    return f"{what} on {', '.join(machine.name for machine in machines)}"


def _placed(part: ModelPart, labels: set[str]) -> ModelPart:
    """Return a model's part with labels of its own: models of two files may have one name."""
    ends = chain([""], (f"-{number}" for number in count(2)))
    end = next(end for end in ends if part.label + end not in labels)
    labels.add(part.label + end)
    return replace(
        part,
        label=part.label + end,
        blocks=_ended(part.blocks, end),
        figures=tuple(each._replace(label=each.label + end) for each in part.figures),
        predictions=tuple(
            each._replace(label=each.label + end, blocks=_ended(each.blocks, end))
            for each in part.predictions
        ),
    )


def _ended(blocks: Iterable[Block], end: str) -> tuple[Block, ...]:
    """Return blocks with an end to the labels of those that have one."""
    return tuple(
        each._replace(label=each.label + end)
        if isinstance(each, Table | Equations | Drawing)
        else each
        for each in blocks
    )


def _machine(machine: MachineDefinition, module: Module) -> DefinitionPart:
    tables, problem = machine_tables(machine)
    return DefinitionPart(
        name=machine.name,
        label=label("machine", machine.name),
        file=module.source.name,
        doc=paragraphs(machine.doc),
        sources=tuple(map(bibliography.source, machine.sources)),
        blocks=(*declared(machine), *tables),
        problem=problem,
    )


def _model(
    model: ModelDefinition,
    module: Module,
    asked: Sequence[ModelOnMachine],
    given: Arguments,
    point: Start | None,
) -> tuple[ModelPart, list[Outcome]]:
    found: list[Predicted] = []
    shared: tuple[Block, ...] = ()
    for each in asked:
        found.append(predicted(each, given, point, alone=not shared))
        shared = shared or found[-1].shared
    predictable = any(each.prediction is not None for each in found)
    work = shared if predictable else tuple(work_blocks(model))
    assumed: tuple[str, ...] = ()
    if point is not None and point.example:
        assumed = (f"Numbers are for an example, as no values were given: {point.example}.",)
    part = ModelPart(
        name=model.name,
        label=label("model", model.name),
        file=module.source.name,
        doc=paragraphs(model.doc),
        sources=tuple(map(bibliography.source, model.sources)),
        blocks=(*declared(model), *step_table(model), *work),
        predictions=tuple(each.part for each in found),
        notes=assumed,
    )
    place = _settings(point, found)
    return part, [Outcome(model, each.part.machine, place, each.result) for each in found]


def subject_of(
    model: ModelDefinition,
    asked: Sequence[ModelOnMachine],
    point: Start | None,
    *,
    maps: bool = True,
) -> Subject:
    """Return what a model's figures show: nothing where it runs nowhere."""
    if point is None:
        return Subject(model)
    found = [(each, _result(each, point.arguments)) for each in asked]
    shown = [(each, result) for each, result in found if result is not None]
    settings = {name: result.parameters[name] for _, result in shown for name in point.arguments}
    growing = point.growing if maps else ()
    there, results = (each for each, _ in shown), (result for _, result in shown)
    return Subject(model, tuple(there), tuple(results), settings, growing)


def _settings(point: Start | None, found: Sequence[Predicted]) -> str:
    """Return the values a model's numbers are for."""
    prediction = next((each.prediction for each in found if each.result), None)
    if point is None or prediction is None:
        return NOTHING
    return parameters_text(prediction, point.arguments)


def _result(asked: ModelOnMachine, arguments: Arguments) -> Result | None:
    """Return the numbers at a point, None where they are too much work, too."""
    try:
        with counting(afresh=True):
            return result_at(asked, arguments)
    except RoofError:
        return None
