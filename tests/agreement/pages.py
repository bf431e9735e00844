"""What forms for people say, by the names of the quantities: a new form is one function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.answer.blocks import Block, Table
from roofdsl.answer.cells import Printed, Quantity
from roofdsl.units.quantity import show_quantity
from roofdsl.units.unit import Unit, read_unit
from tests.agreement.points import Point
from tests.agreement.values import UNITS, Shown, Value, Values

_SIGNS = {
    r"$\pm$": "±",
    r"\pm": "±",
    r"$\infty$": "∞",
    r"$\gets$": "←",
    r"$\times$": "×",
    r"\textendash": "–",
}
"""What LaTeX writes for signs."""
_HALF = re.compile(r"(\S+) ± (\S+)( [^(]*?)?(\s+\(.*)?$")
_OWED = re.compile(r"\S+ [\d.e-]+ %|–")
"""What stands behind the ends of what is uncertain: who owes it, or that nobody is known to."""


def table_row(point: Point, rows: Sequence[Sequence[str]]) -> Values:
    """The row of a range, and its heading."""
    if point.result.parameters:
        yield from _named(point, zip(*rows, strict=True))
    else:  # then there is nothing to have a range of
        yield from machine_column(point, rows)


def named(point: Point, name: str) -> str:
    """Return what a number of an answer is called here: work on a resource of one's own apart."""
    return f"own {name}" if name in point.result.own else name


def machine_column(point: Point, rows: Sequence[Sequence[str]]) -> Values:
    """The column of a machine among several."""
    yield from _named(point, ((name.replace(" (ridge)", ""), cell) for name, cell in rows[1:]))


def _named(point: Point, cells: Iterable[Sequence[str]]) -> Values:
    parameters = point.result.parameters.keys()
    metrics = {item.name for item in point.prediction.model.metrics}
    for name, cell in cells:
        if name in metrics:
            yield f"metric {name}", Shown(cell)
            continue
        if name in point.result.tallies and name not in parameters:
            yield from _tally(name, [cell])
        elif name == "bound":
            yield from _binding(cell)
        elif name == "bound.kind":
            yield "kind", cell.removeprefix("none")
        elif name.endswith("*"):
            yield f"ridge {name[:-1]}", None if cell == "–" else Shown(cell)
        elif name in UNITS or name in point.result.own or name.startswith("flops/"):
            yield named(point, name), Shown(cell)


def text(point: Point, page: str) -> Values:
    yield from _of_rows(point, (re.split(r"\s{2,}", line.strip()) for line in page.split("\n")))


def blocks(point: Point, found: Sequence[Block]) -> Values:
    """Cells of the tables that every notation is made of."""
    rows = (row for each in found if isinstance(each, Table) for row in each.rows)
    yield from _of_rows(point, rows)


def markdown(point: Point, page: str) -> Values:
    page = page.replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
    lines = (line.strip("|") for line in page.split("\n") if line.startswith("|"))
    yield from _of_rows(point, ([cell.strip(" *") for cell in line.split("|")] for line in lines))


def latex(point: Point, page: str) -> Values:
    page = page.replace(r"\ensuremath{\mu}", "µ")
    page = re.sub(r"\\qty\{(.*?)\}\{(.*?)\}", r"\1 \2", page)
    page = re.sub(r"\\(?:num|unit)\{(.*?)\}", r"\1", page)
    for written, means in _SIGNS.items():
        page = page.replace(written, means)
    yield from _of_rows(point, _latex_rows(page))


def _latex_rows(page: str) -> Iterator[list[str]]:
    """Yield the rows of tables, those of one table's parts joined, and all other lines."""
    whole: list[list[str]] = []
    headings: list[str] = []
    for piece in re.split(r"(?=\\toprule)", page):
        lines = [re.split(" & ", line.removesuffix(r" \\")) for line in piece.split("\n")]
        at = next((n for n, row in enumerate(lines) if row == ["\\midrule"]), 0)
        rows = [_in_one_piece(row, lines[at - 1]) for row in lines[at:] if len(row) > 1]
        shared = sum(1 for one, other in zip(headings, lines[at - 1], strict=False) if one == other)
        if not headings or not at:
            yield from whole
            whole, headings = rows, lines[at - 1] if at else []
        else:
            waiting = iter(whole)
            for row in rows:  # in their order, but for those that say nothing
                begun = next((each for each in waiting if each[:shared] == row[:shared]), [])
                begun += row[shared:]
        if "\\caption{" in piece:  # of the next table
            yield from whole
            whole, headings = [], []
    yield from whole


