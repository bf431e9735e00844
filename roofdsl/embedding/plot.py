"""Figures in Python: `rd.plot.roofline(…)` and its like return a matplotlib figure.

A figure shows itself in a notebook, `savefig` writes it with the same bytes each time, and
`figure.table` holds the data behind it. No figure is ever shown, or kept, by pyplot.

All take `at`, the values of parameters by name: numbers, texts of the language, or arrays; and
`look`, a `Look`: dark, powers of two on the axes, inches, a title.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from roofdsl.embedding.machine import Machine
from roofdsl.embedding.prediction import Prediction
from roofdsl.figures import predicted as predicted_figure
from roofdsl.figures.chart import CAI, OI
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.predicted import MeasuredAgainstPredicted
from roofdsl.figures.saving import save, save_data
from roofdsl.plots import breakdown as _breakdown
from roofdsl.plots import perdome as _perdome
from roofdsl.plots import perfbound as _perfbound
from roofdsl.plots import planes as _planes
from roofdsl.plots import regime as _regime
from roofdsl.plots import roofline as _roofline
from roofdsl.plots import scaling as _scaling
from roofdsl.plots import sensitivity as _sensitivity
from roofdsl.plots.cases import NOWHERE, Item, Setting
from roofdsl.plots.measured import MeasuredKernel, read_comparison, read_measured

__all__ = [
    "Look",
    "MeasuredAgainstPredicted",
    "MeasuredKernel",
    "Picture",
    "breakdown",
    "communication",
    "pair",
    "perdome",
    "perfbound",
    "predicted",
    "read_comparison",
    "read_measured",
    "regime",
    "ridgeline",
    "roofline",
    "save",
    "save_data",
    "scaling",
    "sensitivity",
    "surface",
]

_At = Mapping[str, Setting]
_NO_PARTITIONS: Mapping[str, tuple[float, float]] = {}
_NOTHING: Mapping[str, float] = {}


def _asked(items: Iterable[Machine | Prediction]) -> list[Item]:
    return [item.asked if isinstance(item, Prediction) else item.definition for item in items]


def roofline(
    *items: Machine | Prediction,
    at: _At = NOWHERE,
    measured: Iterable[MeasuredKernel] = (),
    level: str | None = None,
    look: Look = PLAIN,
) -> Picture:
    """Draw attainable performance [GFLOP/s] over operational intensity [flop/B].

    `items` are machines, and predictions (`model.on(machine)`) with their parameters `at` values;
    an array of values makes a trajectory. `level` picks the memory level that counts. Raises
    RoofError where a value is missing or does not fit, or a machine lacks the level (R0804).

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> prediction = load_model("summa").on(load_machine("karst"))
    >>> figure = roofline(prediction, at={"N": [242, 4096, 61952], "P": 121})
    >>> figure.title, len(figure.table.rows)
    ('summa on karst P = 121', 6)
    """
    return _roofline.roofline(_asked(items), at, measured, level, look)


def communication(
    *items: Machine | Prediction,
    at: _At = NOWHERE,
    measured: Iterable[MeasuredKernel] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw attainable performance [GFLOP/s] over communication arithmetic intensity [flop/B].

    Otherwise like `roofline`. Raises RoofError also where no model sends anything (R0803).
    """
    return _roofline.roofline(_asked(items), at, measured, None, look, (CAI,))


