"""Every combination of several values: of parameters, of machines, and of what else is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import click

from roofdsl.answer.left_out import SKIP, LeftOut, check_left_out, is_refusal
from roofdsl.cli.options import Asked
from roofdsl.cli.sweep_values import choices_of
from roofdsl.diagnostic import RoofError
from roofdsl.model.types import MachineDefinition
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.answer.answer import Shown

    Ask: TypeAlias = Callable[["Combination"], Iterable[Shown]]

MOST_ASKED = 1000
"""A question is asked so many times at the most; each may take long."""


class Combination(NamedTuple):
    """What one question is asked of: machines, the one unless they are compared, and values."""

    machines: tuple[MachineDefinition, ...]
    values: dict[str, Source]


class Combinations(NamedTuple):
    """What a question is asked of, one after another; `swept` is what has several values."""

    swept: tuple[str, ...]
    each: tuple[Combination, ...]


def combinations(asked: Asked, *, together: bool = False, times: int = 1) -> Combinations:
    """Return every combination of machines and values.

    Machines stand by themselves, or one of each name `together`. Each is asked so many `times`.
    Raises a usage error for more than `MOST_ASKED`.
    """
    choices = choices_of(asked.values())
    named = asked.machines_by_name(swept=True)
    machines = [*product(*named)] if together else [(one,) for each in named for one in each]
    count = len(machines) * times * prod(map(len, choices.values()))
    if count > MOST_ASKED:
        raise click.UsageError(f"that is {count:,} questions; at most {MOST_ASKED:,} are answered")
    changes = [
        f"{machine.name}.{change.key}"
        for several in machines
        for machine in several
        for change in machine.changes
        if change.swept
    ]
    several_values = (name for name, sources in choices.items() if len(sources) > 1)
    points = [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
    each = (Combination(one, values) for one in machines for values in points)
    return Combinations((*dict.fromkeys(changes), *several_values), tuple(each))


def answered(found: Combinations, ask: Ask, *, skip: bool) -> Shown:
    """Return the one answer, or a table of several, of which none leaves a parameter open.

    Combinations that are refused are left out if they are to be skipped, unless all are.
    """
    answers: list[Shown] = []
    left_out: list[LeftOut] = []
    for at in found.each:
        try:
            answers += ask(at)
        except RoofError as error:
            if len(found.each) == 1 or not is_refusal(error):
                raise
            left_out.append(_left_out(at, found.swept, error))
            if not skip:  # each question may take long: the others are not asked
                first, *others = error.diagnostics
                first = replace(first, notes=(*first.notes, f"{left_out[0].place}: {SKIP}"))
                raise RoofError([first, *others]) from None
    check_left_out(left_out, len(found.each), skip=skip)
    if len(answers) == 1 and not left_out:
        return answers[0]
    from roofdsl.answer.combined import Combinable, CombinedAnswer

    closed = [each for each in answers if isinstance(each, Combinable)]
    assert len(closed) == len(answers)
    return CombinedAnswer(found.swept, closed, left_out, len(found.each))


def _left_out(at: Combination, swept: Sequence[str], error: RoofError) -> LeftOut:
    changed = {
        f"{machine.name}.{each.key}": each.written
        for machine in at.machines
        for each in machine.changes
        if each.swept
    }
    values = {name: at.values[name].body for name in swept if name in at.values}
    machines = " and ".join(machine.name for machine in at.machines)
    return LeftOut(machines, {**changed, **values}, error)
