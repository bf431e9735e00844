"""Rooflines: where lines end, where ridges stand, what labels say."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Text

from roofdsl.figures.chart import CAI, OI, Chart, Line, Point, Roof, Trajectory
from roofdsl.figures.look import DARK, LIGHT, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.roofline import charts
from tests.figures.geometry import Drawn
from tests.figures.samples import (
    BLUE_WATERS,
    COPY,
    KARST,
    KARST_NETWORK,
    LEVELS,
    MACHINES,
    SUMMA,
    SUMMA_SENT,
)
from tests.figures.seen import colour_at, line, named, overlapping, polygon, texts

GIGA = 1e9


def one(*points: Point, roof: Roof = KARST, look: Look | None = None) -> Picture:
    return charts((Chart(OI, (roof,), points),), look or Look())


def places(picture: Picture, name: str) -> list[list[float]]:
    """Return where the markers of a name stand."""
    found = []
    for artist in named(picture, name):
        assert isinstance(artist, PathCollection)
        found += np.asarray(artist.get_offsets()).tolist()
    return found


def line_colours(picture: Picture) -> set[str]:
    """Return the colours of the machines' ceilings."""
    ceilings = [artist for artist in named(picture, "ceiling:") if isinstance(artist, Line2D)]
    return {to_hex(artist.get_color()) for artist in ceilings}


def test_the_bandwidth_line_runs_from_the_frame_to_the_ridge() -> None:
    picture = one()
    (axes,) = picture.axes
    left, right = line(picture, "slope:karst:memory")
    assert left == pytest.approx([axes.get_xlim()[0], 13.9 * axes.get_xlim()[0]])
    assert right == pytest.approx([22 / 13.9, 22.0])


def test_the_ceiling_runs_from_the_ridge_to_the_frame() -> None:
    picture = one()
    (axes,) = picture.axes
    ceiling = line(picture, "ceiling:karst:peak")
    assert ceiling.tolist() == pytest.approx(np.array([[22 / 13.9, 22], [axes.get_xlim()[1], 22]]))


def test_the_ridge_drops_to_the_axis_and_says_its_value() -> None:
    picture = one()
    (axes,) = picture.axes
    drop = line(picture, "ridge:karst:memory")
    assert drop[:, 0] == pytest.approx(22 / 13.9)
    assert drop[:, 1] == pytest.approx([axes.get_ylim()[0], 22.0])
    assert "OI* 1.58" in texts(picture)
    both = charts((Chart(CAI, (KARST_NETWORK,)),), Look())
    assert "CAI* 18.3" in texts(both)


def test_the_axes_are_logarithmic_and_say_what_they_are() -> None:
    left, right = charts((Chart(OI, (KARST,)), Chart(CAI, (KARST_NETWORK,))), Look()).axes
    for axes in (left, right):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        assert axes.get_ylim() == left.get_ylim()
    assert left.get_xlabel() == "Operational intensity [flop/B]"
    assert left.get_ylabel() == "Attainable performance [GFLOP/s]"
    assert right.get_xlabel() == "Communication arithmetic intensity [flop/B]"


def test_ridges_are_dotted_and_roofs_are_not() -> None:
    picture = one()
    dashed = {}
    for name in ("ridge:karst:memory", "slope:karst:memory", "ceiling:karst:peak"):
        (artist,) = [found for found in named(picture, name) if found.get_gid() == name]
        assert isinstance(artist, Line2D)
        dashed[name.partition(":")[0]] = artist.is_dashed()
    assert dashed == {"ridge": True, "slope": False, "ceiling": False}


def test_colour_is_the_kernel_on_every_level() -> None:
    picture = charts((Chart(OI, (BLUE_WATERS,), LEVELS),), Look())
    drawn = [a for a in named(picture, "points:") if isinstance(a, PathCollection)]
    colours = {
        to_hex(tuple(colour))
        for artist in drawn
        for colour in (
            np.asarray(artist.get_facecolor())
            if (artist.get_gid() or "").endswith("measured")
            else np.asarray(artist.get_edgecolor())
        )
    }
    assert colours == set(LIGHT.series[:4])
    shapes = {tuple(map(tuple, np.asarray(artist.get_paths()[0].vertices))) for artist in drawn}
    assert len(shapes) == 3


