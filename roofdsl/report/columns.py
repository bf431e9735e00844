"""Cells in columns."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], gap: str = "  ") -> str:
    """Return rows of cells as columns, each as wide as its widest cell.

    >>> print(aligned([["N", "bound"], ["4096", "network"]]))
    N     bound
    4096  network
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        gap.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


def indented(text: str, by: str = "  ") -> str:
    """Return text with every line moved to the right."""
    return "\n".join(f"{by}{line}".rstrip() for line in text.split("\n"))
