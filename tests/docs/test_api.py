"""`docs/api.md` lists every public name in Python, and every name stands in an example that runs.

The page is written from the docstrings: `ROOFDSL_UPDATE_DOCS=1 pytest tests/docs/test_api.py`.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import roofdsl as rd
from roofdsl.embedding import cards, displayed, shown
from roofdsl.figures.picture import Picture
from roofdsl.unchanging import inside_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"
HEAD = """\
# Every name in Python

Each line is the first of a docstring: `help(rd.load_model)` shows the rest, mostly with an example.
How they go together stands in [roofdsl in Python](python.md). Every function and method stands in
an example that is run: there, in another document, or in a docstring. This page is written from the
docstrings.
"""
ANSWERS: Mapping[str, type] = {
    each.__name__: each
    for module in (displayed, shown, cards)
    for each in vars(module).values()
    if isinstance(each, type) and each.__name__.startswith("Shown")
}
"""What is returned, and not made by its name."""
CLASSES: Mapping[str, type] = {
    **{name: each for name in rd.__all__ if isinstance(each := getattr(rd, name), type)},
    **ANSWERS,
    "plot.Look": rd.plot.Look,
    "plot.MeasuredKernel": rd.plot.MeasuredKernel,
    "plot.MeasuredAgainstPredicted": rd.plot.MeasuredAgainstPredicted,
    "plot.Picture": Picture,
}
OURS = ("roofdsl.",)
INSIDE = {"axis_unit", "base", "labelled", "palette", "styled"}
"""What our own code asks of figures; of other objects `inside_of` says it."""


def functions() -> dict[str, Any]:
    """Return the public functions by name."""
    found = {name: getattr(rd, name) for name in rd.__all__}
    found |= {f"plot.{name}": getattr(rd.plot, name) for name in rd.plot.__all__}
    return {
        name: each
        for name, each in found.items()
        if not isinstance(each, type | ModuleType) and name not in CLASSES
    }


def members(kind: type) -> Iterator[tuple[str, object]]:
    """Yield the public methods and properties of a class that are ours and told of."""
    for name in sorted(filter(partial(_told, kind), dir(kind))):
        member = inspect.getattr_static(kind, name)
        told = member.fget if isinstance(member, property) else inspect.unwrap(getattr(kind, name))
        if getattr(told, "__module__", "").startswith(OURS) and inspect.isroutine(told):
            yield name, member


def first_line(item: object) -> str:
    text = inspect.getdoc(item) or ""
    return " ".join(text.partition("\n\n")[0].split())


def called(name: str, function: Any) -> str:
    stars: dict[object, str] = {
        inspect.Parameter.VAR_KEYWORD: "**",
        inspect.Parameter.VAR_POSITIONAL: "*",
    }
    given = [
        f"{stars.get(each.kind, '')}{each.name}"
        for each in inspect.signature(function).parameters.values()
        if each.name != "self"
    ]
    return f"{name}({', '.join(given)})"


def page() -> str:
    """Return the page as the docstrings have it."""
    parts = [HEAD, "\n## Functions\n\n| name | |\n| --- | --- |\n"]
    for name, function in sorted(functions().items()):
        parts.append(f"| `{called(name, function)}` | {_cell(first_line(function))} |\n")
    for name, kind in sorted(CLASSES.items()):
        parts.append(f"\n## {name}\n\n{first_line(kind)}\n")
        rows = []
        for each, member in members(kind):
            function = getattr(kind, each)
            shown_name = each if isinstance(member, property) else called(each, function)
            rows.append(f"| `{shown_name}` | {_cell(first_line(member))} |\n")
        if rows:
            parts += ["\n| name | |\n| --- | --- |\n", *rows]
        if is_dataclass(kind) and (own := [x.name for x in fields(kind) if _told(kind, x.name)]):
            parts.append(f"\nFields: {', '.join(f'`{each}`' for each in own)}.\n")
    return "".join(parts)


def _told(kind: type, name: str) -> bool:
    return not name.startswith("_") and name not in INSIDE | inside_of(kind)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def test_the_page_is_what_the_docstrings_say() -> None:
    if os.environ.get("ROOFDSL_UPDATE_DOCS"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def examples() -> Iterator[str]:
    """Yield the statements of all examples that are run: of docstrings and of documents."""
    parser = doctest.DocTestParser()
    for path in sorted((ROOT / "roofdsl").rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            finder = doctest.DocTestFinder(exclude_empty=True)
            for test in finder.find(import_module(name.removesuffix(".__init__"))):
                yield from (example.source for example in test.examples)
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        yield from (example.source for example in parser.get_examples(text))


@pytest.fixture(scope="module")
def used() -> set[str]:
    """Return all names that examples use."""
    found: set[str] = set()
    for source in examples():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Name):
                found.add(node.id)
    return found


def public_names() -> list[str]:
    found = [*functions(), *(name for name in CLASSES if name not in ANSWERS)]
    for name, kind in CLASSES.items():
        found += [f"{name}.{each}" for each, _ in members(kind)]
    return found


@pytest.mark.parametrize("name", public_names())
def test_every_name_is_told_of_and_stands_in_an_example(name: str, used: set[str]) -> None:
    holder, _, own = name.rpartition(".")
    kind = CLASSES.get(holder)
    item = inspect.getattr_static(kind, own) if kind else functions().get(name, CLASSES.get(name))
    assert first_line(item), "it has no docstring"
    assert own in used or ">>>" in (inspect.getdoc(item) or ""), "no example uses it"
