"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from itertools import product
from math import prod
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar

import click

from roofdsl.analysis.binding import bind
from roofdsl.cli.formats import say_problems
from roofdsl.cli.sweep_values import (
    MOST_POINTS,
    check_spelling,
    choices_of,
    is_range,
    sweep_values,
)
from roofdsl.diagnostic import Diagnostic, Label, RoofError, raise_if_any
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.library import find_machine, find_model
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.source import Source, Span

_Command: TypeAlias = Callable[..., None]
_Value = TypeVar("_Value")
MOST_MACHINES = 1000
"""What `--set` makes of one machine, at the most."""
_NEXT = re.compile(r"(?<![\s,;])[\s,;]++(?=[^\W\d]\w*+\s*+=(?!=))")  # then comes the next one
set_option = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="MACHINE.NAME=VALUE",
    help="change a machine: karst.network=2x",
)
_machine_option = click.option(
    "-m", "--machine", "machines", multiple=True, metavar="NAME", help="a machine; may be repeated"
)


class Asked(NamedTuple):
    """What `-m`, `-p` and `--set` say: machines, values of parameters, and changes of machines."""

    names: tuple[str, ...]
    settings: tuple[str, ...]
    changes: tuple[str, ...]

    def machines(self, *, swept: bool = False) -> list[MachineDefinition]:
        """Return the machines by name or path, with the changes made.

        Where they may be `swept`, a change to several values gives a machine for each.
        """
        return [machine for each in self.machines_by_name(swept=swept) for machine in each]

    def machines_by_name(self, *, swept: bool = False) -> list[list[MachineDefinition]]:
        """Return the same with those of one name together."""
        found = [machine_named(name)[0] for name in self.names]
        return _changed(found, self.changes, _opened(), swept=swept)

    def apart(self) -> tuple[Asked, dict[str, Source]]:
        """Return the same without changes to several values, and these by what they change."""
        ranged = _ranged(self.changes)
        parts = [text.partition("=") for text in ranged]
        several = {name.strip(): typed(f"--set {name}=", value) for name, _, value in parts}
        changes = tuple(text for text in self.changes if text not in ranged)
        return self._replace(changes=changes), several

    def ranges(self) -> list[str]:
        """Return what is given several values, as it was typed: `-p N=1..4`."""
        settings, changes = _ranged(self.settings), _ranged(self.changes)
        return [*(f"-p {text}" for text in settings), *(f"--set {text}" for text in changes)]

    def refuse_several(self, what: str) -> None:
        """Raise RoofError for several values where `what` is of one point (R0416)."""
        settings = [("-p ", text) for text in _ranged(self.settings)]
        refuse_several([*settings, *(("--set ", text) for text in _ranged(self.changes))], what)

    def modules(self) -> list[Module]:
        """Return the files the machines stand in."""
        return [machine_named(name)[1] for name in self.names]

    def values(self) -> dict[str, Source]:
        """Return the values by parameter."""
        return split_settings(self.settings)


def _ranged(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if is_range(text.partition("=")[2])]


def refuse_several(given: Iterable[tuple[str, str]], what: str) -> None:
    """Raise RoofError for each of several values given, by option, where one is meant (R0416)."""
    problems = []
    for option, text in given:
        name, _, value = text.partition("=")
        source = typed(f"{option}{name}=", value)
        place = Span(source, source.begin, len(source.text))
        message = f"{name.strip()} is given several values, and {what}"
        hint = f"give one: {option}{name}=VALUE; eval, table, solve and study take several"
        problems.append(Diagnostic("R0416", message, (Label(place),), hint))
    raise_if_any(problems)


def asked_options(values: str = "a parameter's value") -> Callable[[_Command], _Command]:
    """Return a decorator that adds `-m`, `-p` and `--set`, and gives them as the argument `asked`.

    `values` is the help of `-p`.
    """

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def collected(
            *,
            machines: tuple[str, ...],
            settings: tuple[str, ...],
            changes: tuple[str, ...],
            **others: object,
        ) -> None:
            command(asked=Asked(machines, settings, changes), **others)

        settings = click.option("-p", "settings", multiple=True, metavar="NAME=VALUE", help=values)
        return _machine_option(settings(set_option(collected)))

    return decorate


