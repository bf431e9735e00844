"""The tables of the papers, worked out anew from the library: reports/tables/*.toml.

A table is a list of rows and of columns. A row fills the braces of each column's text, which is
then shown, with the values of expressions between backquotes, or evaluated as an expression of the
language; `over` names a range of the row, `8..29`, of which the mean is shown.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from typing import TypeAlias

from roofdsl import resources
from roofdsl.analysis.counting import counted
from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.names_of_tests import TestScope
from roofdsl.analysis.rates import machine_binding, machine_rates
from roofdsl.answer.blocks import Table, label
from roofdsl.answer.cells import Align, Cell, Column, Printed, Quantity, right_side
from roofdsl.diagnostic import Diagnostic, RoofError, closest
from roofdsl.expression.tree import Divide, Expression, Function, Symbol
from roofdsl.model.as_written import as_written
from roofdsl.model.elaborate import elaborate
from roofdsl.model.library import bundled_path, load_module, shown_path
from roofdsl.model.types import ModelDefinition, Module
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source
from roofdsl.syntax.expressions import ExpressionSyntax
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.quantity import show_number

Spec: TypeAlias = Mapping[str, object]
Row: TypeAlias = dict[str, object]
_PLAIN = ("", "%")
"""Units of columns whose numbers have none."""


def paper_names() -> list[str]:
    """Return the names of the papers' tables, such as `cardwell2019:2.4`."""
    return [f"{paper}:{name}" for paper, tables in _all().items() for name in tables]


def paper_table(name: str) -> Table:
    """Return a paper's table by name; raise RoofError for a name there is not (R1007).

    >>> [cell.text for cell in paper_table("cardwell2019:2.3").rows[1][1:]]
    ['13.9', '1.2', '22']
    """
    paper, _, number = name.partition(":")
    tables = _all().get(paper, {})
    if number not in tables:
        meant = _meant(name)
        several = f"there are {', '.join(meant)}"
        hint = several if len(meant) > 1 else f"did you mean '{meant[0]}'?"
        raise RoofError([Diagnostic("R1007", f"there is no table '{name}'", hint=hint)])
    module_name, spec = tables[number]
    path = bundled_path(module_name, "model")
    assert path is not None, module_name
    module = load_module(path, shown_path(path))
    columns = _maps(spec["columns"])
    rows = [tuple(_cell(column, row, module) for column in columns) for row in _rows(spec)]
    place = label(paper, number)
    notes = spec.get("notes", [])
    assert isinstance(notes, list)
    shown = (*map(_column, columns),)
    return Table(str(spec["caption"]), place, shown, (*rows,), (*notes,), cited=(paper,))


def _meant(name: str) -> list[str]:
    """Return the tables that a name there is not may mean, all where nothing is like it.

    >>> _meant("cardwell2019:2.6"), _meant("2.4"), _meant("tang2016")
    (['cardwell2019:2.6-like'], ['cardwell2019:2.4'], ['tang2015:1', 'tang2015:2'])
    """
    named, colon, number = name.partition(":")
    if not colon and (called := [full for full in paper_names() if full.endswith(f":{name}")]):
        return called
    paper = closest(named, _all())
    tables = [*_all().get(paper, {})] if paper is not None else []
    if number in tables:
        return [f"{paper}:{number}"]
    like = [table for table in tables if table.lower().startswith(number.lower())]
    if not like and (close := closest(number, tables, 0.8)):
        like = [close]
    return [f"{paper}:{table}" for table in like or tables] or paper_names()


@cache
def _all() -> dict[str, dict[str, tuple[str, Spec]]]:
    """Return each paper's tables by name: the module they are worked out in, and what they are."""
    found: dict[str, dict[str, tuple[str, Spec]]] = {}
    for path in sorted((resources.folder("reports") / "tables").glob("*.toml")):
        text = tomllib.loads(path.read_text(encoding="utf-8"))
        paper = path.stem.removesuffix("_dnn")
        for spec in _maps(text["table"]):
            found.setdefault(paper, {})[str(spec["name"])] = str(text["module"]), spec
    return found


