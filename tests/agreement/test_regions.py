"""In figures, the region under each marker is what binds it, or a ceiling drawn touches it.

By default one machine for each bundled model; `make fuzz` takes every machine it runs on.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose, isfinite

from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import RoofError
from roofdsl.figures.chart import ALIKE, CAI, OI, Axis, Chart, Line
from roofdsl.figures.chart import Point as Marker
from roofdsl.plots.cases import Case
from roofdsl.plots.planes import plane
from roofdsl.plots.roofline import chart
from tests.agreement.points import ALL, Point, by_file, everywhere, files, sample

MOST_SHOWN = 10


@by_file(files())
def test_no_figure_contradicts_an_answer(file: str) -> None:
    found: list[str] = []
    for point in everywhere(file) if ALL else sample(file, 1):
        for axis in (OI, CAI):
            found += [f"{point.name}, {axis.symbol}: {each}" for each in _wrong(point, axis)]
        found += [f"{point.name}, plane: {each}" for each in _wrong_in_plane(point)]
    assert not found, f"{len(found)} markers:\n" + "\n".join(found[:MOST_SHOWN])


def _wrong(point: Point, axis: Axis) -> Iterator[str]:
    prediction, result = point.prediction, point.result
    asked = ModelOnMachine(prediction.model, prediction.machine)
    try:
        drawn = chart(axis, [asked.machine], [Case("whole", asked, result)])
    except RoofError as error:  # no work on this axis's resource, or no rate for it
        if {each.code for each in error.diagnostics} - {"R0803", "R0804"}:
            raise
        return
    for marker in drawn.points:
        if marker.kernel == "whole":
            if marker.bound != (result.bound or ""):
                yield f"bound is {marker.bound}, not {result.bound}"
            if not isclose(marker.y, result.attainable, rel_tol=1e-12):
                yield f"performance is {marker.y}, not {result.attainable}"
        if not marker.bound or not isfinite(marker.x) or not marker.y:
            continue
        said = _region_or_line_says(drawn, marker)
        if drawn.says(marker) and not said:
            yield f"{marker.kernel} is bound by {marker.bound}, but the picture says otherwise"
        ceiling = marker.ceiling.text.replace("start-up", "startup")
        if not drawn.says(marker) and not (marker.bound in ceiling or ceiling == "its stated time"):
            yield f"{marker.kernel} has a ceiling of its own, but it is called '{ceiling}'"


def _wrong_in_plane(point: Point) -> Iterator[str]:
    prediction, result = point.prediction, point.result
    asked = ModelOnMachine(prediction.model, prediction.machine)
    try:
        drawn = plane(asked.machine, [Case("whole", asked, result)])
    except RoofError as error:  # nothing is sent, or a rate is missing or unlimited
        if {each.code for each in error.diagnostics} - {"R0803", "R0804"}:
            raise
        return
    (marker,) = drawn.points
    if marker.bound != (result.bound or ""):
        yield f"bound is {marker.bound}, not {result.bound}"
    times = {
        "flops": result.flops / drawn.roofs.flops,
        "memory": result.memory / drawn.roofs.memory,
        "network": result.network / drawn.roofs.network,
    }
    longest = max(times.values())
    region = [name for name, time in times.items() if isclose(time, longest)]
    if drawn.says(marker) and marker.bound and marker.bound.partition(".")[0] not in region:
        yield f"it is bound by {marker.bound}, but lies in the region of {region}"
    if not drawn.says(marker) and marker.bound not in (
        marker.ceiling.text.replace("start-up", "startup")
    ):
        yield f"a ceiling of its own is called '{marker.ceiling.text}'"


def _region_or_line_says(drawn: Chart, marker: Marker) -> bool:
    """Whether the region or a line at a marker is that of what binds it, by their places alone."""
    roof = next((each for each in drawn.roofs if each.machine == marker.machine), None)
    if roof is None:  # the whole of a machine whose devices have roofs
        return False
    resource = drawn.axis.resource
    flops = marker.bound.endswith("flops")
    device = marker.bound.rpartition(resource)[0]

    def means(line: Line) -> bool:
        plain = [f"{device}{resource}"] if line.main else []
        return marker.bound in [f"{device}{resource}.{line.name}", *plain]

    heights = [line.value * marker.x for line in roof.slopes if means(line)]
    heights += [line.value for line in roof.ceilings if flops]
    if any(isclose(height, marker.y, rel_tol=ALIKE) for height in heights):
        return True
    ceilings = [line.value for line in roof.ceilings if line.main]
    slopes = [line for line in roof.slopes if line.main]
    if len(drawn.roofs) > 1 or len(ceilings) != 1 or len(slopes) != 1:
        return False
    ridge = ceilings[0] / slopes[0].value
    left = marker.x < ridge * (1 + 1e-12) and means(slopes[0])
    return left or (marker.x > ridge * (1 - 1e-12) and flops)
