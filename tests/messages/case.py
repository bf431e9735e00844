"""Snapshot cases: what somebody wrote, then what they are told, in text files side by side.

    === what is wrong
    model m { flops = 2 + }
    --- exit 1
    error[R0110]: …

The text is checked as `case.roof`. A case may instead name its files, and what is run:

    === two files
    [mine.roof]
    model m { … }
    [deep.roof] = ten_thousand_parentheses       a file that `prepared.py` makes
    $ roofdsl eval mine.roof --machine karst
    --- exit 1

A message that begins with a line `…` is only the end of what is said.

Lines that begin with `>>>` are Python, and end in `--- RoofError`.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NamedTuple
from unittest.mock import patch

import click
import numpy as np

import roofdsl
from roofdsl.cli.main import main
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.importers.huggingface.fields import Fields
from roofdsl.model.scope import Scope
from tests.messages.prepared import PREPARED

assert np.__version__  # loaded first: what a case loads while it patches `sys.modules` is forgotten
FOLDER = Path(__file__).parent
_FILE = re.compile(r"\[([^\]]+)\](?: = (\w+))?")


class Case(NamedTuple):
    """One case: `written` is all of it up to the line of dashes, `ending` that line's words."""

    path: Path
    title: str
    written: str
    ending: str
    message: str

    @property
    def name(self) -> str:
        return f"{self.path.stem}: {self.title}"

    def text(self) -> str:
        return f"=== {self.title}\n{self.written}\n--- {self.ending}\n{self.message}\n"


class Outcome(NamedTuple):
    """What came of a case: how it ended, what was said, and which lines of code said it."""

    ending: str
    message: str
    sites: frozenset[tuple[str, int]]


def read_cases(path: Path) -> list[Case]:
    """Read the cases of a file."""
    parts = re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert not parts[0].strip(), f"{path.name} does not begin with a case"
    found = []
    for part in parts[1:]:
        title, _, rest = part.partition("\n")
        dashes = re.search(r"^---.*\n?", rest, re.MULTILINE)
        written = rest[: dashes.start()] if dashes else rest
        ending = dashes[0].strip("- \n") if dashes else ""
        message = rest[dashes.end() :] if dashes else ""
        found.append(Case(path, title.strip(), written.strip("\n"), ending, message.strip("\n")))
    return found


def shortened(message: str, like: str) -> str:
    """Return the end of a message if the snapshot `like` shows only that."""
    if not like.startswith("…"):
        return message
    return "\n".join(["…", *message.splitlines()[-max(4, like.count("\n")) :]])


def all_cases() -> list[Case]:
    return [case for path in sorted(FOLDER.glob("*.txt")) for case in read_cases(path)]


@cache
def outcome(case: Case) -> Outcome:
    """Run a case in a folder of its own."""
    with TemporaryDirectory() as name, chdir(name), _seeing_sites() as sites:
        command = _prepare(case.written)
        if command.startswith(">>>"):
            ending, message = run_python(command)
        else:
            ending, message = run_command(shlex.split(command.removeprefix("$ roofdsl ")))
    return Outcome(ending, message.rstrip("\n"), frozenset(sites))


def _prepare(written: str) -> str:
    """Write the files of a case into the current folder; return what is to be run."""
    file, lines, commands = "case.roof", list[str](), list[str]()
    files: dict[str, list[str]] = {}
    for line in written.splitlines():
        if line.startswith(("$ ", ">>> ")):
            commands.append(line)
        elif match := _FILE.fullmatch(line):
            file, maker = match[1], match[2]
            if maker:
                PREPARED[maker](Path(file))
        else:
            files.setdefault(file, lines if file == "case.roof" else []).append(line)
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("\n".join(text) + "\n", encoding="utf-8")
    return "\n".join(commands) or "$ roofdsl check case.roof"


def run_command(arguments: list[str]) -> tuple[str, str]:
    told, shown = StringIO(), StringIO()
    code: object = 0
    with (
        patch.dict(os.environ, {"COLUMNS": "100", "PATH": ""}),
        redirect_stdout(shown),
        redirect_stderr(told),
    ):
        try:
            main(arguments)
        except SystemExit as leaving:
            code = leaving.code
        except Exception as crash:  # noqa: BLE001 - whatever it is, the snapshot is to show it
            return f"TRACEBACK {type(crash).__name__}", str(crash)[:200]
    return f"exit {code or 0}", told.getvalue()


def run_python(code: str) -> tuple[str, str]:
    names: dict[str, object] = {"rd": roofdsl}
    try:
        lines = [line.removeprefix(">>> ") for line in code.splitlines()]
        exec("\n".join(lines), names)  # noqa: S102, our own test
    except RoofError as error:
        return "RoofError", str(error)
    return "no error", ""


_PASSED_THROUGH = {Diagnostic.at.__code__, Scope.refuse.__code__, Fields.refuse.__code__}
"""What makes a diagnostic for its caller, whose place it is."""


@contextmanager
def _seeing_sites() -> Iterator[set[tuple[str, int]]]:
    """Note the places in the code that make a diagnostic or a usage error."""
    sites: set[tuple[str, int]] = set()
    made, refused = Diagnostic.__init__, click.UsageError.__init__

    def note(frame: FrameType) -> None:
        sites.add((frame.f_code.co_filename, frame.f_lineno))
        if frame.f_code in _PASSED_THROUGH and frame.f_back is not None:
            note(frame.f_back)

    def make(self: Diagnostic, *args: object, **more: object) -> None:
        note(sys._getframe(1))
        made(self, *args, **more)  # type: ignore[arg-type]  # passed on as it came

    def refuse(self: click.UsageError, *args: object, **more: object) -> None:
        note(sys._getframe(1))
        refused(self, *args, **more)  # type: ignore[arg-type]  # passed on as it came

    with (
        patch.object(Diagnostic, "__init__", make),
        patch.object(click.UsageError, "__init__", refuse),
    ):
        yield sites
