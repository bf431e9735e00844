"""Several answers to one question, each at values of its own: one table of all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from roofdsl.answer import places
from roofdsl.answer.blocks import (
    Block,
    Equation,
    Equations,
    Findings,
    Text,
    label,
    sentences,
    tabular,
)
from roofdsl.answer.cells import NOTHING, Cell, Printed, Quantity
from roofdsl.answer.forms import stated
from roofdsl.answer.head import opening
from roofdsl.answer.left_out import LeftOut, left_out_notes
from roofdsl.answer.plain import Json, as_json
from roofdsl.answer.table_part import OF, WHOLE, TablePart
from roofdsl.answer.titles import notes_blocks, shared_notes
from roofdsl.expression.tree import Expression, Symbol

_MODEL, _MACHINE = "model", "machine"
"""The headings of models and machines that differ; no parameter is called so."""
_FEW = 3


@runtime_checkable
class Combinable(Protocol):
    """An answer that can stand in a table of several."""

    def values(self) -> dict[str, Json]:
        """Return plain values of SI base units."""

    def part(self) -> TablePart:
        """Return its rows, and what is said of all of them."""


class CombinedAnswer(NamedTuple):
    """Answers to one question, at every combination of several values; `swept` is what has them.

    `left_out` are those of the combinations `asked` that were refused.
    """

    swept: Sequence[str]
    answers: Sequence[Combinable]
    left_out: Sequence[LeftOut] = ()
    asked: int = 0

    @classmethod
    def of(cls, answers: Sequence[Combinable]) -> CombinedAnswer:
        """Return answers that differ in some values: these are what has several."""
        each = [answer.part().settings for answer in answers]
        names = dict.fromkeys(name for settings in each for name in settings)
        swept = [name for name in names if len({settings.get(name) for settings in each}) > 1]
        return cls(swept, answers)

    def values(self) -> dict[str, Json]:
        """Return the answers as each is by itself."""
        found = [answer.values() for answer in self.answers]
        of, swept = found[0]["answer"], as_json(self.swept)
        return {
            **opening("combinations"),
            "of": of,
            "swept": swept,
            "answers": [*found],
            **({"left_out": [each.as_json() for each in self.left_out]} if self.left_out else {}),
        }

    def blocks(self) -> list[Block]:
        parts = [answer.part() for answer in self.answers]
        values = _values(parts, self.swept)
        title, fixed = _title(parts), ", ".join(_shared(parts, {*values[0]}))
        rows, idle = _rows(parts, values)
        place = label(title)
        caption = f"{title}, at {fixed}" if fixed else title
        blocks: list[Block] = [tabular(caption, place, rows, head=f"{caption}\n")]
        if idle:
            blocks.append(Text(f"{parts[0].idle}: {', '.join(idle)}"))
        blocks += _told(parts, values)
        if items := tuple(_forms(parts, values)):
            blocks.append(Equations("In closed form", f"{place}-forms", items, "in closed form"))
        proofs = [part.proof for part in parts if part.proof is not None]
        if proofs:
            blocks.append(Text(places.all_proven(proofs)))
        left_out = left_out_notes(self.left_out, self.asked)
        return [*blocks, *notes_blocks([*left_out, *_notes(parts)])]


def _title(parts: Sequence[TablePart]) -> str:
    """Return what all are of; what they differ in stands in the rows."""
    first = parts[0]
    of = first.model if all(part.model == first.model for part in parts) else ""
    if first.machine and all(part.machine == first.machine for part in parts):
        of = f"{of} on {first.machine}".lstrip()
    same = all(part.question == first.question for part in parts)
    over = f", {first.over}" if all(part.over == first.over for part in parts) else ""
    question = f"{first.question if same else first.kind}{over if first.over else ''}"
    return f"{of}: {question}" if of else question


def _values(parts: Sequence[TablePart], swept: Sequence[str]) -> list[dict[str, str]]:
    """Return by name what tells the parts from one another: what is swept, and what follows."""
    found: list[dict[str, str]] = [{} for _ in parts]
    names = dict.fromkeys(name for part in parts for name in part.settings)
    columns = {_MODEL: [part.model for part in parts], _MACHINE: [part.machine for part in parts]}
    columns |= {
        name: [part.settings.get(name, NOTHING) for part in parts]
        for name in sorted(names, key=lambda name: name not in swept)
    }
    columns[parts[0].asked[0]] = [part.asked[1] for part in parts]
    for name, column in columns.items():
        if name in swept or len({*column}) > 1:
            for values, value in zip(found, column, strict=True):
                values[name] = value
    return found


def _shared(parts: Sequence[TablePart], varied: set[str]) -> Iterator[str]:
    """Yield the values that all parts have, as a title shows them."""
    for name, value in parts[0].settings.items():
        if name not in varied:
            yield f"{name} = {value}"


def _rows(
    parts: Sequence[TablePart], values: Sequence[Mapping[str, str]]
) -> tuple[list[list[Cell]], list[str]]:
    """Return the rows of all parts under their headings, and which columns are left out."""
    lines = [_named(row, part, values[0]) for part in parts for row in part.rows]
    cells = {
        heading: [row.get(heading, NOTHING) for row in lines]
        for heading in dict.fromkeys(heading for row in lines for heading in row)
    }
    if all(cell == WHOLE for cell in cells.get(OF, ())):
        cells.pop(OF, None)
    idle = [name for name, column in cells.items() if parts[0].idle and _is_zero(column)]
    for name in idle:
        del cells[name]
    if any(part.proven for part in parts):
        cells["proven"] = [part.proven or "all" for part in parts for _ in part.rows]
    own = [at for part, at in zip(parts, values, strict=True) for _ in part.rows]
    rows: list[list[Cell]] = [[*values[0], *cells]]
    for place, at in enumerate(own):
        line: list[Cell] = [
            Printed(value) if value[:1].isdigit() else value for value in at.values()
        ]
        rows.append([*line, *(column[place] for column in cells.values())])
    return rows, [each.name if isinstance(each, Symbol) else str(each) for each in idle]


def _named(row: Mapping[Cell, Cell], part: TablePart, own: Mapping[str, str]) -> dict[Cell, Cell]:
    """Return a row whose headings do not name the machine where a column does."""
    start = f"{part.machine}." if _MACHINE in own else ""
    return {
        Symbol(name.name.removeprefix(start)) if isinstance(name, Symbol) else name: cell
        for name, cell in row.items()
    }


def _is_zero(column: Sequence[Cell]) -> bool:
    return all(isinstance(cell, Quantity) and cell.value == 0 for cell in column)


def _forms(parts: Sequence[TablePart], values: Sequence[Mapping[str, str]]) -> Iterator[Equation]:
    """Yield each closed form once, with the values that it is of if not of all."""
    found: dict[tuple[Symbol, Expression], list[str]] = {}
    for part, at in zip(parts, values, strict=True):
        for form in dict.fromkeys(part.forms):
            found.setdefault(form, []).append(_listed(at, part.asked[0]))
    for (symbol, root), places_of in found.items():
        more = [f"and {len(places_of) - _FEW} more"] if len(places_of) > _FEW else []
        of_all = len(found) == 1 and len(places_of) == len(parts)
        remark = "" if of_all else f"for {'; '.join([*places_of[:_FEW], *more])}"
        yield stated(symbol, root, remark=remark)


def _listed(values: Mapping[str, str], asked: str) -> str:
    """Return values as a sentence has them: `karst, P = 4`; `asked` heads what is asked."""
    bare = (_MODEL, _MACHINE, asked)
    each = (value if name in bare else f"{name} = {value}" for name, value in values.items())
    return ", ".join(each)


def _told(parts: Sequence[TablePart], values: Sequence[Mapping[str, str]]) -> Iterator[Findings]:
    """Yield the sentences of all parts: once where all say them, else behind the values."""
    texts = dict.fromkeys(text for part in parts for text in part.told)
    shared = [text for text in texts if all(text in part.told for part in parts)]
    own = [
        f"{_listed(at, part.asked[0])}: {text}"
        for part, at in zip(parts, values, strict=True)
        for text in part.told
        if text not in shared
    ]
    yield from sentences("", [*shared, *own])


def _notes(parts: Sequence[TablePart]) -> Iterator[str]:
    """Return each note once, with the machines it is of if not of all."""
    by_machine: dict[str, dict[str, None]] = {}
    for part in parts:
        by_machine.setdefault(part.machine, {}).update(dict.fromkeys(part.notes))
    return shared_notes([(name, [*notes]) for name, notes in by_machine.items()])
