"""What a question is about where it is not named: the one parameter that has no value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from roofdsl.diagnostic import Diagnostic, Label, RoofError, listing
from roofdsl.model.types import ModelDefinition
from roofdsl.source import Source, Span


def open_parameters(models: Sequence[ModelDefinition], given: Collection[str]) -> list[str]:
    """Return the numbers that models leave without a value, when some are given."""
    parameters = (parameter for model in models for parameter in model.parameters)
    names = (item.name for item in parameters if item.is_number and item.default is None)
    return [name for name in dict.fromkeys(names) if name not in given]


def unknown_name(
    name: str | None, models: Sequence[ModelDefinition], given: Mapping[str, object]
) -> str:
    """Return the name to solve for: the one that is said, or the one parameter left open.

    Raises RoofError where it has a value too (R0712), or where none is said and not exactly one is
    open (R0713).
    """
    if name is not None:
        refuse_given(name, given)
        return name
    names = open_parameters(models, given)
    if len(names) == 1:
        return names[0]
    if names:
        message = f"what to solve for is not said, and {listing(names)} are open"
        hint = f'say which: --for {names[0]} (in Python "{names[0]}"), or give all but one a value'
    else:
        message = "what to solve for is not said, and every parameter has a value"
        hint = 'say it with --for NAME (in Python "NAME"): a parameter or a machine\'s rate'
    raise RoofError([Diagnostic("R0713", message, hint=hint)])


def refuse_given(name: str, given: Mapping[str, object]) -> None:
    """Raise RoofError where what is asked for is given a value too (R0712)."""
    if name in given:
        message = f"{name} is what is asked for, and is given a value too"
        hint = f"leave out the value of {name}, or ask for another"
        value = given[name]
        labels: tuple[Label, ...] = ()
        if isinstance(value, Source) and ".." in value.body:
            hint = f"to look only there: --range {value.body.partition(':')[0].strip()}"
        if isinstance(value, Source):
            labels = (Label(Span(value, value.begin, len(value.text))),)
        raise RoofError([Diagnostic("R0712", message, labels, hint)])
