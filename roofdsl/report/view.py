"""What a template sees of a document: dictionaries and lists of escaped text, nothing of Python."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TypeAlias

from markupsafe import Markup

from roofdsl.answer.blocks import (
    Drawing,
    Equation,
    Equations,
    Findings,
    Line,
    Notes,
    Prose,
    Table,
    Text,
)
from roofdsl.answer.cells import Cell, Code, Column, Printed, Quantity, Written, too_long
from roofdsl.answer.document.report import Report
from roofdsl.expression.tree import Number
from roofdsl.report.notation import CellNotation
from roofdsl.typeset.breaking import widths

View: TypeAlias = bool | int | float | Markup | list["View"] | dict[str, "View"] | None
BROAD = 40
"""A formula of more characters leaves no room for a remark beside it."""
_LABELS = frozenset({"label", "key", "keys", "sha256", "language"})
"""Fields that hold names of our own making, which every notation takes as they are."""


def view(value: object, notation: CellNotation, files: dict[str, str] | None = None) -> View:
    """Return a document, or a part of one, as a template sees it.

    `files` are the names of the figures' files, by label, where figures are files.
    """
    return _Viewer(notation, files or {}).of(value)


def figure_styles(report: Report) -> Markup:
    """Return the style sheet of a report's figures: light, and dark where that is preferred."""
    styles = report.styles()
    light = [f".{name}{{{style}}}" for name, style, _ in styles]
    dark = [f".{name}{{{style}}}" for name, other, style in styles if style != other]
    return ours("\n".join([*light, "@media (prefers-color-scheme:dark){", *dark, "}"]))


class _Viewer:
    def __init__(self, notation: CellNotation, files: dict[str, str]) -> None:
        self.notation = notation
        self.files = files

    def of(self, value: object, name: str = "") -> View:
        match value:
            case None | bool() | int() | float():
                return value
            case str():
                if name == "doc":
                    return ours(self.notation.prose(value))
                return ours(value) if name in _LABELS else self.text(value)
            case Table():
                return self.table(value)
            case Equations():
                return self.equations(value)
            case Text():
                return {"kind": ours("text"), "text": self.text(value.text)}
            case Prose():
                shown: list[View] = [ours(self.notation.prose(each)) for each in value.paragraphs]
                return {"kind": ours("prose"), "list": shown}
            case Notes():
                return {"kind": ours("notes"), "list": [self.text(note) for note in value.items]}
            case Findings():
                return self.findings(value)
            case Drawing():
                return self.drawing(value)
            case list() | tuple() if not hasattr(value, "_fields"):
                return [self.of(item, name) for item in value]
        return {key: self.of(item, key) for key, item in _fields(value)}

    def text(self, text: str) -> Markup:
        return ours(self.notation.text(text))

    def cell(self, cell: Cell) -> View:
        content = ours(self.notation.cell(cell))
        sort, printed = None, None
        match cell:
            case Quantity(number):
                sort = _short(number)
            case Printed(shown) if _is_number(shown):
                sort, printed = _short(float(shown)), ours(shown)
            case Number(exact):
                sort = _short(float(exact))
        return {"content": content, "kind": _kind(cell), "sort": sort, "printed": printed}

    def table(self, table: Table) -> View:
        rows = [[self.cell(cell) for cell in row] for row in table.rows]
        breadths = [_column_breadth(table, place) for place in range(len(table.columns))]
        specifications = self.notation.specifications(table, breadths)
        return {
            "kind": ours("table"),
            "caption": self.text(table.caption),
            "label": ours(table.label),
            "headed": any(column.heading != "" for column in table.columns),
            "columns": [
                self.column(column, specification)
                for column, specification in zip(table.columns, specifications, strict=True)
            ],
            "lines": [
                {"cells": cells, "emphasised": place in table.emphasised}
                for place, cells in enumerate(rows)
            ],
            "notes": [self.text(note) for note in table.notes],
        }

    def column(self, column: Column, specification: str) -> View:
        return {
            "heading": ours(self.notation.cell(column.heading)),
            "unit": self.text(column.unit),
            "align": ours(column.align),
            "wide": column.wide,
            "headed": column.heading != "",
            "specification": ours(specification),
        }

    def equations(self, equations: Equations) -> View:
        return {
            "kind": ours("equations"),
            "caption": self.text(equations.caption),
            "label": ours(equations.label),
            "list": [self.equation(item) for item in equations.items],
        }

    def equation(self, item: Equation) -> View:
        lines = [line for line in item.lines if not too_long(line.value)]
        remarks = [item.remark] if item.remark else []
        if item.lines and not lines:
            remarks.append("too long to be written out")
        return {
            "name": ours(self.notation.cell(item.name)),
            "symbol": not isinstance(item.name, str),
            "unit": self.text(item.unit),
            "lines": [self.line(line) for line in lines],
            "remark": self.text("; ".join(remarks)),
        }

    def findings(self, findings: Findings) -> View:
        return {
            "kind": ours("findings"),
            "caption": self.text(findings.caption or findings.head),
            "list": [
                {
                    "text": self.text(item.text),
                    "details": [self.text(detail) for detail in item.details],
                    "equation": None
                    if item.symbol is None
                    else self.equation(Equation(item.symbol, "", item.lines)),
                }
                for item in findings.items
            ],
        }

    def line(self, line: Line) -> View:
        value = line.value.shown if isinstance(line.value, Written) else line.value
        if isinstance(value, Quantity | str):
            plain, shown = True, self.notation.cell(value)
        else:
            plain, shown = False, self.notation.display(value)
        number = [] if line.number is None else [f"= {self.notation.cell(line.number)}"]
        remark = [self.notation.text(line.remark)] if line.remark else []
        return {
            "relation": ours(line.relation),
            "formula": ours(shown),
            "number": plain,
            "broad": _breadth(value) > BROAD,
            "remark": ours(" ".join([*number, *remark])),
        }

    def drawing(self, drawing: Drawing) -> View:
        return {
            "kind": ours("figure"),
            "caption": self.text(drawing.caption),
            "label": ours(drawing.label),
            "alternative": self.text(drawing.alternative),
            "svg": ours(drawing.svg),
            "file": ours(self.files.get(drawing.label, "")),
        }


def ours(text: str) -> Markup:
    """Return what we have written: the notation has escaped what came from elsewhere."""
    return Markup(text)


def _short(number: float) -> Markup:
    """Return a number to the digits that sorting needs."""
    return ours(f"{number:.5g}")


def _fields(value: object) -> list[tuple[str, object]]:
    if is_dataclass(value):
        return [(item.name, getattr(value, item.name)) for item in fields(value)]
    names: tuple[str, ...] = getattr(value, "_fields", ())
    assert names, f"nothing is known of {type(value).__name__}"
    return [(name, getattr(value, name)) for name in names]


def _kind(cell: Cell) -> Markup:
    match cell:
        case Quantity() | Printed():
            return ours("number")
        case str() | Code():
            return ours("text")
    return ours("formula")


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


def _column_breadth(table: Table, place: int) -> float:
    """Return about how many characters wide the widest cell of a column is."""
    column = table.columns[place]
    heading = _breadth(column.heading) + (len(column.unit) + 3 if column.unit else 0)
    return max([heading, *(_breadth(row[place]) for row in table.rows)])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
