"""Where the time goes: the breakdown's tree, busy times along a parameter, bounds of a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from roofdsl.analysis.breakdown import Measured
from roofdsl.analysis.result import Result, ratio
from roofdsl.embedding.figure_data.cases import Case, shown_setting
from roofdsl.figures.curves import Curve
from roofdsl.figures.perfbound import Bounds
from roofdsl.figures.shares import Shares
from roofdsl.figures.steps import Part

Array = NDArray[np.float64]


def leaves(
    whole: Measured, runs: float = 1.0, path: str = ""
) -> Iterator[tuple[str, Measured, float]]:
    """Yield each kernel below a node: its path, itself, how often what holds it runs."""
    for child in whole.children:
        # A repeat is no name that anyone gave.
        named = "" if child.name == "repeat" else child.name
        below = f"{path}.{named}".strip(".")
        if child.children:
            yield from leaves(child, runs * whole.times, below)
        else:
            yield below, child, runs * whole.times


def part(node: Measured, name: str | None = None) -> Part:
    """Return a node of the breakdown as the figures take it."""
    return Part(
        name or node.name,
        node.time,
        node.bound or "",
        {resource: busy for resource, busy in node.busy.items() if busy > 0},
        node.arrangement,
        node.times,
        tuple(part(child) for child in node.children),
    )


def shares_of(case: Case) -> Shares:
    """Return the busy times of a case's resources along its parameter."""
    assert case.sweep is not None and case.parameter is not None
    values = np.ravel(case.sweep.parameters[case.parameter.name])
    labels = tuple(
        shown_setting(case.parameter, float(value)).rpartition(" = ")[2] for value in values
    )
    busy = {name: np.ravel(times) for name, times in case.sweep.times.items()}
    return Shares(case.parameter.name, values, labels, busy)


def share_line(case: Case, resource: str, name: str) -> Curve:
    """Return a resource's share, 0 to 1, in the busy times of a case along its parameter.

    `resource` is `network`, or one of its levels.
    """
    found = shares_of(case)
    zero = np.zeros(len(found.values))
    total = sum(found.busy.values(), zero)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Curve(name, found.values, np.asarray(_together(found, resource) / total))


def busy_line(case: Case, resource: str, name: str) -> Curve:
    """Return how long [s] a resource is busy along a case's parameter."""
    found = shares_of(case)
    return Curve(name, found.values, _together(found, resource))


def busy_by_resource(case: Case) -> tuple[Curve, ...]:
    """Return how long [s] each resource is busy along a case's parameter."""
    found = shares_of(case)
    return tuple(
        Curve(name, found.values, busy) for name, busy in found.busy.items() if np.any(busy > 0)
    )


def _together(found: Shares, resource: str) -> Array:
    own = [time for key, time in found.busy.items() if resource in (key, _root(key))]
    return np.asarray(sum(own, np.zeros(len(found.values))))


def bounds_of(
    results: Sequence[Result], names: Sequence[str], measured: Sequence[float | None], what: str
) -> Bounds:
    """Return, for each result, the performance each resource alone would allow, of all processes.

    flops / busy time × processes; kinds of flops and links of the network are taken together.
    """
    resources = list(
        dict.fromkeys(_root(name) for result in results for name in result.breakdown.busy)
    )
    bounds = {
        resource: np.array([_bound(result, resource) for result in results])
        for resource in resources
    }
    estimate = np.array([result.attainable * result.processes for result in results])
    known = [np.nan if value is None else value for value in measured]
    return Bounds(
        tuple(names),
        bounds,
        estimate,
        np.array(known) if any(value is not None for value in measured) else None,
        what,
    )


def _bound(result: Result, resource: str) -> float:
    busy = [time for name, time in result.breakdown.busy.items() if _root(name) == resource]
    together = max(busy, default=0.0) if not result.breakdown.children else sum(busy)
    return ratio(result.flops * result.processes, together)


def _root(name: str) -> str:
    for root in ("flops", "memory", "network"):
        if root in name.split("."):
            return root
    return name