def needed(value: _Value | None, what: str) -> _Value:
    """Return what a command cannot do without; raise a usage error that asks for it, if missing."""
    if not value:
        raise click.UsageError(what)
    return value


def check_outputs(
    outputs: Mapping[str, str | None], modules: Iterable[Module], read: str | None = None
) -> None:
    """Raise RoofError before work for an output that cannot be written, or is another file used.

    `outputs` stand by their options; `modules` and the file `read` are what the command is given.
    """
    from roofdsl.answer.document.provenance import paths_of
    from roofdsl.writing import check_targets

    inputs = [path for _, path in paths_of(modules)]
    named = {option: Path(name) for option, name in outputs.items() if name is not None}
    check_targets(named, [*inputs, Path(read)] if read else inputs)


def own_values(
    model: ModelDefinition,
    values: Mapping[str, Source],
    others: Iterable[ModelDefinition] | None = None,
) -> dict[str, Source]:
    """Return the values of a model's own parameters.

    Where there are `others`, it also takes the values that none of them has a parameter for: it is
    then the one to refuse them.
    """
    own = {parameter.name for parameter in model.parameters}
    known = None if others is None else {p.name for other in others for p in other.parameters}
    return {
        name: value
        for name, value in values.items()
        if name in own or (known is not None and name not in known)
    }


def typed(lead: str, value: str) -> Source:
    """Return what was typed on the command line: a value, and what stands before it.

    >>> typed("-p N=", "2^10").body
    '2^10'
    """
    return Source("command line", lead + value, begin=len(lead))


def split_settings(texts: Sequence[str]) -> dict[str, Source]:
    """Return `NAME=VALUE` texts by name; each value keeps its place in what was typed.

    Raises a usage error for a text without `=`.
    """
    found: dict[str, Source] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name or not value.strip():
            raise click.UsageError(f"'-p {text}' is not of the form NAME=VALUE, such as -p N=4096")
        if name in found:
            raise click.UsageError(f"'{name}' is given twice")
        if len(given := _NEXT.split(text.strip())) > 1:
            apart = " -p ".join(f'"{each}"' if " " in each else each for each in given)
            raise click.UsageError(f"each parameter has a -p of its own: -p {apart}")
        check_spelling(name, value)
        found[name] = typed(f"-p {name}=", value)
    return found


class Points:
    """The points that `-p` options name: every combination of the ranges among them.

    `swept` are the parameters with several values; `tied` those given as a formula of others.
    """

    def __init__(self, model: ModelDefinition, values: Mapping[str, Source]) -> None:
        choices = choices_of(values)
        self.swept = tuple(name for name, sources in choices.items() if len(sources) > 1)
        count = prod(len(sources) for sources in choices.values())
        if count > MOST_POINTS:
            raise click.UsageError(
                f"that is {count:,} points; at most {MOST_POINTS:,} are evaluated"
            )
        self._choices = {
            name: list(each_read(model, name, sources)) for name, sources in choices.items()
        }
        problems = [p for found in self._choices.values() for _, told in found for p in told]
        if problems:
            # What could be read is checked too, so that all that is wrong is said at once.
            _, others = bind(model, self.first())
            raise RoofError([*problems, *others])
        given = self.first()
        self.tied = {
            name: " ".join(sources[0].body.split())
            for name, sources in choices.items()
            if name not in self.swept and any(free_symbols(given[name][0]))
        }

    def __iter__(self) -> Iterator[dict[str, Argument]]:
        for combination in product(*self._choices.values()):
            point: dict[str, Argument] = {}
            for arguments, _ in combination:
                point.update(arguments)
            yield point

    def first(self) -> dict[str, Argument]:
        return next(iter(self))


def model_named(reference: str) -> tuple[ModelDefinition, Module]:
    """Find a model as `find_model` does; print the warnings of its file."""
    return _warned(find_model(reference))


def machine_named(reference: str) -> tuple[MachineDefinition, Module]:
    """Find a machine as `find_machine` does; print the warnings of its file."""
    try:
        return _warned(find_machine(reference))
    except RoofError as error:
        for module in _opened():
            if reference in module.machines:
                hint = (
                    f"it stands in '{module.source.name}': write {module.source.name}:{reference}"
                )
                raise RoofError([replace(error.diagnostics[0], hint=hint)]) from None
        raise


