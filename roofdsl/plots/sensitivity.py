"""How much the time changes with each parameter and rate, at one point."""

from __future__ import annotations

import math

from roofdsl.analysis.sensitivity import Elasticity
from roofdsl.analysis.sensitivity import sensitivity as sensitivity_of
from roofdsl.figures import sensitivity as sensitivity_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.sensitivity import Elasticities
from roofdsl.plots import cases


def sensitivity(
    prediction: cases.PredictionLike, at: cases.Settings = cases.NOWHERE, look: Look = PLAIN
) -> Picture:
    """Draw how much the time changes with each parameter and rate: elasticities, ranked.

    At a kink, or a tie, the one towards smaller values and the one towards larger ones are a bar
    each.
    """
    values = cases.one_value_each(at, "elasticities are those at one point")
    asked, given = cases.asked_of(prediction).with_arguments(values)
    found = sensitivity_of(asked.model, asked.machine, given).elasticities
    values_of: dict[str, float] = {}
    why: dict[str, str] = {}
    idle = {item.name for item in found if item.value == 0 and _does_nothing(item)}
    for item in found:
        sides = {f"{item.name}, smaller": item.below, f"{item.name}, larger": item.above}
        alone = item.value is not None or item.below is item.above is None
        for name, value in ({item.name: item.value} if alone else sides).items():
            values_of[name] = math.nan if value is None else value
            why |= {} if item.reason is None else {name: item.reason}
    data = Elasticities("time", values_of, why, frozenset(idle))
    return sensitivity_figure.sensitivity(data, look, *cases.titles([asked], at))


def _does_nothing(item: Elasticity) -> bool:
    """Whether the time stays the same at the values beside the point, of which there are some."""
    changes = [change for change in (item.smaller, item.larger) if change is not None]
    return bool(changes) and all(change.share == 0 for change in changes)
