"""Which of several predictions is the fastest, or has the least of something, as it is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from roofdsl.analysis.domain import Domain
from roofdsl.analysis.faster import common_domain, find_faster, find_lowest
from roofdsl.analysis.open_machine import asked_on, stated_key
from roofdsl.analysis.open_parameters import unknown_name
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.solved import FasterAnswer
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.types import Definition
from roofdsl.numeric.place import Place
from roofdsl.source import Source

_TIME = "time"


def contest(
    subjects: Sequence[ModelOnMachine],
    values: Mapping[str, object],
    name: str | None,
    ends: Callable[[Domain], tuple[Place, Place]],
    by: Source,
) -> FasterAnswer:
    """Return which of several is the fastest, or has the least `by`, over a range of an unknown.

    `ends` picks the range from the values that all of them allow. A value goes to those that know
    it. Raises RoofError for two of one name (R0202), and as `find_faster` and `find_lowest` do.
    """
    names, constant = names_of(subjects)
    name = unknown_name(name, [each.model for each in subjects], values)
    having = [stated_key(name, each.model, each.machine) is not None for each in subjects]
    first = subjects[having.index(True) if any(having) else 0]
    chosen = first.machine.identity
    opened, unknown = asked_on(name, first.model, first.machine, closed=True)
    subjects = [
        ModelOnMachine(each.model, opened) if each.machine.identity == chosen else each
        for each in subjects
    ]
    contenders = [
        (called, each.bound(own_values(each, values, subjects), unknown.free))
        for called, each in zip(names, subjects, strict=True)
    ]
    limits = ends(common_domain([prediction for _, prediction in contenders], unknown))
    what = by.body.strip()
    if what == _TIME:
        found = find_faster(contenders, unknown, *limits)
    else:
        found = find_lowest(contenders, unknown, *limits, by)
    return FasterAnswer(found, tuple(contenders), constant, what)


def own_values(
    subject: ModelOnMachine, values: Mapping[str, object], subjects: Sequence[ModelOnMachine]
) -> dict[str, object]:
    """Return the values that one knows, and those that none does: it is then to refuse them."""
    return {
        name: value
        for name, value in values.items()
        if subject.knows(name) or not any(each.knows(name) for each in subjects)
    }


def names_of(subjects: Sequence[ModelOnMachine]) -> tuple[list[str], str]:
    """Return what tells some predictions apart by name, and the name of what all share."""
    models = [each.model.name for each in subjects]
    machines = [each.machine.name for each in subjects]
    names, constant = machines, models[0]
    if len({*models}) > 1:
        names, constant = models, machines[0]
        if len({each.machine.identity for each in subjects}) > 1:
            pairs = zip(models, machines, strict=True)
            names, constant = [f"{model} on {machine}" for model, machine in pairs], ""
    if twice := [name for name in names if names.count(name) > 1]:
        raise _two_called(twice[0])
    return names, constant


def refuse_one_name(definitions: Iterable[Definition]) -> None:
    """Raise RoofError (R0202) where different models, or machines, have one name."""
    known: dict[tuple[type[Definition], str], Definition] = {}
    for each in definitions:
        first = known.setdefault((type(each), each.name), each)
        if first.identity != each.identity:
            raise _two_called(each.name)


def _two_called(name: str) -> RoofError:
    message = f"those that are compared are told apart by name, and two are '{name}'"
    hint = 'give one of them another name, as in karst.changed(network="2x").named("fast")'
    return RoofError([Diagnostic("R0202", message, hint=hint)])
