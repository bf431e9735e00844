"""The page of a model or a machine: what it is, its parameters, formulas and sources."""

from __future__ import annotations

from textwrap import wrap

from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.result import Ridge, machine_rates, machine_ridge
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.report.columns import aligned, indented
from roofdsl.report.numeric import INTENSITY_UNITS, show_rate
from roofdsl.source import Span
from roofdsl.typeset.text import text
from roofdsl.units.quantity import show_exact, show_quantity

WIDTH = 88


def model_page(model: ModelDefinition, file: str) -> str:
    """Return what there is to know about a model."""
    lines = _head("model", model, file)
    if model.parameters:
        lines += ["", "parameters", indented(aligned([_parameter(p) for p in model.parameters]))]
    lets = [(item.span, item.doc) for item in model.intermediates]
    lines += _statements("intermediates", lets)
    lines += _statements("requires", [(item.span, "") for item in model.requirements])
    lines += _statements("work of one process", [(item.span, item.doc) for item in model.work])
    together = [(item.span, item.doc) for item in model.totals]
    lines += _statements("work of all processes", together)
    if model.even:
        lines += ["", "work of all processes", "  even: all do the same"]
    lines += _statements("steps", [(part.span, "") for part in model.parts])
    lines += _statements("tallies", [(item.span, item.doc) for item in model.tallies])
    return "\n".join(lines)


def machine_page(machine: MachineDefinition, file: str) -> str:
    """Return what there is to know about a machine."""
    lines = _head("machine", machine, file)
    if machine.parameters:
        shown = aligned([_parameter(p) for p in machine.parameters])
        lines += ["", "parameters", indented(shown)]
    lets = [(item.span, item.doc) for item in machine.intermediates]
    lines += _statements("intermediates", lets)
    try:
        values, ridge, notes = machine_rates(machine), machine_ridge(machine), list[str]()
    except RoofError as error:
        # The page is still of use: rates are shown as they are written.
        values, ridge = {}, Ridge(None, None, None)
        notes = ["", *(f"note: {problem.message}" for problem in error.diagnostics)]
    rows = []
    for rate in machine.rates:
        shown = show_rate(rate, values.get(rate.key))
        if notes:
            shown = " ".join(rate.span.text.partition("=")[2].split())
        default = "default" if rate.key in machine.defaults.values() else ""
        rows.append([rate.key, shown, default, rate.doc])
    if rows:
        lines += ["", "rates", indented(aligned(rows))]
    if machine.devices:
        devices = [[name, device.name, device.doc] for name, device in machine.devices.items()]
        lines += ["", "devices", indented(aligned(_first_lines(devices)))]
    corners = [
        [f"{name}*", show_quantity(corner, INTENSITY_UNITS[name]), f"{above} / {below}"]
        for name, (above, below) in INTENSITIES.items()
        if (corner := getattr(ridge, name)) is not None
    ]
    if corners:
        lines += ["", "ridge points", indented(aligned(corners))]
    tables = [(table.span, "") for table in machine.tables.values()]
    lines += _statements("measured", tables)
    lines += _statements("capacities", [(item.span, "") for item in machine.capacities])
    lines += notes
    return "\n".join(lines)


def _first_lines(rows: list[list[str]]) -> list[list[str]]:
    return [[cell.partition("\n")[0] for cell in row] for row in rows]


def _head(sort: str, definition: ModelDefinition | MachineDefinition, file: str) -> list[str]:
    lines = [f"{sort} {definition.name}   ({file})"]
    if definition.doc:
        for paragraph in definition.doc.split("\n"):
            lines += ["", *wrap(paragraph, WIDTH)]
    if definition.sources:
        lines += ["", "sources", *(f"  {source}" for source in definition.sources)]
    return lines


def _parameter(parameter: Parameter) -> list[str]:
    kind = parameter.unit or parameter.kind
    return [
        parameter.name,
        kind + _bounds(parameter),
        f"= {parameter.written}" if parameter.written else "",
        parameter.doc,
    ]


def _bound(parameter: Parameter, tree: Expression | None) -> str:
    if tree is None:
        return ""
    if isinstance(tree, Number):
        return show_exact(tree.value, parameter.dimension)
    return text(tree)


def _bounds(parameter: Parameter) -> str:
    if parameter.kind in ("boolean", "precision"):
        return ""
    low, high = _bound(parameter, parameter.low), _bound(parameter, parameter.high)
    if parameter.low_open:
        return f", > {low}" + (f" and ≤ {high}" if high else "")
    return f"[{low}..{high}]"


def _statements(title: str, items: list[tuple[Span, str]]) -> list[str]:
    if not items:
        return []
    rows = []
    for span, doc in items:
        written = " ".join(span.text.split())
        for keyword in ("let ", "require ", "tally ", "total ", "capacity ", "measured "):
            written = written.removeprefix(keyword)
        rows.append([written, doc])
    return ["", title, indented(aligned(rows, gap="    "))]
