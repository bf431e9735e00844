"""Tables of Nsight Compute: the metrics of each launch, in base units, with what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.importers.counter_table import Table, find_table, no_table
from roofdsl.importers.decimals import Written, decimal_sign, no_number, read_number
from roofdsl.importers.given import Given
from roofdsl.importers.ncu_units import scale_of
from roofdsl.located_csv import LocatedCell, LocatedRow
from roofdsl.reading import as_text
from roofdsl.source import Span

TOOL = "Nsight Compute"
_MOST_PROBLEMS = 20
_LONG = ("Metric Name", "Metric Unit", "Metric Value")
_PLAIN = frozenset(
    "ID,Process ID,Process Name,Host Name,Kernel Name,Kernel Time,Context,Stream,Block Size,"
    "Grid Size,Device,CC,Section Name,thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:"
    "Color:Msg_Type:Msg,Id:Domain:Start/Stop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg,"
    "Rule Name,Rule Type,Rule Description,Estimated Speedup Type,Estimated Speedup".split(",")
)
"""What is said of a launch beside its metrics."""
_ABSENT = frozenset({"", "n/a", "(!) n/a", "N/A"})


class _Value(NamedTuple):
    """A metric of a launch as it is written."""

    metric: str
    number: LocatedCell
    unit: str
    unit_span: Span


class _Kernel(NamedTuple):
    """A launch: what it is called, where, and its metrics."""

    name: str
    span: Span
    capability: str
    values: dict[str, _Value]


Used: TypeAlias = Mapping[str, tuple[str, ...]]
"""Metrics that are used, each with what its unit may count: `byte`, `inst/cycle`."""


class Metrics(NamedTuple):
    """A launch: its kernel, the compute capability, and its metrics in base units."""

    kernel: str
    capability: str
    values: dict[str, Fraction]


class Launches(NamedTuple):
    """All launches of a file, and what is to be said of it; `span` is its header."""

    found: tuple[Metrics, ...]
    span: Span
    others: tuple[str, ...]
    absent: tuple[str, ...]


def read_launches(given: Given, used: Used) -> Launches | tuple[Diagnostic, ...]:
    """Return the launches of a file with those of their metrics that are used."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return (source,)
    table = find_table(source, lambda names: "ID" in names and "Kernel Name" in names)
    if table is None:
        return (no_table(source, TOOL, '"ID" and "Kernel Name"'),)
    long = "Metric Name" in table.names
    kernels, others, problems = _long(table, used) if long else _wide(table, used)
    if problems := problems or _incomplete(kernels):
        return tuple(problems)
    written = [_written(value) for kernel in kernels for value in kernel.values.values()]
    sign = decimal_sign(written, given.decimal)
    if isinstance(sign, Diagnostic):
        return (sign,)
    absent: dict[str, None] = {}
    launches: list[Metrics] = []
    for kernel in kernels:
        known: dict[str, Fraction] = {}
        for value in kernel.values.values():
            found = _read(value, sign, used[value.metric])
            if isinstance(found, Diagnostic):
                problems.append(found)
            elif found is not None:
                known[value.metric] = found
            else:
                absent[value.metric] = None
        launches.append(Metrics(kernel.name, kernel.capability, known))
    if problems:
        return tuple(problems[:_MOST_PROBLEMS])
    return Launches(tuple(launches), table.header.span, tuple(others), tuple(absent))


def _long(table: Table, used: Used) -> tuple[list[_Kernel], list[str], list[Diagnostic]]:
    """Read a table with a row for each metric of each launch."""
    missing = [name for name in _LONG if name not in table.names]
    if missing:
        message = f"this table has no column '{missing[0]}'"
        hint = "write it with --csv, and without --print-summary"
        return [], [], [Diagnostic.at("R1231", message, table.header.span, hint=hint)]
    found: dict[tuple[str, str], _Kernel] = {}
    others: list[str] = []
    problems: list[Diagnostic] = []
    for row in _fitting(table, problems):
        cells = table.by_name(row)
        key = cells["ID"].text, cells["Process ID"].text if "Process ID" in cells else ""
        if key not in found:
            found[key] = _kernel(cells, problems)
        metric, number, unit = (
            cells[name] for name in ("Metric Name", "Metric Value", "Metric Unit")
        )
        if metric.text in used:
            _add(found[key], _Value(metric.text, number, unit.text, unit.span), problems)
        else:
            others.append(metric.text)
        if len(problems) >= _MOST_PROBLEMS:
            break
    return list(found.values()), others, problems


