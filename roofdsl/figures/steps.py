"""The kernels of a breakdown as figures show them, and the panel of steps over time."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.listed import listed
from roofdsl.figures.axis_unit import in_unit
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.scale import LinearScale

Timed = Composed[float]


def over_time(longest: float, rows: int) -> tuple[PanelPlan, float]:
    """Return the plan of a panel with rows of blocks over time, and how much of its unit 1 s is."""
    unit, factor = in_unit(longest)
    x, y = LinearScale(0.0, longest * factor or 1.0), LinearScale(float(rows), 0.0)
    return PanelPlan(x, y, f"Time [{unit}]", "", grid=False, no_y=True), factor


def leaves(part: Timed, runs: float = 1.0, path: str = "") -> Iterator[tuple[str, Timed, float]]:
    """Yield each kernel below a step: its path, itself, and how often what holds it runs."""
    if not part.children:
        yield path or part.name, part, runs
    for child in listed(part):
        below = path if child.is_loop else f"{path}.{child.name}".lstrip(".")
        yield from leaves(child, runs * part.count, below)
