"""How much the time changes with each parameter and rate, at one point."""

from __future__ import annotations

import math

from roofdsl.analysis.sensitivity import sensitivity as sensitivity_of
from roofdsl.figures import sensitivity as sensitivity_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.sensitivity import Elasticities
from roofdsl.plots import cases


def sensitivity(
    prediction: cases.PredictionLike, at: cases.Settings = cases.NOWHERE, look: Look = PLAIN
) -> Picture:
    """Draw how much the time changes with each parameter and rate: elasticities, ranked."""
    asked = cases.asked_of(prediction)
    values = cases.one_value_each(at, "elasticities are those at one point")
    given = asked.arguments(values)
    found = sensitivity_of(asked.model, asked.machine, given).elasticities
    values_of = {item.name: math.nan if item.value is None else item.value for item in found}
    data = Elasticities("time", values_of)
    return sensitivity_figure.sensitivity(data, look, *cases.titles([asked], at))