def pair(
    *items: Machine | Prediction,
    at: _At = NOWHERE,
    measured: Iterable[MeasuredKernel] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw `roofline` and `communication` side by side."""
    return _roofline.roofline(_asked(items), at, measured, None, look, (OI, CAI))


def surface(
    *items: Machine | Prediction,
    at: _At = NOWHERE,
    cut: tuple[float, float] | None = None,
    look: Look = PLAIN,
) -> Picture:
    """Draw performance over OI and CAI, in three planes coloured by bound, and two slices.

    All `items` are on one machine. `cut`, an OI and a CAI [flop/B], is where the slices go.
    """
    return _planes.surface(_asked(items), at, cut, look)


def ridgeline(*items: Machine | Prediction, at: _At = NOWHERE, look: Look = PLAIN) -> Picture:
    """Draw the plane of memory and operational intensity with its three regions.

    All `items` are on one machine. Raises RoofError where no model sends anything (R0803).
    """
    return _planes.ridgeline(_asked(items), at, look)


def regime(
    prediction: Prediction,
    x: tuple[str, float, float],
    y: tuple[str, float, float],
    at: _At = NOWHERE,
    look: Look = PLAIN,
) -> Picture:
    """Draw which resource binds over two unknowns, each a name and the ends of its range.

    An unknown is a parameter or a rate of the machine (`karst.network`). The boundaries are the
    solver's, proven over the whole range of `y` at each of the columns they go through.

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> prediction = load_model("summa").on(load_machine("karst"))
    >>> figure = regime(prediction, x=("P", 4, 10_000), y=("N", 2, 1_000_000))
    >>> [row[1] for row in figure.table.rows][:1]
    ['network → flops']
    """
    return _regime.regime(prediction.asked, x, y, at, look)


def breakdown(
    *predictions: Prediction,
    at: _At = NOWHERE,
    form: Literal["bars", "tree", "seconds"] = "bars",
    resource: str = "network",
    look: Look = PLAIN,
) -> Picture:
    """Draw where the time goes: a row of bars for each step, or the tree of steps over time.

    With several values of a parameter: how the resources' times compare along it; for several
    predictions, the share of one `resource`, such as the network's (Cardwell 2019, Fig. 2.4).
    The form `seconds` draws how long they are busy instead.
    """
    return _breakdown.breakdown([item.asked for item in predictions], at, form, resource, look)


def perfbound(
    prediction: Prediction,
    at: _At = NOWHERE,
    measured: Sequence[float | None] | Mapping[str, float] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw the bounds of each resource over all combinations of the values given, and the estimate.

    Performance is that of all processes [GFLOP/s]; `measured` has one [flop/s] for each
    combination, the last parameter varying fastest, None where there is none, or those by the
    configuration's name, `B200 P16`.
    """
    return _perfbound.perfbound(prediction.asked, at, measured, look)


def scaling(
    prediction: Prediction,
    at: _At = NOWHERE,
    size: str | None = None,
    isoefficiency: Sequence[float] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw speed-up and efficiency over the process counts in `at`.

    Several values of another parameter, `size`, make a series each. A value that grows with the
    process count (`{"N": "2048*sqrt(P)"}`) makes it weak scaling. `isoefficiency` adds the sizes
    that keep those efficiencies.
    """
    return _scaling.scaling(prediction.asked, at, size, isoefficiency, look)


def sensitivity(prediction: Prediction, at: _At = NOWHERE, look: Look = PLAIN) -> Picture:
    """Draw how much the time changes with each parameter and rate: elasticities, ranked."""
    return _sensitivity.sensitivity(prediction.asked, at, look)


def predicted(comparison: MeasuredAgainstPredicted, title: str = "", look: Look = PLAIN) -> Picture:
    """Draw measured against predicted values with the errors 100·(predicted − measured)/measured.

    >>> import numpy as np
    >>> measured, guessed = np.array([1e-4, 3e-5]), np.array([1.4e-4, 3e-5])
    >>> times = MeasuredAgainstPredicted(("fc1", "relu"), measured, guessed)
    >>> [round(row[4], 6) for row in predicted(times).table.rows]
    [40.0, 0.0]
    """
    return predicted_figure.predicted(comparison, look, title)


def perdome(
    machine: Machine,
    whole: float,
    partitions: Mapping[str, tuple[float, float]] = _NO_PARTITIONS,
    measured: Mapping[str, float] = _NOTHING,
    look: Look = PLAIN,
) -> Picture:
    """Draw the bound of a kernel of intensity `whole` [flop/B] split between two devices.

    `partitions` gives (I_C, I_G) [flop/B] by name: equal ones are data partitioning, a 0 an idle
    device; `measured` has performances [flop/s] by the same names. Raises RoofError where the
    machine has not two devices (R0804), or no partition has a measurement's name (R0807).
    """
    return _perdome.perdome(machine.definition, whole, partitions, measured, look)
