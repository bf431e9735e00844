"""Options of commands that print a row for each of many results: which columns, rows and order."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, TypeAlias

import click

from roofdsl.answer.wanted import Key, Wanted

_Command: TypeAlias = Callable[..., None]
_MORE = ("attainable",)
"""What is better where there is more of it, whatever the model: few mean the least of it."""


skip_option = click.option(
    "--skip-invalid", is_flag=True, help="leave out combinations that are refused, and say which"
)


class RowsAsked(NamedTuple):
    """What is asked of rows, and whether combinations that are refused are left out."""

    wanted: Wanted
    skip_invalid: bool

    def near(self, texts: tuple[str, ...]) -> RowsAsked:
        """Return this with what binds on all machines near as columns: `±10%`."""
        return self._replace(wanted=self.wanted._replace(near=texts))

    def options(self) -> dict[str, bool]:
        """Return the options by name, and whether each is given."""
        wanted = self.wanted
        given: dict[str, bool] = {"columns": bool(wanted.columns), "sort": bool(wanted.sort)}
        given["best"] = wanted.best is not None
        return {**given, "skip-invalid": self.skip_invalid}


def row_options(columns: str) -> Callable[[_Command], _Command]:
    """Return a decorator that adds the options, and gives them as the argument `rows`.

    `columns` is the help of `--columns`.
    """

    def decorate(command: _Command) -> _Command:
        @wraps(command)
        def collected(
            *,
            columns: str | None,
            sort: str | None,
            best: str | None,
            skip_invalid: bool,
            **others: object,
        ) -> None:
            wanted = Wanted(
                _names("--columns", columns),
                tuple(_key("--sort", name) for name in _names("--sort", sort)),
                None if best is None else _best(best),
            )
            command(rows=RowsAsked(wanted, skip_invalid), **others)

        for option in reversed(
            (
                click.option("--columns", metavar="COLUMN,…", help=columns),
                click.option(
                    "--sort", metavar="[-]COLUMN,…", help="by a column; -COLUMN: most first"
                ),
                click.option(
                    "--best",
                    metavar="[-]COLUMN",
                    help="only the rows with the least; -COLUMN: the most",
                ),
                skip_option,
            )
        ):
            collected = option(collected)
        return collected

    return decorate


def _names(option: str, text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    if ";" in text:
        raise click.UsageError(f"{option} {text}: columns are separated by commas, as in time,OI")
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    if not all(names):
        raise click.UsageError(f"{option} {text or 'without a name'}: name columns, as in time,OI")
    return names


def _key(option: str, text: str) -> Key:
    name = text.removeprefix("-").strip()
    if not name:
        raise click.UsageError(f"{option} {text}: name a column, as in {option} -attainable")
    return Key(name, text.startswith("-"))


def _best(text: str) -> Key:
    found = _key("--best", text.strip())
    if "," in text:
        raise click.UsageError(f"--best {text}: it takes one column, and --sort several")
    if found.name.isdecimal():
        raise click.UsageError("--best names a column, not how many rows: --best time")
    if not found.most and found.name.rpartition(".")[2] in _MORE:
        raise click.UsageError(f"the best {found.name} is the most: --best -{found.name}")
    return found
