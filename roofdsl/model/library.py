"""Find models and machines: a file that exists wins, then the bundled library."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import RLock
from typing import TypeVar

from roofdsl import resources
from roofdsl.diagnostic import Diagnostic, Label, Reporter, RoofError, did_you_mean, listing
from roofdsl.model.build import build
from roofdsl.model.neighbours import Sort
from roofdsl.model.piecewise import Piecewise
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.reading import near_file, read_source, real_path
from roofdsl.source import Source, Span
from roofdsl.syntax.nodes import UseDeclaration

SUFFIX = ".roof"
DEEPEST_USE = 20
_Definition = TypeVar("_Definition", ModelDefinition, MachineDefinition)


_AROUND = re.compile(r"(?:\.{0,2}/)*(?:(?:stdlib|machines)/)?")
"""What people write before the path of a file of the library."""
_OWN_FILE = 'use your own file as `use "./file.roof" as name`'


def load_module(path: Path, shown: str | None = None) -> Module:
    """Read and build a file but for its tests; raise RoofError with all errors if it has any.

    >>> sorted(load_module(resources.folder("machines") / "karst.roof").machines)
    ['karst']
    """
    module, diagnostics = check_module(path, shown, tests=False)
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    if module is None or errors:
        raise RoofError(diagnostics)
    return module


def check_module(
    path: Path, shown: str | None = None, tests: bool = True
) -> tuple[Module | None, tuple[Diagnostic, ...]]:
    """Read and build a file; return what it defines and every problem found in it."""
    source = read_source(path, shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    return build(source, Imports(path), tests)


def check_text(source: Source) -> tuple[Module, tuple[Diagnostic, ...]]:
    """Build a text that is no file; `use` of a file is relative to the current folder.

    >>> module, problems = check_text(Source("demo", "model copy { memory = 16 B }"))
    >>> list(module.models), problems
    (['copy'], ())
    """
    return build(source, Imports(Path.cwd() / source.name))


class Imports:
    """Finds the modules that files `use`, each built once, and refuses a circle of them."""

    def __init__(self, path: Path, user: Imports | None = None) -> None:
        self._path = path
        self._chain: tuple[Path, ...] = (*(user._chain if user else ()), real_path(path))
        self._built: dict[Path, Module | None] = user._built if user else {}

    def used(self, use: UseDeclaration, report: Reporter) -> Module | None:
        """Return the module a `use` names, or report why it cannot be had."""
        if use.path is not None:
            path = bundled_path(use.path.text, "model") or bundled_path(use.path.text, "machine")
            place = use.path.span
            if path is None:
                hint = self._own_file(use.path.text) or near_bundled(use.path.text) or _OWN_FILE
                message = f"there is no bundled file '{use.path.text}'"
                report(Diagnostic.at("R0207", message, place, hint=hint))
                return None
            shown = shown_path(path)
        else:
            assert use.file is not None  # the grammar gives one or the other
            path, place, shown = self._path.parent / use.file.value, use.file.span, use.file.value
            if "://" in shown:
                message, hint = f"'{shown}' is no file", "save it beside this file, and use that"
                report(Diagnostic.at("R0004", message, place, hint=hint))
                return None
            if path.suffix != SUFFIX or real_path(path).suffix != SUFFIX:
                message, hint = f"'{shown}' is not a {SUFFIX} file", f"`use` reads {SUFFIX} files"
                report(Diagnostic.at("R0004", message, place, hint=_without_quotes(use) or hint))
                return None
            if (hint := _without_quotes(use) or "") and not path.exists():
                message = f"there is no file '{shown}'"
                report(Diagnostic.at("R0001", message, place, hint=hint))
                return None
        return self._load(path, shown, place, report)

    def _own_file(self, name: str) -> str | None:
        """Return a hint on how to use a file of the same folder by its name."""
        name = name.removesuffix(SUFFIX)
        try:
            there = "." not in name and (self._path.parent / f"{name}{SUFFIX}").is_file()
        except OSError:  # a folder that may not be read
            return None
        return f'use your own file as `use "./{name}{SUFFIX}" as {name}`' if there else None

    def bundled(self, name: str, sort: Sort) -> tuple[Module, str | None] | None:
        """Return the bundled module a name means, and the name within it if one is given."""
        return _bundled_module(name, sort, self._chain)

    def names(self, sort: Sort) -> list[str]:
        """Return the names of the bundled models or machines."""
        return [name.rpartition(".")[2] for name in bundled(sort)]

    def _load(self, path: Path, shown: str, place: Span, report: Reporter) -> Module | None:
        resolved = real_path(path)
        unusable = Diagnostic.at("R0005", f"'{shown}' has errors, so it cannot be used", place)
        if resolved in self._built:
            if self._built[resolved] is None:
                report(unusable)
            return self._built[resolved]
        if resolved in self._chain:
            names = [item.name for item in self._chain[self._chain.index(resolved) :]]
            circle = " → ".join([*names, path.name])
            message = f"files use each other in a circle: {circle}"
            hint = "put what both need into a third file"
            report(Diagnostic.at("R0209", message, place, hint=hint))
            return None
        if len(self._chain) > DEEPEST_USE:
            message = f"files use files more than {DEEPEST_USE} deep here"
            report(Diagnostic.at("R0209", message, place, hint="bring some of them together"))
            return None
        source = read_source(path, shown, Label(place))
        if isinstance(source, Diagnostic):
            where = f"it is looked for from the folder of '{self._path.name}'"
            report(source if source.hint else replace(source, hint=where))
            return None
        module, problems = build(source, Imports(path, self), tests=False)
        errors = [problem for problem in problems if problem.severity == "error"]
        self._built[resolved] = None if errors else module
        for warning in module.warnings:
            report(warning)
        if errors:
            report(unusable)
            for error in errors:
                if error.code != "R0005":  # what it says of a file further down, this says of all
                    report(error)
        return self._built[resolved]


def find_model(reference: str, user: Module | None = None) -> tuple[ModelDefinition, Module]:
    """Find a model by path, `path:name` or bundled name (`summa`, `summa.roof`, `linalg.summa`).

    Inside a module, `user`, the names it gave to the files it uses come first.

    >>> find_model("linalg.summa")[0].name
    'summa'
    """
    module, name = _module_of(reference, "model", user)
    return _pick(module, module.models, name, "model"), module


def find_machine(reference: str, user: Module | None = None) -> tuple[MachineDefinition, Module]:
    """Find a machine by path, `path:name` or bundled name; see `find_model`.

    >>> [rate.key for rate in find_machine("karst")[0].rates]
    ['flops', 'memory', 'network']
    """
    module, name = _module_of(reference, "machine", user)
    return _pick(module, module.machines, name, "machine"), module


def file_of(reference: str) -> tuple[Path, str]:
    """Find a whole file, by its path or its bundled name; return it and what messages call it.

    >>> file_of("collectives.mpi")[1]
    'stdlib/collectives/mpi.roof'
    """
    path_text, _ = _split(reference)
    if is_path(path_text):
        return Path(path_text), path_text
    name = path_text.removesuffix(SUFFIX)
    path = bundled_path(name, "model") or bundled_path(name, "machine")
    if path is None:
        source = _module_of(reference, "model", None)[0].source
        assert source.path is not None  # what is bundled is a file
        path = source.path
    return path, shown_path(path)


@cache
def bundled(sort: Sort) -> dict[str, Path]:
    """Return the bundled files by dotted name: `linalg.summa`, `karst`."""
    root = resources.folder("stdlib" if sort == "model" else "machines")
    paths = sorted(root.rglob(f"*{SUFFIX}"))
    depth = len(root.parts)
    return {".".join(path.parts[depth:]).removesuffix(SUFFIX): path for path in paths}


def bundled_path(name: str, sort: Sort) -> Path | None:
    """Return the bundled file of a dotted name, or of its last part when only one file has it."""
    files = bundled(sort)
    if name in files:
        return files[name]
    matching = [path for dotted, path in files.items() if dotted.rsplit(".", 1)[-1] == name]
    return matching[0] if len(matching) == 1 else None


def near_bundled(name: str) -> str | None:
    """Return a hint naming the bundled file whose name is close to one that is not bundled.

    It is named as asked for, dotted or by its last part alone.

    >>> near_bundled("kong2014"), near_bundled("papers.tang2016")
    ("did you mean 'kong2015'?", "did you mean 'papers.tang2015'?")
    >>> near_bundled("graph")
    "'graph' is a folder of the library: it holds graph.dijkstra, graph.mst"
    """
    names = [*bundled("model"), *bundled("machine")]
    if inside := ", ".join(each for each in names if each.startswith(f"{name}.")):
        return f"'{name}' is a folder of the library: it holds {inside}"
    return did_you_mean(name, names if "." in name else (each.rpartition(".")[2] for each in names))


def _without_quotes(use: UseDeclaration) -> str | None:
    """Return a hint for a file of the library whose name stands in quotes, as a path would."""
    path = use.file.value.removesuffix(SUFFIX) if use.file else ""
    name = _AROUND.sub("", path, count=1).replace("/", ".")
    if not (bundled_path(name, "model") or bundled_path(name, "machine")):
        return None
    renamed = f" as {use.alias.name}" if use.alias else ""
    return f"a file of the library is named without quotes: `use {name}{renamed}`"


def shown_path(path: Path) -> str:
    """Return a bundled file's name for messages, such as `stdlib/linalg/summa.roof`."""
    for folder in ("stdlib", "machines"):
        root = resources.folder(folder)
        if path.is_relative_to(root):
            return f"{folder}/{path.relative_to(root).as_posix()}"
    return str(path)


