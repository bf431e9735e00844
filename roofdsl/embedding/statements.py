"""Statements of models, steps and machines that Python gives, as lines of the language.

Each keeps the argument that it comes from, so that what is wrong with it is told with its place.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from roofdsl.contract import as_given
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.formulas import (
    NEW_LINES,
    FormulaLike,
    WrittenFormula,
    a_name,
    formula,
    on_a_line,
    one_kind_each,
)
from roofdsl.embedding.texts import Declarations, Declared, absolute, quoted
from roofdsl.model.given import as_text, by_name, each, held, said
from roofdsl.model.library import check_text
from roofdsl.model.types import Module
from roofdsl.source import Source
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, Dimension

NO_TEXTS: Mapping[str, str] = {}
WorkLike: TypeAlias = "FormulaLike | Mapping[str, FormulaLike | Sequence[str]]"
DeclaredLike: TypeAlias = "FormulaLike | tuple[str, FormulaLike]"
UnitOf: TypeAlias = Callable[[str], Dimension | None]
"""The unit that a number given for a key is in, None where it is plain."""
_UNIT = r"\s*[^\W\d]\w*(?:\^-?\d+)?(?:/[^\W\d]\w*(?:\^-?\d+)?)*\s*"
_HERE = re.compile(r"[ \t]+from[ \t]+here[ \t]*(?=##|$)")
_WITH_UNIT = re.compile(rf"{_UNIT}=(?!=)")


class Line(NamedTuple):
    """One statement, and the argument that gives it."""

    place: str
    text: str


class Braces(NamedTuple):
    """`head { … }`, and the argument that gives it."""

    place: str
    head: str
    items: tuple[Node, ...]
    doc: str = ""


Node: TypeAlias = Line | Braces


class Statements:
    """The statements of one model, step or machine, and what they use.

    `symbols` are those of SymPy formulas with their kinds, but for what is declared here.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._symbols: dict[str, str] = {}
        self._declared: set[str] = set()
        self._places: dict[str, str] = {}

    @property
    def symbols(self) -> dict[str, str]:
        return {name: kind for name, kind in self._symbols.items() if name not in self._declared}

    def take(self, symbols: Iterable[tuple[str, str]]) -> None:
        """Take note of symbols of SymPy; raise RoofError (R0202) for two kinds of one name."""
        self._symbols = one_kind_each((*self._symbols.items(), *symbols))

    def say(self, place: str, text: str) -> None:
        """Add a statement as it is written, which may end with a comment."""
        self.nodes.append(Line(place, _documented(place, text)))

    def give(
        self,
        place: str,
        lead: str,
        value: object,
        unit: Dimension = DIMENSIONLESS,
        *,
        open_names: bool = True,
        truths: bool = False,
        ending: str = "",
    ) -> WrittenFormula:
        """Add `lead formula ending`; without `open_names` its symbols are no names of the model's.

        With `truths` it may be true or false.
        """
        comment = ""
        if isinstance(value := held(value), str):
            value, mark, rest = value.partition("##")
            comment = _comment(place, rest) if mark else ""
        read = formula(place, value, unit, truths=truths)
        if open_names:
            self.take(read.symbols)
            self._places.update((name, place) for name, _ in read.symbols)
        start = on_a_line(place, lead)
        self.nodes.append(Line(place, f"{start} {read.text}{ending}{comment}"))
        return read

    def begin(
        self,
        sources: Iterable[str],
        parameters: Mapping[str, object],
        lets: Mapping[str, object],
        require: Iterable[str],
        functions: Mapping[str, object],
    ) -> int:
        """Add what every model, mix and machine may have; return where parameters can be added."""
        self.sources(sources)
        self.parameters(parameters)
        at = len(self.nodes)
        self.lets(lets)
        self.requirements(require)
        self.functions(functions)
        return at

    def sources(self, sources: Iterable[str]) -> None:
        for number, text in enumerate(sources):
            self.nodes.append(Line(f"sources[{number}]", f"source {quoted(text)}"))

    def parameters(self, given: Mapping[str, object]) -> None:
        """Add `param NAME: kind = default`: a text of what stands behind, a default, or both."""
        for name, value in given.items():
            place = f"parameters[{said(name)}]"
            self._declared.add(name)
            kind, default = _pair(place, value)
            if kind is not None:
                self.give(place, f"param {name}: {kind} =", default, truths=True)
            elif isinstance(default, str):
                text = default.strip()
                between = " " if text.startswith("=") else ": "
                self.say(place, f"param {name}{between}{text.removeprefix(':').strip()}")
            else:
                self.give(place, f"param {name} =", default, truths=True)

    def symbols_as_parameters(self, at: int) -> None:
        """Declare the symbols that nothing declares, before the statement number `at`.

        Raises RoofError for one that cannot be a parameter (R0204), such as a machine's rate.
        """
        for name in self.symbols:
            if "." in name:
                place = f"{self._places[name]}: " if name in self._places else ""
                message = f"{place}the symbol '{name}' cannot become a parameter"
                hint = "put in the number that it stands for: `formula.subs(symbol, number)`"
                raise RoofError([Diagnostic("R0204", message, hint=hint)])
        lines = [Line("", f"param {name}: {kind}") for name, kind in self.symbols.items()]
        self.nodes[at:at] = lines

    def lets(self, given: Mapping[str, object]) -> None:
        for name, value in given.items():
            self._declared.add(name)
            self.give(f"lets[{said(name)}]", f"let {name} =", value, truths=True)

    def requirements(self, given: Iterable[str]) -> None:
        for number, text in enumerate(given):
            self.give(f"require[{number}]", "require", text)

    def functions(self, given: Mapping[str, object]) -> None:
        for head, value in given.items():
            place = f"functions[{said(head)}]"
            self.give(place, f"function {head} =", value, open_names=False)

    def work(self, given: Mapping[str, object], units: UnitOf | None = None) -> None:
        """Add `flops = …`, and blocks of levels; numbers have the unit that `units` says."""
        for key, value in given.items():
            if isinstance(value, Mapping):
                inner = Statements()
                for level, item in by_name(as_given)(key, value).items():
                    place, whole = f"{key}[{said(level)}]", f"{key}.{level}"
                    begin = len(inner.nodes)
                    if level == "default":
                        names = (item,) if isinstance(item, str) else each(as_text)(place, item)
                        for name in names:
                            inner.say(place, f"default {as_text(place, name)}")
                    else:
                        inner.give(place, f"{level} =", item, _unit(units, whole))
                    told = (node._replace(place=said(level)) for node in inner.nodes[begin:])
                    inner.nodes[begin:] = told
                self.take(inner.symbols.items())
                self.nodes.append(Braces(key, on_a_line(key, key), tuple(inner.nodes)))
            else:
                self.give(key, f"{key} =", value, _unit(units, key))

    def by_key(self, argument: str, given: Mapping[str, object], units: UnitOf | None) -> None:
        """Add `capacity memory = …` and the like: one for each key of the argument of that name."""
        for key, value in given.items():
            place, lead = (f"{argument}[{said(key)}]", f" {key}") if key else (argument, "")
            self.give(place, f"{argument}{lead} =", value, _unit(units, key))

    def tables(
        self, argument: str, given: Mapping[str, str | os.PathLike[str]], ending: str = ""
    ) -> None:
        """Add `measured gemm(m, n, k) from "gemm.csv" ending`, one for each table."""
        for key, path in given.items():
            place, file = f"{argument}[{said(key)}]", quoted(absolute(Path(path)))
            line = f"measured {on_a_line(place, key)} from {file}{ending}"
            self.nodes.append(Line(place, line))

    def lines(self, word: str, given: Iterable[str]) -> None:
        """Add `serial issue, memory` and the like: one for each text of the argument `word`."""
        for number, text in enumerate(given):
            self.say(f"{word}[{number}]", f"{word} {text}")

    def tensors(
        self,
        reads: Mapping[str, object],
        makes: Mapping[str, object],
        keeps: Iterable[str],
        holds: Mapping[str, object],
    ) -> None:
        """Add `in x = …`, `out y = …`, `hold weights = …`, and `keep` with each of its texts."""
        for argument, word, given in (
            ("reads", "in", reads),
            ("makes", "out", makes),
            ("holds", "hold", holds),
        ):
            for name, value in given.items():
                place, lead = f"{argument}[{said(name)}]", f"{word} {name}"
                value = held(value)
                if word == "in" and value is None:
                    self.say(place, lead)
                    continue
                ending = ""
                if word == "hold" and isinstance(value, str) and (at := _HERE.search(value)):
                    value, ending = value[: at.start()] + value[at.end() :], " from here"
                self.give(place, f"{lead} =", value, BYTE, ending=ending)
        for number, text in enumerate(keeps):
            self.say(f"keeps[{number}]", f"keep {text}")

    def operation(self, text: str) -> None:
        if text:
            self.say("operation", f"as {on_a_line('operation', text)}")

    def tallies(self, given: Mapping[str, object]) -> None:
        for name, value in given.items():
            self._declared.add(name)
            self._with_unit("tallies", "tally", name, value)

    def metrics(self, given: Mapping[str, object]) -> None:
        for name, value in given.items():
            self._with_unit("metrics", "metric", name, value)

    def totals(self, given: str | Mapping[str, object]) -> None:
        """Add `total even`, or `total flops = …`."""
        if isinstance(given, str):
            if given:
                self.say("totals", f"total {on_a_line('totals', given)}")
        else:
            for key, value in given.items():
                self.give(f"totals[{said(key)}]", f"total {key} =", value)

    def _with_unit(self, argument: str, word: str, name: str, value: object) -> None:
        place, open_names = f"{argument}[{said(name)}]", word == "tally"
        unit, rest = _pair(place, value)
        if unit is None and isinstance(rest, str):
            text = rest.strip().removeprefix(":")
            if _WITH_UNIT.match(text):
                unit, _, rest = text.partition("=")
            else:
                rest = text.removeprefix("=")
        between = f": {unit.strip()}" if unit is not None else ""
        self.give(place, f"{word} {name}{between} =", rest, open_names=open_names)


