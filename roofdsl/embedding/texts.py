"""The text that models and machines stand in, and what of it another text needs to use them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.library import SUFFIX, bundled
from roofdsl.model.types import Definition, MachineDefinition
from roofdsl.source import Source
from roofdsl.syntax import nodes
from roofdsl.syntax.expressions import TextLiteral
from roofdsl.syntax.names import walk
from roofdsl.syntax.parse import parse
from roofdsl.writing import write_whole

_NAMES_FILES = re.compile(r"\b(?:use|from)\s*\"")
_REST = re.compile(r"[ \t;]*(?:#[^\n]*)?(?=\n|\Z)")
_ORDER = ("use", "unit", "resource", "function", "")


class Declared(NamedTuple):
    """A declaration that a text needs: its word where that is one of `_ORDER`, name and text."""

    word: str
    name: str
    text: str

    @property
    def plain(self) -> str:
        """What it says, without comments above it and the spaces that it is laid out with."""
        lines = (line.partition("#")[0] for line in self.text.splitlines())
        return " ".join(" ".join(lines).split())


class Declarations:
    """The declarations that stand above a model or machine, each once.

    >>> found = Declarations()
    >>> for text in ("unit token", "unit  token  # alike"):
    ...     found.add([Declared("unit", "token", text)])
    >>> found.texts()
    ['unit token']
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Declared] = {}

    def add(self, declared: Iterable[Declared]) -> None:
        """Add declarations; raise RoofError (R0202) where two of one name differ."""
        for item in declared:
            if not self.has(item):
                self._found[_key(item)] = item

    def has(self, item: Declared) -> bool:
        """Whether a declaration is there; raise RoofError (R0202) for another of its name."""
        first = self._found.get(_key(item), item)
        if first.plain != item.plain:
            message = f"'{item.name}' is declared twice, and not alike"
            notes = (f"once it is: {_short(first.plain)}", f"and once: {_short(item.plain)}")
            raise RoofError([Diagnostic("R0202", message, (), "rename one of them", notes)])
        return _key(item) in self._found

    def need(self, definition: Definition) -> None:
        """Add what a text needs that says `called(definition)`.

        That is the file which it is in; or, where it is in none, the text itself. Raises RoofError
        (R0202) for two of one name, and as `source_of` does.
        """
        source = source_of(definition)
        if source.path is None:
            self.add(declarations_in(source))
        else:
            self.add([used(alias(source.path), source.path)])

    def texts(self) -> list[str]:
        """Return the texts: what files are used first, models and machines last, with space."""
        found = [item for word in _ORDER for item in self._found.values() if item.word == word]
        return [item.text if item.word else f"\n{item.text}" for item in found]


def source_of(definition: Definition) -> Source:
    """Return the text that a definition stands in.

    Raises RoofError for a machine that has been changed, which no text has (R0511).
    """
    if isinstance(definition, MachineDefinition) and any(x.asked for x in definition.layers):
        message = f"'{definition.name}' was changed, and stands in no text as it is"
        hint = "`make_machine(name, base=…)` of what was changed makes one that has a text"
        raise RoofError([Diagnostic("R0511", message, (), hint)])
    return definition.span.source


def used(name: str, path: Path) -> Declared:
    """Return the declaration that brings a file in under a name.

    >>> used("grids", Path("/models/grids.roof")).text
    'use "/models/grids.roof" as grids'
    """
    dotted = _bundled_name(path)
    file = dotted or quoted(absolute(path))
    return Declared("use", name, f"use {file} as {name}")


def alias(path: Path) -> str:
    """Return the name that a text gives to a file which it uses, unlike those of models.

    >>> alias(Path("/models/grids.roof"))
    'grids_file'
    """
    dotted = _bundled_name(path)
    name = dotted if "." in dotted else f"{path.stem}_file"
    return re.sub(r"[^A-Za-z0-9_\u0370-\u03ff]|^(?=\d)", "_", name)  # as names are made


def called(definition: Definition) -> str:
    """Return what a definition is called in another text: `collectives_mpi.broadcast`."""
    path, name = definition.span.source.path, definition.span.text  # `named` changes no text
    return name if path is None else f"{alias(path)}.{name}"