def test_ceilings_that_touch_have_their_names_in_two_rows() -> None:
    close = Roof("m", (*KARST.ceilings, Line("half", 21.8e9, "21.8 GFLOP/s", False)), KARST.slopes)
    picture = one(roof=close)
    assert {"peak 22 GFLOP/s", "half 21.8 GFLOP/s"} <= set(texts(picture))
    assert overlapping(picture) == []


@pytest.mark.parametrize("look", [Look(), Look(log2=True), Look(width=3.5)])
def test_labels_beside_ceilings_keep_their_order_and_the_main_one_has_one(look: Look) -> None:
    ceilings = (*BLUE_WATERS.ceilings, Line("sp_add", 235.3e9, "235.3 GFLOP/s", main=False))
    roof = Roof(BLUE_WATERS.machine, ceilings, BLUE_WATERS.slopes)
    picture = one(roof=roof, look=look)
    assert named(picture, "label:ceiling:blue_waters_xe:dp_fma")
    led = {artist.get_gid() for artist in named(picture, "leader:")}
    heights = {
        (artist.get_gid() or "").rpartition(":")[2]: artist.get_position()[1]
        for artist in named(picture, "label:ceiling:")
        if isinstance(artist, Text) and f"leader:{artist.get_gid()}" not in led
    }
    values = {line.name: line.value for line in ceilings}
    assert sorted(heights, key=lambda name: heights[name]) == sorted(
        heights, key=lambda name: values[name]
    )


def test_a_label_on_a_line_has_a_ground() -> None:
    path = Trajectory("p", "N", SUMMA.values, SUMMA.x, 13.9e9 * SUMMA.x / 50, "karst")
    picture = charts((Chart(OI, MACHINES, (), (path, SUMMA)),), Look(width=3.5))
    for artist in picture.findobj(Text):
        patch = artist.get_bbox_patch()
        assert patch is None or to_hex(patch.get_facecolor()) == LIGHT.paper


def test_the_frame_is_decades_about_the_ridge() -> None:
    (axes,) = one().axes
    assert axes.get_xlim() == (0.1, 100.0)
    assert axes.get_ylim() == (1.0, 100.0)


def test_the_frame_does_not_depend_on_points_inside_it() -> None:
    (bare,), (full,) = one().axes, one(Point("a", 2.0, 5e9), Point("b", 50.0, 20e9)).axes
    assert full.get_xlim() == bare.get_xlim()
    assert full.get_ylim() == bare.get_ylim()


def test_the_frame_grows_by_decades_for_points_outside() -> None:
    (axes,) = one(Point("a", 0.004, 2e7)).axes
    assert axes.get_xlim() == (0.001, 100.0)
    assert axes.get_ylim() == (0.01, 100.0)


def test_powers_of_two_on_the_axes() -> None:
    picture = one(look=Look(log2=True))
    (axes,) = picture.axes
    for low, high in (axes.get_xlim(), axes.get_ylim()):
        assert np.log2([low, high]).tolist() == pytest.approx(np.round(np.log2([low, high])))
    assert {"1/4", "1", "4"} <= set(texts(picture))


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_regions_below_the_roof_are_shaded(look: Look) -> None:
    picture = one(look=look)
    tints = (DARK if look.dark else LIGHT).tints
    assert colour_at(picture, "region:", 0.5, 2.0) == {"region:memory"}
    assert colour_at(picture, "region:", 10.0, 2.0) == {"region:flops"}
    assert colour_at(picture, "region:", 0.5, 50.0) == set()
    assert to_hex(polygon(picture, "region:memory").get_facecolor()) == tints["memory"]
    assert to_hex(polygon(picture, "region:flops").get_facecolor()) == tints["flops"]


