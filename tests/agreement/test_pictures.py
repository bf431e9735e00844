"""In the pictures of bundled models every point is drawn, has a badge, or is named.

Curves and icicles have the numbers of `evaluate`. By default one model in eight, or in four, on one
machine; `make fuzz` takes all, each on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.result import Result
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import RoofError
from roofdsl.figures.picture import Picture
from roofdsl.plots.curve import along
from roofdsl.plots.icicle import icicle
from roofdsl.plots.planes import ridgeline, surface
from roofdsl.plots.roofline import communication, roofline
from tests.agreement.points import ALL, Point, by_file, everywhere, files, sample
from tests.agreement.values import same
from tests.figures.seen import accounted

KINDS: dict[str, Callable[..., Picture]] = {
    "roofline": roofline,
    "communication": communication,
    "ridgeline": ridgeline,
    "surface": surface,
}


@by_file(files() if ALL else files()[::8])
def test_every_point_is_drawn_or_has_a_badge_or_is_named(file: str) -> None:
    points = everywhere(file) if ALL else sample(file, 1)
    assert [each for point in points for each in (*_of(point), *_icicle(point))] == []


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
