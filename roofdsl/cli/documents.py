"""Answers of commands in LaTeX and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from roofdsl.report.document.content import Block

DOCUMENTS = ("latex", "markdown")
"""The formats that are parts of documents: ready for \\input, or for a page."""


def echo_blocks(blocks: Sequence[Block], form: str) -> None:
    """Print tables and equations in one of `DOCUMENTS`."""
    from roofdsl.report.typesetting.fragment import fragment

    click.echo(fragment(blocks, form))
