"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence

import click

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.types import ModelDefinition
from roofdsl.source import Source


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
        found[name] = Source(f"-p {name}=", value)
    return found


def model_arguments(model: ModelDefinition, texts: Sequence[str]) -> dict[str, Argument]:
    """Return the values of `-p NAME=VALUE` options; raise RoofError with all that is wrong."""
    arguments, problems = read_arguments(model, split_settings(texts))
    if problems:
        raise RoofError(problems)
    return arguments


def raise_if_any(problems: Sequence[Diagnostic]) -> None:
    """Raise RoofError if there are problems."""
    if problems:
        raise RoofError(problems)
