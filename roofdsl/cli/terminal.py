"""What it is that a command prints to: a terminal of some width, with colours or not, or a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

import click

from roofdsl.report.terminal import PIPE, Terminal, painted

if TYPE_CHECKING:
    from roofdsl.diagnostic import Diagnostic

_FORCING = ("FORCE_COLOR", "CLICOLOR_FORCE")
_NARROWEST = 20
"""A terminal is taken to be no narrower."""
_USUAL = 80


def terminal_of(stream: IO[str]) -> Terminal:
    """Return what a stream shows: to a pipe all is written whole, and without colours."""
    if not stream.isatty():
        return PIPE._replace(colour=has_colour(tty=False))
    width = max(_NARROWEST, _columns(stream))
    return Terminal(width, has_colour(tty=True), _fuller())


def _columns(stream: IO[str]) -> int:
    """Return how wide a terminal is: as `COLUMNS` says, as it says itself, or as most are."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and 0 < len(said.lstrip("0")) < 6:
        return int(said)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except (OSError, ValueError):  # it has no number, or does not know
        return _USUAL


def has_colour(*, tty: bool) -> bool:
    """Return whether there are colours, as the environment of other programs has it too.

    `NO_COLOR` says no; else `FORCE_COLOR` or `CLICOLOR_FORCE` says yes; else a terminal has them,
    but for one that is `dumb`, and with `CLICOLOR=0`. Empty variables say nothing.
    """
    said = os.environ.get
    if said("NO_COLOR"):
        return False
    if any(said(name, "") not in ("", "0") for name in _FORCING):
        return True
    return tty and said("TERM") != "dumb" and said("CLICOLOR") != "0"


def _fuller() -> str:
    """Return which format of the command has all that a narrow terminal leaves out."""
    context = click.get_current_context(silent=True)
    for option in context.command.params if context else ():
        if "--format" in option.opts and isinstance(option.type, click.Choice):
            form = next(each for each in ("json", "csv", "markdown") if each in option.type.choices)
            return f"--format {form} has all"
    return ""


def tell(problems: Iterable[Diagnostic], stream: IO[str] | None = None) -> None:
    """Say what is wrong, as wide and with the colours that a stream shows: by default stderr."""
    from roofdsl.excerpt import told

    stream = stream or sys.stderr
    terminal = terminal_of(stream)
    parts = [painted(lines, terminal) for lines in told(problems, terminal.width)]
    try:
        click.echo("\n\n".join(parts), stream, color=terminal.colour)
    except OSError:
        lose(stream)


def lose(stream: IO[str]) -> None:
    """Have what is left to be written to a stream go nowhere: it would fail as Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