def test_shading_reaches_the_pixels() -> None:
    picture = one()
    (axes,) = picture.axes
    picture.set_dpi(100)
    picture.canvas.draw()
    pixels = np.asarray(picture.canvas.buffer_rgba())  # type: ignore[attr-defined]  # Agg's
    for x, y, tint in ((0.5, 2.3, "memory"), (25.0, 2.3, "flops")):
        across, up = axes.transData.transform((x, y))
        shown = pixels[pixels.shape[0] - 1 - int(up), int(across), :3]
        assert to_hex(tuple((shown / 255).tolist())) == LIGHT.tints[tint]


def test_all_levels_and_ceilings_with_the_ridges_of_each() -> None:
    picture = charts((Chart(OI, (BLUE_WATERS,)),), Look())
    for name, rate in (("L1", 980.0), ("L2", 398.1), ("DRAM", 62.6)):
        right = line(picture, f"slope:blue_waters_xe:{name}")[1]
        assert right == pytest.approx([228.2 / rate, 228.2])
        assert line(picture, f"ridge:blue_waters_xe:{name}")[0][0] == pytest.approx(228.2 / rate)
    for name, rate in (("dp_fma", 228.2), ("dp_add", 117.8), ("dp_scalar", 64.7)):
        left = line(picture, f"ceiling:blue_waters_xe:{name}")[0]
        assert left == pytest.approx([rate / 980, rate])
    shown = texts(picture)
    assert {"L1 980 GB/s", "L2 398.1 GB/s", "DRAM 62.6 GB/s"} <= set(shown)
    assert {"0.233", "0.573", "3.65"} <= set(shown)


def test_bandwidth_labels_lie_along_their_lines_and_ceilings_at_the_right() -> None:
    picture = one()
    picture.canvas.draw()
    (axes,) = picture.axes
    (slope,) = named(picture, "label:slope:karst:memory")
    (ceiling,) = named(picture, "label:ceiling:karst:peak")
    assert isinstance(slope, Text) and isinstance(ceiling, Text)
    start, end = axes.transData.transform(line(picture, "slope:karst:memory"))
    angle = np.degrees(np.arctan2(end[1] - start[1], end[0] - start[0]))
    assert slope.get_rotation() == pytest.approx(angle, abs=0.5)
    assert ceiling.get_rotation() == 0
    gap = axes.bbox.x1 - ceiling.get_window_extent().x1
    assert 0 <= gap < 4


def test_shape_is_the_level_and_fill_is_measurement() -> None:
    picture = charts((Chart(OI, (BLUE_WATERS,), LEVELS),), Look())
    shown = texts(picture)
    assert {"L1", "L2", "DRAM", "measured", "predicted", "size: share of time"} <= set(shown)
    measured, predicted = (
        [a for a in named(picture, "points:") if (a.get_gid() or "").endswith(sort)]
        for sort in (":measured", ":predicted")
    )
    assert len(measured) == 9 and len(predicted) == 3
    for artist in predicted:
        assert isinstance(artist, PathCollection)
        assert to_hex(tuple(np.asarray(artist.get_facecolor())[0])) == LIGHT.paper


def test_size_is_the_share_of_time() -> None:
    sizes = {}
    for share in (0.1, 0.9):
        (artist,) = named(one(Point("a", 1.0, 1e9, share=share)), "points:")
        assert isinstance(artist, PathCollection)
        sizes[share] = float(artist.get_sizes()[0])
    assert sizes[0.9] > 3 * sizes[0.1]


def test_a_kernel_without_flops_is_marked_at_the_left_edge() -> None:
    picture = charts((Chart(OI, (BLUE_WATERS,), (COPY,)),), Look())
    (axes,) = picture.axes
    ((x, y),) = places(picture, "badge:")
    assert x == pytest.approx(axes.get_xlim()[0])
    assert y == pytest.approx(62.6 * x)
    assert "copy (0 flop) 62.6 GB/s" in texts(picture)