def _in_one_piece(row: Sequence[str], headings: Sequence[str]) -> list[str]:
    """Return the cells of a row, behind each number the unit that stands in the heading."""
    cells = [re.sub(r"[\\{}]", "", cell) for cell in row]
    if len(headings) == len(cells):
        for place, heading in enumerate(headings):
            unit = re.search(r"\[(?!t\])(.*?)\]", heading)
            if unit is not None and re.fullmatch(r"-?[\d.]+|∞", cells[place]):
                read = read_unit(unit[1])
                assert isinstance(read, Unit), unit
                number = float(cells[place].replace("∞", "inf")) * float(read.factor)
                cells[place] = show_quantity(number, read.dimension)
    return cells


def _of_rows(point: Point, rows: Iterable[Sequence[Any]]) -> Values:
    """Return what a page says of a point: a name in front, then a number as such or in print."""
    prediction = point.prediction
    works = {load.name: load.group for load in prediction.loads}
    tallies = {tally.name for tally in prediction.tallies()}
    metrics = {item.name for item in prediction.model.metrics}
    busy: dict[str, list[Any]] = {}
    for row in rows:
        cells = [cell for cell in row if cell != ""]
        name = cells[0] if cells and isinstance(cells[0], str) else ""
        plain = name.lower()
        if len(cells) < 2:
            continue
        if name in works and len(cells) > 2 and works.get(name) is not None:
            yield f"work {name}", _value(cells[1])
            arrow = str(cells[-1]).startswith("←")
            if not prediction.is_kernel:
                group, last = works.pop(name), -2 if arrow else -1
                busy.setdefault(group, []).append(_value(cells[last - 1]))
                share = str(getattr(cells[last], "text", cells[last]))
                if point.result.shares.get(group) and busy[group][-1] not in (0, Shown("0 s")):
                    yield f"share {group}", Shown(share.removesuffix(" together"))
        elif len(cells) == 4 and name in point.result.uncertainty and _OWED.match(str(cells[3])):
            yield f"least {name}", _end(cells[1])
            yield f"most {name}", _end(cells[2])
        elif name in INTENSITIES or name.startswith("flops/"):
            yield name, _value(cells[1])
            yield f"ridge {name}", None if cells[2] == "–" else _value(cells[2])
        elif plain in ("time", "attainable") and len(cells) < 4:
            yield from _with_half(plain, plain, cells[1])
        elif plain == "bound" and len(cells) == 2:
            yield from _bound(str(cells[1]))
        elif plain == "bound.kind":
            yield "kind", str(cells[1])
        elif name in metrics and len(cells) == 2:
            said = _value(cells[1])
            if isinstance(said, Shown) and said.text.startswith("–"):
                yield f"metric {name}", Shown("–")
            else:
                yield from _with_half(f"metric {name}", name, cells[1])
        elif name in tallies:
            yield from _tally(name, cells[1:])
        elif plain == "in total":
            done, _, flops = str(cells[1]).partition(" on ")[0].partition(", ")
            yield "total attainable", Shown(done)
            yield "total flops", Shown(flops)
        elif plain == "margin":
            yield from _margin_said(str(cells[1]))
    for group, each in busy.items():
        if len(each) == 1 or not prediction.by_rates:
            yield from ((f"busy {group}", time) for time in each)
        elif not any(isinstance(time, Shown) for time in each):  # each has a part of its time
            yield f"busy {group}", sum(each)


