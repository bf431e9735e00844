"""Many points, many machines, long names: still legible, in every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.chart import OI, Chart, Point, Roof, ThreeRoofs
from roofdsl.figures.curves import Curve, busy_lines, quantity_lines, share_lines
from roofdsl.figures.look import Look
from roofdsl.figures.perdome import perdome
from roofdsl.figures.perfbound import perfbound
from roofdsl.figures.picture import Picture
from roofdsl.figures.predicted import MeasuredAgainstPredicted, predicted
from roofdsl.figures.regime import regime
from roofdsl.figures.ridgeline import Plane, ridgeline
from roofdsl.figures.roofline import charts
from roofdsl.figures.scaling import scaling
from roofdsl.figures.sensitivity import Elasticities, sensitivity
from roofdsl.figures.shares import shares
from roofdsl.figures.space import Space
from roofdsl.figures.step_bars import step_bars
from roofdsl.figures.surface import surface
from roofdsl.figures.timeline import timeline
from tests.figures.samples import (
    BOUNDS,
    DOME,
    INTENSITIES_OF_BATCHES,
    KARST,
    KARST_NETWORK,
    MACHINES,
    NETWORK_SHARES,
    REGIMES,
    SCALING,
    SHARES,
    SIZES,
    SUMMA,
    SUMMA_CAI,
    step,
)
from tests.figures.seen import outside, overlapping


def long(number: int) -> str:
    name = f"kernel_{'very_' * 13}long_{number:03}"
    assert len(name) == 80
    return name


NAMES = tuple(long(number) for number in range(12))
RISING = np.geomspace(1e-3, 1.0, 12)
STEPS = step(
    NAMES[0],
    0.078,
    "flops",
    {},
    "sequence",
    1.0,
    tuple(
        step(name, 1e-3 * (number + 1), "flops", {"flops": 1e-3 * (number + 1)})
        for number, name in enumerate(NAMES)
    ),
)
POINTS = tuple(
    Point(name, 0.2 * 1.9**number, 1e9 * 1.2**number, "karst") for number, name in enumerate(NAMES)
)
LONG_NAMED: dict[str, Callable[[Look], Picture]] = {
    "roofline": lambda look: charts((Chart(OI, (KARST,), POINTS),), look, NAMES[0], NAMES[1]),
    "machines": lambda look: charts(
        (Chart(OI, tuple(Roof(long(n), r.ceilings, r.slopes) for n, r in enumerate(MACHINES))),),
        look,
    ),
    "pair": lambda look: charts(
        (Chart(OI, (KARST,), POINTS), Chart(OI, (KARST_NETWORK,), POINTS)), look, NAMES[0]
    ),
    "surface": lambda look: surface(
        Space(
            ThreeRoofs("karst", 22e9, 13.9e9, 1.2e9),
            tuple(replace(SUMMA, kernel=NAMES[n], x=SUMMA.x * (0.2 + 0.3 * n)) for n in range(4)),
            (SUMMA_CAI,) * 4,
            (11.0, 12.8),
        ),
        look,
        NAMES[0],
    ),
    "ridgeline": lambda look: ridgeline(
        Plane(
            ThreeRoofs(NAMES[0], 4.2e12, 105e9, 12e9), tuple(replace(p, y=20 * p.x) for p in POINTS)
        ),
        look,
        NAMES[0],
    ),
    "regime": lambda look: regime(
        replace(REGIMES, x_label=f"P: {NAMES[0]}", y_label=f"N: {NAMES[1]}"), look, NAMES[0]
    ),
    "steps": lambda look: step_bars((STEPS,), look, NAMES[0]),
    "timeline": lambda look: timeline((STEPS,), look, NAMES[0]),
    "shares": lambda look: shares((replace(SHARES, parameter=NAMES[0]),), look, NAMES[0]),
    "share lines": lambda look: share_lines(
        tuple(replace(line, name=NAMES[n]) for n, line in enumerate(NETWORK_SHARES)),
        "network",
        AxisName("N"),
        look,
        NAMES[0],
    ),
    "busy": lambda look: busy_lines(
        tuple(Curve(NAMES[n], SIZES, 1e-6 * (n + 1) * SIZES) for n in range(3)),
        "",
        AxisName("N"),
        look,
    ),
    "curve": lambda look: quantity_lines(
        replace(
            INTENSITIES_OF_BATCHES,
            lines=[
                replace(line, name=NAMES[n]) for n, line in enumerate(INTENSITIES_OF_BATCHES.lines)
            ],
            label=NAMES[3],
            parameter=AxisName(NAMES[4]),
        ),
        look,
        NAMES[0],
    ),
    "scaling": lambda look: scaling(
        replace(
            SCALING,
            series=tuple(replace(s, name=NAMES[n]) for n, s in enumerate(SCALING.series)),
            size=NAMES[3],
        ),
        look,
        NAMES[0],
    ),
    "sensitivity": lambda look: sensitivity(
        Elasticities("time", {name: number - 6.0 for number, name in enumerate(NAMES)}), look
    ),
    "perfbound": lambda look: perfbound(replace(BOUNDS, configurations=NAMES[:10]), look),
    "perdome": lambda look: perdome(
        replace(
            DOME,
            partitions=tuple(replace(p, name=NAMES[n]) for n, p in enumerate(DOME.partitions)),
        ),
        look,
        NAMES[0],
    ),
    "predicted": lambda look: predicted(
        MeasuredAgainstPredicted(NAMES, RISING, 1.3 * RISING), look, NAMES[0]
    ),
}


@pytest.mark.parametrize("look", [Look(), Look(width=3.5)], ids=["wide", "column"])
@pytest.mark.parametrize("kind", LONG_NAMED)
def test_names_of_80_characters_are_shortened(kind: str, look: Look) -> None:
    picture = LONG_NAMED[kind](look)
    assert overlapping(picture) == []
    assert outside(picture) == []
