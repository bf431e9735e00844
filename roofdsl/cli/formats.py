"""The formats of answers: each is a file in `roofdsl/report/`, of one function `written`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from roofdsl.cli.terminal import terminal_of
from roofdsl.inert import in_a_line, visible
from roofdsl.lines import Line, all_within
from roofdsl.report.terminal import PIPE, Terminal, painted

if TYPE_CHECKING:
    from roofdsl.answer.answer import Shown, Tabular, Valued
    from roofdsl.answer.document.bibliography import SourceLine
    from roofdsl.diagnostic import Diagnostic

Command = TypeVar("Command", bound=Callable[..., object])


def format_option(*more: str, default: str | None = "text") -> Callable[[Command], Command]:
    """Return the option `--format`, for the formats for people and more.

    Without a default it is None where it is not given: the ending of `-o` then says it, or text.
    """
    choices = click.Choice(["text", *more, "latex", "markdown"])
    shown = default or "by the ending of -o, or text"
    return click.option("--format", "form", type=choices, default=default, show_default=shown)


def echo(answer: Shown | Valued | Tabular, form: str) -> None:
    """Print an answer in one of the formats; as text, as the terminal shows it."""
    terminal = terminal_of(sys.stdout) if form == "text" else PIPE
    click.echo(shown(answer, form, terminal), color=terminal.colour)


def say(text: str, *, err: bool = False) -> None:
    """Print a text, to stderr if it is a message; of what it quotes, nothing drives a terminal."""
    say_lines([(line,) for line in visible(text).split("\n")], err=err)


def say_lines(lines: Iterable[Line], *, err: bool = False) -> None:
    """Print lines, as `say` does, as the terminal shows them."""
    terminal = terminal_of(sys.stderr if err else sys.stdout)
    click.echo(painted(all_within(lines, terminal.width), terminal), err=err, color=terminal.colour)


def say_problems(problems: Iterable[Diagnostic]) -> None:
    """Print those problems to stderr that are worth telling, each with an empty line below it."""
    from roofdsl.excerpt import told  # only a problem needs it

    for lines in told(problems, terminal_of(sys.stderr).width):
        say_lines([*lines, ("",)], err=True)


def say_written(names: Iterable[str | None]) -> None:
    """Print the names of the files that were written, in one line."""
    say(in_a_line(", ".join(filter(None, names))))


def check_ending(name: str, what: str, endings: Iterable[str]) -> None:
    """Refuse a file whose ending says another format than those that it is written in."""
    if Path(name).suffix.lower() not in endings:
        known = ", ".join(filter(None, endings))
        raise click.UsageError(f"-o {in_a_line(name)}: {what} is written as {known}")


def say_without_work(bib: str, sources: Sequence[SourceLine]) -> None:
    """Say on stderr which sources have no entry in a BibTeX file that was written."""
    from roofdsl.answer.document.bibliography import without_work

    missing, name = without_work(sources), in_a_line(bib)
    if not sources:
        say(f"note: {name} has no entry, as there are no sources", err=True)
    elif missing:
        count = f"{len(missing)} source{'s' if len(missing) > 1 else ''}"
        say(f"note: {name} has no entry for {count}, named in it as comments", err=True)


def shown(answer: Shown | Valued | Tabular, form: str, terminal: Terminal = PIPE) -> str:
    """Return an answer in one of the formats, inert; as text, as the terminal shows it."""
    written = import_module(f"roofdsl.report.{form}").written
    text: str = written(answer, terminal) if form == "text" else written(answer)
    return text
