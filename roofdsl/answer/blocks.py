"""What answers are made of, in every notation: texts, tables, equations, findings, figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.answer.cells import NOTHING, Align, Cell, Column, Printed, Quantity, Written
from roofdsl.expression.tree import Expression, Symbol


class Text(NamedTuple):
    """A paragraph, such as the title of an answer or what is proven of it."""

    text: str


class Prose(NamedTuple):
    """Paragraphs of a doc comment, in which names stand between backticks."""

    paragraphs: tuple[str, ...]


class Notes(NamedTuple):
    """What was assumed, skipped or taken for something else, a sentence each."""

    items: tuple[str, ...]


class Table(NamedTuple):
    """Rows of cells. `label` names it in documents; `emphasised` rows are set apart.

    In a terminal the `head` stands above the rows instead of the caption; "" for nothing. `cited`
    are the keys of the works it rests on, in reports/references.bib; `uncited` its other sources.
    A terminal that is too narrow leaves out `spare` columns, by their headings, the first one
    first; and of `one_line` cuts rows off, each of a name and a sentence.
    """

    caption: str
    label: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    emphasised: frozenset[int] = frozenset()
    head: str | None = None
    cited: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    one_line: bool = False


Relation: TypeAlias = Literal["=", "≈", "→"]


class Form(NamedTuple):
    """One form of a quantity, behind its relation: a formula, or a number with its unit.

    `≈` stands before a form in which numbers are rounded. `number` is what the formula comes to,
    all of its digits where it is `exact`.
    """

    relation: Relation
    value: Expression | Quantity | Written
    remark: str = ""
    number: Quantity | None = None
    exact: bool = True

    @property
    def comes_to(self) -> Relation:
        """How the formula is to its number."""
        return "=" if self.exact else "≈"


class Equation(NamedTuple):
    """A quantity by name, with its unit and its forms: in full, as it grows, with numbers."""

    name: Cell
    unit: str
    lines: tuple[Form, ...]
    remark: str = ""


class Equations(NamedTuple):
    """Equations under one title."""

    caption: str
    label: str
    items: tuple[Equation, ...]
    head: str | None = None


class Finding(NamedTuple):
    """A sentence, with details of its own, and the closed form of the value that it names."""

    text: str
    details: tuple[str, ...] = ()
    symbol: Symbol | None = None
    lines: tuple[Form, ...] = ()


class Findings(NamedTuple):
    """Sentences that stand by themselves; titled by the `caption`, in a terminal the `head`."""

    items: tuple[Finding, ...]
    head: str = ""
    caption: str = ""


class Drawing(NamedTuple):
    """A figure: what it shows in words, and its bytes in the formats that are wanted.

    The text refers to it as `Figure {number} shows {shows}`. `svg` has classes, and `styles` are
    these in light and in dark pages; `pdf` is for LaTeX.
    """

    caption: str
    label: str
    alternative: str
    svg: str = ""
    styles: tuple[tuple[str, str, str], ...] = ()
    pdf: bytes = b""
    shows: str = ""
    number: int = 0


Block: TypeAlias = Text | Prose | Notes | Table | Equations | Findings | Drawing


def label(*words: str) -> str:
    """Return words as a name that every notation can refer to.

    >>> label("summa", "on karst", "β <script>")
    'summa-on-karst-script'
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") or "part"


def in_a_row(names: Sequence[str]) -> str:
    """Return names as a sentence has them: `flops, memory and network`."""
    *first, last = names or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def tabular(
    caption: str,
    place: str,
    rows: Sequence[Sequence[Cell]],
    *,
    headings: Sequence[Cell | Column] = (),
    notes: tuple[str, ...] = (),
    emphasised: frozenset[int] = frozenset(),
    head: str | None = None,
    spare: Sequence[str] = (),
) -> Table:
    """Return a table of rows, without the columns in which nothing stands; numbers stand right.

    The first row holds the headings, if they are not given by themselves.

    >>> table = tabular("Times", "times", [["layer", "time"], ["fc1", Quantity(2.0)]])
    >>> [column.align for column in table.columns]
    ['left', 'right']
    """
    first, lines = (headings, rows) if headings else (rows[0], rows[1:])
    columns: list[Column] = []
    kept: list[int] = []
    for at, heading in enumerate(first):
        cells = [row[at] for row in lines]
        if any(cell != "" for cell in cells) or not lines:
            align: Align = "right" if _is_number(cells) else "left"
            columns.append(heading if isinstance(heading, Column) else Column(heading, align=align))
            kept.append(at)
    shown = tuple(tuple(row[at] for at in kept) for row in lines)
    return Table(caption, place, tuple(columns), shown, notes, emphasised, head, spare=tuple(spare))


def listed(
    what: str,
    of: str,
    headings: Sequence[Cell | Column],
    rows: Sequence[Sequence[Cell]],
    *,
    place: str = "",
    head: str = "",
) -> Iterator[Table]:
    """Yield the table of what something has, under headings; none where it has nothing."""
    if rows:
        place, head = place or label(of, what), head or what.lower()
        yield tabular(f"{what} of {of}", place, rows, headings=headings, head=head)


def titled(title: str, of: str, items: Iterable[Equation]) -> Iterator[Equations]:
    """Yield equations under a title, if there are any."""
    shown = tuple(items)
    if shown:
        yield Equations(f"{title.capitalize()} of {of}", label(of, title), shown, title)


def sentences(head: str, texts: Iterable[str]) -> Iterator[Findings]:
    """Yield sentences under a head, if there are any."""
    items = tuple(Finding(text) for text in texts)
    if items:
        yield Findings(items, head)


def _is_number(cells: Sequence[Cell]) -> bool:
    """Whether a column holds numbers, and texts only where it has none."""
    numbers = [isinstance(cell, Quantity | Printed) for cell in cells if cell not in ("", NOTHING)]
    return bool(numbers) and sum(numbers) * 2 > len(numbers)
