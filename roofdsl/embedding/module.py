"""Whole files, or texts, of the language as Python objects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from roofdsl.analysis.testing import TestOutcome, run_tests
from roofdsl.contract import constructed, public
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model
from roofdsl.embedding.texts import save, text_of
from roofdsl.model import types
from roofdsl.model.given import as_text, each, one_of
from roofdsl.model.library import check_module, check_text, file_of
from roofdsl.read_only import ReadOnly
from roofdsl.source import Source
from roofdsl.unchanging import Unchanging

A_MODULE = 'a Module, which load("collectives.mpi") loads'


@constructed(
    definition=one_of(types.Module, wanted="a module, as another Module has it"),
    warnings=each(one_of(Diagnostic, wanted="a Diagnostic")),
)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Module(Unchanging):
    """A file or a text of the language: its models, machines, mixes and tests.

    >>> mpi = load("collectives.mpi")
    >>> mpi.models["all_reduce_ring"].parameters
    ('bytes', 'ranks', 'dtype')
    """

    _inside = ("definition",)
    definition: types.Module
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """The name of its file, as messages have it."""
        return self.definition.source.name

    @property
    def models(self) -> Mapping[str, Model]:
        """The models and mixes by name, in the order of the text."""
        found = self.definition.models.items()
        return ReadOnly({name: Model(item, self.warnings) for name, item in found})

    @property
    def machines(self) -> Mapping[str, Machine]:
        """The machines by name, in the order of the text."""
        found = self.definition.machines.items()
        return ReadOnly({name: Machine(item, self.warnings) for name, item in found})

    @property
    def tests(self) -> tuple[str, ...]:
        """The titles of its tests."""
        return tuple(test.title.value for test in self.definition.tests)

    @property
    def text(self) -> str:
        """The text; files that it names have whole paths, so that it may stand anywhere."""
        return text_of(self.definition.source)

    def run_tests(self) -> tuple[TestOutcome, ...]:
        """Run its tests; an outcome has a `title`, whether it `passed`, and `problems`.

        >>> text = "model copy { param n; memory = 16 B*n }; machine m { memory = 8 B/s }"
        >>> text += '; test "of two" { expect (copy(n = 2) on m).time == 4 s }'
        >>> [outcome.passed for outcome in loads(text).run_tests()]
        [True]
        """
        return run_tests(self.definition)

    @public()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its text as a `.roof` file, whole or not at all; see `Model.save`."""
        save(self.definition.source, os.fspath(path))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Module) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[str, str]:
        return self.name, self.definition.source.digest

    def __repr__(self) -> str:
        counts = {"model": len(self.definition.models), "machine": len(self.definition.machines)}
        counts["test"] = len(self.tests)
        held = (f"{n} {word}{'s' * (n > 1)}" for word, n in counts.items() if n)
        return f"<Module {self.name}: {', '.join(held) or 'words alone'}>"


@public()
def load(reference: str | os.PathLike[str]) -> Module:
    """Load a whole file, by its path or as one of the library: `"mine.roof"`, `"collectives.mpi"`.

    Raises RoofError when there is no such file or it has errors, those of its tests included.

    >>> load("linalg.summa")
    <Module stdlib/linalg/summa.roof: 1 model, 16 tests>
    """
    module, problems = check_module(*file_of(os.fspath(reference)))
    return _sound(module, problems)


@public(text=as_text)
def loads(text: str, name: str = "text") -> Module:
    """Load a text of the language; `name` is what messages call it.

    Files that it uses are looked for from the current folder on. Raises RoofError for errors in it.

    >>> loads("model copy { param n; memory = 16 B*n }").models["copy"].memory
    16*n
    """
    return _sound(*check_text(Source(name, text)))


def _sound(module: types.Module | None, problems: tuple[Diagnostic, ...]) -> Module:
    if module is None or any(problem.severity == "error" for problem in problems):
        raise RoofError(problems)
    return Module(module, tuple(module.warnings))
