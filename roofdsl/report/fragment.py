"""Answers as parts of documents: in LaTeX, ready for a document of one's own, or in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.answer.blocks import Block
from roofdsl.report.notation import CellNotation
from roofdsl.report.templates import render
from roofdsl.report.view import view


def fragment(blocks: Sequence[Block], template: str, notation: CellNotation) -> str:
    """Return blocks one below the other, as a bundled template has them."""
    text = render(template, notation, {"blocks_shown": [view(block, notation) for block in blocks]})
    return text.strip("\n")