def declarations_in(source: Source) -> list[Declared]:
    """Return the declarations of a sound text but for its tests, each with its comments.

    Those of the cells above a cell of a notebook come first, but for what it declares anew.

    >>> declarations_in(Source("demo", "unit edge  ## of a graph\\nmodel m { memory = 3 B }"))[0]
    Declared(word='unit', name='edge', text='unit edge  ## of a graph')
    """
    texts = [source]
    while (earlier := texts[-1].earlier) is not None:
        texts.append(earlier)
    found = {_key(item): item for text in reversed(texts) for item in _own_declarations(text)}
    return [*found.values()]


def _own_declarations(source: Source) -> Iterator[Declared]:
    declarations, _ = parse(source)
    begin = 0
    for item in declarations:
        rest = _REST.match(source.text, item.span.end)
        end = rest.end() if rest else item.span.end
        if not isinstance(item, nodes.TestDeclaration):
            text = _with_files(source, [item], Path.as_posix, begin, end)
            yield Declared(_word(item), item.name.name, text.strip(" \t\r\n;"))
        begin = end


def text_of(source: Source) -> str:
    """Return a whole text, in which files are named so that it may stand anywhere.

    That of a cell of a notebook has what the cells above it declare.
    """
    return _moved(source, Path.as_posix)


def save(source: Source, path: str) -> None:
    """Write a text as a `.roof` file, whole or not at all; files that it names stay the same.

    Raises RoofError for what is no name of a `.roof` file (R0004), and for a file that cannot be
    written (R0802).
    """
    target = Path(path)
    if target.suffix != SUFFIX:
        hint = f"a text of the language is kept as a {SUFFIX} file: {target.stem}{SUFFIX}"
        raise RoofError([Diagnostic("R0004", f"'{path}' is not a {SUFFIX} file", (), hint)])
    folder = absolute(target.parent)

    def beside(file: Path) -> str:
        try:
            found = os.path.relpath(file, folder)
        except ValueError:  # on another drive
            return file.as_posix()
        return (
            Path(found).as_posix() if found.startswith(os.pardir) else f"./{Path(found).as_posix()}"
        )

    write_whole(target, _moved(source, beside).encode("utf-8"))


def quoted(text: str) -> str:
    """Return a text as a string of the language.

    >>> quoted("a  paper"), len(quoted('a "b"'))
    ('"a paper"', 9)
    """
    flat = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{flat}"'


def _moved(source: Source, named: Callable[[Path], str]) -> str:
    if source.earlier is not None:
        whole = Declarations()
        whole.add(declarations_in(source))
        source = Source(source.name, "\n".join((*whole.texts(), "")).lstrip())
    if not _NAMES_FILES.search(source.text):
        return source.text
    declarations, _ = parse(source)
    return _with_files(source, declarations, named, 0, len(source.text))


def _with_files(
    source: Source,
    declarations: Iterable[nodes.Declaration],
    named: Callable[[Path], str],
    begin: int,
    end: int,
) -> str:
    """Return a part of a text, the files that its declarations name as `named` says."""
    folder = Path.cwd() if source.path is None else source.path.parent
    found: list[TextLiteral] = []
    for item in declarations:
        if isinstance(item, nodes.UseDeclaration) and item.file is not None:
            found.append(item.file)
        found += (measured.file for measured in walk(item, nodes.MeasuredStatement))
    parts: list[str] = []
    for literal in found:
        file = Path(absolute(Path(literal.value), folder))
        parts += (source.text[begin : literal.span.start], quoted(named(file)))
        begin = literal.span.end
    return "".join((*parts, source.text[begin:end]))


def absolute(path: Path, folder: Path = Path()) -> str:
    """Return the whole path of a file that is named in a folder, links in it as they are."""
    return Path(os.path.normpath(Path.cwd() / folder / path)).as_posix()


def _bundled_name(path: Path) -> str:
    found = {file: name for sort in ("model", "machine") for name, file in bundled(sort).items()}
    return found.get(path, "")


def _word(item: nodes.Declaration) -> str:
    match item:
        case nodes.UseDeclaration():
            return "use"
        case nodes.UnitDeclaration():
            return "unit"
        case nodes.ResourceDeclaration():
            return "resource"
        case nodes.FunctionDeclaration():
            return "function"
    return ""


def _key(item: Declared) -> tuple[str, str]:
    """Return what two declarations may not share: files have names as models have."""
    return "" if item.word == "use" else item.word, item.name


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}…"