def _maps(value: object) -> list[Spec]:
    assert isinstance(value, list)
    return value


def _column(column: Spec) -> Column:
    heading = str(column["heading"])
    symbol = Symbol(heading) if "symbol" in column else heading
    align: Align = "number" if "value" in column or "rate" in column else "left"
    return Column(symbol, str(column.get("unit", "")), align)


def _rows(spec: Spec) -> Iterator[Row]:
    """Yield the rows, one for each combination of `each`, with what `names` adds for a value."""
    each = spec.get("each", {})
    names = spec.get("names", {})
    assert isinstance(each, dict)
    assert isinstance(names, dict)
    for row in _maps(spec["rows"]):
        for combination in product(*each.values()):
            full: Row = {**dict(zip(each, combination, strict=True))}
            full = {**full, **row}
            for field, additions in names.items():
                full = {**additions.get(full[field], {}), **full}
            yield full


def _filled(text: object, row: Row) -> str:
    """Return a text with the row's values for its braces; these may have braces themselves."""
    shown = str(text)
    for _ in range(3):
        for name, value in row.items():
            shown = shown.replace(f"{{{name}}}", str(value))
    return shown


def _cell(column: Spec, row: Row, module: Module) -> Cell:
    scope = TestScope(module, _refuse)
    if "text" in column:
        return _with_numbers(_filled(column["text"], row), scope)
    if "intensity" in column:
        model = module.models[str(row["model"])]
        above, below = INTENSITIES[str(column["intensity"])]
        sets = row.get("sets", [])
        assert isinstance(sets, list)
        return Divide(*(_as_printed(model, key, sets, module) for key in (above, below)))
    if "formula" in column:
        formula = _filled(column["formula"], row)
        return as_written(_parsed(formula), scope) if formula else ""
    if "parameter" in column:
        machine = scope.machine(str(row["machine"]))
        name = str(column["parameter"])
        parameter = next(item for item in machine.parameters if item.name == name)
        return Quantity(machine_binding(machine).values[name], parameter.dimension)
    unit = str(column.get("unit", ""))
    digits = int(_filled(column["digits"], row))
    if "rate" in column:
        rate = machine_rates(scope.machine(str(row["machine"])))[str(column["rate"])]
        return _printed([rate / _evaluated(f"1 {unit}", scope)], digits)
    name = str(column.get("over"))
    sizes: Sequence[object] = [""]
    if name in row:
        first, last = _filled(row[name], row).split("..")
        sizes = range(int(first), int(last) + 1)
    text = _filled(column["value"], {key: value for key, value in row.items() if key != name})
    if not text.strip():
        return "–"
    divided = f"({text}) / (1 {unit})" if unit not in _PLAIN else text
    return _printed([_evaluated(_filled(divided, {name: size}), scope) for size in sizes], digits)


def _with_numbers(text: str, scope: TestScope) -> str:
    """Return a text with the values of the expressions in it, which stand between backquotes."""
    return re.sub("`([^`]+)`", lambda found: show_number(_evaluated(found[1], scope), 9), text)


def _as_printed(
    model: ModelDefinition, resource: str, sets: Sequence[str], module: Module
) -> Expression:
    """Return a model's work in the shape of its text; of the `sets`, the sizes are meant: |E|."""
    (work,) = counted(model.work, resource)
    node = _parsed(right_side(work.span))
    sizes = {name: Function("abs", (Symbol(name),)) for name in sets}
    return as_written(node, TestScope(module, _refuse), sizes)


def _printed(values: Sequence[float], digits: int) -> Printed:
    """Return a value, or the mean of several."""
    return Printed(f"{math.fsum(values) / len(values):.{digits}f}")


def _evaluated(text: str, scope: TestScope) -> float:
    formula = elaborate(_parsed(text), scope)
    assert formula is not None  # what is wrong with it has been raised
    return evaluate(formula.tree, {})


def _parsed(text: str) -> ExpressionSyntax:
    node = parse_expression(Source("a table", " ".join(text.split())))
    if isinstance(node, Diagnostic):
        raise RoofError([node])
    return node


def _refuse(problem: Diagnostic) -> None:
    raise RoofError([problem])
