"""What each form of an answer says, by the names of the quantities: a new form is one function."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.blocks import Block, Table
from roofdsl.answer.cells import Quantity
from roofdsl.answer.point import PointAnswer
from roofdsl.answer.rows import RowsAnswer
from roofdsl.answer.sweep import Sweep, SweepPlan
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.scalar import evaluate
from roofdsl.report import csv as csv_format
from roofdsl.report import json as json_format
from roofdsl.report import latex as latex_format
from roofdsl.report import markdown as markdown_format
from roofdsl.report import text as text_format
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_quantity
from tests.agreement.points import Point


class Shown(NamedTuple):
    """A number as it is printed: it must be the number, rounded by the one rule."""

    text: str


Value: TypeAlias = float | str | bool | tuple[str, ...] | Shown | None
Values: TypeAlias = Iterator[tuple[str, Value]]

NEAR = 1e-12
TOTALS = ("flops", "memory", "network")
UNITS: dict[str, Dimension] = {
    "time": SECOND,
    "attainable": FLOP / SECOND,
    "flops": FLOP,
    "memory": BYTE,
    "network": BYTE,
    "OI": FLOP / BYTE,
    "CAI": FLOP / BYTE,
    "MI": DIMENSIONLESS,
}


def expected(point: Point) -> dict[str, Value]:
    """Return what `evaluate` says; all others must say the same."""
    result = point.result
    return {
        **{name: getattr(result, name) for name in UNITS},
        "bound": result.bound or "",
        "ties": result.ties,
        **{f"ridge {name}": getattr(result.ridge, name) for name in INTENSITIES},
        **{f"share {name}": share for name, share in result.shares.items() if share},
        **{f"work {name}": amount for name, amount in result.work.items()},
        **{f"busy {name}": time for name, time in result.times.items()},
        **{f"tally {name}": amount for name, amount in result.tallies.items()},
        **{f"total {name}": amount for name, amount in result.totals.items()},
        **{f"fits {name}": fits for name, fits in result.fits.items()},
        **({} if result.margin is None else {"holds": result.margin.holds}),
        **_known("total attainable", result.total_attainable),
    }


def _known(name: str, value: float | None) -> dict[str, Value]:
    return {} if value is None else {name: value}


def units(point: Point) -> dict[str, Dimension]:
    """Return the dimension of each quantity."""
    prediction = point.prediction
    return {
        **UNITS,
        **{f"ridge {name}": UNITS[name] for name in INTENSITIES},
        **{f"work {load.name}": load.resource.dimension for load in prediction.loads},
        **{f"busy {name}": SECOND for name in point.result.times},
        **{f"tally {tally.name}": tally.dimension for tally in prediction.tallies()},
        "total flops": FLOP,
        "total attainable": FLOP / SECOND,
    }


# Formulas and arrays


def formulas(point: Point, prediction: Prediction) -> Values:
    """The formulas of the prediction, with the machine's numbers put in."""

    def value(tree: Expression | None) -> float | None:
        return None if tree is None else evaluate(substitute(tree, prediction.rates), {})

    time = value(prediction.time())
    yield "time", time
    for name in TOTALS:
        yield name, value(prediction.work(name))
    if time:
        yield "attainable", value(prediction.attainable())
    for name, (_, below) in INTENSITIES.items():
        if value(prediction.work(below)):
            yield name, value(prediction.intensity(name))
    for name, tree in prediction.times().items():
        yield f"busy {name}", value(tree)
    for tally in prediction.tallies():
        yield f"tally {tally.name}", value(tally.amount)
    for load in prediction.loads:
        yield f"work {load.name}", value(load.work)
    rivals = {name: value(tree) or 0.0 for name, tree in prediction.rivals().items()}
    most = max(rivals.values(), default=0.0)
    largest = [name for name, each in rivals.items() if each >= most * (1 - NEAR) > 0]
    # Which of them is the first of equals only exact numbers say.
    yield "bound", point.result.bound if point.result.bound in largest else "".join(largest)
    if not prediction.is_kernel and time:
        yield from ((f"share {name}", each / time) for name, each in rivals.items() if each)


