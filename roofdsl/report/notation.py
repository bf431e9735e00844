"""What a notation makes of the cells of a document."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from roofdsl.answer.blocks import Relation, Table
from roofdsl.answer.cells import ELLIPSIS, LONGEST, Cell, Code, Printed, Quantity, Written, too_long
from roofdsl.expression.tree import Expression
from roofdsl.units.quantity import show_quantity, show_uncertain

_LONG = re.compile(r"\S{25}")
_QUOTED = re.compile(r"`([^`]+)`")


class Grid(NamedTuple):
    """A table, or a part of one, with how each column is set and headed where that must be said.

    `broad`: wider than a column of a page. `tall`: with rows that are higher than a line. `apart`:
    on a page of its own, as no other part fits above it. `height`: of all on its page down to its
    end, in pt, where that is known. Its cells have a `notation` of their own where they must be
    broken.
    """

    table: Table
    specifications: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    broad: bool = False
    tall: bool = False
    apart: bool = False
    height: float = 0.0
    notation: CellNotation | None = None


def is_long(text: str) -> bool:
    """Return whether a word of a text is so long that it may be broken anywhere."""
    return _LONG.search(text) is not None


class CellNotation(ABC):
    """Writes each kind of cell; whatever a text holds comes out as text."""

    gap = " "
    """What stands between a number and the remark behind it."""
    longest: float = LONGEST
    """A formula of more digits in print is left out."""

    @staticmethod
    @abstractmethod
    def text(text: str) -> str: ...

    def code(self, text: str) -> str:
        """Write a piece of a file, or a name."""
        return self.text(text)

    def number(self, shown: str) -> str:
        """Write a number, with its unit behind a space if it has one, as `shown` by us."""
        return self.text(shown)

    def relation(self, sign: Relation) -> str:
        """Write what stands between two forms; `=` is no text, which must not begin with it."""
        return sign if sign == "=" else self.text(sign)

    @abstractmethod
    def formula(self, tree: Expression) -> str:
        """Write a formula in a table or a text."""

    def display(self, tree: Expression, _name: float) -> str:
        """Write a formula that has a line for itself, behind a name of so many characters."""
        return self.formula(tree)

    def written(self, cell: Written) -> str:
        """Write what a file has: unless the notation is plain text, as what is shown of it."""
        return self.text(ELLIPSIS) if self.left_out(cell) else self.cell(cell.shown)

    def left_out(self, cell: Cell) -> bool:
        """Return whether a cell holds a formula that is too long, or stands for one."""
        return cell == ELLIPSIS or (isinstance(cell, Written) and too_long(cell, self.longest))

    def prose(self, text: str) -> str:
        """Write a paragraph of a doc comment, in which names stand between backticks."""
        pieces = _QUOTED.split(text)
        return "".join(
            self.code(piece) if number % 2 else self.beside(piece)
            for number, piece in enumerate(pieces)
        )

    def beside(self, text: str) -> str:
        """Write a text that may have a name before it or behind it, with the spaces at its ends."""
        inside = text.strip()
        if not inside:
            return " " if text else ""
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        return (" " if before else "") + self.text(inside) + (" " if after else "")

    def grids(self, table: Table) -> list[Grid]:
        """Return the parts of a table, for notations that part it."""
        return [Grid(table)]

    def aside(self, last: Grid, notes: Sequence[str]) -> bool:
        """Say whether notes are too high to stand on one page with the last part of a table."""
        del last, notes  # what has no pages has room
        return False

    def cell(self, cell: Cell) -> str:
        """Write a cell of any kind."""
        match cell:
            case str():
                return self.text(cell)
            case Quantity(value, dimension, digits, uncertainty, remark):
                shown = show_quantity(value, dimension, digits)
                if uncertainty is not None:
                    shown = show_uncertain(value, uncertainty, dimension, digits)
                number = self.number(shown)
                return number + self.gap + self.text(remark) if remark else number
            case Printed(text):
                return self.number(text)
            case Code(text):
                return self.code(text)
            case Written():
                return self.written(cell)
        return self.formula(cell)
