"""In the pictures of bundled models every point is drawn, has a badge, or is named.

Curves, icicles and breakdowns have the numbers of `evaluate`. By default one model in eight, or in
four, on one machine; `make fuzz` takes all, each on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.result import Result
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import RoofError
from roofdsl.figures.picture import Picture
from roofdsl.figures.steps import leaves
from roofdsl.plots.breakdown import breakdown
from roofdsl.plots.curve import along
from roofdsl.plots.icicle import icicle
from roofdsl.plots.planes import ridgeline, surface
from roofdsl.plots.roofline import communication, roofline
from tests.agreement.points import ALL, Point, by_file, everywhere, files, sample
from tests.agreement.values import same
from tests.figures.seen import accounted, named, polygon

KINDS: dict[str, Callable[..., Picture]] = {
    "roofline": roofline,
    "communication": communication,
    "ridgeline": ridgeline,
    "surface": surface,
}


@by_file(files() if ALL else files()[::8])
def test_every_point_is_drawn_or_has_a_badge_or_is_named(file: str) -> None:
    points = everywhere(file) if ALL else sample(file, 1)
    assert [each for point in points for each in _read(point)] == []


def _read(point: Point) -> Iterator[str]:
    return chain(_of(point), _icicle(point), _side_by_side(point), _steps_in_panels(point))


# What a curve draws in one picture, as quantities of one unit.
WORKS = ("flops", "memory", "network")
ASKED = (("OI", "CAI"), ("MI",), ("time",), ("attainable",), ("flops",), ("memory", "network"))


@by_file(files() if ALL else files()[::4])
def test_a_curve_has_what_evaluate_says(file: str) -> None:
    wrong = [
        each for point in (everywhere(file) if ALL else sample(file, 1)) for each in _curves(point)
    ]
    assert wrong == []


def _curves(point: Point) -> Iterator[str]:
    prediction, result = point.prediction, point.result
    asked = ModelOnMachine(prediction.model, prediction.machine)
    numbers = [p.name for p in prediction.model.parameters if p.is_number]
    if not numbers:
        return
    used = {load.rate.name for load in prediction.placed if load.rate is not None}
    # Of one value it is a curve of one point.
    at = {**result.parameters, numbers[0]: [result.parameters[numbers[0]]]}
    wanted = {
        **{name: getattr(result, name) for names in ASKED for name in names},
        **{f"time.{name}": time for name, time in result.times.items()},
        **{load.name: result.work[load.name] for load in prediction.loads},
        **{tally.name: result.tallies[tally.name] for tally in prediction.tallies()},
        **{rate: prediction.rate_values[rate] for rate in used},
    }
    times, rates = tuple(f"time.{name}" for name in result.times), {*prediction.rate_values}
    asked_for = {*times, *(name for names in ASKED for name in names)}
    # Each picture costs a prediction: what surely has one unit shares one.
    works = [(name,) for name in wanted if name not in asked_for | rates]
    paces = [tuple(name for name in used if kind in name.split(".")) for kind in WORKS]
    paces += [(name,) for name in used if not {*WORKS} & {*name.split(".")}]
    for names in filter(None, (*ASKED, times, *works, *paces)):
        (row,) = along([asked], names, at).table.rows
        for name, value in zip(names, row[2:], strict=True):
            if not same(float(str(value)), float(wanted[name]), None):
                yield f"{point.name}: a curve says {name} is {value}, not {wanted[name]}"


def _icicle(point: Point) -> Iterator[str]:
    result = point.result
    asked = Answered(point.prediction.model, point.prediction.machine, result=result)
    whole, *rows = icicle(asked, at=result.parameters).table.rows
    if whole[3] != result.time:
        yield f"{point.name}: an icicle is {whole[3]} s wide, not {result.time}"
    known: dict[tuple[str, str | None], set[float]] = {}
    for step, seconds, binds in _times(result.breakdown):
        known.setdefault((step, binds), set()).add(seconds)
    for name, _, _, time, _, bound, *_ in rows:
        step, binds = str(name).rpartition(".")[2], None if bound is None else str(bound)
        times = known.get((step, binds), set())
        if not any(same(float(str(time)), seconds, None) for seconds in times):
            yield f"{point.name}: an icicle says {name} takes {time} s, bound by {bound}"
    # What is seen of a step is no wider than the step.
    seen = [float(str(row[3])) for row in rows if row[1] == 1 and not row[6]]
    if sum(seen) > result.time * (1 + 1e-9):
        yield f"{point.name}: an icicle's steps are {sum(seen)} s wide, of {result.time}"


def _twice(point: Point) -> tuple[Answered, Answered]:
    """Return a prediction two times, as what stands side by side in a picture."""
    one = Answered(point.prediction.model, point.prediction.machine, result=point.result)
    return one, one


def _side_by_side(point: Point) -> Iterator[str]:
    """Yield where rows of several predictions do not say what `evaluate` says."""
    result = point.result
    times = {name: time for name, time in result.times.items() if time > 0}
    for form in ("bars", "seconds"):
        picture = breakdown(*_twice(point), at=result.parameters, form=form)
        columns = ("name", "time [s]", "bound", *(f"{name} busy [s]" for name in times))
        if picture.table.columns != columns:
            yield f"{point.name}: side by side are {picture.table.columns}, not {columns}"
        for _, time, bound, *busy in picture.table.rows:
            if (time, bound, busy) != (result.time, result.bound, [*times.values()]):
                yield f"{point.name}: side by side it takes {time} s, bound by {bound}: {busy}"
        if form == "bars":
            # A small share behind large ones: its ends say more than its width.
            ends = np.cumsum([*times.values()]) / sum(times.values())
            for name, end in zip(times, ends.tolist(), strict=True):
                drawn = polygon(picture, f"share:{name}:0").get_xy()[:, 0].max() / 100
                if not same(float(drawn), end, None):
                    yield f"{point.name}: the share of {name} ends at {drawn}, not {end}"


def _steps_in_panels(point: Point) -> Iterator[str]:
    """Yield where panels of steps do not say what `evaluate` says."""
    picture = breakdown(*_twice(point), at=point.result.parameters, each_machine=True)
    kernels = [
        (path, runs, part.time * runs, part.bound)
        for path, part, runs in leaves(point.result.breakdown)
    ]
    shown = [(row[1], row[2], row[3], row[5]) for row in picture.table.rows]
    if shown != 2 * kernels:
        yield f"{point.name}: panels of steps have {shown}, not {kernels}"
    if len(named(picture, "caption:")) != 2:
        yield f"{point.name}: there are not two panels of steps"


def _times(part: Composed[float], runs: float = 1.0) -> Iterator[tuple[str, float, str | None]]:
    """Yield each step's name, time over all runs and bound; a repeat by its steps' names too."""
    for child in part.children:
        inside = _times(child, runs * part.count)
        yield child.name, child.time * runs * part.count, child.bound
        if child.is_loop:
            for inner in child.children:
                yield inner.name, child.time * runs * part.count, child.bound
        yield from inside


@dataclass(frozen=True, slots=True)
class Answered(ModelOnMachine):
    """A model on a machine whose answer at the only point it is asked for is known."""

    result: Result = field(kw_only=True)

    def evaluate(self, values: Mapping[str, object]) -> Result:
        assert values == self.result.parameters
        return self.result


def _of(point: Point) -> Iterator[str]:
    asked = Answered(point.prediction.model, point.prediction.machine, result=point.result)
    for kind, draw in KINDS.items():
        try:
            picture = draw(asked, at=point.result.parameters)
        except RoofError as error:  # no work on an axis's resource, or no rate for it
            if {each.code for each in error.diagnostics} - {"R0803", "R0804"}:
                raise
            continue
        wanted = sum(row[0] in ("point", "trajectory") for row in picture.table.rows)
        if sum(accounted(picture)) != wanted:
            yield f"{point.name}: {kind} has {accounted(picture)} of {wanted} points"