def explorer(point: Point, shown: Mapping[str, Any]) -> Values:
    """The panel of numbers of the explorer's page, and the line above it."""
    works = {load.name for load in point.prediction.loads}
    tallies = {tally.name for tally in point.prediction.tallies()}
    metrics = {item.name for item in point.prediction.model.metrics}
    for name, text in shown["numbers"].items():
        if text in ("true", "false"):
            yield f"metric {name}", text == "true"
            continue
        value = float(text.replace("Infinity", "inf"))
        if name in works:
            yield f"work {name}", value
        elif name in tallies:
            yield f"tally {name}", value
        elif name in metrics:
            yield f"metric {name}", value
        elif name.startswith("time on "):
            yield f"busy {name.removeprefix('time on ')}", value
        elif name.endswith("*"):
            yield f"ridge {name[:-1]}", value
        elif name in UNITS or name == "total flops" or name.startswith("flops/"):
            yield name, value
        elif name == "attainable by all":
            yield "total attainable", value
    yield from ((f"metric {name}", None) for name in shown["unanswered"] if name in metrics)
    yield "bound", shown["bound"]
    sentence, verdict = shown["sentence"], shown["verdict"]
    names = "" if sentence == "takes no time" else sentence.removeprefix("bound by ")
    yield "ties", tuple(names.split(" and ")) if names else ()
    if found := re.search(r"margin (\S+) × ([^\s;]+)", verdict):
        yield "margin", Shown(f"{found[1]} ×")
        yield "next", found[2]
    if found := re.search(r"stated (tensors|footprint) (within|beyond) the capacity", verdict):
        tally = "peak_memory" if found[1] == "tensors" else "footprint"
        yield f"fits {tally}", found[2] == "within"


def _with_half(quantity: str, name: str, cell: Any) -> Values:
    """Return a number, and what stands behind its ±."""
    said = _value(cell)
    if isinstance(cell, Quantity) and cell.uncertainty is not None:
        yield f"off {name}", cell.value * cell.uncertainty
    if isinstance(said, Shown) and (found := _HALF.match(said.text)):
        yield quantity, Shown(f"{found[1]}{found[3] or ''}{found[4] or ''}")
        yield f"off {name}", Shown(f"{found[2]}{found[3] or ''}".strip())
    else:
        yield quantity, said


def _end(cell: Any) -> Value:
    """Return an end as it is printed: it is rounded outwards before it becomes a cell."""
    if isinstance(cell, Quantity):
        return Shown(show_quantity(cell.value, cell.dimension))
    return _value(cell)


def _tally(name: str, cells: Sequence[Any]) -> Values:
    """Return what stands behind the name of a tally: the amount, and whether it fits."""
    yield f"tally {name}", _value(cells[0])
    remark = [*_remarks(cells[0]), *map(str, cells[1:])]
    if remark and "stated" in remark[0]:  # else it is a step of this name
        yield f"fits {name}", "within" in remark[0]


def _binding(names: str) -> Values:
    """Return what binds, of what is said where all that tie are named."""
    ties = () if names.startswith("none") else tuple(names.split(" and "))
    yield "ties", ties
    yield "bound", ties[0] if ties else ""


def _margin_said(said: str) -> Values:
    if found := re.match(r"(\S+) × ([^\s;]+); ", said):
        yield "margin", Shown(f"{found[1]} ×")
        yield "next", found[2]
    if found := re.search(r"off by (less than \S+ %)", said):
        yield "tolerance", Shown(found[1])


def _value(cell: Any) -> Value:
    if isinstance(cell, Quantity):
        return cell.value
    return Shown(cell.text if isinstance(cell, Printed) else str(cell))


def _remarks(cell: Any) -> list[str]:
    """Return what stands behind a number, in parentheses."""
    if isinstance(cell, Quantity):
        return [cell.remark] if cell.remark else []
    return re.findall(r"\(.*\)", str(cell))


def _bound(said: str) -> Values:
    """Return what binds, or the shares of what the time is charged to; of many, the largest."""
    if not said.endswith(" of the time"):
        yield from _binding(said)
    else:
        for each in re.sub(r"( and \d+ more)? of the time", "", said).split(", "):
            name, _, share = each.partition(" ")
            yield f"share {name}", Shown(share)
