"""The script whose function is counted: loaded, which runs it, by this package alone here."""

from __future__ import annotations

import io
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean, listing
from roofdsl.inert import in_a_line
from roofdsl.source import Source, Span
from roofdsl.tracing.refusal import Refused
from roofdsl.tracing.tally import Tally
from roofdsl.tracing.traced import keep_constants

_NAME = "roofdsl_traced_script"
_LONGEST = 300


class Subject(NamedTuple):
    """A function to count, and the text of its script, if there is one."""

    function: Callable[..., object]
    name: str
    script: Source | None
    tally: Tally

    @property
    def by_place(self) -> list[str]:
        """The arguments that have no names in a call."""
        try:
            parameters = signature(self.function).parameters.values()
        except (TypeError, ValueError):  # of what Python cannot look into
            return []
        return [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY]


class Failed(Exception):
    """Raised where a script fails: `problem` says how."""

    def __init__(self, problem: Diagnostic) -> None:
        super().__init__(problem.message)
        self.problem = problem


@contextmanager
def quietly() -> Iterator[None]:
    """Let a script print nothing, read nothing and leave no compiled copy of itself."""
    kept, sys.stdin = sys.stdin, io.StringIO()
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        with redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.stdin, sys.dont_write_bytecode = kept, bytecode


@contextmanager
def failing(what: str, script: Source | None, tally: Tally) -> Iterator[None]:
    """Turn whatever a script raises into a problem at its line; raise Failed with it."""
    try:
        yield
    except Refused as refused:
        raise Failed(problem_of(refused, script, tally)) from None
    except SystemExit:
        message = f"{what} ends the program"
        raise Failed(Diagnostic("R1543", message, hint="call what comes before that")) from None
    except SyntaxError as error:
        label = at_line(script, error.lineno or 0) if error.filename == tally.path else ()
        message = f"{what} fails: SyntaxError: {_said(error.msg)}"
        raise Failed(Diagnostic("R1543", message, label)) from None
    except Exception as error:  # noqa: BLE001 - of whatever kind the script raises
        message = f"{what} fails: {type(error).__name__}: {_said(str(error))}"
        label = at_line(script, _line(error, tally.path))
        raise Failed(Diagnostic("R1543", message, label)) from None


def problem_of(refused: Refused, script: Source | None, tally: Tally) -> Diagnostic:
    """Return why a function is not counted, at the line of the script that it came through."""
    label = at_line(script, _line(refused, tally.path))
    return Diagnostic(refused.code, refused.reason, label, refused.hint)


def _said(text: str) -> str:
    first = in_a_line(text.strip().splitlines()[0]) if text.strip() else "nothing more is said"
    return first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…"


def _line(error: BaseException, path: str) -> int:
    """Return the last line of the script that an error came through."""
    frames = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code.co_filename == path]
    return lines[-1] if lines else 0


def at_line(script: Source | None, line: int) -> tuple[Label, ...]:
    """Return the place of a line of a script, none where it is not known."""
    if script is None or not 1 <= line <= script.line_count:
        return ()
    text = script.line(line)
    start = script.offset(line) + len(text) - len(text.lstrip())
    return (Label(Span(script, start, script.offset(line) + max(len(text.rstrip()), 1))),)


def load(path: Path, shown: str, script: Source, function: str, tally: Tally) -> Subject:
    """Load a script as a module, and return a function of it; raise Failed where that cannot be.

    This runs the script. Its folder is where Python looks for what it imports.
    """
    spec = spec_from_file_location(_NAME, tally.path)
    assert spec is not None and spec.loader is not None  # the name ends with `.py`
    module = module_from_spec(spec)
    sys.modules[_NAME] = module
    sys.path.insert(0, str(path.resolve().parent))
    with quietly(), failing(f"'{shown}'", script, tally):
        spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        names = [
            name
            for name, value in vars(module).items()
            if callable(value) and getattr(value, "__module__", None) == _NAME
        ]
        hint = did_you_mean(function, names) or f"it has {listing(names)}"
        message = f"'{shown}' has no function '{function}'"
        if found is not None:
            message = f"'{function}' of '{shown}' is no function"
        raise Failed(Diagnostic("R1542", message, hint=hint))
    keep_constants(vars(module).values(), tally)
    return Subject(found, function, script, tally)


@contextmanager
def unloaded() -> Iterator[None]:
    """Forget afterwards what loading a script left: its module, and its folder to import from."""
    kept = [*sys.path]
    try:
        yield
    finally:
        sys.path[:] = kept
        sys.modules.pop(_NAME, None)
