"""What a template sees of a document: dictionaries and lists of escaped text, nothing of Python."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import TypeAlias

from markupsafe import Markup

from roofdsl.answer import blocks
from roofdsl.answer.cells import LEFT_OUT, Cell, Code, Printed, Quantity, Written, too_long
from roofdsl.answer.document.report import Report
from roofdsl.expression.rational import as_float
from roofdsl.expression.tree import Number, Symbol
from roofdsl.report.notation import CellNotation, Grid, is_long
from roofdsl.typeset.breaking import widths

View: TypeAlias = bool | int | float | Markup | list["View"] | dict[str, "View"] | None
BROAD = 40
"""A formula of more digits leaves no room for a remark beside it."""
BROADEST = 58
"""What a line has room for, with its name and remark."""
_OURS = frozenset(
    {"label", "key", "keys", "cited", "sha256", "language", "kind", "align", "relation"}
)
"""Fields that hold names of our own making, which every notation takes as they are."""


def view(value: object, notation: CellNotation, files: dict[str, str] | None = None) -> View:
    """Return a document, or a part of one, as a template sees it.

    `files` are the names of the figures' files, by label, where figures are files.
    """
    return _Viewer(notation, files or {}).of(value)


def figure_styles(report: Report) -> Markup:
    """Return the style sheet of a report's figures: light, and dark where that is preferred."""
    drawn = [drawing for model in report.models for drawing in model.figures]
    styles = sorted({style for drawing in drawn for style in drawing.styles})
    light = [f".{name}{{{style}}}" for name, style, _ in styles]
    dark = [f".{name}{{{style}}}" for name, other, style in styles if style != other]
    screen = "@media screen and (prefers-color-scheme:dark){"  # paper is light
    return Markup("\n".join([*light, screen, *dark, "}"]))


