"""The surface, the ridgeline and the map of regimes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

import roofdsl as rd
from roofdsl.answer.regime_map import UNDECIDED, RegimeMap, Region
from roofdsl.figures.chart import ThreeRoofs, Trajectory
from roofdsl.figures.look import LIGHT, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.regime import regime
from roofdsl.figures.ridgeline import Plane, ridgeline
from roofdsl.figures.scale import LogScale
from roofdsl.figures.space import Space, view_of
from roofdsl.figures.surface import surface
from roofdsl.numeric.plane_cells import Cells
from roofdsl.typeset.mathtext import mathtext
from tests.figures.samples import MLP, REGIMES, SUMMA, SUMMA_CAI
from tests.figures.seen import colour_at, line, named, overlapping, polygon, texts

KARST = Space(ThreeRoofs("karst", 22e9, 13.9e9, 1.2e9))
CLX = Plane(ThreeRoofs("clx", 4.2e12, 105e9, 12e9))


def test_the_ridgeline_meets_at_the_papers_ridge_point() -> None:
    picture = ridgeline(CLX, Look())
    assert line(picture, "ridge:memory:flops")[0] == pytest.approx([8.75, 40.0])
    assert line(picture, "ridge:network:memory")[1] == pytest.approx([8.75, 40.0])
    diagonal = line(picture, "ridge:network:flops")
    assert diagonal[1] == pytest.approx([8.75, 40.0])
    assert diagonal.prod(axis=1) == pytest.approx(350.0)
    shown = texts(picture)
    assert {"MI* 8.75", "OI* 40 flop/B", "x·y = 350 flop/B"} <= set(shown)


@pytest.mark.parametrize(
    ("memory_intensity", "intensity", "bound"),
    [
        (1.0, 2.0, "network"),
        (1.0, 300.0, "network"),
        (1.0, 400.0, "flops"),
        (50.0, 41.0, "flops"),
        (50.0, 39.0, "memory"),
        (8.0, 39.0, "network"),
    ],
)
def test_the_ridgelines_regions(memory_intensity: float, intensity: float, bound: str) -> None:
    picture = ridgeline(CLX, Look())
    assert colour_at(picture, "region:", memory_intensity, intensity) == {f"region:{bound}"}
    fill = to_hex(polygon(picture, f"region:{bound}").get_facecolor())
    assert fill == LIGHT.fills[bound]


def test_the_ridgelines_regions_fill_its_frame() -> None:
    corners = CLX.regions(LogScale(10, -1, 2), LogScale(10, 0, 3))
    areas = []
    for polygon_ in corners.values():
        x, y = np.log10(polygon_).T
        areas.append(abs((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2))
    assert sum(areas) == pytest.approx(9.0)


def test_the_ridgeline_shows_a_trajectory() -> None:
    picture = ridgeline(Plane(ThreeRoofs("clx", 4.2e12, 105e9, 12e9), (), (MLP,)), Look())
    assert line(picture, "trajectory:clx:mlp")[0] == pytest.approx([MLP.x[0], MLP.y[0]])
    assert {"compute-bound", "memory-bound", "network-bound", "mlp"} <= set(texts(picture))


def test_a_kernel_that_takes_no_time_draws_no_line_on_the_ridgeline() -> None:
    machine = rd.load_machine("h100_sxm")
    models = [rd.load_model(name).on(machine) for name in ("all_reduce_tree", "dgemv")]
    alone = 1  # has nobody to send to
    picture = rd.plot.ridgeline(
        *models, at={"ranks": alone, "bytes": [8, 64], "P": [16, 64], "N": 1000}
    )
    assert {"all_reduce_tree", "dgemv"} <= {cell for row in picture.table.rows for cell in row}


def test_three_planes_meet_in_the_ridge_point() -> None:
    view = view_of(KARST, Look(), 400.0, 300.0)
    corners = KARST.planes(view.oi, view.cai)
    ridge = np.array(KARST.ridge)
    assert ridge == pytest.approx([1.583, 18.333], rel=1e-3)
    for polygon_ in corners.values():
        assert np.abs(polygon_ / ridge - 1).max(axis=1).min() == pytest.approx(0.0, abs=1e-9)


def test_each_plane_is_where_its_resource_is_the_lowest() -> None:
    view = view_of(KARST, Look(), 400.0, 300.0)
    for name, polygon_ in KARST.planes(view.oi, view.cai).items():
        oi, cai = np.exp(np.log(polygon_).mean(axis=0))
        roofs = {"flops": 22e9, "memory": 13.9e9 * oi, "network": 1.2e9 * cai}
        assert min(roofs, key=lambda key: roofs[key]) == name
        assert float(KARST.height(oi, cai)) == pytest.approx(roofs[name])


def test_the_surface_rises_with_performance_and_hides_nothing() -> None:
    view = view_of(KARST, Look(), 400.0, 300.0)
    low, high = view.project(1.0, 1.0, 1e9), view.project(1.0, 1.0, 10e9)
    assert low[0] == pytest.approx(high[0]) and low[1] < high[1]
    # Farther back is higher on the page, so a surface that never falls never covers itself.
    near, far = view.project(1.0, 1.0, 1e9), view.project(10.0, 10.0, 1e9)
    assert near[0] == pytest.approx(far[0]) and near[1] < far[1]


def test_the_surface_in_colours_with_its_slices() -> None:
    space = Space(ThreeRoofs("karst", 22e9, 13.9e9, 1.2e9), (SUMMA,), (SUMMA_CAI,), (11.0, 12.0))
    picture = surface(space, Look())
    for resource in ("flops", "memory", "network"):
        fill = to_hex(polygon(picture, f"plane:{resource}").get_facecolor())
        assert fill == LIGHT.fills[resource]
    over_oi, over_cai = line(picture, "slice:x"), line(picture, "slice:y")
    # At CAI = 12 the network allows 14.4 GFLOP/s; at OI = 11 memory allows more than the peak.
    assert over_oi[:, 1].max() == pytest.approx(14.4)
    assert over_cai[:, 1].max() == pytest.approx(22.0)
    assert {"at CAI = 12 flop/B", "at OI = 11 flop/B", "OI* 1.58", "CAI* 18.3"} <= set(
        texts(picture)
    )


def test_the_axes_reach_where_the_slices_go() -> None:
    view = view_of(replace(KARST, at=(1e4, 3e-3)), Look(), 300, 300)
    assert view.oi.high >= 1e4
    assert view.cai.low <= 3e-3


def test_the_cuts_lie_on_the_surface_above_their_slices() -> None:
    space = Space(ThreeRoofs("karst", 22e9, 13.9e9, 1.2e9), (SUMMA,), (SUMMA_CAI,), (11.0, 12.0))
    picture = surface(space, Look())
    panel = picture.axes[0]
    view = view_of(space, Look(), panel.get_xlim()[1], panel.get_ylim()[1])
    for name in ("x", "y"):
        moving, height = line(picture, f"slice:{name}").T
        fixed = np.full_like(moving, 12.0 if name == "x" else 11.0)
        oi, cai = (moving, fixed) if name == "x" else (fixed, moving)
        assert line(picture, f"cut:{name}") == pytest.approx(view.project(oi, cai, 1e9 * height))


@pytest.mark.parametrize(
    ("oi", "cai", "shape"), [(0.0, 0.0, "west"), (np.inf, 5.0, "east"), (5.0, np.inf, "east")]
)
def test_a_kernel_without_a_place_on_the_surface_is_marked(
    oi: float, cai: float, shape: str
) -> None:
    odd = Trajectory("odd", "", np.zeros(1), np.array([oi]), np.array([0.0 * (oi == 0)]), "karst")
    space = Space(
        ThreeRoofs("karst", 22e9, 13.9e9, 1.2e9), (SUMMA, odd), (SUMMA_CAI, np.array([cai]))
    )
    picture = surface(space, Look())
    assert len(named(picture, "badge:karst:odd:1")) == 1
    said = "odd (0 flop)" if shape == "west" else f"odd (OI {oi:g}, CAI {cai:g})"
    assert said.replace("inf", "∞") in texts(picture)
    assert overlapping(picture) == []


def test_undefined_intensities_are_said_below_the_surface() -> None:
    idle = Trajectory("idle", "", np.zeros(1), np.array([np.nan]), np.zeros(1), "karst")
    space = Space(ThreeRoofs("karst", 22e9, 13.9e9, 1.2e9), (idle,), (np.array([np.nan]),))
    shown = texts(surface(space, Look()))
    assert shown.index("idle") == shown.index("not drawn, its intensity is 0/0:") + 1


def test_a_narrow_surface_has_no_slices() -> None:
    picture = surface(KARST, Look(width=3.5))
    assert named(picture, "slice:") == []
    assert len(picture.axes) == 1


def test_the_regimes_are_coloured_and_their_boundary_is_drawn() -> None:
    picture = regime(REGIMES, Look())
    boundary = REGIMES.boundaries[0]
    assert line(picture, "boundary:0") == pytest.approx(np.stack([boundary.x, boundary.y], 1))
    middle = float(boundary.x[4])
    assert colour_at(picture, "region:", middle, boundary.y[4] * 2) == {"region:1:flops"}
    assert colour_at(picture, "region:", middle, boundary.y[4] / 2) == {"region:0:network"}
    assert boundary.root is not None
    typeset = f"${mathtext(boundary.root.equation)}$"
    assert {"compute-bound", "network-bound", typeset} <= set(texts(picture))
    (axes,) = picture.axes
    assert axes.get_xlim() == pytest.approx((4.0, 1e4))
    assert axes.get_ylim() == pytest.approx((2.0, 1e6))


def test_what_is_not_decided_is_hatched_and_a_name_without_room_goes_to_the_key() -> None:
    x = np.array([4.0, 1e4])
    bands = (("network", 2.0, 10.0), (UNDECIDED, 10.0, 11.0), ("flops", 11.0, 1e6))
    data = RegimeMap(
        "P",
        "N",
        (4.0, 1e4),
        (2.0, 1e6),
        tuple(Region(name, x, np.full(2, low), np.full(2, high)) for name, low, high in bands),
    )
    picture = regime(data, Look())
    assert polygon(picture, f"region:1:{UNDECIDED}").get_hatch()
    assert "not decided" in texts(picture)
    assert overlapping(picture) == []


@pytest.mark.parametrize("width", [3.5, 4.6])
def test_what_is_claimed_of_a_map_is_said_whole(width: float) -> None:
    x = np.array([1.0, 10.0])
    region = Region(UNDECIDED, x, np.full(2, 1.0), np.full(2, 10.0))
    cells = Cells(x, x, np.array([[0, 0, 1]], np.int32), np.array([-1], np.int8))
    data = RegimeMap("P", "N", (1.0, 10.0), (1.0, 10.0), (region,), cells=cells)
    picture = regime(data, Look(width=width))
    assert data.claim in " ".join(texts(picture))


STARTED = """
model sent {
    param n: integer
    param P: processes
    flops = 2*n^3/P
    memory = 8 B*n^2
    network = 4 B*n^2/sqrt(P)
}
machine box {
    flops = 100 TFLOP/s; memory = 1 TB/s; network = 50 GB/s; startup = 4 us; startup memory = 2 us
}
"""


def bound_of_sent(n: float, processes: float, started: float) -> str:
    """What takes longest on `box`, worked out by hand."""
    times = {
        "flops": 2 * n**3 / processes / 100e12,
        "memory": started + 8 * n**2 / 1e12,
        "network": 4 * n**2 / processes**0.5 / 50e9,
    }
    bound = max(times, key=times.__getitem__)
    return bound if times[bound] > 4e-6 else "startup"


def sent(folder: Path, started: int) -> Picture:
    """Return the map of `sent` where the memory takes so many microseconds to start."""
    path = folder / "sent.roof"
    path.write_text(STARTED.replace("2 us", f"{started} us"), encoding="utf-8")
    model = rd.load_model(path).on(rd.load_machine(f"{path}:box"))
    return rd.plot.regime(model, x=("P", 1, 10_000), y=("n", 10, 1e6))


# Without a start, the network takes longer than the memory for P < 100, whatever n.
@pytest.mark.parametrize(("started", "expected"), [(2, 0), (0, 1)])
def test_no_boundary_goes_through_a_region(tmp_path: Path, started: int, expected: int) -> None:
    upright = 0
    for artist in named(sent(tmp_path, started), "boundary:"):
        assert isinstance(artist, Line2D)
        places = np.asarray(artist.get_xydata())
        for (x, low), (other, high) in pairwise(places.tolist()):
            middle = (low * high) ** 0.5
            if x == other and not 0.9 < low / high < 1.1:
                upright += 1
                sides = [bound_of_sent(middle, part * x, started / 1e6) for part in (0.99, 1.01)]
                assert sides[0] != sides[1]
    assert upright == expected


def test_a_formula_of_several_boundaries_is_said_once(tmp_path: Path) -> None:
    picture = sent(tmp_path, 2)
    # Three columns of regions have it, and one formula says it.
    said = [text for text in texts(picture) if text.startswith("$n = ")]
    assert said.count(r"$n = \dfrac{\sqrt{\mathrm{memory}}}{2000}$") == 1, said
