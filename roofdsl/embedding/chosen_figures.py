"""Which figures show a model best: by what it is, with what each shows in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, NamedTuple

from roofdsl.analysis.binding import show_setting
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.result import Result
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import in_a_row
from roofdsl.answer.document.build import Subject
from roofdsl.answer.result_cells import result_cell
from roofdsl.diagnostic import RoofError
from roofdsl.expression.substitute import constant
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.step_bars import MOST_ROWS
from roofdsl.figures.steps import leaves
from roofdsl.model.results import own_resources
from roofdsl.plots.breakdown import breakdown
from roofdsl.plots.icicle import icicle
from roofdsl.plots.regime import regime
from roofdsl.plots.roofline import pair, roofline
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_number, show_quantity

_WIDE, _NARROW = 6.4, 4.0
"""Inches: of a page, and so that letters can be read on a telephone."""
_AROUND = 256
"""A map goes from the value shown by so many times less to so many times more."""


class Chosen(NamedTuple):
    """A figure: `Figure 1 shows {shows}` in the text; the caption says it by itself."""

    name: str
    picture: Picture
    shows: str
    caption: str


def chosen(subject: Subject, *, dark: bool = False) -> Iterator[Chosen]:
    """Yield the figures of a model, for `dark` pages or others.

    Of a composition, where its time goes, and below the roofs of memory and network where it sends
    something; of a kernel its roofline, and what binds over two open parameters.
    """
    if not subject.results:
        return
    wide, narrow = (Look(dark=dark, width=width, title="") for width in (_WIDE, _NARROW))
    composed = bool(subject.results[0].breakdown.children)
    if composed:
        yield from _steps(subject, subject.asked[0], subject.results[0], wide)
    yield from _roofs(subject, wide, None if composed else narrow)
    if not composed and len(subject.growing) == 2:
        yield from _map(subject, subject.asked[0], narrow)


def _steps(subject: Subject, asked: ModelOnMachine, result: Result, look: Look) -> Iterator[Chosen]:
    """Yield where the time of a composition goes: over time where steps run at once.

    Of many kernels it is the tree of steps that they are part of.
    """
    whole = result.breakdown
    try:
        if len([*leaves(whole)]) > MOST_ROWS:
            picture = icicle(asked, at=subject.settings, look=look)
        else:
            form: Literal["tree", "bars"] = "tree" if _at_once(whole) else "bars"
            picture = breakdown(asked, at=subject.settings, form=form, look=look)
    except RoofError:
        return
    path, step, runs = max(leaves(whole), key=lambda leaf: leaf[1].time * leaf[2])
    longest = show_quantity(step.time * runs, SECOND)
    of = show_quantity(whole.time, SECOND)
    all_runs = "" if runs == 1 else f" over its {show_number(runs)} runs"
    name = f"{subject.model.name} on {asked.machine.name}"
    yield Chosen(
        "where the time goes",
        picture,
        f"where the time of {name} goes",
        f"Where the time of {name} goes{_at(subject)}. The whole takes {of}; no step takes longer "
        f"than {path}, {longest}{all_runs}.",
    )


def _at_once(part: Composed[float]) -> bool:
    """Return whether steps of a part run at the same time."""
    return part.arrangement == "overlap" or any(map(_at_once, part.children))


def _roofs(subject: Subject, wide: Look, alone: Look | None) -> Iterator[Chosen]:
    """Yield the first figure of roofs that there is; memory's `alone` in its own look, if any."""
    own = own_resources(subject.model)
    over = "the roofline over operational intensity"
    kinds: list[tuple[Callable[..., Picture], Look, str]] = [
        *((partial(pair, resource=name), wide, f"{over} and flops/{name}") for name in own),
        (pair, wide, "the roofline over operational and over communication intensity"),
        *([(roofline, alone, over)] if alone is not None else []),
    ]
    name = f"{subject.model.name} on {in_a_row([each.machine.name for each in subject.asked])}"
    for draw, look, what in kinds:
        try:
            picture = draw(*subject.asked, at=subject.settings, look=look)
        except RoofError:
            continue  # a machine lacks what an axis needs, or there is no such work
        found: dict[str, list[str]] = {}
        for asked, result in zip(subject.asked, subject.results, strict=True):
            if result.ties:
                found.setdefault(str(result_cell(result, "bound")), []).append(asked.machine.name)
        bounds = [f"by {bound} on {in_a_row(names)}" for bound, names in found.items()]
        bound = f" It is bound {in_a_row(bounds)}." if bounds else ""
        what = f"{what} of {name}"
        caption = f"{what[:1].upper()}{what[1:]}{_at(subject)}.{bound}"
        yield Chosen("roofline", picture, what, caption)
        return


def _map(subject: Subject, asked: ModelOnMachine, look: Look) -> Iterator[Chosen]:
    """Yield what binds over two parameters, around the point that the numbers are for."""
    x, y = ((name, *_range(subject, name)) for name in subject.growing)
    others = {name: v for name, v in subject.settings.items() if name not in subject.growing}
    try:
        picture = regime(asked, x, y, at=others, look=look)
    except RoofError:
        return  # what binds does not depend on them, or they are bounded otherwise
    what = f"what binds {subject.model.name} on {asked.machine.name} over {x[0]} and {y[0]}"
    bound = result_cell(subject.results[0], "bound")
    point = f" At {_values(subject, subject.growing)} that is {bound}." if bound != "none" else ""
    yield Chosen("regimes", picture, what, f"{what[:1].upper()}{what[1:]}.{point}")


def _range(subject: Subject, name: str) -> tuple[float, float]:
    """Return the ends of a map's axis, within the bounds that a parameter has as numbers."""
    value = float(subject.settings[name])
    parameter = next(each for each in subject.model.parameters if each.name == name)
    least = 1.0 if parameter.symbol.integer else value / _AROUND
    low, high = (None if end is None else constant(end) for end in (parameter.low, parameter.high))
    return (
        max(value / _AROUND, least, float(low or 0)),
        value * _AROUND if high is None else min(value * _AROUND, float(high)),
    )


def _at(subject: Subject) -> str:
    shown = _values(subject, tuple(subject.settings))
    return f", at {shown}" if shown else ""


def _values(subject: Subject, names: tuple[str, ...]) -> str:
    parameters = {parameter.name: parameter for parameter in subject.model.parameters}
    shown = (f"{x} = {show_setting(subject.settings[x], parameters[x])}" for x in names)
    return ", ".join(shown)