class _Viewer:
    """Makes dictionaries of parts; text in them is escaped, but for what is marked as written."""

    def __init__(self, notation: CellNotation, files: dict[str, str]) -> None:
        self.notation = notation
        self.files = files

    def of(self, value: object, name: str = "") -> View:
        match value:
            case None | bool() | int() | float() | Markup():
                return value
            case str() if name == "doc":
                return Markup(self.notation.prose(value))
            case str():
                return Markup(value if name in _OURS else self.notation.text(value))
            case list() | tuple() if not hasattr(value, "_fields"):
                return [self.of(item, name) for item in value]
        return {key: self.of(item, key) for key, item in self.part(value).items()}

    def part(self, value: object) -> dict[str, object]:
        """Return the fields of a part under the names that templates have for them."""
        match value:
            case dict():
                return value
            case blocks.Text():
                return {"kind": "text", "text": value.text}
            case blocks.Prose():
                paragraphs = [Markup(self.notation.prose(each)) for each in value.paragraphs]
                return {"kind": "prose", "list": paragraphs}
            case blocks.Notes():
                return {"kind": "notes", "list": value.items}
            case blocks.Table():
                return self.table(value)
            case blocks.Equations(caption, label, items):
                longest = max(map(_name_breadth, items), default=0.0)
                listed = [self.equation(item, longest) for item in items]
                return {"kind": "equations", "caption": caption, "label": label, "list": listed}
            case blocks.Equation():
                return self.equation(value, _name_breadth(value))
            case blocks.Form():
                return self.line(value)
            case blocks.Findings(items, head, caption):
                return {"kind": "findings", "caption": caption or head, "list": items}
            case blocks.Finding(text, details, symbol, lines):
                equation = None if symbol is None else blocks.Equation(symbol, "", lines)
                return {"text": text, "details": details, "equation": equation}
            case blocks.Drawing(caption, label, alternative, svg):
                file = Markup(self.files.get(label, ""))
                shown = {"caption": caption, "label": label, "alternative": alternative}
                told = {"number": value.number, "shows": value.shows}
                return {"kind": "figure", **shown, **told, "svg": Markup(svg), "file": file}
        if is_dataclass(value):
            names = tuple(item.name for item in fields(value))
        else:
            names = getattr(value, "_fields", ())
        assert names, f"nothing is known of {type(value).__name__}"
        return {key: getattr(value, key) for key in names}

    def cell(self, cell: Cell) -> Markup:
        return Markup(self.notation.cell(cell))

    def table(self, table: blocks.Table) -> dict[str, object]:
        grids = self.notation.grids(table)
        whole, *others = map(self.grid, grids)
        notes = list(dict.fromkeys([*table.notes, *self.left_out(grids)]))
        uncited = [" ".join(text.split()).rstrip(".") for text in table.uncited]
        return {
            "kind": "table",
            "caption": table.caption,
            "label": table.label,
            "headed": any(column.heading != "" for column in table.columns),
            **(self.grid(Grid(table)) if others else whole),
            "grids": [whole, *others],
            "notes": notes,
            "aside": self.notation.aside(grids[-1], [*notes, "; ".join(uncited)]),
            "cited": table.cited,
            "uncited": uncited,
        }

    def left_out(self, grids: Sequence[Grid]) -> list[str]:
        """Return the note on formulas of a table that are left out, if there are any."""
        found = any(
            (grid.notation or self.notation).left_out(cell)
            for grid in grids
            for row in grid.table.rows
            for cell in row
        )
        return [LEFT_OUT] if found else []

    def grid(self, grid: Grid) -> dict[str, object]:
        table = grid.table
        notation = grid.notation or self.notation
        plain = [""] * len(table.columns)
        columns = zip(table.columns, grid.specifications or plain, grid.heads or plain, strict=True)
        return {
            "columns": [
                {
                    **column._asdict(),
                    "heading": self.cell(column.heading),
                    "headed": column.heading != "",
                    "specification": Markup(specification),
                    "head": Markup(head),
                }
                for column, specification, head in columns
            ],
            "lines": [
                {
                    "cells": [
                        {"content": Markup(notation.cell(cell)), **_sorted(cell)} for cell in row
                    ],
                    "emphasised": place in table.emphasised,
                }
                for place, row in enumerate(table.rows)
            ],
            "broad": grid.broad,
            "tall": grid.tall,
            "apart": grid.apart,
        }

    def equation(self, item: blocks.Equation, longest: float) -> dict[str, object]:
        """Return an equation that stands among others, of which a name may be longer."""
        lines = [line for line in item.lines if not too_long(line.value)]
        left_out = "too long to be written out" if item.lines and not lines else ""
        return {
            "name": self.cell(item.name),
            "symbol": not isinstance(item.name, str),
            "long": _is_long(item.name),
            "unit": item.unit,
            "lines": [self.line(line, longest) for line in lines],
            "remark": "; ".join(remark for remark in (item.remark, left_out) if remark),
        }

    def line(self, line: blocks.Form, name: float = 0.0) -> dict[str, object]:
        value = line.value.shown if isinstance(line.value, Written) else line.value
        remark = [self.notation.text(line.remark)] if line.remark else []
        if line.number is not None:
            comes_to = self.notation.relation(line.comes_to)
            remark.insert(0, f"{comes_to} {self.notation.cell(line.number)}")
        if isinstance(value, Quantity | str):
            plain, shown = True, self.notation.cell(value)
        else:
            plain, shown = False, self.notation.display(value, name)
        return {
            "relation": line.relation,
            "formula": Markup(shown),
            "number": plain,
            "broad": _breadth(value) > BROAD
            or name + _breadth(value) + len(line.remark) > BROADEST,
            "remark": Markup(" ".join(remark)),
        }


def _name_breadth(item: blocks.Equation) -> float:
    return _breadth(item.name) + len(item.unit)


def _sorted(cell: Cell) -> dict[str, object]:
    """Return what kind of cell it is, and the number it is sorted by, if it has one."""
    kind, sort, printed = "number", None, None
    match cell:
        case Quantity():
            sort = _short(cell.value)
        case Printed():
            with suppress(ValueError):  # a text may stand among numbers
                sort, printed = _short(float(cell.text)), Markup(cell.text)
        case str() | Code():
            kind = "text"
        case Number():
            kind, sort = "formula", _short(as_float(cell.value))
        case _:
            kind = "formula"
    return {"kind": kind, "sort": sort, "printed": printed, "long": _is_long(cell)}


def _is_long(cell: Cell) -> bool:
    """Return whether there is a name in a cell that may be broken anywhere."""
    match cell:
        case str(text) | Code(text) | Symbol(text):
            return is_long(text)
    return False


def _short(number: float) -> Markup:
    """Return a number to the digits that sorting needs."""
    return Markup(f"{number:.5g}")


def _breadth(cell: Cell) -> float:
    """Return about how many characters wide a cell is in print."""
    match cell:
        case str():
            return float(len(cell))
        case Quantity(_, dimension):
            return 8.0 + len(str(dimension))
        case Printed(text):
            return float(len(text))
        case Code(text):
            return 1.2 * len(text)
        case Written():
            return _breadth(cell.shown)
    return widths(cell)[id(cell)]
