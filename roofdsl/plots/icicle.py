"""Where the time goes: the tree of steps of an answer, each as wide as it takes long."""

from __future__ import annotations

import math
from dataclasses import replace

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.listed import listed
from roofdsl.answer.breakdown import only_inside, step_title
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures import icicle as figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.plots import cases

MOST = 6
# Sums of a step's parts that differ from its time by less are that time.
_ALIKE = 1e-9


def icicle(
    *predictions: cases.PredictionLike, at: cases.Settings = cases.NOWHERE, look: Look = PLAIN
) -> Picture:
    """Draw the tree of steps from the whole down: each as wide as it takes long, coloured by bound.

    Of steps that overlap, the longest has a place; small ones are joined; beneath it is a table of
    the steps that take longest. Several predictions, such as on other machines, stand one above
    another over the same time. Raises RoofError for several values of a parameter, for none and for
    more than `MOST` predictions (R0807).
    """
    items = [cases.asked_of(each) for each in predictions]
    if not 0 < len(items) <= MOST:
        message = f"an icicle shows 1 to {MOST} predictions, not {len(items)}"
        raise RoofError(
            [Diagnostic("R0807", message, hint=f"name a model and its machines, {MOST} at most")]
        )
    single = cases.one_value_each(at, "a picture of the steps shows one setting")
    found = cases.cases_of(items, single)
    wholes = [
        _part(replace(case.result.breakdown, name=case.asked.model.name), 1.0, hidden=False)
        for case in found
        if case.result is not None
    ]
    return figure.icicle(wholes, look, *cases.titles(items, at), cases.told_apart(found))


def _part(
    step: Composed[float], outside: float, *, hidden: bool, path: str | None = None
) -> figure.Part:
    """Return a step of an answer for the figure; what holds it runs `outside` times.

    `path` is that of what it stands in, None for the whole, whose name begins none.
    """
    # A repeat of one step is that step, so many times.
    once = only_inside(step) or step
    runs = outside * step.count
    own = "" if path is None else f"{path}.{once.name}".removeprefix(".")
    below = path or "" if once.is_loop else own
    inside = listed(once)
    at_once = math.fsum(child.time for child in inside) * once.count > once.time * (1 + _ALIKE)
    longest = max(range(len(inside)), key=lambda place: inside[place].time, default=0)
    parts = tuple(
        _part(child, runs, hidden=hidden or (at_once and place != longest), path=below)
        for place, child in enumerate(inside)
    )
    time, bound = step.time * outside, step.bound or ""
    return figure.Part(step_title(step), own or once.name, runs, time, bound, parts, hidden)