def _pair(place: str, value: object) -> tuple[str | None, object]:
    """Return the unit or kind and the formula of a pair, None and the value where it is none."""
    if isinstance(value, list | tuple):
        if len(value) == 2 and isinstance(value[0], str):
            return value[0], value[1]
        message = f"{place} is given several values that are no pair"
        hint = 'a kind and a default, or a unit and a formula, are one: ("integer", 4)'
        raise RoofError([Diagnostic("R0404", message, hint=hint)])
    return None, held(value)


def _unit(units: UnitOf | None, key: str) -> Dimension:
    return (units and units(key)) or DIMENSIONLESS


def _documented(place: str, text: str) -> str:
    """Return a text on one line, with its comment, if it has one."""
    said_, mark, comment = text.partition("##")
    line = on_a_line(place, said_).rstrip()
    return line + _comment(place, comment) if mark else line


def _comment(place: str, text: str) -> str:
    return f"  ## {on_a_line(place, text, NEW_LINES).strip()}"


def _doc_lines(doc: str) -> list[str]:
    return [f"## {' '.join(line.split())}".rstrip() for line in doc.splitlines()]


def declared(
    head: str,
    doc: str,
    body: Statements,
    needed: Declarations,
    ending: str = "",
    *,
    units: Iterable[str] = (),
    resources: Mapping[str, str] = NO_TEXTS,
) -> Module:
    """Return the module of a text that declares `head ending { … }` below what it needs.

    Raises RoofError with every problem of the text, each with the argument that it is in.
    """
    lines = [*needed.texts(), ""] if needed.texts() else []
    places: list[tuple[int, str]] = [(0, "")]
    at = sum(len(line) + 1 for line in lines)

    def write(place: str, line: str) -> None:
        nonlocal at
        places.append((at, place))
        lines.append(line)
        at += len(line) + 1

    own = [(f"units[{number}]", "unit", unit) for number, unit in enumerate(units)]
    own += [(f"resources[{said(k)}]", "resource", f"{k}: {x}") for k, x in resources.items()]
    for place, word, text in own:
        line = f"{word} {on_a_line(word, text)}"
        if not needed.has(Declared(word, re.split(r"[\s:=]", text.strip(), maxsplit=1)[0], line)):
            write(place, line)
    if own:
        write("", "")
    for line in _doc_lines(doc):
        write("doc", line)
    word, _, name = head.partition(" ")
    write("name", f"{word} {a_name('name', name, f'a {word}')}{ending} {{")
    for place, line in _laid_out(body.nodes, "", "    "):
        write(place, line)
    write("", "}")
    source = Source(head, "\n".join(lines) + "\n")
    module, found = check_text(source)
    if any(problem.severity == "error" for problem in found):
        raise RoofError([_placed(problem, source, places) for problem in found])
    return module


