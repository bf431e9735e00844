"""Where the time goes: the breakdown's tree, busy times along a parameter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import numpy as np

from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.figures.curves import Curve, busy_lines, share_lines
from roofdsl.figures.look import PLAIN, Look, root_of
from roofdsl.figures.picture import Picture
from roofdsl.figures.shares import Shares, shares
from roofdsl.figures.step_bars import step_bars
from roofdsl.figures.timeline import timeline
from roofdsl.plots import cases


def breakdown(
    *predictions: cases.PredictionLike,
    at: cases.Settings = cases.NOWHERE,
    form: Literal["bars", "tree", "seconds"] = "bars",
    resource: str | None = None,
    look: Look = PLAIN,
) -> Picture:
    """Draw where the time goes: a row of bars for each step, or the tree of steps over time.

    With several values of a parameter: how the resources' times compare along it; for several
    predictions, the share of one `resource`, by default the network's (Cardwell 2019, Fig. 2.4),
    or the memory's where nothing is sent. The form `seconds` draws how long they are busy instead.
    """
    items = [cases.asked_of(each) for each in predictions]
    found = cases.cases_of(items, at)
    titles = cases.titles(items, at)
    if form == "tree" and any(case.result is None for case in found):
        message = "a timeline shows one setting, not several values of a parameter"
        raise RoofError([Diagnostic("R0807", message, hint="give each parameter one value")])
    if len(found) > 1 and all(case.sweep is not None for case in found):
        resource = _busy(resource, found)
        each = zip(cases.told_apart(found), map(_shares, found), strict=True)
        curves = [_curve(name, data, resource, form == "seconds") for name, data in each]
        draw_lines = busy_lines if form == "seconds" else share_lines
        return draw_lines(curves, resource, cases.swept_names(found), look, *titles)
    if len(found) != 1:
        message = f"this figure shows one setting, and {len(found)} are given"
        hint = "give one model, one machine, and several values of one parameter only"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])
    (case,) = found
    if case.result is not None:
        draw = timeline if form == "tree" else step_bars
        return draw(replace(case.result.breakdown, name=case.name), look, *titles)
    data = _shares(case)
    if form != "seconds":
        return shares(data, look, *titles)
    busy = [Curve(name, data.values, spent) for name, spent in data.busy.items() if spent.any()]
    return busy_lines(busy, "", cases.swept_names(found), look, *titles)


def _busy(asked: str | None, shown: Iterable[cases.Case]) -> str:
    """Return the resource whose share is drawn; refuse one that nothing works on (R0807)."""
    sweeps = [case.sweep for case in shown if case.sweep is not None]
    keys = {key for sweep in sweeps for key, times in sweep.times.items() if np.any(times > 0)}
    known = {root_of_name(key) for key in keys}
    if asked is None:
        by_default = [name for name in ("network", "memory") if name in known]
        return next(iter([*by_default, *sorted(known)]), "network")
    if asked not in keys | known:
        hint = did_you_mean(asked, keys | known) or f"busy are {', '.join(sorted(keys))}"
        message = f"no resource '{asked}' is busy here"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])
    return asked


def _shares(case: cases.Case) -> Shares:
    """Return the busy times of a case's resources along its parameter."""
    assert case.sweep is not None and case.parameter is not None
    values = np.ravel(case.sweep.parameters[case.parameter.name])
    labels = tuple(
        cases.shown_setting(case.parameter, float(value)).rpartition(" = ")[2] for value in values
    )
    busy = {name: np.ravel(times) for name, times in case.sweep.times.items()}
    return Shares(case.parameter.name, values, labels, busy)


def _curve(name: str, data: Shares, resource: str, seconds: bool) -> Curve:
    """Return how long [s] a resource, or one of its levels, is busy along a parameter.

    Not in `seconds`: its share, 0 to 1, in the busy times of all. NaN where there is no such
    resource.
    """
    zero = np.zeros(len(data.values))
    own = [time for key, time in data.busy.items() if resource in (key, root_of_name(key))]
    if not own:
        return Curve(name, data.values, zero + np.nan)
    if seconds:
        return Curve(name, data.values, sum(own, zero))
    with np.errstate(divide="ignore", invalid="ignore"):
        return Curve(name, data.values, sum(own, zero) / sum(data.busy.values(), zero))


def root_of_name(name: str) -> str:
    """Return what a resource's full name is about: `gpu.memory.L2` is `memory`."""
    return root_of(name) or name
