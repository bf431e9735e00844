"""The report: a frozen document of machines, models, and what these mean on those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from roofdsl.answer.blocks import Block, Drawing, Table


class Source(NamedTuple):
    """A `source` line, and the keys of the references it names where the library knows them."""

    text: str
    keys: tuple[str, ...] = ()


class Reference(NamedTuple):
    """A work the sources cite: its BibTeX key, how it is read, and its BibTeX entry."""

    key: str
    text: str
    entry: str


class File(NamedTuple):
    """A `.roof` file the report was made from: the SHA-256 of its bytes."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class MachinePart:
    """A machine: its rates and ridge points; `problem` says why these have no values."""

    name: str
    label: str
    file: str
    doc: tuple[str, ...]
    sources: tuple[Source, ...]
    blocks: tuple[Block, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PredictionPart:
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


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A model: what it is, its work and intensities, and what it means on each machine."""

    name: str
    label: str
    file: str
    doc: tuple[str, ...]
    sources: tuple[Source, ...]
    blocks: tuple[Block, ...]
    predictions: tuple[PredictionPart, ...]
    figures: tuple[Drawing, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All of it; `summary` is a row for each model on each machine."""

    title: str
    date: str
    version: str
    language: str
    summary: Table
    machines: tuple[MachinePart, ...]
    models: tuple[ModelPart, ...]
    references: tuple[Reference, ...]
    files: tuple[File, ...]
    versions: tuple[tuple[str, str], ...]

    def styles(self) -> tuple[tuple[str, str, str], ...]:
        """Return the styles of all figures: class, in light pages, in dark ones."""
        drawn = [drawing for model in self.models for drawing in model.figures]
        return tuple(sorted({style for drawing in drawn for style in drawing.styles}))
