"""How much a result changes with each parameter and rate: elasticities, ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from roofdsl.figures.edges import listed_entries, undrawn_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale

MOST_ROWS = 30
_ROW = 15.0
# Between a bar's end and its number, and on that number's other side.
_GAP = 3.0
# What a panel has beside its axes, at most.
_MARGIN = 16.0


@dataclass(frozen=True, slots=True)
class Elasticities:
    """d ln of / d ln name of each name; NaN where there is none, and `why` not.

    `idle` are names of which small changes, too, were seen to do nothing.
    """

    of: str
    values: dict[str, float]
    why: dict[str, str] = field(default_factory=dict)
    idle: frozenset[str] = frozenset()


@in_its_look
def sensitivity(data: Elasticities, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return a bar for each elasticity, the largest on top; the key names those that are 0."""
    ranked = sorted(
        ((name, value) for name, value in data.values.items() if math.isfinite(value)),
        key=lambda item: -abs(item[1]),
    )
    moving = [(name, value) for name, value in ranked if value]
    shown = moving[:MOST_ROWS]
    unknown = [item for item in data.values.items() if not math.isfinite(item[1])]
    page = Page(look, 4.6, title, subtitle)
    # An axis needs a row, be there a bar or none.
    labels = tuple(shortened(name, page.width / 3, TICK_SIZE) for name, _ in shown) or ("",)
    rows = CategoryScale(labels, downwards=True)
    beside = PanelPlan(rows, rows, "", "").left(_ROW)
    scale = _with_numbers([value for _, value in shown], page.inner_width - beside - _MARGIN)
    plan = PanelPlan(scale, rows, f"Elasticity of the {data.of}", "")

    def draw(panel: Panel) -> list[Entry]:
        ink, series = look.palette.ink, look.palette.series
        for row, (name, value) in enumerate(shown):
            bar = rectangle((0.0, row - 0.32), (value, row + 0.32))
            panel.area(bar, series[1] if value > 0 else series[0], name=f"bar:{name}", order=2.0)
            text = _signed(value)
            ((x, y),) = panel.at(value, row)
            away = math.copysign(extent(text)[0] / 2 + _GAP, value)
            panel.centred(text, (x + away, y), ink, name=f"label:{name}")
        panel.line([0, 0], [-0.5, len(shown) - 0.5], ink, name="zero", width=0.8, order=3.0, cost=0)
        entries = []
        if len(moving) > MOST_ROWS:
            least = three_digits(abs(moving[MOST_ROWS][1]))
            entries.append(Entry(f"{len(moving) - MOST_ROWS} more, of at most {least}"))
        still = [name for name, value in ranked if not value]
        entries += listed_entries("no influence here", [x for x in still if x in data.idle])
        entries += listed_entries("elasticity 0", [x for x in still if x not in data.idle])
        left_out: dict[str, list[str]] = {}
        for name, _ in unknown:
            left_out.setdefault(data.why.get(name, "no elasticity"), []).append(name)
        return entries + [
            entry for why, names in left_out.items() for entry in undrawn_entries(names, why)
        ]

    table = FigureTable(("name", "elasticity"), (*ranked, *unknown))
    return page.single(plan, max(40.0, _ROW * len(shown)), draw, table)


def _signed(value: float) -> str:
    """Return a number with its sign, as it stands at a bar.

    >>> _signed(0.694), _signed(-3.45e-6)
    ('+0.694', '−3.45×10⁻⁶')
    """
    return f"{'+' * (value > 0)}{three_digits(value)}"


def _with_numbers(values: Sequence[float], width: float) -> LinearScale:
    """Return a scale, `width` points long, with room for each number beyond the end of its bar."""
    spans = [(value, extent(_signed(value))[0] + 2 * _GAP) for value in values]
    low, high = min([0.0, *values]), max([0.0, *values])
    for _ in range(6):  # the longer the scale, the more of it a number takes
        point = (high - low or 1.0) / width
        # The line at 0 stands off the frame.
        low = min([-2 * _GAP * point, *(x - long * point for x, long in spans if x < 0)])
        high = max([2 * _GAP * point, *(x + long * point for x, long in spans if x > 0)])
    return LinearScale(low, high)
