"""Warn of units that look like a formula: `64 B/s` where `s` is a name too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.model.types import Module
from roofdsl.source import Span
from roofdsl.syntax.nodes import (
    Declaration,
    FunctionDeclaration,
    LetStatement,
    MachineDeclaration,
    ModelDeclaration,
    NumberLiteral,
    ParameterStatement,
    SumOver,
)
from roofdsl.syntax.walk import walk
from roofdsl.units.unit import unit_names

# What a unit with a denominator or a power looks like: most declarations have none.
_COMPOUND = re.compile(r"\d[ \t]*[^\W\d]\w*[/^]")
_Holder = ModelDeclaration | MachineDeclaration | FunctionDeclaration


def names_as_units(_module: Module, declarations: Sequence[Declaration]) -> list[Diagnostic]:
    """Warn of a name in scope that stands in the denominator or in a power of a unit.

    A unit alone, such as the `B` of `64 B`, is read as one; `64 B/s` can be meant as a quotient.
    """
    found: list[Diagnostic] = []
    for declaration in declarations:
        if isinstance(declaration, _Holder) and _COMPOUND.search(declaration.span.text):
            found += _in(declaration)
    return found


def _in(holder: _Holder) -> Iterator[Diagnostic]:
    """Return the warnings for one scope; the functions in it are scopes of their own."""
    if isinstance(holder, FunctionDeclaration):
        items: tuple[object, ...] = (holder.body,)
        places = list(holder.parameters)
    else:
        items = tuple(item for item in holder.items if not isinstance(item, FunctionDeclaration))
        places = [item.name for item in walk(items, ParameterStatement)]
        places += [item.name for item in walk(items, LetStatement)]
        for function in walk(holder.items, FunctionDeclaration):
            yield from _in(function)
    places += [item.variable for item in walk(items, SumOver)]
    names = {place.name: place.span for place in reversed(places)}
    for literal in walk(items, NumberLiteral):
        parts = unit_names(literal.unit)
        for name, start in parts:
            if name in names and (start > 0 or literal.unit[len(name) :].startswith("^")):
                yield _warning(literal, name, start, names[name])


def _warning(literal: NumberLiteral, name: str, start: int, declared: Span) -> Diagnostic:
    at = literal.unit_span.start + start
    place = Span(literal.span.source, at, at + len(name))
    number = literal.span.text[: len(literal.span.text) - len(literal.unit)].strip()
    before, after = literal.unit[:start].rstrip("/"), literal.unit[start:]
    formula = f"{number} {before} / {after}" if before else f"{number}*{after}"
    return Diagnostic.at(
        "R0311",
        f"the `{name}` of `{literal.span.text}` is a unit, though '{name}' is a name here too",
        Label(place, "taken as a unit"),
        Label(declared, "the name"),
        hint=f"if the name is meant, write `{formula}`; if not, rename one of them",
        severity="warning",
    )
