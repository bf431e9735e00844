"""How much a result changes with each parameter and rate: elasticities, ranked."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from roofdsl.figures.edges import undrawn_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import TICK_SIZE, Look
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale, round_step

MOST_ROWS = 30
_ROW = 15.0


@dataclass(frozen=True, slots=True)
class Elasticities:
    """d ln of / d ln name of each name; NaN where there is none, and `why` not."""

    of: str
    values: dict[str, float]
    why: dict[str, str] = field(default_factory=dict)


def sensitivity(data: Elasticities, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return a bar for each elasticity, the largest on top; those that are 0 come last."""
    ranked = sorted(
        ((name, value) for name, value in data.values.items() if math.isfinite(value)),
        key=lambda item: -abs(item[1]),
    )
    shown = ranked[:MOST_ROWS]
    unknown = [item for item in data.values.items() if not math.isfinite(item[1])]
    page = Page(look, 4.6, title, subtitle)
    largest = max([abs(value) for _, value in shown], default=0.0) or 1.0
    step = round_step(largest / 3)
    low = min([0.0] + [value for _, value in shown])
    high = max([0.0] + [value for _, value in shown])
    # Room for a number beyond the longest bars.
    room = 36.0 / (0.6 * page.width) * (high - low or step)
    scale = LinearScale(low - room if low < 0 else -0.15 * step, high + room)
    # An axis needs a row, be there a bar or none.
    labels = tuple(shortened(name, page.width / 3, TICK_SIZE) for name, _ in shown) or ("",)
    what = f"Elasticity of the {data.of}"
    plan = PanelPlan(scale, CategoryScale(labels, downwards=True), what, "")

    def draw(panel: Panel) -> list[Entry]:
        ink, series = look.palette.ink, look.palette.series
        for row, (name, value) in enumerate(shown):
            bar = rectangle((0.0, row - 0.32), (value, row + 0.32))
            panel.area(bar, series[1] if value > 0 else series[0], name=f"bar:{name}", order=2.0)
            text = f"{value:+.3g}".replace("-", "−") if value else "0"
            ((x, y),) = panel.at(value, row)
            away = (-1 if value < 0 else 1) * (extent(text)[0] / 2 + 3.0)
            panel.centred(text, (x + away, y), ink, name=f"label:{name}")
        panel.line([0, 0], [-0.5, len(shown) - 0.5], ink, name="zero", width=0.8, order=3.0, cost=0)
        entries = []
        if len(ranked) > MOST_ROWS:
            least = three_digits(abs(ranked[MOST_ROWS][1]))
            entries.append(Entry(f"{len(ranked) - MOST_ROWS:,} more, of at most {least}"))
        left_out: dict[str, list[str]] = {}
        for name, _ in unknown:
            left_out.setdefault(data.why.get(name, "no elasticity"), []).append(name)
        return entries + [
            entry for why, names in left_out.items() for entry in undrawn_entries(names, why)
        ]

    table = FigureTable(("name", "elasticity"), (*ranked, *unknown))
    return page.single(plan, max(40.0, _ROW * len(shown)), draw, table)
