"""How each form of an answer is made and read, and what it leaves out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from roofdsl.analysis.bound_kind import times_of_kinds
from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.metrics import metric_formulas
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.blocks import Table
from roofdsl.answer.point import PointAnswer
from roofdsl.answer.rows import RowsAnswer
from roofdsl.answer.spending import COLUMNS
from roofdsl.answer.sweep import SweepPlan
from roofdsl.answer.swept import Sweep
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, Expression
from roofdsl.numeric.extended import extended
from roofdsl.numeric.scalar import evaluate
from roofdsl.report import csv as csv_format
from roofdsl.report import json as json_format
from roofdsl.report import latex as latex_format
from roofdsl.report import markdown as markdown_format
from roofdsl.report import text as text_format
from roofdsl.report.plain import rows_of
from tests.agreement.pages import (
    blocks,
    explorer,
    latex,
    machine_column,
    markdown,
    named,
    table_row,
    text,
)
from tests.agreement.points import Point
from tests.agreement.rows import (
    asked,
    asked_cells,
    asked_csv,
    asked_json,
    asked_markdown,
    csv_row,
    frame,
    given,
    in_pandas,
    in_xarray,
    number,
)
from tests.agreement.values import (
    NEAR,
    TOTALS,
    UNITS,
    End,
    Values,
    expected,
    unequal,
    units,
)


def formulas(point: Point, prediction: Prediction) -> Values:
    """The formulas of the prediction, with the machine's numbers put in."""

    def value(tree: Expression | None) -> float | None:
        return None if tree is None else evaluate(substitute(tree, prediction.rates), {})

    time = value(prediction.time())
    yield "time", time
    for name in () if prediction.is_mix else TOTALS:
        yield name, value(prediction.work(name))
    for name in prediction.own:
        yield f"own {name}", value(prediction.work(name))
        done, worked = value(prediction.work("flops")), value(prediction.work(name))
        endless = math.inf if done else math.nan
        quotient = value(prediction.intensity(f"flops/{name}")) if worked else endless
        yield f"flops/{name}", quotient
    if time and not prediction.is_mix:
        yield "attainable", value(prediction.attainable())
    for name, (_, below) in INTENSITIES.items():
        if value(prediction.work(below)):
            yield name, value(prediction.intensity(name))
    for name, tree in prediction.times().items():
        yield f"busy {name}", value(tree)
    for tally in prediction.tallies():
        yield f"tally {tally.name}", value(tally.amount)
    trees, unanswered = metric_formulas(prediction)
    for name, tree in trees.items():
        found = extended(substitute(tree, prediction.rates), {})
        truth = isinstance(point.result.metrics.get(name), bool)
        yield f"metric {name}", bool(found) if truth else float(found)
    yield from ((f"metric {name}", None) for name in unanswered)
    for load in prediction.loads:
        yield f"work {load.name}", value(load.work)
    for name, tree in prediction.together.items():
        yield f"total {name}", value(tree)
    rivals = {name: value(tree) or 0.0 for name, tree in prediction.rivals.items()}
    most = max(rivals.values(), default=0.0)
    largest = [name for name, each in rivals.items() if each >= most * (1 - NEAR) > 0]
    # Which of them is the first of equals only exact numbers say.
    bound = point.result.bound if point.result.bound in largest else "".join(largest)
    yield "bound", bound
    of_kinds = {kind: value(time) or 0.0 for kind, time in _of_kinds(prediction, bound)}
    longest = max(of_kinds.values(), default=0.0)
    near = [kind for kind, each in of_kinds.items() if each >= longest * (1 - NEAR)]
    yield "kind", point.result.bound_kind if point.result.bound_kind in near else "".join(near)
    if not prediction.is_kernel and time:
        yield from ((f"share {name}", each / time) for name, each in rivals.items() if each)


def _of_kinds(prediction: Prediction, bound: str) -> Iterator[tuple[str, Expression]]:
    kinds = prediction.kinds_within.get(bound, [bound] if bound else [])
    if len(kinds) < 2:
        yield from ((kind, ONE) for kind in kinds)
    else:
        yield from times_of_kinds(prediction, bound).items()


def sweep(_: Point, found: Sweep) -> Values:
    """The arrays of a sweep, at one place."""
    yield from at_place(found, ())
    for name, values in found.parameters.items():
        yield f"parameter {name}", given(values.item())


