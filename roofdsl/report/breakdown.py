"""The breakdown of a composed prediction: time, share and bound by step, resource or device."""

from __future__ import annotations

from typing import Literal, TypeAlias

from roofdsl.analysis.breakdown import Measured
from roofdsl.analysis.result import Result, ratio
from roofdsl.report.columns import aligned
from roofdsl.report.json_value import Json, number
from roofdsl.units.dimension import FLOP, SECOND
from roofdsl.units.quantity import show_number, show_quantity

By: TypeAlias = Literal["step", "resource", "device"]
MOST_ROWS = 20
MOST_JSON = 1000


def breakdown_text(result: Result, by: By = "step", top: int | None = None) -> str:
    """Return the breakdown as columns: the tree as written, or the `top` longest kernels."""
    if by != "step":
        return aligned(_table(result, by))
    rows = [["step", "time", "share", "bound", "flops"]]
    steps = _steps(result.breakdown)
    if top is not None:
        kernels = [step for step in steps if not step[2].children]
        chosen = sorted(kernels, key=lambda step: -step[1] * step[2].time)[:top]
        left = len(kernels) - len(chosen)
    else:
        chosen, left = steps[:MOST_ROWS], max(0, len(steps) - MOST_ROWS)
    for depth, runs, step, path in chosen:
        time = step.time * runs
        rows.append(
            [
                path if top is not None else "  " * depth + _title(step),
                show_quantity(time, SECOND),
                f"{100 * ratio(time, result.time):.3g} %",
                step.bound or "–",
                show_quantity(_flops(step) * runs, FLOP),
            ]
        )
    text = aligned(rows)
    return text + (f"\n… and {left:,} more" if left else "")


def breakdown_json(measured: Measured, total: float) -> Json:
    """Return the tree of steps for JSON, at most `MOST_JSON` children of each."""
    document: dict[str, Json] = {
        "name": measured.name,
        "arrangement": measured.arrangement,
        "times": number(measured.times),
        "time": number(measured.time),
        "share": number(ratio(measured.time, total)),
        "bound": measured.bound,
        "work": {name: number(value) for name, value in measured.work.items()},
    }
    if measured.children:
        children = measured.children[:MOST_JSON]
        document["children"] = [breakdown_json(child, total) for child in children]
        if len(measured.children) > MOST_JSON:
            document["left_out"] = len(measured.children) - MOST_JSON
    return document


def _table(result: Result, by: By) -> list[list[str]]:
    """Return time charged to, and busy on, each resource or device."""

    def label(name: str) -> str:
        return name if by == "resource" else name.partition(".")[0] if "." in name else "machine"

    rows: dict[str, list[float]] = {}
    for column, table in enumerate((result.breakdown.charged, result.breakdown.busy)):
        for name, spent in table.items():
            rows.setdefault(label(name), [0.0, 0.0])[column] += spent
    shown = [[by, "bound by it", "share", "busy"]]
    for name, (charged, busy) in sorted(rows.items(), key=lambda item: -item[1][0]):
        share = f"{100 * ratio(charged, result.time):.3g} %"
        shown.append([name, show_quantity(charged, SECOND), share, show_quantity(busy, SECOND)])
    return shown


def _steps(root: Measured) -> list[tuple[int, float, Measured, str]]:
    """Return all nodes below the root as written: depth, how often what holds it runs, path."""
    found: list[tuple[int, float, Measured, str]] = []
    waiting = [(0, root.times, child, child.name) for child in reversed(root.children)]
    while waiting:
        depth, runs, step, path = waiting.pop()
        found.append((depth, runs, step, path))
        inner = runs * step.times
        waiting += [(depth + 1, inner, c, f"{path}.{c.name}") for c in reversed(step.children)]
    return found


def _title(step: Measured) -> str:
    if step.times != 1:
        return f"{step.name} × {show_number(step.times)}"
    return step.name


def _flops(step: Measured) -> float:
    return sum(value for name, value in step.work.items() if "flops" in name.split("."))