_ALONE = RLock()
"""Held while a bundled file is loaded: what another thread loads is no circle."""
_LOADED: dict[Path, Module] = {}
_LOADING: list[Path] = []
_PIECEWISE: dict[Path, Piecewise] = {}


def _load_bundled(path: Path, model: str | None = None) -> Module:
    """Return the module of a bundled file; with `model`, one that need not hold the others."""
    with _ALONE:
        if path in _LOADED:
            return _LOADED[path]
        if path in _LOADING:
            circle = " → ".join(item.name for item in [*_LOADING[_LOADING.index(path) :], path])
            problem = Diagnostic("R0209", f"bundled files use each other in a circle: {circle}")
            raise RoofError([problem])
        _LOADING.append(path)
        try:
            if model is not None and path not in _PIECEWISE:
                source = read_source(path, shown_path(path))
                if isinstance(source, Source):
                    _PIECEWISE[path] = Piecewise(source, Imports(path))
            if model is not None and path in _PIECEWISE and _PIECEWISE[path].build(model):
                return _PIECEWISE[path].module
            _LOADED[path] = load_module(path, shown_path(path))
        finally:
            _LOADING.pop()
        return _LOADED[path]


def _bundled_module(
    dotted: str, sort: Sort, users: tuple[Path, ...] = (), wanted: str | None = None
) -> tuple[Module, str | None] | None:
    """Return the bundled module of a dotted name: a file, or a definition within a file.

    Of a file the module holds the model `wanted`, by default that of its own name, if it has it. A
    definition is found by its own name, `linear_backward`, if one file alone has it. Files in
    `users` are just being built, and know their own.
    """
    path = bundled_path(dotted, sort)
    if path is not None:
        return _load_bundled(path, (wanted or path.stem) if sort == "model" else None), None
    holder, dot, name = dotted.rpartition(".")
    path = bundled_path(holder, sort) if dot else None
    if path is not None:
        return _load_bundled(path), name
    paths = _declarations(sort).get(dotted, [])
    if len(paths) != 1 or paths[0] in _LOADING or real_path(paths[0]) in users:
        return None
    return _load_bundled(paths[0], dotted if sort == "model" else None), dotted


