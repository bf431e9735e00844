"""The breakdown of a composed prediction: time, share, bound by step, layer, resource, device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.convention import Convention, count
from roofdsl.analysis.listed import listed
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result
from roofdsl.answer.blocks import Table, label, tabular
from roofdsl.answer.cells import NOTHING, Cell, Quantity
from roofdsl.answer.plain import Json, fields_of, number
from roofdsl.answer.result_cells import count_cell, percent
from roofdsl.answer.spending import NO_ENERGIES, Energies, energies_of
from roofdsl.roles import Binding
from roofdsl.units.dimension import FLOP, JOULE, SECOND
from roofdsl.units.quantity import show_number

By: TypeAlias = Literal["step", "phase", "layer", "resource", "device"]
MOST_ROWS = 20
MOST_VALUES = 1000


class _Node(NamedTuple):
    """A node below the root: its depth, how often what holds it runs, and its path of names."""

    depth: int
    runs: float
    step: Composed[float]
    path: str

    @property
    def time(self) -> float:
        return self.step.time * self.runs


_SHORTER = "; `--top 20` lists the longest, `--by layer` sums them up"
_OPENED = ("overlap.", "iterate.")
"""How paths begin of phases that stand in braces."""


def breakdown_table(
    result: Result,
    by: By = "step",
    top: int | None = None,
    conventions: Sequence[Convention] = (),
    hint: str = _SHORTER,
) -> Table:
    """Return the breakdown of a composition; a note says what is left out, and what then helps.

    By step it is the tree as written, as deep as fits, or the `top` longest kernels; by phase what
    stands at its top, and in what runs at once or again there; by layer the kernels of each model.
    Operations are counted as flops, or by the conventions given.
    """
    rows, left_out = _breakdown(result, by, top, conventions, hint)
    name = f"{result.model} on {result.machine}"
    place, notes = label(name, "by", by), (left_out,) if left_out else ()
    spare = (*(item.name for item in conventions), "flops", "energy", "share")
    return tabular(f"Breakdown of {name} by {by}", place, rows, notes=notes, head="", spare=spare)


def _breakdown(
    result: Result, by: By, top: int | None, conventions: Sequence[Convention], hint: str
) -> tuple[list[list[Cell]], str]:
    """Return the rows, headings first, and a line on what is left out."""
    if by in ("resource", "device"):
        return _by_resource(result, by), ""
    counted = [item.name for item in conventions] or ["flops"]
    energies = energies_of(result)
    known = [*(["energy"] if energies else [])]
    headings: list[Cell] = ["time", "share", *known, "bound", *counted]
    kernels = [row for row in _steps(result.breakdown, merged=False) if not row.step.children]
    if by == "layer":
        layers: dict[str, list[_Node]] = {}
        for row in kernels:
            layers.setdefault(row.step.model or row.step.name, []).append(row)
        longest = sorted(layers.items(), key=lambda item: -_time(item[1]))[: top or MOST_ROWS]
        shown = [
            _cells(name, group, _most_charged(group), result, conventions)
            for name, group in longest
        ]
        return [["layer", *headings], *shown], ""
    if top is not None:
        chosen = sorted(kernels, key=lambda row: -row.time)[:top]
        shown = [_cells(row.path, [row], row.step.bound, result, conventions) for row in chosen]
        return [["step", *headings], *shown], _more(len(kernels) - len(chosen), "")
    rows = _steps(result.breakdown)
    if by == "phase":
        tops = [row for row in rows if row.depth <= 1]
        chosen = [row for row in tops if row.depth == 0 or row.path.startswith(_OPENED)]
        left_out = ""
    else:
        deepest = _deepest(rows)
        chosen = [row for row in rows if row.depth <= deepest]
        left_out = _more(len(rows) - len(chosen[:MOST_ROWS]), f" inside{hint}")
    shown = [
        _cells(
            "\u2003" * row.depth + step_title(row.step), [row], row.step.bound, result, conventions
        )
        for row in chosen[:MOST_ROWS]
    ]
    return [[by, *headings], *shown], left_out


def _more(left: int, hint: str) -> str:
    return f"… and {left} more{hint}" if left else ""


def _deepest(rows: list[_Node]) -> int:
    """Return how deep the tree can be shown in so many rows: at its top at least."""
    deepest = 0
    while sum(row.depth <= deepest + 1 for row in rows) <= MOST_ROWS:
        if all(row.depth <= deepest for row in rows):
            break
        deepest += 1
    return deepest


def _time(rows: Sequence[_Node]) -> float:
    return math.fsum(row.time for row in rows)


def _most_charged(rows: Sequence[_Node]) -> str | None:
    """Return what most of the time of several kernels is charged to."""
    spent: dict[str, float] = {}
    for row in rows:
        for bound, charged in row.step.charged.items():
            spent[bound] = spent.get(bound, 0.0) + charged * row.runs
    return max(spent, key=lambda bound: spent[bound], default=None)


def _cells(
    name: str,
    rows: Sequence[_Node],
    bound: str | None,
    result: Result,
    conventions: Sequence[Convention],
) -> list[Cell]:
    """Return a row of the table: steps taken together, with what binds them."""
    time = _time(rows)
    energy = _energy(rows, energies_of(result))
    counts: list[Cell] = [
        count_cell(
            math.fsum(count(item, _flops(x.step), x.step.tallies) * x.runs for x in rows), item
        )
        for item in conventions
    ]
    if any(_is_mix(row.step) for row in rows):
        counts = [NOTHING] * (len(conventions) or 1)
    elif not conventions:
        counts = [Quantity(math.fsum(_flops(row.step) * row.runs for row in rows), FLOP)]
    share = percent(ratio(time, result.time))
    return [
        name,
        Quantity(time, SECOND),
        share,
        *energy,
        Binding(bound) if bound else NOTHING,
        *counts,
    ]


def _energy(rows: Sequence[_Node], energies: Energies) -> list[Cell]:
    """Return the energy of steps taken together, if that of any is told."""
    if not energies:
        return []
    found = [energies.get(id(row.step)) for row in rows]
    known = [each * row.runs for each, row in zip(found, rows, strict=True) if each is not None]
    return [Quantity(math.fsum(known), JOULE) if len(known) == len(rows) else NOTHING]


def breakdown_values(
    part: Composed[float],
    total: float,
    conventions: Sequence[Convention] = (),
    energies: Energies = NO_ENERGIES,
) -> Json:
    """Return the tree of steps in plain values, at most `MOST_VALUES` children of each."""
    flops = math.nan if _is_mix(part) else _flops(part)
    children = listed(part)
    return {
        **fields_of(part, "name", "arrangement"),
        "count": number(part.count),
        "time": number(part.time),
        "share": number(ratio(part.time, total)),
        **({"energy": number(energies[id(part)])} if energies else {}),
        **fields_of(part, "bound", "work"),
        "counts": {item.name: number(count(item, flops, part.tallies)) for item in conventions},
        "children": [
            breakdown_values(child, total, conventions, energies)
            for child in children[:MOST_VALUES]
        ],
        "left_out": max(0, len(children) - MOST_VALUES),
    }


def _by_resource(result: Result, by: By) -> list[list[Cell]]:
    """Return time charged to, and busy on, each resource or device."""
    rows: dict[str, list[float]] = {}
    for column, table in enumerate((result.breakdown.charged, result.breakdown.busy)):
        for name, spent in table.items():
            device, dot, _ = name.partition(".")
            key = name if by == "resource" else device if dot else "machine"
            rows.setdefault(key, [0.0, 0.0])[column] += spent
    shown: list[list[Cell]] = [[by, "bound by it", "share", "busy"]]
    for name, (charged, busy) in sorted(rows.items(), key=lambda item: -item[1][0]):
        share = percent(ratio(charged, result.time))
        shown.append([name, Quantity(charged, SECOND), share, Quantity(busy, SECOND)])
    return shown


def _steps(root: Composed[float], *, merged: bool = True) -> list[_Node]:
    """Return all nodes below the root as written; `merged`, a repeat and its one step are a row."""
    found: list[_Node] = []
    waiting = [_Node(0, root.count, child, child.name) for child in reversed(listed(root))]
    while waiting:
        row = waiting.pop()
        found.append(row)
        step, inner, path = row.step, row.runs * row.step.count, row.path
        only = only_inside(step) if merged else None
        if only is not None:
            step, inner, path = only, inner * only.count, f"{path}.{only.name}"
        waiting += [
            _Node(row.depth + 1, inner, child, f"{path}.{child.name}")
            for child in reversed(listed(step))
        ]
    return found


def only_inside(step: Composed[float]) -> Composed[float] | None:
    """Return the one step that a repeat or its like runs, None for any other part."""
    inside = listed(step) if step.is_loop else ()
    return inside[0] if len(inside) == 1 and inside[0].count == 1 else None


def step_title(step: Composed[float]) -> str:
    name = (only_inside(step) or step).name
    once = step.count == 1 and (step.arrangement == "job" or not only_inside(step))
    return name if once else f"{name} × {show_number(step.count)}"


def _is_mix(step: Composed[float]) -> bool:
    """Whether it is a mix, or a job that is one: each of its jobs has work of its own."""
    inner = step.children[0] if step.arrangement == "job" else step
    return inner.arrangement == "mix"


def _flops(step: Composed[float]) -> float:
    return sum(value for name, value in step.work.items() if "flops" in name.split("."))