def sweep(_: Point, found: Sweep) -> Values:
    """The arrays of a sweep, at one place."""
    yield from at_place(found, ())


def at_place(found: Sweep, place: int | tuple[()]) -> Values:
    """Return what a sweep says of one of its points."""
    for name in UNITS:
        yield name, float(getattr(found, name)[place])
    yield "bound", str(np.asarray(found.bound)[place])
    yield from ((f"busy {name}", float(times[place])) for name, times in found.times.items())
    yield from ((f"tally {name}", float(each[place])) for name, each in found.tallies.items())
    yield from ((f"total {name}", float(each[place])) for name, each in found.totals.items())
    yield from ((f"fits {name}", bool(each[place])) for name, each in found.fits.items())
    for name, shares in found.shares.items():
        if float(shares[place]) > 0:
            yield f"share {name}", float(shares[place])


# Forms for machines


def json_answer(_: Point, written: str) -> Values:
    answer = json.loads(written)
    yield from ((name, _number(answer["values"][name])) for name in UNITS)
    yield "bound", answer["bound"] or ""
    yield "ties", tuple(answer["ties"])
    yield from ((f"ridge {name}", _number(answer["ridge"][name])) for name in INTENSITIES)
    yield from ((f"work {name}", _number(value)) for name, value in answer["work"].items())
    yield from ((f"busy {name}", _number(value)) for name, value in answer["times"].items())
    yield from ((f"tally {name}", _number(v)) for name, v in answer["tallies"].items())
    yield from ((f"fits {name}", fits) for name, fits in answer["within_capacity"].items())
    yield from ((f"share {name}", _number(v)) for name, v in answer["shares"].items())
    totals = {name: value for name, value in answer["total"].items() if name != "processes"}
    yield from ((f"total {name}", _number(value)) for name, value in totals.items())
    if answer["margin"] is not None:
        yield "holds", answer["margin"]["holds"]


def csv_row(_: Point, written: str) -> Values:
    (row,) = csv.DictReader(StringIO(written))
    yield from ((name, _number(row[name])) for name in UNITS)
    yield "bound", row["bound"]
    for name, cell in row.items():
        if name.startswith("tally_"):
            yield f"tally {name.removeprefix('tally_')}", _number(cell)
        elif name.endswith("_within_capacity"):
            yield f"fits {name.removesuffix('_within_capacity')}", cell == "true"


def _number(value: Any) -> float | None:
    """Return a number of JSON or CSV: infinity is "inf", what is undefined null or nothing."""
    return math.nan if value in (None, "") else float(value)


# Forms for people


def table_row(point: Point, rows: Sequence[Sequence[str]]) -> Values:
    """The row of a range, and its heading."""
    if point.result.parameters:
        yield from _named(zip(*rows, strict=True))
    else:  # then there is nothing to have a range of
        yield from machine_column(point, rows)


def machine_column(_: Point, rows: Sequence[Sequence[str]]) -> Values:
    """The column of a machine among several."""
    yield from _named((name.replace(" (ridge)", ""), cell) for name, cell in rows[1:])


def _answer(point: Point) -> PointAnswer:
    return PointAnswer(point.result, point.prediction)


def _rows(point: Point, swept: tuple[str, ...] = ()) -> RowsAnswer:
    return RowsAnswer([point.result], [point.prediction], swept)


def _cells(answer: RowsAnswer) -> list[list[str]]:
    table = answer.blocks()[0]
    assert isinstance(table, Table)
    return text_format.rows_of(table)


def _named(cells: Iterable[Sequence[str]]) -> Values:
    for name, cell in cells:
        if name == "bound":
            yield "ties", () if cell == "none" else tuple(cell.split(" and "))
        elif name.endswith("*"):
            yield f"ridge {name[:-1]}", None if cell == "–" else Shown(cell)
        elif name in UNITS:
            yield name, Shown(cell)


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
    page = re.sub(r"\\num\{(.*?)\}", r"\1", page)
    for written, means in ((r"$\infty$", "∞"), (r"$\gets$", "←"), (r"\textendash", "–")):
        page = page.replace(written, means)
    rows = (re.split(" & ", line.removesuffix(r" \\")) for line in page.split("\n"))
    yield from _of_rows(point, ([re.sub(r"[\\{}]", "", cell) for cell in row] for row in rows))


