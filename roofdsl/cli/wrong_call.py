"""A call that is wrong: what `click` or a command finds is told as all problems are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import click

from roofdsl.cli.call import nearest_choice
from roofdsl.cli.terminal import tell
from roofdsl.diagnostic import Diagnostic


class WrongCall(click.UsageError):
    """A problem with a call, with its code and how the command is called; it ends with 2."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(_sentence(error), error.ctx)

    def show(self, file: IO[str] | None = None) -> None:
        """Tell it in a file, by default on stderr."""
        context = self.ctx or click.get_current_context(silent=True)
        usage: tuple[str, ...] = ()
        hint = None
        if context is not None:
            pieces = context.command.collect_usage_pieces(context)
            usage = (f"usage: {' '.join([context.command_path, *pieces])}",)
            hint = f"`{context.command_path} --help` says what it takes"
        tell([Diagnostic("R1401", self.message, hint=hint, notes=usage)], file)


@contextmanager
def wrong_calls() -> Iterator[None]:
    """Raise what is wrong with a call as WrongCall; a call of nothing at all shows the help."""
    try:
        yield
    except (WrongCall, click.exceptions.NoArgsIsHelpError):
        raise
    except click.UsageError as error:
        raise WrongCall(error) from None


def _sentence(error: click.UsageError) -> str:
    """Return what is wrong as our messages say it, and what is likely to be meant."""
    if isinstance(error, click.NoSuchOption):
        near = " or ".join(f"'{name}'" for name in error.possibilities or ())
        text = f"there is no option '{error.option_name}'"
        return f"{text}; did you mean {near}?" if near else text
    text = error.format_message()
    if isinstance(error, click.MissingParameter):
        text = " ".join(text.split()).replace(". Choose", "; choose")  # which stand in lines
    extra = re.match(r"Got unexpected extra arguments? \((.*)\)", text, re.DOTALL)
    if extra or type(error) is not click.UsageError:  # click's words: a sentence by itself
        text = text[:1].lower() + text[1:].removesuffix(".")
    values = [word for word in extra[1].split() if "=" in word] if extra else []
    options = error.ctx.command.params if error.ctx else ()
    if values:
        return f"{text}; each value has a -p of its own: -p {' -p '.join(values)}"
    if extra and any(option.name == "machines" for option in options):
        return f"{text}; a machine is named with -m"
    if meant := nearest_choice(error):
        return f"{text}; {meant}"
    return text
