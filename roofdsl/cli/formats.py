"""The formats of answers: each is a file in `roofdsl/report/`, of one function `written`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import click

from roofdsl.inert import visible

if TYPE_CHECKING:
    from roofdsl.answer.answer import Shown, Tabular, Valued

Command = TypeVar("Command", bound=Callable[..., object])
DOCUMENTS = ("text", "latex", "markdown")
"""The formats for people; those for programs are written from plain values."""


def format_option(*more: str) -> Callable[[Command], Command]:
    """Return the option `--format`, for `DOCUMENTS` and more formats."""
    choices = click.Choice([DOCUMENTS[0], *more, *DOCUMENTS[1:]])
    return click.option("--format", "form", type=choices, default="text", show_default=True)


def echo(answer: Shown | Valued | Tabular, form: str) -> None:
    """Print an answer in one of the formats."""
    text = shown(answer, form)
    click.echo(visible(text) if form in DOCUMENTS else text)  # those for programs are inert


def say(text: str, *, err: bool = False) -> None:
    """Print a text, to stderr if it is a message; of what it quotes, nothing drives a terminal."""
    click.echo(visible(text), err=err)


def shown(answer: Shown | Valued | Tabular, form: str) -> str:
    """Return an answer in one of the formats."""
    text: str = import_module(f"roofdsl.report.{form}").written(answer)
    return text
