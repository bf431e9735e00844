"""What a figure shows of what it is asked: the numbers, the lines and the points that there are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.patches import Polygon

import roofdsl as rd
from roofdsl.figures.look import Look
from roofdsl.figures.perfbound import PerformanceBounds, perfbound
from roofdsl.figures.picture import Picture
from roofdsl.figures.steps import Timed
from roofdsl.figures.timeline import timeline
from tests.figures.samples import kernel, step
from tests.figures.seen import key, line, named, outside, overlapping, polygon, texts

FILE = """
machine box { flops = 10 GFLOP/s; memory = 10 GB/s; network = 1 GB/s }
machine lone { flops = 10 GFLOP/s; memory = 10 GB/s }
model still { param N: integer; flops = N*N*1 flop; memory = N*1 B }
model sends { param N: integer; flops = N*N*1 flop; memory = N*1 B; network = N*1 B }
model moved {
    param N: integer; param fast: boolean = true; param none: integer[0..] = 0
    param spare: integer = 7
    flops = if fast then N*N*1 flop else 2*N*N*1 flop
    memory = (1 + none)*N*0.001 B
    let unused = spare*2
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "k.roof"
    path.write_text(FILE)
    return path


def on(file: Path, model: str, machine: str) -> rd.Prediction:
    return rd.load_model(f"{file}:{model}").on(rd.load_machine(f"{file}:{machine}"))


@pytest.mark.parametrize("width", [0.0, 3.5, 2.5])
def test_each_bar_of_a_sensitivity_has_its_number(width: float) -> None:
    prediction = rd.load_model("resnet152_training").on(rd.load_machine("h100_sxm"))
    picture = rd.plot.sensitivity(prediction, at={"batch": 32}, look=Look(width=width))
    found = {str(name): float(str(value)) for name, value in picture.table.rows if value}
    assert len(found) == 3
    bars = {str(bar.get_gid()).removeprefix("bar:") for bar in named(picture, "bar:")}
    labels = {str(label.get_gid()).removeprefix("label:") for label in named(picture, "label:")}
    assert bars == labels == set(found)
    for name, value in found.items():
        x = polygon(picture, f"bar:{name}").get_xy()[:, 0]
        assert (min(x), max(x)) == pytest.approx((min(value, 0.0), max(value, 0.0)))


def test_a_sensitivity_names_what_does_nothing_and_leaves_truth_values_out(file: Path) -> None:
    picture = rd.plot.sensitivity(on(file, "moved", "lone"), at={"N": 100})
    assert [name.get_gid() for name in named(picture, "bar:")] == ["bar:N", "bar:lone.flops"]
    below = key(picture)
    assert below[0] == "no influence here:"
    # Of what is 0, each small change was tried: it leaves the time as it is.
    prediction, at = on(file, "moved", "lone"), {"N": 100}
    assert "none" in below[1:] and "fast" not in " ".join(below)
    assert prediction.evaluate(none=1, **at).time == prediction.evaluate(**at).time


def test_what_is_0_but_does_something_is_told_apart(file: Path) -> None:
    prediction = on(file, "moved", "lone")
    at = {"N": 1}  # memory takes over as soon as `none` is large
    file.write_text(FILE.replace("0.001 B", "0.9 B"))
    prediction = on(file, "moved", "lone")
    assert prediction.evaluate(none=1, **at).time > prediction.evaluate(**at).time
    picture = rd.plot.sensitivity(prediction, at=at)
    below = key(picture)
    assert below[below.index("elasticity 0:") + 1] == "none"


def test_bounds_join_what_differs_in_one_parameter_alone() -> None:
    cannon = rd.load_model("cannon").on(rd.load_machine("xeon_e5630"))
    picture = rd.plot.perfbound(cannon, at={"N": 2000, "B": [200, 400], "P": [1, 4, 16]})
    for name in ("bound:flops", "line:estimate"):
        xs, ys = line(picture, name).T
        assert np.isfinite(ys).tolist() == [True] * 3 + [False] + [True] * 3
        assert xs[np.isfinite(ys)].tolist() == [0, 1, 2, 3, 4, 5]
    one = rd.plot.perfbound(cannon, at={"N": 2000, "B": 200, "P": [1, 4, 16]})
    assert np.isfinite(line(one, "bound:flops")).all()


def test_a_bound_of_a_configuration_by_itself_is_seen() -> None:
    bounds = {"flops": np.array([1e9, 2e9, 4e9])}
    alone = frozenset({1, 2})
    picture = perfbound(PerformanceBounds(("a", "b", "c"), bounds, begins=alone), Look())
    pieces = line(picture, "bound:flops")
    assert (pieces[0::3, 0] < pieces[1::3, 0]).all()  # each is a level line of its own
    assert pieces[0::3, 1].tolist() == pieces[1::3, 1].tolist()


def test_the_share_of_several_machines_is_of_what_is_there(file: Path) -> None:
    box, lone = on(file, "still", "box"), on(file, "still", "lone")
    at = {"N": [2, 4, 8]}
    picture = rd.plot.breakdown(box, lone, at=at)
    assert picture.axes[0].get_ylabel() == "Share of the memory [%]"
    # N bytes at 10 GB/s against N² flops at 10 GFLOP/s.
    assert line(picture, "share:box")[:, 1] == pytest.approx([100 / 3, 20, 100 / 9])


def test_what_works_on_no_such_resource_has_no_share_of_it(file: Path) -> None:
    still, sends = on(file, "still", "box"), on(file, "sends", "box")
    picture = rd.plot.breakdown(still, sends, at={"N": [2, 4, 8]})
    assert picture.axes[0].get_ylabel() == "Share of the network [%]"
    assert len(line(picture, "share:still")) == 0 < len(line(picture, "share:sends"))
    assert key(picture) == ["not drawn, none there:", "still"]
    with pytest.raises(rd.RoofError, match="no resource 'network' is busy here"):
        rd.plot.breakdown(still, on(file, "still", "lone"), at={"N": [2, 4]}, resource="network")


@pytest.mark.parametrize("dark", [False, True])
def test_measured_dots_are_seen_where_the_prediction_is_right(dark: bool) -> None:
    values = np.array([1e-4, 3e-4])
    data = rd.plot.MeasuredAgainstPredicted(("fc1", "fc2"), values, values)
    picture = rd.plot.predicted(data, look=Look(dark=dark))
    for row in range(2):
        measured, predicted = (
            _marker(picture, f"{what}:{row}") for what in ("measured", "predicted")
        )
        assert measured.get_zorder() > predicted.get_zorder()
        inner, ring = (float(each.get_sizes()[0]) ** 0.5 for each in (measured, predicted))
        # Both are seen: the dot on top, with an edge of the ground, and the ring around it.
        assert inner >= 5.0 and ring - inner >= 2.0
        paper = picture.get_facecolor()
        assert tuple(np.ravel(measured.get_edgecolor())) == pytest.approx(paper)


def _marker(picture: Picture, name: str) -> PathCollection:
    (found,) = named(picture, name)
    assert isinstance(found, PathCollection)
    return found


def test_scaling_starts_at_one_process() -> None:
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    picture = rd.plot.scaling(summa, at={"N": [1000, 10000], "P": [16, 64, 256]})
    for size in (1000, 10000):
        xs, ys = line(picture, f"speedup:N = {size}").T
        assert (xs.tolist(), ys[0]) == ([1, 16, 64, 256], 1)
        alone, many = (summa.evaluate(N=size, P=count).time for count in (1, 64))
        assert ys[2] == pytest.approx(alone / many)
        assert line(picture, f"efficiency:N = {size}")[0].tolist() == [1, 100]
    for axes in picture.axes:
        assert axes.get_xlim()[0] == 1


def flat(count: int) -> Timed:
    """Return a sequence of so many kernels, of which two are long."""
    times = [1e-3 * (60 if place in (5, 70) else 1 + place % 7) for place in range(count)]
    names = ("conv", "norm", "relu")
    kernels = [
        kernel(f"{names[place % 3]}{place}", **{("flops", "memory")[place % 2]: time})
        for place, time in enumerate(times)
    ]
    return step("flat", sum(times), "flops", {}, "sequence", 1.0, tuple(kernels))


@pytest.mark.parametrize("width", [5.0, 3.5])
@pytest.mark.parametrize("dark", [False, True])
def test_150_steps_in_sequence_stand_in_groups(width: float, dark: bool) -> None:
    whole = flat(150)
    picture = timeline((whole,), Look(width=width, dark=dark))
    # What is long stands by itself.
    alone = {str(block.get_gid()).removeprefix("block:flat.") for block in named(picture, "block:")}
    assert {"relu5", "norm70"} <= alone
    groups: dict[str, list[Polygon]] = {}
    for artist in named(picture, "group:"):
        assert isinstance(artist, Polygon)
        groups.setdefault(str(artist.get_gid()).rpartition(":")[0], []).append(artist)
    counts = [int(name.rpartition(":")[2]) for name in groups]
    assert sum(counts) + len(alone) - 1 == 150 and 3 <= len(counts) <= 20
    assert f"in groups, {sum(counts)} further steps" in key(picture)
    names = [child.name for child in whole.children]
    for name, bands in groups.items():
        _, first, count = name.split(":")
        start = names.index(first.removeprefix("flat."))
        members = whole.children[start : start + int(count)]
        before = sum(child.time for child in whole.children[:start])
        within = sum(child.time for child in members)
        for band in bands:
            corners = band.get_xy()
            ends = 1e3 * before, 1e3 * (before + within)
            assert (corners[:, 0].min(), corners[:, 0].max()) == pytest.approx(ends)
            bound = str(band.get_gid()).rpartition(":")[2]
            share = sum(child.time for child in members if child.bound == bound) / within
            assert np.ptp(corners[:, 1]) == pytest.approx(share)
    assert len(picture.table.rows) == 151  # the data are complete
    assert overlapping(picture) == [] and outside(picture) == []
    labels = {str(label.get_gid()) for label in named(picture, "label:")}
    assert len(labels) >= len(groups)


def test_alike_neighbours_are_a_group_of_their_kind() -> None:
    kernels = tuple(kernel(f"layer{place}", flops=1e-3) for place in range(60))
    picture = timeline((step("net", 60e-3, "flops", {}, "sequence", 1.0, kernels),), Look())
    shown = [text for text in texts(picture) if text.endswith(" × layer")]
    assert sum(int(text.split()[0]) for text in shown) == 60