def at_place(found: Sweep, place: int | tuple[()]) -> Values:
    """Return what a sweep says of one of its points."""
    for name in UNITS:
        yield name, float(getattr(found, name)[place])
    for name, work in found.own_work.items():
        yield f"own {name}", float(work[place])
        yield f"flops/{name}", float(found.intensity[name][place])
    yield "bound", str(np.asarray(found.bound)[place])
    yield "kind", str(np.asarray(found.bound_kind)[place])
    yield from ((f"busy {name}", float(times[place])) for name, times in found.times.items())
    yield from ((f"tally {name}", float(each[place])) for name, each in found.tallies.items())
    yield from ((f"total {name}", float(each[place])) for name, each in found.totals.items())
    yield from ((f"fits {name}", bool(each[place])) for name, each in found.fits.items())
    yield from ((f"metric {name}", each[place].item()) for name, each in found.metrics.items())
    yield from ((f"metric {name}", None) for name in found.unanswered)
    for name, shares in found.shares.items():
        if float(shares[place]) > 0:
            yield f"share {name}", float(shares[place])


def json_answer(point: Point, written: str) -> Values:
    answer = json.loads(written, parse_float=Decimal)
    yield from ((f"parameter {name}", given(value)) for name, value in answer["params"].items())
    for name, value in answer["values"].items():
        if name != "peak":
            yield named(point, name), number(value)
    yield "bound", answer["bound"] or ""
    yield "kind", answer["bound_kind"] or ""
    yield "ties", tuple(answer["ties"])
    yield from ((f"ridge {name}", number(value)) for name, value in answer["ridge"].items())
    yield from ((f"work {name}", number(value)) for name, value in answer["work"].items())
    yield from ((f"busy {name}", number(value)) for name, value in answer["times"].items())
    yield from ((f"tally {name}", number(v)) for name, v in answer["tallies"].items())
    yield from ((f"fits {name}", fits) for name, fits in answer["within_capacity"].items())
    for name, value in answer["metrics"].items():
        yield f"metric {name}", value if isinstance(value, bool) else number(value)
    yield from ((f"share {name}", number(v)) for name, v in answer["shares"].items())
    totals = {name: value for name, value in answer["total"].items() if name != "processes"}
    yield from ((f"total {name}", number(value)) for name, value in totals.items())
    for name, item in answer.get("uncertainty", {"quantities": {}})["quantities"].items():
        yield f"least {name}", number(item["low"])
        yield f"most {name}", number(item["high"])
        if item["first_order"] is not None:
            yield f"off {name}", number(item["first_order"])
    if answer["margin"] is not None:
        margin = answer["margin"]
        yield "tolerance", number(margin["tolerance"])
        if margin["next"] is not None:
            yield "margin", number(margin["ratio"])
            yield "next", margin["next"]
        if margin["turned"] is not None:
            yield "turned change", number(margin["turned"]["change"])
            yield "turned bound", margin["turned"]["bound"]


def _answer(point: Point) -> PointAnswer:
    return PointAnswer(point.result, point.prediction)


def _rows(point: Point, swept: tuple[str, ...] = ()) -> RowsAnswer:
    return RowsAnswer([point.result], [point.prediction], swept)


def _cells(answer: RowsAnswer) -> list[list[str]]:
    table = answer.blocks()[0]
    assert isinstance(table, Table)
    return rows_of(table)


class Reader(NamedTuple):
    """How a form is made and read; `slow` ones read a point of each machine.

    A form says all that `expected` has but what is in `silent`, with the reason; what it says of
    that at times, the reader compares. What is found first counts: steps in a breakdown may be
    named like anything above it. Of a mix each job has works, intensities and ridge points of its
    own. One without `make` is made for several points at once.
    """

    read: Callable[[Point, Any], Values]
    make: Callable[[Point], Any] | None
    silent: Mapping[str, str]
    slow: bool = False


