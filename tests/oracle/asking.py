"""Asks the command line in this process, and keeps what it answers in values as well."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from time import process_time
from types import FrameType
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from roofdsl.cli import formats
from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError
from roofdsl.model import library
from roofdsl.report.terminal import PIPE, Terminal

_GOES_ON = re.compile(r"(?<=,)\n {6,}(?![=→ ])|\n {6,}(?=[-+*/]|(?:and|or|then|else|if) )")
HANGS = 60
"""Seconds after which a question is taken to hang."""


class HangError(Exception):
    """A question that does not come back."""


@dataclass(frozen=True)
class Reply:
    """What a command prints, in both forms, what is wrong if it fails, and its processor time."""

    text: str
    answers: tuple[Any, ...]
    problem: str
    seconds: float

    @property
    def values(self) -> Any:
        """What `--format json` prints of the same answer."""
        return json.loads(formats.shown(self.answers[0], "json"))


def unbroken(text: str) -> str:
    """Return an answer with every formula in one line: what goes on below it stands far right."""
    return _GOES_ON.sub(" ", text)


@contextmanager
def files_read_once() -> Iterator[None]:
    """Read a file once for all questions about it: how it is read is not what is asked here."""
    with patch.object(library, "load_module", cache(library.load_module)):
        yield


def ask(arguments: list[str]) -> Reply:
    """Return what comes of a command."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise HangError

    answers: list[Any] = []
    shown = formats.shown

    def kept(answer: Any, form: str, terminal: Terminal = PIPE) -> str:
        answers.append(answer)
        return shown(answer, form, terminal)

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(HANGS)
    start = process_time()
    try:
        with patch.object(formats, "shown", kept):
            result = CliRunner().invoke(cli, arguments)
    except HangError:
        return Reply("", (), "hangs", process_time() - start)
    finally:
        signal.alarm(0)
    spent = process_time() - start
    failed, problem = result.exception, ""
    if isinstance(failed, RoofError):
        problem = failed.diagnostics[0].code
    elif failed is not None:
        problem = f"crash: {failed!r}"
    return Reply(unbroken(result.output), tuple(answers), problem, spent)
