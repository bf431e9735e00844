"""Where time goes, how bounds compare, how a model scales, what it is sensitive to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal

import numpy as np

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.figure_data.cases import (
    NOWHERE,
    Case,
    Setting,
    cases,
    heading,
    is_single,
    machines_of,
    settings_text,
    shown_setting,
)
from roofdsl.embedding.figure_data.growth import growth
from roofdsl.embedding.figure_data.measured import by_name
from roofdsl.embedding.figure_data.times import (
    bounds_of,
    busy_by_resource,
    busy_line,
    part,
    share_line,
    shares_of,
)
from roofdsl.embedding.prediction import Prediction
from roofdsl.figures import perfbound as perfbound_figure
from roofdsl.figures import scaling as scaling_figure
from roofdsl.figures import sensitivity as sensitivity_figure
from roofdsl.figures.curves import busy_lines, share_lines
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.sensitivity import Elasticities
from roofdsl.figures.shares import shares
from roofdsl.figures.step_bars import step_bars
from roofdsl.figures.timeline import timeline
from roofdsl.model.arguments import Value

MOST_CONFIGURATIONS = 120


def breakdown(
    *predictions: Prediction,
    at: Mapping[str, Setting] = NOWHERE,
    form: Literal["bars", "tree", "seconds"] = "bars",
    resource: str = "network",
    look: Look = PLAIN,
) -> Picture:
    """Draw where the time goes: a row of bars for each step, or the tree of steps over time.

    With several values of a parameter: how the resources' times compare along it; for several
    predictions, the share of one `resource`, such as the network's (Cardwell 2019, Fig. 2.4).
    The form `seconds` draws how long they are busy instead.
    """
    found = cases(predictions, at)
    machines = machines_of(predictions)
    title, subtitle = heading(predictions, machines), settings_text(found, at)
    if len(found) > 1 and all(case.sweep is not None for case in found):
        alike = len({case.name for case in found}) == 1
        line_of, draw_lines = (
            (busy_line, busy_lines) if form == "seconds" else (share_line, share_lines)
        )
        lines = tuple(
            line_of(case, resource, case.prediction.machine.name if alike else case.name)
            for case in found
        )
        parameters = dict.fromkeys(case.parameter.name for case in found if case.parameter)
        return draw_lines(lines, resource, ", ".join(parameters), look, title, subtitle)
    case = _one(found)
    if case.result is None and case.parameter is not None and form == "seconds":
        return busy_lines(busy_by_resource(case), "", case.parameter.name, look, title, subtitle)
    if case.result is None:
        return shares(shares_of(case), look, title, subtitle)
    draw = timeline if form == "tree" else step_bars
    return draw(part(case.result.breakdown, case.name), look, title, subtitle)


def perfbound(
    prediction: Prediction,
    at: Mapping[str, Setting] = NOWHERE,
    measured: Sequence[float | None] | Mapping[str, float] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw the bounds of each resource over all combinations of the values given, and the estimate.

    Performance is that of all processes [GFLOP/s]; `measured` has one [flop/s] for each
    combination, the last parameter varying fastest, None where there is none, or those by the
    configuration's name, `B200 P16`.
    """
    single: dict[str, Value] = {}
    several: dict[str, list[float]] = {}
    for name, value in at.items():
        if is_single(value):
            single[name] = value
        else:
            several[name] = np.ravel(np.asarray(value)).tolist()
    combinations = list(product(*several.values()))
    if len(combinations) > MOST_CONFIGURATIONS:
        message = f"that is {len(combinations):,} configurations; {MOST_CONFIGURATIONS} have room"
        raise RoofError([Diagnostic("R0807", message)])
    if measured and not isinstance(measured, Mapping) and len(measured) != len(combinations):
        message = f"{len(measured)} measurements are given for {len(combinations)} configurations"
        raise RoofError([Diagnostic("R0807", message, hint="None where nothing was measured")])
    parameters = {p.name: p for p in prediction.model.definition.parameters}
    results, names = [], []
    for values in combinations:
        chosen = dict(zip(several, values, strict=True))
        results.append(prediction.evaluate(**{**single, **chosen}))
        texts = [shown_setting(parameters[name], value) for name, value in chosen.items()]
        names.append(" ".join(text.replace(" = ", "") for text in texts) or prediction.model.name)
    if isinstance(measured, Mapping):
        measured = by_name(measured, names, "configuration")
    data = bounds_of(results, names, measured or [None] * len(results), "Configuration")
    title = heading([prediction], [prediction.machine])
    subtitle = settings_text([], at, [prediction])
    return perfbound_figure.perfbound(data, look, title, subtitle)


def scaling(
    prediction: Prediction,
    at: Mapping[str, Setting] = NOWHERE,
    size: str | None = None,
    isoefficiency: Sequence[float] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw speed-up and efficiency over the process counts in `at`.

    Several values of another parameter, `size`, make a series each. A text that names the process
    count (`{"N": "2048*sqrt(P)"}`) makes it weak scaling. `isoefficiency` adds the sizes that keep
    those efficiencies.
    """
    data = growth(prediction, at, size, isoefficiency)
    title = f"{heading([prediction], [prediction.machine])}, {data.kind} scaling"
    subtitle = settings_text([], at, [prediction])
    return scaling_figure.scaling(data, look, title, subtitle)


def sensitivity(
    prediction: Prediction, at: Mapping[str, Setting] = NOWHERE, look: Look = PLAIN
) -> Picture:
    """Draw how much the time changes with each parameter and rate: elasticities, ranked."""
    values: dict[str, Value] = {}
    for name, value in at.items():
        if not is_single(value):
            message = f"{name} has several values, but elasticities are those at one point"
            raise RoofError([Diagnostic("R0807", message, hint=f"give {name} one value")])
        values[name] = value
    found = prediction.sensitivity(**values).elasticities
    data = Elasticities("time", {item.name: item.value for item in found if item.value is not None})
    title = heading([prediction], [prediction.machine])
    subtitle = settings_text([], at, [prediction])
    return sensitivity_figure.sensitivity(data, look, title, subtitle)


def _one(found: Sequence[Case]) -> Case:
    if len(found) == 1:
        return found[0]
    message = f"this figure shows one setting, and {len(found)} are given"
    raise RoofError(
        [Diagnostic("R0807", message, hint="give several values of one parameter only")]
    )