def _laid_out(nodes: Iterable[Node], around: str, indent: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of statements, each with its argument, seen from the outermost one."""
    for node in nodes:
        place = ", ".join(filter(None, (around, node.place)))
        if isinstance(node, Line):
            yield place, indent + node.text
        else:
            yield from ((place, indent + line) for line in _doc_lines(node.doc))
            yield place, f"{indent}{node.head} {{"
            yield from _laid_out(node.items, place, indent + "    ")
            yield place, f"{indent}}}"


def _placed(problem: Diagnostic, source: Source, places: list[tuple[int, str]]) -> Diagnostic:
    """Return a problem with the argument that its place is in, if it is in one."""
    if problem.span is None or problem.span.source is not source:
        return problem
    start = problem.span.start
    place = next((each for at, each in reversed(places) if at <= start), "")
    if not place:
        return problem
    notes = (f"this is in the argument {place}", *problem.notes)
    return replace(problem, notes=notes, hint=_in_python(problem))


def _in_python(problem: Diagnostic) -> str | None:
    """Return a hint of what is to be declared as arguments have it, no longer as a file has it."""
    hint = problem.hint
    if problem.code == "R0201" and problem.span and (hint or "names here").startswith("names here"):
        declared_so = f'declare it: `parameters={{"{problem.span.text}": "real"}}`'
        return f"{hint}; or {declared_so}" if hint else declared_so
    hint = (hint or "").replace(" at the top of the file: `unit ", ": `unit ")
    for word, argument in (("param", "parameters"), ("resource", "resources")):
        hint = re.sub(rf"`{word} (\w+): ([^`]+)`", rf'`{argument}={{"\1": "\2"}}`', hint)
    return re.sub(r"`unit ([^`]+)`", r'`units=["\1"]`', hint) or None