def test_several_kernels_without_flops_stand_apart() -> None:
    copies = tuple(Point(f"copy{n}", 0.0, 0.0, "karst", note="(0 flop)") for n in range(3))
    picture = one(*copies)
    heights = sorted(y for _, y in places(picture, "badge:"))
    assert len(set(heights)) == 3
    assert overlapping(picture) == []


def test_an_infinite_intensity_is_marked_at_the_right_edge() -> None:
    picture = charts((Chart(CAI, (KARST_NETWORK,), (Point("dot", np.inf, 2e9),)),), Look())
    (axes,) = picture.axes
    ((x, y),) = places(picture, "badge:E")
    assert [x, y] == pytest.approx([axes.get_xlim()[1], 2.0])
    assert "dot (CAI ∞)" in texts(picture)


def test_what_has_no_place_is_said_below() -> None:
    picture = charts((Chart(CAI, (KARST_NETWORK,), undrawn=("copy (neither)",)),), Look())
    assert "not drawn: copy (neither)" in texts(picture)


def test_a_point_far_beyond_stands_at_the_edge_of_a_bounded_frame() -> None:
    picture = one(Point("odd", 1e30, 1e9))
    (axes,) = picture.axes
    assert axes.get_xlim()[1] <= 1e8
    ((x, _),) = places(picture, "badge:")
    assert x == pytest.approx(axes.get_xlim()[1])
    assert any(text.startswith("odd (OI 1×10") for text in texts(picture))


def test_colour_tells_machines_apart_where_there_is_one_kernel() -> None:
    picture = charts((Chart(CAI, MACHINES, (), (SUMMA_SENT,)),), Look())
    assert len(line_colours(picture)) == 3
    two = (SUMMA_SENT, Trajectory("fft", "N", SUMMA.values, SUMMA.x, SUMMA.y, "karst"))
    picture = charts((Chart(CAI, MACHINES, (), two),), Look())
    assert line_colours(picture) == {LIGHT.ink}


def test_a_colour_means_the_same_in_both_charts_of_a_pair() -> None:
    left = (Point("a", 1.0, 1e9), Point("b", 2.0, 2e9))
    right = (Point("b", 20.0, 2e9),)
    picture = charts((Chart(OI, (KARST,), left), Chart(CAI, (KARST_NETWORK,), right)), Look())
    labels = [artist for artist in picture.findobj(Text) if artist.get_text() == "b"]
    assert len({label.get_color() for label in labels}) == 1


def test_a_trajectory_shows_its_ends_and_its_name() -> None:
    picture = charts((Chart(OI, (KARST,), (), (SUMMA,)),), Look())
    assert {"N = 242", "N = 61952", "summa"} <= set(texts(picture))
    drawn = line(picture, "trajectory:karst:summa")
    assert drawn[0] == pytest.approx([SUMMA.x[0], SUMMA.y[0] / GIGA])
    assert drawn[-1] == pytest.approx([SUMMA.x[-1], SUMMA.y[-1] / GIGA])


def test_a_trajectory_of_100_000_points_stays_small() -> None:
    count = 100_000
    x = np.geomspace(0.02, 50, count)
    path = Trajectory(
        "big", "N", np.linspace(1.0, 1e5, count), x, np.minimum(13.9e9 * x, 22e9), "karst"
    )
    picture = charts((Chart(OI, (KARST,), (), (path,)),), Look())
    assert len(line(picture, "trajectory:karst:big")) < 1500
    assert len(places(picture, "trajectory:karst:big:markers")) < 100
    assert len(picture.render("svg")) < 120_000
    assert len(picture.table.rows) > count  # the data are all there


def test_2_000_measured_points_of_long_names_stay_legible() -> None:
    names = [f"kernel_{'very_' * 13}long_{number:03}" for number in range(12)]
    assert len(names[0]) == 80
    spots = np.random.default_rng(1).uniform(-2, 2, (2000, 2))
    points = tuple(
        Point(name, 10**x, 1e9 * 10 ** (y / 2), "karst", measured=True)
        for (x, y), name in zip(spots, itertools.cycle(names), strict=False)
    )
    picture = one(*points)
    assert overlapping(picture) == []
    assert len(places(picture, "points:")) == 2000
    shown = [text for text in texts(picture) if text.startswith("kernel_")]
    assert len(shown) == 12 and all("…" in text for text in shown)


