"""The report: a frozen document of machines, models, and what these mean on those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from roofdsl.answer.blocks import Block, Drawing, Table
from roofdsl.answer.document.bibliography import Reference, SourceLine
from roofdsl.answer.document.provenance import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionPart:
    """A machine, or what a model declares; `problem` says why rates have no values."""

    name: str
    label: str
    file: str
    doc: tuple[str, ...]
    sources: tuple[SourceLine, ...]
    blocks: tuple[Block, ...]
    problem: str = ""


class PredictionPart(NamedTuple):
    """A model on one machine; `problem` says why there is no prediction.

    `verdict` is the bound in a sentence; `assumption` says where values come from.
    """

    machine: str
    label: str
    blocks: tuple[Block, ...] = ()
    verdict: str = ""
    assumption: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPart(DefinitionPart):
    """A model: what it is, its work and intensities, and what it means on each machine."""

    predictions: tuple[PredictionPart, ...]
    figures: tuple[Drawing, ...] = ()
    notes: tuple[str, ...] = ()


class Chapter(NamedTuple):
    """Models that stand together, from the `first` to that before `after`.

    `summary` says in sentences what there is, `table` has a row for each model on each machine.
    """

    title: str
    label: str
    summary: str
    table: Table
    first: int
    after: int


@dataclass(frozen=True, slots=True)
class Report:
    """All of it; `summary` is a row for each model on each machine, or for each chapter."""

    title: str
    date: str
    version: str
    language: str
    summary: Table
    machines: tuple[DefinitionPart, ...]
    models: tuple[ModelPart, ...]
    chapters: tuple[Chapter, ...]
    references: tuple[Reference, ...]
    files: tuple[SourceFile, ...]
    versions: tuple[tuple[str, str], ...]

    @property
    def sources(self) -> tuple[SourceLine, ...]:
        """All that its machines and models name."""
        return tuple(source for part in (*self.machines, *self.models) for source in part.sources)
