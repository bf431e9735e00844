"""`roofdsl diff`: two versions of a model or machine, compared by meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import click

from roofdsl.analysis.binding import Arguments, refuse_unknown
from roofdsl.analysis.difference.change import Change, presence, resources
from roofdsl.analysis.difference.machines import compare_machines
from roofdsl.analysis.difference.models import compare_models
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import evaluated
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.difference import Difference, DifferenceAnswer, Effect
from roofdsl.answer.example import point_of, result_at
from roofdsl.answer.titles import settings_shown
from roofdsl.cli.call import Call
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import (
    either_named,
    machine_named,
    model_named,
    own_values,
    refuse_several,
    split_settings,
)
from roofdsl.cli.sweep_values import is_range
from roofdsl.diagnostic import Diagnostic, RoofError, listing
from roofdsl.model.arguments import Argument
from roofdsl.model.library import is_path, load_module
from roofdsl.model.types import MachineDefinition, ModelDefinition, Resource
from roofdsl.source import Source


@click.command("diff", cls=Call)
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
    several = [("-p ", text) for text in settings if is_range(text.partition("=")[2])]
    refuse_several(several, "two versions are compared at one point")
    targets = [machine_named(name)[0] for name in machines]
    asked = [model_named(name)[0] for name in models]
    before, after = _contents(old), _contents(new)
    model_pairs = _matched(before.models, after.models)
    machine_pairs = _matched(before.machines, after.machines)
    if not model_pairs and not machine_pairs:
        message = f"'{old}' and '{new}' have no model or machine of one name"
        names = [[*each.models, *each.machines] for each in (before, after)]
        hint = f"'{old}' has {listing(names[0])}, '{new}' has {listing(names[1])}"
        raise RoofError([Diagnostic("R1008", message, hint=hint)])
    values = split_settings(settings)
    refuse_unknown(values, [*asked, *(model for _, *pair in model_pairs for model in pair)])
    found: list[Difference] = []
    if before.is_file and after.is_file and (changes := tuple(_of_files(before, after))):
        found.append(Difference("files", f"{old} → {new}", changes, ()))
    for name, one, other in model_pairs:
        pairs = [
            (f"{other.name} on {m.name}", ModelOnMachine(one, m), ModelOnMachine(other, m))
            for m in targets
        ]
        effects = tuple(_effects(pairs, values))
        found.append(Difference("model", name, compare_models(one, other), effects))
    for name, first, second in machine_pairs:
        both = first.name if first.name == second.name else f"{first.name} → {second.name}"
        pairs = [
            (f"{m.name} on {both}", ModelOnMachine(m, first), ModelOnMachine(m, second))
            for m in asked
        ]
        effects = tuple(_effects(pairs, values))
        found.append(Difference("machine", name, compare_machines(first, second), effects))
    echo(DifferenceAnswer(tuple(found)), form)


_T = TypeVar("_T")


class _Contents(NamedTuple):
    """What a file declares, or the one definition that a name stands for."""

    models: dict[str, ModelDefinition]
    machines: dict[str, MachineDefinition]
    resources: dict[str, Resource]
    is_file: bool = False


def _contents(reference: str) -> _Contents:
    """Return what a file, or a name, stands for."""
    if is_path(reference):
        module = load_module(Path(reference), reference)
        return _Contents(module.models, module.machines, module.resources, True)
    found, _ = either_named(reference)
    if isinstance(found, ModelDefinition):
        return _Contents({found.name: found}, {}, {})
    return _Contents({}, {found.name: found}, {})


def _matched(old: dict[str, _T], new: dict[str, _T]) -> list[tuple[str, _T, _T]]:
    """Pair what has the same name; a single one on each side is a pair whatever the names."""
    if len(old) == len(new) == 1:
        (one, first), (other, second) = next(iter(old.items())), next(iter(new.items()))
        return [(one if one == other else f"{one} → {other}", first, second)]
    return [(name, old[name], new[name]) for name in old if name in new]


def _of_files(before: _Contents, after: _Contents) -> Iterator[Change]:
    """Yield the definitions that only one file has, and how resources changed."""
    for sort, old, new in (
        ("model", [*before.models], [*after.models]),
        ("machine", [*before.machines], [*after.machines]),
    ):
        if not len(old) == len(new) == 1:  # else the two are compared with one another
            yield from presence(sort, old, new)
    yield from presence("resource", before.resources, after.resources)
    yield from resources(before.resources.values(), after.resources.values())


def _effects(
    pairs: Iterable[tuple[str, ModelOnMachine, ModelOnMachine]], values: dict[str, Source]
) -> Iterator[Effect]:
    """Yield the predictions before and after at one point, none where none was found for both."""
    for title, *both in pairs:
        if (found := _at_one_point(both, values)) is not None:
            given = {name for _, arguments in found for name in arguments}
            shown: dict[str, str] = {}
            for prediction, _ in found:
                shown |= settings_shown(prediction)
            texts = [f"{name} = {value}" for name, value in shown.items() if name in given]
            where = f"{title}, at {', '.join(texts)}" if texts else title
            yield Effect(where, *(evaluated(prediction) for prediction, _ in found))


def _at_one_point(
    both: Sequence[ModelOnMachine], values: dict[str, Source]
) -> list[tuple[Prediction, Arguments]] | None:
    """Return predictions at values of one's own and at examples that do for both, if there are."""
    given = [item.arguments(own_values(item.model, values)) for item in both]
    for order in ((0, 1, 0), (1, 0, 1)):
        found: dict[int, Arguments] = {}
        shared: dict[str, Argument] = {}
        example = False
        for place in order:
            item = both[place]
            known = {name: value for name, value in shared.items() if name in item.parameters}
            point = point_of(item.model, [item], {**known, **given[place]})
            if point is None:
                break
            found[place] = point.arguments
            shared |= point.arguments
            example |= bool(point.example)
        else:
            asked = [(item, found[place]) for place, item in enumerate(both)]
            if not example or all(result_at(each, at) for each, at in asked):
                return [(each.at(at), at) for each, at in asked]
    return None