def _of_rows(point: Point, rows: Iterable[Sequence[Any]]) -> Values:
    """Return what a page says of a point: a name in front, then a number as such or in print."""
    prediction = point.prediction
    works = {load.name: load.group for load in prediction.loads}
    tallies = {tally.name for tally in prediction.tallies()}
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
        elif name in INTENSITIES:
            yield name, _value(cells[1])
            yield f"ridge {name}", None if cells[2] == "–" else _value(cells[2])
        elif plain in ("time", "attainable") and len(cells) < 4:
            yield plain, _value(cells[1])
        elif plain == "bound" and len(cells) == 2:
            yield from _bound(str(cells[1]), kernel=prediction.is_kernel)
        elif name in tallies:
            yield f"tally {name}", _value(cells[1])
            remark = [*_remarks(cells[1]), *map(str, cells[2:])]
            if remark:
                yield f"fits {name}", "within" in remark[0]
        elif plain == "in total":
            done, _, flops = str(cells[1]).partition(" on ")[0].partition(", ")
            yield "total attainable", Shown(done)
            yield "total flops", Shown(flops)
        elif plain == "margin":
            yield "holds", "may not hold" not in str(cells[1])
    for group, each in busy.items():
        if len(each) == 1 or not prediction.by_rates:
            yield from ((f"busy {group}", time) for time in each)
        elif not any(isinstance(time, Shown) for time in each):  # each has a part of its time
            yield f"busy {group}", sum(each)


def explorer(point: Point, shown: Mapping[str, Any]) -> Values:
    """The panel of numbers of the explorer's page, and the line above it."""
    works = {load.name for load in point.prediction.loads}
    tallies = {tally.name for tally in point.prediction.tallies()}
    for name, text in shown["numbers"].items():
        value = float(text.replace("Infinity", "inf"))
        if name in works:
            yield f"work {name}", value
        elif name in tallies:
            yield f"tally {name}", value
        elif name.startswith("time on "):
            yield f"busy {name.removeprefix('time on ')}", value
        elif name.endswith("*"):
            yield f"ridge {name[:-1]}", value
        elif name in UNITS or name == "total flops":
            yield name, value
        elif name == "attainable by all":
            yield "total attainable", value
    yield "bound", shown["bound"]
    sentence, verdict = shown["sentence"], shown["verdict"]
    names = "" if sentence == "takes no time" else sentence.removeprefix("bound by ")
    names = names.replace("compute-bound", "flops")
    yield "ties", tuple(names.split(" and ")) if names else ()
    if "margin" in verdict:
        yield "holds", "may not hold" not in verdict
    if "footprint" in verdict:
        yield "fits footprint", "within the capacity" in verdict


def _value(cell: Any) -> Value:
    return cell.value if isinstance(cell, Quantity) else Shown(str(cell))


def _remarks(cell: Any) -> list[str]:
    """Return what stands behind a number, in parentheses."""
    if isinstance(cell, Quantity):
        return [cell.remark] if cell.remark else []
    return re.findall(r"\(.*\)", str(cell))


def _bound(said: str, *, kernel: bool) -> Values:
    if said.startswith("none"):
        yield "ties", ()
    elif kernel:
        yield "ties", tuple(said.split(" and "))
    else:
        for each in said.removesuffix(" of the time").split(", "):
            name, _, share = each.partition(" ")
            yield f"share {name}", Shown(share)


class Reader(NamedTuple):
    """How a form is made and read, and what it must say; `slow` ones read a point of each machine.

    What is found first counts: steps in a breakdown may be named like anything above it.
    """

    make: Callable[[Point], Any]
    read: Callable[[Point, Any], Values]
    says: tuple[str, ...]
    slow: bool = False