def either_named(
    reference: str,
) -> tuple[ModelDefinition, Module] | tuple[MachineDefinition, Module]:
    """Find a model or a machine; where there is neither, what is said is about a model."""
    try:
        return model_named(reference)
    except RoofError as no_model:
        try:
            return machine_named(reference)
        except RoofError:
            raise no_model from None


def _warned(found: tuple[_Value, Module]) -> tuple[_Value, Module]:
    """Print the warnings of what was found to stderr, each once in a command."""
    told = click.get_current_context().find_root().meta.setdefault("roofdsl.warnings", set())
    _opened().append(found[1])
    for warning in found[1].warnings:
        text = str(warning)
        if text not in told:
            told.add(text)
            say_problems([warning])
    return found


def _opened() -> list[Module]:
    """Return the files that the command has found models and machines in."""
    meta = click.get_current_context().find_root().meta
    opened: list[Module] = meta.setdefault("roofdsl.modules", [])
    return opened


def with_changes(
    machines: Sequence[MachineDefinition],
    changes: Sequence[str],
    words: Sequence[Module] = (),
    *,
    swept: bool = False,
) -> list[MachineDefinition]:
    """Return machines with the `--set MACHINE.NAME=VALUE` changes made.

    Of a machine that is `swept` there is one for each of several values. Units and resources of
    `words` are known beside those of the machines' files. Raises a usage error for a change that is
    about none of them, or about two of one name: were both changed alike, comparing them would show
    nothing.
    """
    return [each for found in _changed(machines, changes, words, swept=swept) for each in found]


def _changed(
    machines: Sequence[MachineDefinition],
    changes: Sequence[str],
    words: Sequence[Module],
    *,
    swept: bool,
) -> list[list[MachineDefinition]]:
    """Return for each machine those that the changes make of it."""
    found = [[machine] for machine in machines]
    if not changes:
        return found
    from roofdsl.analysis.what_if import changed

    problems: list[Diagnostic] = []
    for change in changes:
        name, equals, value = change.partition("=")
        machine, dot, key = name.strip().partition(".")
        if not equals or not dot or not value.strip():
            raise click.UsageError(
                f"'--set {change}' is not of the form MACHINE.NAME=VALUE, "
                "such as --set karst.network=2x"
            )
        places = [place for place, item in enumerate(machines) if item.name == machine]
        if not places:
            known = ", ".join(item.name for item in machines)
            raise click.UsageError(f"'--set {change}' is about none of the machines: {known}")
        if len(places) > 1:
            raise click.UsageError(
                f"'--set {change}' would change each of the {len(places)} machines called "
                f"'{machine}'; name it once, or write it changed into a file, under another name"
            )
        source = typed(f"--set {name.strip()}=", value)
        check_spelling(name.strip(), value)
        ranged = " ".join(value.split()) if is_range(value) else ""
        if ranged and not swept:
            refuse_several([("--set ", change)], "one machine is meant")
        values = sweep_values(name.strip(), source) if ranged else [source]
        if len(values) * len(found[places[0]]) > MOST_MACHINES:
            raise click.UsageError(
                f"'--set {change}' makes more than {MOST_MACHINES:,} machines of one"
            )
        found[places[0]] = [
            changed(each, key, text, problems.append, words, ranged)
            for each in found[places[0]]
            for text in values
            if not problems
        ]
    raise_if_any(problems)
    return found


_Read: TypeAlias = tuple[dict[str, Argument], tuple[Diagnostic, ...]]
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(.*)")


def each_read(model: ModelDefinition, name: str, sources: Sequence[Source]) -> Iterator[_Read]:
    """Read the values of one parameter; numbers in one unit are read by the first of them."""
    factor, first = None, None
    for source in sources:
        written = _NUMBER.fullmatch(source.body)
        if written is not None and factor is not None and written[2] == first:
            digits = written[1]
            tree = Number((int(digits) if digits.isdecimal() else Fraction(digits)) * factor)
            yield {name: (tree, Span(source, source.begin, len(source.text)))}, ()
            continue
        arguments, problems = read_arguments(model, {name: source})
        yield arguments, problems
        match arguments.get(name):
            case (Number(value), _) if written is not None and not problems and value:
                if digits := Fraction(written[1]):  # what no parameter takes is read as another
                    factor, first = value / digits, written[2]
