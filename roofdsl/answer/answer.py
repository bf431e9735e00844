"""What answers can be turned into: plain values, rows and blocks."""

from __future__ import annotations

from typing import Protocol

from roofdsl.answer.blocks import Block
from roofdsl.answer.plain import Json


class Shown(Protocol):
    """What notations make texts of: for a terminal, in Markdown, LaTeX and HTML."""

    def blocks(self) -> list[Block]:
        """Return texts, tables and equations, without a notation."""


class Valued(Protocol):
    """What formats for programs are written from: JSON and YAML."""

    def values(self) -> Json:
        """Return plain values of SI base units: numbers, texts, lists, dictionaries."""


class Tabular(Protocol):
    """What has rows: for CSV and data frames."""

    def rows(self) -> list[dict[str, Json]]:
        """Return a dictionary for each row, in SI base units."""