_NUMBERS = tuple(UNITS)
_RIDGE = tuple(f"ridge {name}" for name in INTENSITIES)
_PAGE = ("time", "attainable", *INTENSITIES, *_RIDGE, "work", "tally", "fits", "holds")
READERS = {
    "formulas": Reader(
        lambda point: point.prediction,
        formulas,
        ("time", "bound", *TOTALS, "busy", "tally", "work"),
    ),
    "sweep": Reader(
        lambda point: SweepPlan(point.prediction).sweep({}, lambda _: point.result),
        sweep,
        (*_NUMBERS, "bound", "busy", "tally", "fits", "share", *(f"total {x}" for x in TOTALS)),
    ),
    "JSON": Reader(
        lambda point: json_format.written(_answer(point)),
        json_answer,
        (*_NUMBERS, "bound", *_RIDGE, "work", "busy", "tally", "fits", "holds", "total"),
    ),
    "CSV": Reader(lambda point: csv_format.written(_rows(point)), csv_row, (*_NUMBERS, "bound")),
    "table": Reader(
        lambda point: _cells(_rows(point, tuple(point.result.parameters)[:1])),
        table_row,
        ("time", "attainable", *INTENSITIES, "ties"),
    ),
    "machines": Reader(
        lambda point: _cells(_rows(point)), machine_column, (*_NUMBERS, *_RIDGE, "ties")
    ),
    "text": Reader(lambda point: text_format.written(_answer(point)), text, _PAGE),
    "blocks": Reader(lambda point: _answer(point).blocks(), blocks, _PAGE),
    "Markdown": Reader(
        lambda point: markdown_format.written(_answer(point)), markdown, _PAGE, slow=True
    ),
    "LaTeX": Reader(lambda point: latex_format.written(_answer(point)), latex, _PAGE, slow=True),
}

# A page is opened for several models at once: tests/explorer/test_every_model.py does. It says the
# totals where there are several processes.
EXPLORER_SAYS = (*_PAGE, "busy", "bound", "ties")


def differences(point: Point, readers: Mapping[str, Reader] = READERS) -> list[str]:
    """Say what any form of the answer says that is not what `evaluate` says, or leaves out."""
    found: list[str] = []
    for name, reader in readers.items():
        if point.first or not reader.slow:
            found += (f"{name}: {each}" for each in wrong(point, reader, reader.make(point)))
    return [f"{point.name}: {each}" for each in found]


def wrong(point: Point, reader: Reader, form: Any) -> Iterator[str]:
    """Say what one form of the answer says that `evaluate` does not, or leaves out."""
    wanted = expected(point)
    said = dict(reversed([*reader.read(point, form)]))
    yield from unequal(said, wanted, units(point))
    for quantity in wanted.keys() - said.keys():
        if quantity in reader.says or quantity.partition(" ")[0] in reader.says:
            yield f"{quantity} is not said"


def unequal(
    said: Mapping[str, Value], wanted: Mapping[str, Value], dimensions: Mapping[str, Dimension]
) -> Iterator[str]:
    for quantity, value in said.items():
        if quantity not in wanted and value:
            yield f"{quantity} is {value}, and `evaluate` does not have it"
        elif not same(value, wanted.get(quantity), dimensions.get(quantity)):
            yield f"{quantity} is {value}, not {wanted.get(quantity)}"


def same(value: Value, wanted: Value, dimension: Dimension | None) -> bool:
    if isinstance(value, Shown) and isinstance(wanted, float):
        if dimension is None:
            return value.text == f"{100 * wanted:.3g} %"
        return re.split(r"\s+\(", value.text)[0] == show_quantity(wanted, dimension)
    if isinstance(value, float) and isinstance(wanted, float):
        return (
            value == wanted
            or abs(value - wanted) <= NEAR * abs(wanted)
            or (math.isnan(value) and math.isnan(wanted))
        )
    if wanted is None:
        return value is None or (isinstance(value, float) and math.isnan(value))
    return value == wanted
