"""Check and run short programs."""

from __future__ import annotations

from pathlib import Path

from roofdsl.analysis.testing import run_tests
from roofdsl.diagnostic import Diagnostic
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model
from roofdsl.model.library import check_module, check_text
from roofdsl.model.types import Module
from roofdsl.source import Source


def checked(text: str) -> tuple[Module, tuple[Diagnostic, ...]]:
    """Return what a text defines, and every problem found in it."""
    return check_text(Source("demo.roof", text))


def codes(text: str) -> list[str]:
    """Return the codes of all problems in a text, in their order."""
    return [diagnostic.code for diagnostic in checked(text)[1]]


def module(text: str) -> Module:
    """Return what a text without a problem defines."""
    found, problems = checked(text)
    assert not problems, shown(problems)
    return found


def model(text: str, name: str = "m") -> Model:
    return Model(module(text).models[name])


def machine(text: str, name: str = "box") -> Machine:
    return Machine(module(text).machines[name])


def failures(text: str) -> list[Diagnostic]:
    """Return what goes wrong in the tests of a text."""
    return [problem for outcome in run_tests(module(text)) for problem in outcome.problems]


def holds(text: str) -> None:
    """See that a text has no problem, and that its tests pass."""
    problems = failures(text)
    assert not problems, shown(problems)


def files(folder: Path, texts: dict[str, str]) -> Path:
    """Write files into a folder; return the first."""
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / next(iter(texts))


def file_codes(path: Path) -> list[str]:
    return [diagnostic.code for diagnostic in check_module(path)[1]]


def shown(problems: list[Diagnostic] | tuple[Diagnostic, ...]) -> str:
    return "\n\n".join(str(problem) for problem in problems)