def _wide(table: Table, used: Used) -> tuple[list[_Kernel], list[str], list[Diagnostic]]:
    """Read a table with a row for each launch, the first of them with the units."""
    problems: list[Diagnostic] = []
    kernels: list[_Kernel] = []
    units: dict[str, LocatedCell] = {}
    twice = [name for name in table.names if name in used and table.names.count(name) > 1]
    if twice:
        message = f"this table has {table.names.count(twice[0])} columns '{twice[0]}'"
        places = [cell.span for cell in table.header.cells if cell.text == twice[0]]
        first = Label(places[0], "first here")
        return [], [], [Diagnostic.at("R1237", message, places[1], first, hint="keep one of them")]
    heads = table.by_name(table.header)
    for number, row in enumerate(_fitting(table, problems)):
        cells = table.by_name(row)
        if number == 0 and not cells["ID"].text:
            units = cells
            continue
        kernel = _kernel(cells, problems)
        for name, cell in cells.items():
            if name in used:
                unit = units.get(name)
                place = unit.span if unit and unit.text else heads[name].span
                _add(kernel, _Value(name, cell, unit.text if unit else "", place), problems)
        kernels.append(kernel)
        if len(problems) >= _MOST_PROBLEMS:
            break
    others = [name for name in table.names if name not in used and name not in _PLAIN]
    return kernels, others, problems


def _fitting(table: Table, problems: list[Diagnostic]) -> Iterator[LocatedRow]:
    """Yield the rows of the table; messages of the tool between them are left aside."""
    for row in table.rows:
        if row.cells and row.cells[0].text.startswith("=="):
            continue
        misfit = table.misfit(row)
        if misfit is None:
            yield row
        else:
            problems.append(misfit)
            if len(problems) >= _MOST_PROBLEMS:
                return


def _kernel(cells: dict[str, LocatedCell], problems: list[Diagnostic]) -> _Kernel:
    name = cells["Kernel Name"]
    if not name.text:
        problems.append(Diagnostic.at("R1231", "this launch has no name", name.span))
    return _Kernel(name.text, name.span, cells["CC"].text if "CC" in cells else "", {})


def _add(kernel: _Kernel, value: _Value, problems: list[Diagnostic]) -> None:
    before = kernel.values.setdefault(value.metric, value)
    if before is not value and (before.number.text, before.unit) != (value.number.text, value.unit):
        message = f"{value.metric} of '{kernel.name[:60]}' has two values"
        first = Label(before.number.span, "the other")
        problems.append(Diagnostic.at("R1237", message, value.number.span, first))


def _incomplete(kernels: Iterable[_Kernel]) -> list[Diagnostic]:
    """Report a launch without a metric that others of its kernel have: the file may be cut off."""
    first: dict[str, _Kernel] = {}
    for kernel in kernels:
        other = first.setdefault(kernel.name, kernel)
        missing = [name for name in other.values if name not in kernel.values]
        if missing:
            message = f"a launch of '{kernel.name[:60]}' has no {missing[0]}, and another has"
            label = Label(other.values[missing[0]].number.span, "the other")
            hint = "is the file whole?"
            return [Diagnostic.at("R1236", message, kernel.span, label, hint=hint)]
    return []


def _written(value: _Value) -> Written:
    whole = value.metric.endswith(".sum") and value.unit in ("inst", "byte")
    return Written(value.number.text, value.number.span, whole)


def _read(value: _Value, sign: str, wanted: tuple[str, ...]) -> Fraction | Diagnostic | None:
    """Return a metric in base units, None where the tool could not count it."""
    if value.number.text in _ABSENT:
        return None
    number = read_number(_written(value), sign)
    if number is None:
        return no_number(_written(value), value.metric)
    scale = scale_of(value.unit)
    if scale is None or scale.counts not in wanted:
        said = f"has the unit '{value.unit[:40]}'" if value.unit else "has no unit"
        message = f"{value.metric} {said}, and is to count {wanted[0]}"
        hint = "the second row of `--page raw`, and the column `Metric Unit`, have them"
        return Diagnostic.at("R1234", message, value.unit_span, hint=hint)
    return number * scale.factor
