"""`roofdsl diff`: two versions of a model or machine, compared by meaning."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import click

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.difference.change import presence, resources
from roofdsl.analysis.difference.machines import compare_machines
from roofdsl.analysis.difference.models import compare_models
from roofdsl.analysis.result import evaluated
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.difference import Comparison, DifferenceAnswer, Effect
from roofdsl.answer.example import point_of
from roofdsl.answer.point import parameters_text
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import either_named, machine_named, model_named, own_values, split_settings
from roofdsl.diagnostic import Diagnostic, RoofError, listing
from roofdsl.model.library import load_module
from roofdsl.model.types import MachineDefinition, ModelDefinition, Resource
from roofdsl.source import Source


@click.command("diff")
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@click.option("-m", "--machine", "machines", multiple=True, metavar="NAME", help="of models")
@click.option("--model", "models", multiple=True, metavar="NAME", help="of machines")
@click.option("-p", "settings", multiple=True, metavar="NAME=VALUE", help="a parameter's value")
@format_option("json")
def command(
    old: str,
    new: str,
    machines: tuple[str, ...],
    models: tuple[str, ...],
    settings: tuple[str, ...],
    form: str,
) -> None:
    """Compare two versions of a model or a machine, A and B, by what they mean.

    A and B are files, of which all that has one name is compared, or names as elsewhere. Said is
    what changed, in which steps, and by what factor; and with a machine (for models) or a model
    (for machines), what that does to time and bound. Order, layout and comments do not count.

    \b
    Examples:
      roofdsl diff old.roof new.roof
      roofdsl diff old.roof new.roof --machine karst -p N=4096 -p P=121
      roofdsl diff karst jetstream --model summa -p N=4096 -p P=121
      roofdsl diff cardwell2019:summa_as_printed cardwell2019:summa_in_bytes
    """
    targets = [machine_named(name)[0] for name in machines]
    asked = [model_named(name)[0] for name in models]
    before, after = _contents(old), _contents(new)
    pairs, machine_pairs = _pairs(old, new, before, after)
    found: list[Comparison] = []
    if before.is_file and after.is_file:
        found += _of_files(f"{old} → {new}", before, after, pairs, machine_pairs)
    values = split_settings(settings)
    for name, one, other in pairs:
        effects = [
            effect
            for machine in targets
            for effect in _effect(
                f"{other.name} on {machine.name}",
                [ModelOnMachine(model, machine) for model in (one, other)],
                values,
            )
        ]
        found.append(Comparison("model", name, compare_models(one, other), tuple(effects)))
    for name, first, second in machine_pairs:
        both = first.name if first.name == second.name else f"{first.name} → {second.name}"
        effects = [
            effect
            for model in asked
            for effect in _effect(
                f"{model.name} on {both}",
                [ModelOnMachine(model, machine) for machine in (first, second)],
                values,
            )
        ]
        found.append(Comparison("machine", name, compare_machines(first, second), tuple(effects)))
    echo(DifferenceAnswer(tuple(found)), form)


_T = TypeVar("_T")
_ModelPair = tuple[str, ModelDefinition, ModelDefinition]
_MachinePair = tuple[str, MachineDefinition, MachineDefinition]


class _Contents(NamedTuple):
    """What a file declares, or the one definition that a name stands for."""

    models: dict[str, ModelDefinition]
    machines: dict[str, MachineDefinition]
    resources: dict[str, Resource]
    is_file: bool = False


def _contents(reference: str) -> _Contents:
    """Return what a file, or a name, stands for."""
    if os.path.lexists(reference):
        module = load_module(Path(reference), reference)
        return _Contents(module.models, module.machines, module.resources, True)
    found, _ = either_named(reference)
    if isinstance(found, ModelDefinition):
        return _Contents({found.name: found}, {}, {})
    return _Contents({}, {found.name: found}, {})


def _pairs(
    old: str, new: str, before: _Contents, after: _Contents
) -> tuple[list[_ModelPair], list[_MachinePair]]:
    """Return the models and machines to compare; raise RoofError where there are none (R1008)."""
    models = _matched(before.models, after.models)
    machines = _matched(before.machines, after.machines)
    if not models and not machines:
        message = f"'{old}' and '{new}' have no model or machine of one name"
        names = [[*each.models, *each.machines] for each in (before, after)]
        hint = f"'{old}' has {listing(names[0])}, '{new}' has {listing(names[1])}"
        raise RoofError([Diagnostic("R1008", message, hint=hint)])
    return models, machines


def _matched(old: dict[str, _T], new: dict[str, _T]) -> list[tuple[str, _T, _T]]:
    """Pair what has the same name; a single one on each side is a pair whatever the names."""
    if len(old) == len(new) == 1:
        (one, first), (other, second) = next(iter(old.items())), next(iter(new.items()))
        return [(one if one == other else f"{one} → {other}", first, second)]
    return [(name, old[name], new[name]) for name in old if name in new]


def _of_files(
    title: str,
    before: _Contents,
    after: _Contents,
    models: list[_ModelPair],
    machines: list[_MachinePair],
) -> list[Comparison]:
    """Return the definitions that only one file has, and how resources changed."""
    left = [{id(pair[1]) for pair in pairs} for pairs in (models, machines)]
    right = [{id(pair[2]) for pair in pairs} for pairs in (models, machines)]
    changes = [
        *presence("model", _others(before.models, left[0]), _others(after.models, right[0])),
        *presence("machine", _others(before.machines, left[1]), _others(after.machines, right[1])),
        *presence("resource", before.resources, after.resources),
        *resources(before.resources.values(), after.resources.values()),
    ]
    return [Comparison("files", title, tuple(changes), ())] if changes else []


def _others(definitions: dict[str, _T], compared: set[int]) -> list[str]:
    return [name for name, item in definitions.items() if id(item) not in compared]


def _effect(
    title: str, asked: Sequence[ModelOnMachine], values: dict[str, Source]
) -> Iterator[Effect]:
    """Yield the predictions before and after, none where no example was found for one."""
    results = []
    for item in asked:
        given: Arguments = item.arguments(own_values(item.model, values))
        point = point_of(item.model, [item.machine], given)
        if point is None:
            return
        prediction = item.at(point.arguments)
        results.append(evaluated(prediction))
        values_shown = parameters_text(prediction, point.arguments)
    before, after = results
    yield Effect(f"{title}, at {values_shown}", before, after)
