"""What a report was made from and with: files with their SHA-256, versions, the date."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.types import Definition, MachineDefinition, Module
from roofdsl.source import Span

LIBRARIES = ("roofdsl", "sympy", "numpy", "matplotlib", "jinja2")


class SourceFile(NamedTuple):
    """A file the report was made from: the SHA-256 of its bytes."""

    name: str
    sha256: str


def files_of(modules: Iterable[Module]) -> tuple[SourceFile, ...]:
    """Return the files behind modules, those they use and their measured tables among them.

    A file of several names, `mine.roof` and `./mine.roof`, has the shortest.
    """
    found: dict[str, SourceFile] = {}
    for name, path in sorted(paths_of(modules), key=lambda pair: (len(pair[0]), pair[0])):
        try:
            data = path.read_bytes()
        except OSError:
            continue  # it was read, and is gone since
        file = SourceFile(name, hashlib.sha256(data).hexdigest())
        found.setdefault(os.path.realpath(path), file)
    return tuple(sorted(found.values()))


def paths_of(modules: Iterable[Module]) -> Iterator[tuple[str, Path]]:
    """Give the files behind modules by their names in messages."""
    waiting = list(modules)
    seen: set[int] = set()
    while waiting:
        module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        waiting += module.imports.values()
        path = module.source.path
        if path is None:
            continue
        yield module.source.name, path
        for model in module.models.values():
            yield from _of_layers(model)
        for machine in module.machines.values():
            for each in (machine, *machine.devices.values()):
                yield from _of_machine(each)


def _of_layers(made: Definition) -> Iterator[tuple[str, Path]]:
    """Give the files of the statements that a model or a machine is made of."""
    places = [getattr(item, "span", None) for layer in made.layers for item in layer.items]
    sources = dict.fromkeys(place.source for place in places if isinstance(place, Span))
    yield from ((source.name, source.path) for source in sources if source.path is not None)


def _of_machine(machine: MachineDefinition) -> Iterator[tuple[str, Path]]:
    """Give the files that a machine is made of, and those of what it has measured."""
    yield from _of_layers(machine)
    for table in machine.tables.values():
        source = table.span.source
        if source.path is not None:
            folder = source.name.rpartition("/")[0]
            yield f"{folder}/{table.file}".lstrip("/"), source.path.parent / table.file


def versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of what answers come from."""
    found = [("Python", python_version())]
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue  # run from a checkout that is not installed
    return tuple(found)


def today() -> str:
    """Return the date, of SOURCE_DATE_EPOCH where that is set; raise RoofError for no number."""
    return moment().strftime("%Y-%m-%d")


def moment() -> datetime:
    """Return the time a document is dated with, in UTC."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):
        message = f"SOURCE_DATE_EPOCH is '{epoch}', which is no count of seconds since 1970"
        raise RoofError([Diagnostic("R1004", message, hint="set it to 0, or unset it")]) from None
