"""The bounds of each resource over a list of configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product

import numpy as np

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.contender import contenders
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures import perfbound as perfbound_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.perfbound import PerformanceBounds
from roofdsl.figures.picture import Picture
from roofdsl.plots import cases
from roofdsl.plots.breakdown import root_of_name
from roofdsl.plots.measured import by_name
from roofdsl.units.quantity import show_number

MOST_CONFIGURATIONS = 120


def perfbound(
    prediction: cases.PredictionLike,
    at: cases.Settings = cases.NOWHERE,
    measured: Sequence[float | None] | Mapping[str, float] = (),
    look: Look = PLAIN,
) -> Picture:
    """Draw the bounds of each resource over all combinations of the values given, and the estimate.

    Performance is that of all processes [GFLOP/s]; `measured` has one [flop/s] for each
    combination, the last parameter varying fastest, None where there is none, or those by the
    configuration's name, `B200 P16`.
    """
    asked = cases.asked_of(prediction)
    single, several = cases.divided(at)
    combinations = list(product(*(values.tolist() for values in several.values())))
    if len(combinations) > MOST_CONFIGURATIONS:
        message = f"that is {len(combinations):,} configurations; {MOST_CONFIGURATIONS} have room"
        raise RoofError([Diagnostic("R0807", message)])
    if measured and not isinstance(measured, Mapping) and len(measured) != len(combinations):
        message = f"{len(measured)} measurements are given for {len(combinations)} configurations"
        raise RoofError([Diagnostic("R0807", message, hint="None where nothing was measured")])
    parameters = asked.parameters_of(at)
    results, names = [], []
    for values in combinations:
        chosen = dict(zip(several, values, strict=True))
        results.append(asked.evaluate({**single, **chosen}))
        texts = [cases.shown_setting(parameters[name], value) for name, value in chosen.items()]
        names.append(" ".join(text.replace(" = ", "") for text in texts) or asked.model.name)
    if isinstance(measured, Mapping):
        measured = by_name(measured, names, "configuration")
    data = bounds_of(results, names, measured or [None] * len(results), "Configuration")
    data = replace(data, begins=_beginning(combinations))
    return perfbound_figure.perfbound(data, look, *cases.titles([asked], at))


def _beginning(combinations: Sequence[tuple[object, ...]]) -> frozenset[int]:
    """Return which combinations differ from the one before in more than one parameter.

    >>> sorted(_beginning([(200, 1), (200, 4), (400, 1), (400, 4)]))
    [2]
    """
    pairs = enumerate(pairwise(combinations), 1)
    return frozenset(
        place
        for place, (one, other) in pairs
        if sum(a != b for a, b in zip(one, other, strict=True)) > 1
    )


def bounds_of(
    results: Sequence[Result], names: Sequence[str], measured: Sequence[float | None], what: str
) -> PerformanceBounds:
    """Return, for each result, the performance each resource alone would allow, of all processes.

    Their flops / the time if all else were infinitely fast. Raises RoofError where the flops of
    several processes are not known (R0808).
    """
    flops = [_flops_of_all(result) for result in results]
    resources = list(
        dict.fromkeys(root_of_name(name) for result in results for name in result.breakdown.busy)
    )
    each = list(zip(flops, results, strict=True))
    bounds = {
        resource: np.array(
            [ratio(done, _alone(result.breakdown, resource)) for done, result in each]
        )
        for resource in resources
    }
    estimate = np.array([ratio(done, whole.time) for done, whole in each])
    known = [np.nan if value is None else value for value in measured]
    return PerformanceBounds(
        tuple(names),
        bounds,
        estimate,
        np.array(known) if any(value is not None for value in measured) else None,
        what,
    )


def _flops_of_all(result: Result) -> float:
    if result.processes == 1:
        return result.flops
    if "flops" in result.totals:
        return result.totals["flops"]
    if "flops" in result.unanswered:
        message = f"flops is not answered: {result.unanswered['flops']}"
        raise RoofError([Diagnostic("R0610", message, hint="draw its jobs one by one")])
    count = show_number(result.processes)
    message = f"'{result.model}' does not say how many flops {count} processes do together"
    hint = "state it in the model: `total flops = …`, or `total even` if all do the same"
    raise RoofError([Diagnostic("R0808", message, hint=hint)])


def _alone(part: Composed[float], resource: str) -> float:
    """Return the time a part would take if all but one resource were infinitely fast.

    Its levels, links and devices overlap where its steps do, and add up where they do not.
    """
    busy = _of(resource, part.busy)
    joined = {joint: _of(resource, inside) for joint, inside in part.joined.items()}
    times = [sum(each.busy.values()) for each in contenders(busy, busy, joined)]
    children = [_alone(child, resource) for child in part.waited_for or part.children]
    steps = max(children, default=0.0) if part.arrangement == "overlap" else sum(children)
    return max([*times, part.count * steps], default=0.0)


def _of(resource: str, times: Mapping[str, float]) -> dict[str, float]:
    return {name: time for name, time in times.items() if root_of_name(name) == resource}