MARGIN = ("margin", "next", "tolerance", "turned")
_IN_TITLE = {"parameter": "stands in the title, which test_parameters.py reads"}
UNCERTAIN = ("least", "most", "off")
_FIRST = "of what is told first: time, performance, energy, power, cost and metrics"
_SEVERAL = "where the bound has several"
_PAGE = {
    **_IN_TITLE,
    **dict.fromkeys((*TOTALS, "own"), "the work stands there by resource and level"),
    "bound": "of a composition the shares say it",
    "ties": "of a composition the shares say it",
    "kind": _SEVERAL,
    "share": "a kernel has none, a composition's bound has four",
    "busy": "several rows of one resource have parts of it",
    "total": "work and performance of several processes, of flops alone",
    "tolerance": "in other words where it is none, or all",
    "turned": "where it is far, or another than the next",
    **dict.fromkeys(UNCERTAIN, _FIRST),
}
_COLUMNS = {
    "kind": _SEVERAL,
    "share": "has no column",
    "work": "has no column",
    "busy": "has no column",
    "total": "has no column",
    **dict.fromkeys((*MARGIN, *UNCERTAIN), "has no column"),
}
_ASKED = {
    "parameter": "is in the row itself where it varies",
    **dict.fromkeys(UNITS, "a parameter may be called so"),
    "share": "is asked for of steps",
    "fits": "stands behind the tally",
    "ridge": "of the usual intensities",
    "work": "of a resource, where that is not one of its levels",
    "total attainable": "follows from others",
    **dict.fromkeys(MARGIN, "has no column"),
}
_FRAME = {**_COLUMNS, "ties": "has no column", "ridge": "follows from the machine"}
READERS = {
    "formulas": Reader(
        formulas,
        lambda point: point.prediction,
        {
            "attainable": "undefined without time",
            **dict.fromkeys(INTENSITIES, "undefined without what it is divided by"),
            "ties": "which are equal only exact numbers say",
            "share": "a kernel has none",
            "total attainable": "follows from others",
            "ridge": "follows from the machine",
            "fits": "follows from others",
            "parameter": "is put in",
            **dict.fromkeys((*MARGIN, *UNCERTAIN), "is found in numbers"),
        },
    ),
    "sweep": Reader(
        sweep,
        lambda point: SweepPlan(point.prediction).sweep({}, lambda _: point.result),
        {
            "ties": "has no array",
            "ridge": "follows from the machine",
            "work": "has arrays of flops, memory and network",
            "total attainable": "follows from others",
            **dict.fromkeys((*MARGIN, *UNCERTAIN), "has no array"),
        },
    ),
    "JSON": Reader(json_answer, lambda point: json_format.written(_answer(point)), {}),
    "CSV": Reader(
        csv_row,
        lambda point: csv_format.written(_rows(point)),
        _FRAME,
    ),
    "pandas": Reader(frame, in_pandas if find_spec("pandas") else None, _FRAME),
    "xarray": Reader(frame, in_xarray if find_spec("xarray") else None, _FRAME),
    "columns in JSON": Reader(asked_json, lambda point: json_format.written(asked(point)), _ASKED),
    "columns in CSV": Reader(asked_csv, lambda point: csv_format.written(asked(point)), _ASKED),
    "columns in text": Reader(asked_cells, lambda point: _cells(asked(point)), _ASKED),
    "columns in Markdown": Reader(
        asked_markdown, lambda point: markdown_format.written(asked(point)), _ASKED, slow=True
    ),
    "table": Reader(
        table_row,
        lambda point: _cells(_rows(point, tuple(point.result.parameters)[:1])),
        {
            **_COLUMNS,
            **_IN_TITLE,
            "memory": "has no column in a range",
            "network": "has no column in a range",
            "own": "has no column in a range",
            "ridge": "has no column in a range",
        },
    ),
    "machines": Reader(
        machine_column, lambda point: _cells(_rows(point)), {**_COLUMNS, **_IN_TITLE}
    ),
    "text": Reader(text, lambda point: text_format.written(_answer(point)), _PAGE),
    "blocks": Reader(blocks, lambda point: _answer(point).blocks(), _PAGE),
    "Markdown": Reader(
        markdown, lambda point: markdown_format.written(_answer(point)), _PAGE, slow=True
    ),
    "LaTeX": Reader(latex, lambda point: latex_format.written(_answer(point)), _PAGE, slow=True),
    # A page is opened for several models at once: tests/explorer/test_every_model.py does.
    "explorer": Reader(
        explorer,
        None,
        {
            **dict.fromkeys((*TOTALS, "own"), "the work stands there by resource and level"),
            "share": "is drawn",
            "kind": _SEVERAL,
            "parameter": "is what its sliders stand at",
            "tolerance": "of a composition, one that intervals prove",
            **dict.fromkeys(("turned", *UNCERTAIN), "is found in Python alone"),
            "total": "is said of several processes, of flops alone",
        },
    ),
}


def differences(point: Point, readers: Mapping[str, Reader] = READERS) -> list[str]:
    """Say what any form of the answer says that is not what `evaluate` says, or leaves out."""
    found: list[str] = []
    for name, reader in readers.items():
        if reader.make is not None and (point.first or not reader.slow):
            found += (f"{name}: {each}" for each in wrong(point, reader, reader.make(point)))
    return [f"{point.name}: {each}" for each in found]


def wrong(point: Point, reader: Reader, form: Any) -> Iterator[str]:
    """Say what one form of the answer says that `evaluate` does not, or leaves out."""
    wanted = expected(point)
    said = dict(reversed([*reader.read(point, form)]))
    yield from unequal(said, wanted, units(point))
    for quantity in wanted.keys() - said.keys():
        kind, _, name = quantity.partition(" ")
        kinds = {quantity, kind}
        of_jobs = point.prediction.is_mix and kinds & {*UNITS, "ridge"} - {"time"}
        silent = reader.silent.keys() & kinds
        if isinstance(end := wanted[quantity], End) and reader.silent.get(kind) == _FIRST:
            told = name in ("time", "attainable", *COLUMNS, *point.result.metrics)
            silent = silent if not told or end.is_open else set()
        if not of_jobs and not silent:
            yield f"{quantity} is not said"
