"""Where the time goes: the breakdown's tree, busy times along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from roofdsl.analysis.composition import Composed
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures.curves import Curve, busy_lines, share_lines
from roofdsl.figures.look import PLAIN, Look, root_of
from roofdsl.figures.picture import Picture
from roofdsl.figures.shares import Shares, shares
from roofdsl.figures.step_bars import step_bars
from roofdsl.figures.steps import TimedStep
from roofdsl.figures.timeline import timeline
from roofdsl.plots import cases

Array = NDArray[np.float64]


def breakdown(
    *predictions: cases.Asked,
    at: cases.Settings = cases.NOWHERE,
    form: Literal["bars", "tree", "seconds"] = "bars",
    resource: str = "network",
    look: Look = PLAIN,
) -> Picture:
    """Draw where the time goes: a row of bars for each step, or the tree of steps over time.

    With several values of a parameter: how the resources' times compare along it; for several
    predictions, the share of one `resource`, such as the network's (Cardwell 2019, Fig. 2.4).
    The form `seconds` draws how long they are busy instead.
    """
    items = [cases.asked_of(each) for each in predictions]
    found = cases.cases_of(items, at)
    titles = cases.titles(items, at)
    if len(found) > 1 and all(case.sweep is not None for case in found):
        alike = len({case.name for case in found}) == 1
        line_of, draw_lines = (
            (busy_line, busy_lines) if form == "seconds" else (share_line, share_lines)
        )
        lines = tuple(
            line_of(case, resource, case.asked.machine.name if alike else case.name)
            for case in found
        )
        parameters = dict.fromkeys(case.parameter.name for case in found if case.parameter)
        return draw_lines(lines, resource, ", ".join(parameters), look, *titles)
    case = _one(found)
    if case.result is None and case.parameter is not None and form == "seconds":
        return busy_lines(busy_by_resource(case), "", case.parameter.name, look, *titles)
    if case.result is None:
        return shares(shares_of(case), look, *titles)
    draw = timeline if form == "tree" else step_bars
    return draw(part(case.result.breakdown, case.name), look, *titles)


def _one(found: Sequence[cases.Case]) -> cases.Case:
    if len(found) == 1:
        return found[0]
    message = f"this figure shows one setting, and {len(found)} are given"
    raise RoofError(
        [Diagnostic("R0807", message, hint="give several values of one parameter only")]
    )


def part(node: Composed[float], name: str | None = None) -> TimedStep:
    """Return a node of the breakdown as the figures take it."""
    return TimedStep(
        name or node.name,
        node.time,
        node.bound or "",
        {resource: busy for resource, busy in node.busy.items() if busy > 0},
        node.arrangement,
        node.count,
        tuple(part(child) for child in node.children),
    )


def shares_of(case: cases.Case) -> Shares:
    """Return the busy times of a case's resources along its parameter."""
    assert case.sweep is not None and case.parameter is not None
    values = np.ravel(case.sweep.parameters[case.parameter.name])
    labels = tuple(
        cases.shown_setting(case.parameter, float(value)).rpartition(" = ")[2] for value in values
    )
    busy = {name: np.ravel(times) for name, times in case.sweep.times.items()}
    return Shares(case.parameter.name, values, labels, busy)


def share_line(case: cases.Case, resource: str, name: str) -> Curve:
    """Return a resource's share, 0 to 1, in the busy times of a case along its parameter.

    `resource` is `network`, or one of its levels.
    """
    found = shares_of(case)
    zero = np.zeros(len(found.values))
    total = sum(found.busy.values(), zero)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Curve(name, found.values, np.asarray(_together(found, resource) / total))


def busy_line(case: cases.Case, resource: str, name: str) -> Curve:
    """Return how long [s] a resource is busy along a case's parameter."""
    found = shares_of(case)
    return Curve(name, found.values, _together(found, resource))


def busy_by_resource(case: cases.Case) -> tuple[Curve, ...]:
    """Return how long [s] each resource is busy along a case's parameter."""
    found = shares_of(case)
    return tuple(
        Curve(name, found.values, busy) for name, busy in found.busy.items() if np.any(busy > 0)
    )


def _together(found: Shares, resource: str) -> Array:
    own = [time for key, time in found.busy.items() if resource in (key, root_of_name(key))]
    return np.asarray(sum(own, np.zeros(len(found.values))))


def root_of_name(name: str) -> str:
    """Return what a resource's full name is about: `gpu.memory.L2` is `memory`."""
    return root_of(name) or name