def test_2_000_kernels_are_thinned_out() -> None:
    spots = np.random.default_rng(2).uniform(-1, 1, (2000, 2))
    points = tuple(
        Point(f"k{number}", 10**x, 1e9 * 10**y, "karst", share=1 / (number + 2), measured=True)
        for number, (x, y) in enumerate(spots)
    )
    picture = one(*points)
    assert overlapping(picture) == []
    assert "1993 others" in texts(picture)


def test_twelve_machines_at_once() -> None:
    rates = np.random.default_rng(3).uniform((1, 1), (4, 3), (12, 2))
    roofs = tuple(
        Roof(
            f"machine_{number}",
            (Line("peak", 1e9 * 10**flops, f"{10**flops:.3g} GFLOP/s"),),
            (Line("memory", 1e9 * 10**memory, f"{10**memory:.3g} GB/s"),),
        )
        for number, (flops, memory) in enumerate(rates)
    )
    picture = charts((Chart(OI, roofs),), Look())
    assert overlapping(picture) == []
    shown = texts(picture)
    for roof in roofs:
        assert any(text.split()[0] == roof.machine for text in shown)
    # Colours come round again with other dashes.
    looks = set()
    for roof in roofs:
        drawn = named(picture, f"ceiling:{roof.machine}:peak")[0]
        assert isinstance(drawn, Line2D)
        looks.add((drawn.get_color(), drawn.get_linestyle(), drawn.is_dashed()))
    assert len(looks) > 8


def test_a_machine_without_a_peak_or_without_a_line() -> None:
    memory_only = Roof("carbonate", (), (Line("memory", 12.9e9, "12.9 GB/s"),))
    unlimited = Roof("ideal", (Line("peak", 1e9, "1 GFLOP/s"),), ())
    for roof in (memory_only, unlimited):
        picture = charts((Chart(OI, (roof,)),), Look())
        assert overlapping(picture) == []
        assert named(picture, "ridge:") == []


def test_a_name_is_never_mathematics_or_markup() -> None:
    names = ("$x^2$", "<script>alert(1)</script>", "a\x00b", "50 % & more", "\u202eevil")
    picture = one(*(Point(n, 0.2 * 3.0**i, 3e9) for i, n in enumerate(names)), look=Look(title="$"))
    svg = picture.render("svg").decode()
    assert "<script" not in svg and "&lt;script&gt;" in svg
    assert "\x00" not in svg and "\u202e" not in svg
    assert ">$x^2$<" in svg
    for form in ("pdf", "png"):
        picture.render(form)


def test_letters_the_font_has_not_are_no_warning() -> None:
    one(Point("核心", 1.0, 1e9), look=Look(title="核心")).render("png")


@pytest.mark.parametrize("low", [0.002, 0.02, 0.09, 0.3])
def test_the_name_of_a_region_stands_in_it(low: float) -> None:
    intensities = low * np.array([1.0, 3.0, 9.0])
    points = [Point(f"kernel{n}", x, 13.9e9 * x) for n, x in enumerate(intensities.tolist())]
    for look in (Look(width=3.5), Look(width=3.5, height=2.2), Look(style="ieee")):
        picture = one(*points, Point("product", 60.0, 22e9), look=look)
        drawn = Drawn(picture, picture.axes[0])
        for name, label in drawn.labels.items():
            if name.startswith("label:region:"):
                values = polygon(picture, name.removeprefix("label:")).get_xy()
                corners = picture.axes[0].transData.transform(values) * 72 / picture.dpi
                inside = Path(corners).contains_points(label.corners)
                assert inside.all(), f"{label.text} leaves its region"