@cache
def _declarations(sort: Sort) -> dict[str, list[Path]]:
    """Return the bundled files that declare each name, seen from their text alone.

    Those of `papers` are left out: what a paper prints is asked for by the paper's name.
    """
    found: dict[str, list[Path]] = {}
    line = re.compile(rf"^{sort}[ \t]+(\w+)", re.MULTILINE)
    for dotted, path in bundled(sort).items():
        if dotted.startswith("papers."):
            continue
        for name in line.findall(path.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(path)
    return found


def _module_of(reference: str, sort: Sort, user: Module | None) -> tuple[Module, str | None]:
    """Return the module a reference means, and the name within it if one is given."""
    first, _, rest = reference.partition(".")
    if user is not None and first in user.imports:
        return user.imports[first], rest or None
    path_text, name = _split(reference)
    if "{" in path_text and not (is_path(path_text) or path_text.endswith(SUFFIX)):
        message = f"a text of the language is no name of a {sort}"
        where = "write it to a .roof file, or to a cell of a notebook that begins with `%%roof`"
        raise RoofError([Diagnostic("R0207", message, (), where)])
    other: Sort = "machine" if sort == "model" else "model"
    if is_path(path_text):
        return load_module(Path(path_text), path_text), name
    found = _bundled_module(path_text.removesuffix(SUFFIX), sort, wanted=name)
    if found is None and name is not None:  # a file of models may hold machines, too
        found = _bundled_module(path_text.removesuffix(SUFFIX), other)
    if found is not None:
        return found[0], name or found[1]
    known = [known.rsplit(".", 1)[-1] for known in bundled(sort)]
    near = near_file(path_text, SUFFIX)
    if path_text.endswith(SUFFIX) or "/" in path_text or os.sep in path_text:
        hint = near or did_you_mean(Path(path_text).stem, known)
        raise RoofError([Diagnostic("R0001", f"there is no file '{path_text}'", (), hint)])
    hint = near or did_you_mean(path_text, [*known, *_declarations(sort)])
    if name is not None:  # as above, a file of models may hold it
        hint = hint or near_bundled(path_text)
    if bundled_path(path_text, other) is not None:
        hint = f"'{path_text}' is a {other}"
    if "," in path_text:
        option = "--machine " if sort == "machine" else ""
        hint = f"name each by itself: {' '.join(option + part for part in path_text.split(','))}"
    elif "=" in path_text:
        hint = f"a value is given with -p: -p {path_text}"
    hint = hint or f"`roofdsl list` names the bundled {sort}s"
    raise RoofError([Diagnostic("R0207", f"there is no {sort} '{path_text}'", (), hint)])


def _split(reference: str) -> tuple[str, str | None]:
    """Return the path or bundled name in a reference, and the name within it if one is given.

    A path that exists comes first, and what is behind a colon may be the rest of a path.

    >>> _split("summa.roof:cannon"), _split("C:/x.roof"), _split("nowhere:x.roof")
    (('summa.roof', 'cannon'), ('C:/x.roof', None), ('nowhere:x.roof', None))
    """
    path_text, colon, name = reference.rpartition(":")
    if is_path(reference) or not colon or name.endswith(SUFFIX) or "/" in name or "\\" in name:
        return reference, None
    return path_text, name or None


def is_path(path_text: str) -> bool:
    """Whether a text names what is there, rather than what is bundled or nothing."""
    # A name without a suffix or a separator is a bundled one, even beside a folder of that name.
    if not path_text or "\0" in path_text:
        return False
    looks_like_path = path_text.endswith(SUFFIX) or os.sep in path_text
    return os.path.lexists(path_text) and (looks_like_path or Path(path_text).is_file())


def _pick(
    module: Module, table: dict[str, _Definition], name: str | None, sort: Sort
) -> _Definition:
    file = module.source.name
    if name is not None:
        if name in table:
            return table[name]
        held = f"it holds {listing(table)}" if table else f"it holds no {sort} at all"
        hint: str | None = did_you_mean(name, table) or held
        raise RoofError([Diagnostic("R0207", f"'{file}' holds no {sort} '{name}'", (), hint)])
    if len(table) == 1:
        return next(iter(table.values()))
    stem = Path(file).stem
    if stem in table:
        return table[stem]
    if not table:
        other = "machine" if sort == "model" else "model"
        there = module.machines if sort == "model" else module.models
        some = f"{other}s" if len(there) > 1 else other
        hint = f"it holds the {some} {listing(there)}" if there else None
        raise RoofError([Diagnostic("R0207", f"'{file}' holds no {sort}", (), hint)])
    message = f"'{file}' holds several {sort}s: {listing(table)}"
    hint = f"say which, as in `{file}:{next(iter(table))}`"
    raise RoofError([Diagnostic("R0208", message, (), hint)])
