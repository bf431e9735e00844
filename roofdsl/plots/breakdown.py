"""Where the time goes: the breakdown's tree, busy times along a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from roofdsl.answer.blocks import in_a_row
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.figures.busy_rows import BusyRow, busy_shares, busy_times
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
    each_machine: bool = False,
) -> Picture:
    """Draw where the time goes: a row of bars for each step, or the tree of steps over time.

    Of several predictions, such as on other machines: a row for each, with the shares of its
    resources' times. With several values of a parameter: how these times compare along it; for
    several predictions, the share of one `resource`, by default the network's (Cardwell 2019, Fig.
    2.4), or the memory's where nothing is sent. The form `seconds` draws how long they are busy
    instead; `each_machine` makes a panel for each prediction of what is drawn of one, all with the
    same axes. Raises RoofError for settings that do not fit the form (R0807).
    """
    items = [cases.asked_of(each) for each in predictions]
    found = cases.cases_of(items, at)
    titles = cases.titles(items, at)
    along = [case for case in found if case.sweep is not None]
    of_one = bool(along) and len(found) > 1 and not each_machine
    for problem in _problems(found, len(along), form, resource if not of_one else None):
        raise RoofError([problem])
    if not along:
        return _at_settings(found, form, look, titles, each_machine=each_machine)
    if of_one:
        return _of_one(_busy(resource, found), found, look, titles, seconds=form == "seconds")
    return _of_all(found, look, titles, seconds=form == "seconds")


def _problems(
    found: Sequence[cases.Case], along: int, form: str, idle_resource: str | None
) -> Iterator[Diagnostic]:
    """Yield why there is no such picture of predictions, `along` of which go along a parameter."""
    if not found:
        yield Diagnostic("R0807", "a breakdown needs a model on a machine")
    if form == "tree" and along:
        message = "a timeline shows one setting, not several values of a parameter"
        yield Diagnostic("R0807", message, hint="give each parameter one value")
    if 0 < along < len(found):
        message = f"{along} of {len(found)} predictions go along a parameter, the others do not"
        yield Diagnostic("R0807", message, hint="draw those that have the parameter by themselves")
    if idle_resource is not None:
        message = f"all resources are drawn here, not {idle_resource} alone"
        hint = "one is drawn of several predictions along a parameter: leave `resource` out"
        yield Diagnostic("R0807", message, hint=hint)


def _at_settings(
    found: Sequence[cases.Case],
    form: str,
    look: Look,
    titles: tuple[str, str],
    *,
    each_machine: bool,
) -> Picture:
    """Draw predictions at one setting each: their steps, or a row for each of several."""
    names = cases.told_apart(found)
    results = [case.result for case in found if case.result is not None]
    models = list(dict.fromkeys(case.asked.model.name for case in found))
    if each_machine and form != "tree" and len(models) > 1:
        message = f"panels of the same rows show the steps of one model, not of {in_a_row(models)}"
        hint = "draw one model on its machines; or a row for each prediction, without panels"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])
    if form == "tree" or each_machine or len(results) == 1:
        wholes = [
            replace(result.breakdown, name=case.name)
            for case, result in zip(found, results, strict=True)
        ]
        draw_steps = timeline if form == "tree" else step_bars
        return draw_steps(wholes, look, *titles, names)
    rows = [
        BusyRow(name, result.time, result.bound, dict(result.times))
        for name, result in zip(names, results, strict=True)
    ]
    return (busy_times if form == "seconds" else busy_shares)(rows, look, *titles)


def _of_one(
    resource: str,
    found: Sequence[cases.Case],
    look: Look,
    titles: tuple[str, str],
    *,
    seconds: bool,
) -> Picture:
    """Draw a line for each prediction: one resource's share, or time, along a parameter."""
    each = zip(cases.told_apart(found), map(_shares, found), strict=True)
    curves = [_curve(name, data, resource, seconds) for name, data in each]
    draw_lines = busy_lines if seconds else share_lines
    return draw_lines(curves, resource, cases.swept_names(found), look, *titles)


def _of_all(
    found: Sequence[cases.Case], look: Look, titles: tuple[str, str], *, seconds: bool
) -> Picture:
    """Draw all resources along a parameter, in a panel for each prediction."""
    names = cases.told_apart(found) if len(found) > 1 else [""]
    data = [replace(_shares(case), name=name) for case, name in zip(found, names, strict=True)]
    if not seconds:
        return shares(data, look, *titles)
    resources = dict.fromkeys(resource for each in data for resource in each.working)
    busy = [
        Curve(resource, each.values, each.busy.get(resource, 0 * each.values + np.nan), each.name)
        for each in data
        for resource in resources
        if resource in each.working or resource not in each.busy
    ]
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
