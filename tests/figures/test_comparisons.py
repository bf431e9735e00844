"""Bars, bounds, errors: the figures that compare numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.patches import Polygon

from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.curves import Curve, busy_lines, quantity_lines, share_lines
from roofdsl.figures.look import Look
from roofdsl.figures.perdome import perdome
from roofdsl.figures.perfbound import perfbound
from roofdsl.figures.predicted import MeasuredAgainstPredicted, predicted
from roofdsl.figures.scaling import scaling
from roofdsl.figures.sensitivity import sensitivity
from roofdsl.figures.shares import shares
from roofdsl.figures.step_bars import MOST_ROWS, step_bars
from roofdsl.figures.timeline import timeline
from roofdsl.plots.measured import read_comparison
from roofdsl.units.dimension import BYTE
from tests.figures.samples import (
    BOUNDS,
    BUSY,
    CLOUD,
    DOME,
    ELASTICITIES,
    INTENSITIES_OF_BATCHES,
    LAYERS,
    NETWORK_SHARES,
    SCALING,
    SHARES,
    SIZES,
    STEP,
    step,
)
from tests.figures.seen import colour_at, left_out, line, named, overlapping, polygon, texts

FIGURES = Path(__file__).resolve().parents[2] / "examples" / "figures"


def spans(artist: Polygon) -> tuple[float, float, float, float]:
    """Return the left, right, lowest and highest value of a polygon."""
    x, y = np.asarray(artist.get_xy()).T
    return float(x.min()), float(x.max()), float(y.min()), float(y.max())


def test_a_bar_is_as_long_as_its_resource_is_busy() -> None:
    picture = step_bars((STEP,), Look())
    assert spans(polygon(picture, "bar:forward.conv1:flops"))[:2] == pytest.approx((0.0, 2.0))
    assert spans(polygon(picture, "bar:backward.allreduce:network"))[:2] == pytest.approx((0, 6.3))
    assert line(picture, "time:forward.fc")[:, 0] == pytest.approx(1.5)
    assert {"12.2 %", "48.8 %", "Time [ms]", "flops busy"} <= set(texts(picture))


def test_many_steps_leave_the_shorter_ones_to_a_last_row() -> None:
    parts = tuple(step(f"layer{n}", n * 1e-3, "flops", {"flops": n * 1e-3}) for n in range(1, 301))
    picture = step_bars((step("net", 45.15, "flops", {}, "sequence", 1.0, parts),), Look())
    assert len(named(picture, "time:")) == MOST_ROWS - 1
    assert "277 more" in texts(picture)
    assert len(picture.table.rows) == 300
    assert overlapping(picture) == []


def test_on_the_timeline_a_sequence_follows_and_an_overlap_is_stacked() -> None:
    picture = timeline((STEP,), Look())
    conv1, relu1 = (
        spans(polygon(picture, f"block:training_step.forward.{name}"))
        for name in ("conv1", "relu1")
    )
    assert conv1[1] == pytest.approx(relu1[0])
    gradients, allreduce = (
        spans(polygon(picture, f"block:training_step.backward.{name}"))
        for name in ("gradients", "allreduce")
    )
    assert gradients[0] == pytest.approx(allreduce[0]) == pytest.approx(7.3)
    assert gradients[3] <= allreduce[2] + 1e-9


def test_a_repeated_step_is_one_block_as_long_as_all_its_runs() -> None:
    body = step("body", 1e-3, "memory", {"memory": 1e-3})
    loop = step("loop", 12e-3, "memory", {}, "sequence", 12.0, (body,))
    picture = timeline((step("all", 12e-3, "memory", {}, "sequence", 1.0, (loop,)),), Look())
    assert spans(polygon(picture, "block:all.loop.body"))[:2] == pytest.approx((0.0, 12.0))
    assert "loop × 12" in texts(picture)


def test_shares_of_the_time_add_to_100() -> None:
    picture = shares((SHARES,), Look())
    for index in range(len(SHARES.values)):
        columns = [
            spans(artist)
            for artist in named(picture, "share:")
            if isinstance(artist, Polygon) and (artist.get_gid() or "").endswith(f":{index}")
        ]
        assert min(low for *_, low, _ in columns) == pytest.approx(0.0)
        assert max(high for *_, high in columns) == pytest.approx(100.0)


def test_the_share_of_one_resource_for_several_machines() -> None:
    picture = share_lines(NETWORK_SHARES, "network", AxisName("N"), Look())
    for shown in NETWORK_SHARES:
        drawn = line(picture, f"share:{shown.name}")
        assert drawn == pytest.approx(np.stack([shown.values, 100 * shown.heights], 1))
    assert {"big_red_ii", "karst", "jetstream"} <= set(texts(picture))


def test_busy_times_are_drawn_in_a_unit_that_reads_well() -> None:
    picture = busy_lines(BUSY, "", AxisName("N"), Look())
    for shown in BUSY:
        drawn = line(picture, f"busy:{shown.name}")
        assert drawn == pytest.approx(np.stack([shown.values, 1e3 * shown.heights], 1))
    assert {"flops", "network", "Busy [ms]"} <= set(texts(picture))
    short = tuple(Curve(c.name, c.values, 1e-6 * c.heights) for c in BUSY[1:])
    assert "Network busy [ns]" in texts(busy_lines(short, "network", AxisName("N"), Look()))


def test_quantities_are_drawn_in_a_unit_that_reads_well() -> None:
    picture = quantity_lines(INTENSITIES_OF_BATCHES, Look())
    for shown in INTENSITIES_OF_BATCHES.lines:
        drawn = line(picture, f"curve:{shown.name}")
        assert drawn == pytest.approx(np.stack([shown.values, shown.heights], 1))
    assert "OI, clx.flops/clx.memory [flop/B]" in texts(picture)
    sent = replace(INTENSITIES_OF_BATCHES, label="network", dimension=BYTE)
    assert "network [B]" in texts(quantity_lines(sent, Look()))
    more = [replace(each, heights=1e9 * each.heights) for each in sent.lines]
    picture = quantity_lines(replace(sent, lines=more), Look())
    assert "network [GB]" in texts(picture)
    assert line(picture, "curve:OI")[:, 1] == pytest.approx(sent.lines[0].heights)


def test_an_axis_is_linear_where_values_have_no_logarithm() -> None:
    places = np.array([0.0, 1.0, 2.0])
    lines = (Curve("a", places, np.array([-2.0, 0.0, 5.0])),)
    picture = quantity_lines(replace(INTENSITIES_OF_BATCHES, lines=lines), Look())
    assert line(picture, "curve:a").tolist() == [[0.0, -2.0], [1.0, 0.0], [2.0, 5.0]]
    assert left_out(picture) == 0
    assert (picture.axes[0].get_xscale(), picture.axes[0].get_yscale()) == ("linear", "linear")
    lines = (Curve("a", places + 1, np.array([0.0, np.inf, 5.0])),)
    picture = quantity_lines(replace(INTENSITIES_OF_BATCHES, lines=lines), Look())
    assert picture.axes[0].get_yscale() == "log" and left_out(picture) == 2


def test_what_is_never_busy_has_no_place_on_a_logarithmic_axis() -> None:
    idle = Curve("network", SIZES, np.where(SIZES > 300, 1e-3, 0.0))
    picture = busy_lines((idle,), "network", AxisName("N"), Look())
    assert len(line(picture, "busy:network")) == len(SIZES) - 1


def test_the_ground_shows_the_lowest_bound() -> None:
    picture = perfbound(BOUNDS, Look())
    # B200 P16: 127 GFLOP/s by compute, 60 by the network.
    assert colour_at(picture, "ground:", 3, 50.0) == {"ground:3:network"}
    assert colour_at(picture, "ground:", 3, 65.0) == set()
    assert colour_at(picture, "ground:", 1, 10.0) == {"ground:1:flops"}
    assert line(picture, "bound:flops")[4] == pytest.approx([4, 250.0])
    assert np.isnan(line(picture, "bound:network")[0][1])
    assert {"compute bound", "network bandwidth bound", "estimate", "measured"} <= set(
        texts(picture)
    )


def test_the_dome_is_blank_where_no_split_is() -> None:
    picture = perdome(DOME, Look())
    (mesh,) = named(picture, "map")
    assert isinstance(mesh, QuadMesh)
    values = np.ma.getmaskarray(np.ma.asarray(mesh.get_array())).reshape(DOME.bound.shape)
    below, above = DOME.cpu < 1.7, DOME.cpu > 1.7
    assert values[np.ix_(below, below)].all() and values[np.ix_(above, above)].all()
    assert not values[np.ix_(above, below)].any() and not values[np.ix_(below, above)].any()


def test_the_domes_partitions_as_bars_with_markers() -> None:
    picture = perdome(DOME, Look())
    assert spans(polygon(picture, "bar:CP"))[2:] == pytest.approx((0.0, 125.0))
    assert {"p-DP 128", "CP 136", "I = 1.7"} <= set(texts(picture))
    assert len(named(picture, "bound:")) == 3
    # One with an idle device has no place on the map.
    assert len(named(picture, "partition:")) == 2


def test_errors_stand_beside_the_pairs() -> None:
    picture = predicted(LAYERS, Look())
    assert {"+38.8 %", "−98.5 %", "−37.5 %"} <= set(texts(picture))
    assert line(picture, "error:0")[:, 0] == pytest.approx([103e-6, 143e-6])
    assert picture.title.endswith("mean absolute error 61.9 %")


def test_a_mean_error_says_of_how_many_pairs_it_is() -> None:
    data = MeasuredAgainstPredicted(
        ("a", "b", "c"), np.array([0.0, 1.0, 4.0]), np.array([2.0, 1.0, 5.0])
    )
    assert predicted(data, Look()).title.endswith("mean absolute error 12.5 %, of 2 of 3")


def test_values_that_are_alike_need_no_logarithms() -> None:
    # Kwack et al., Table XI.
    data = MeasuredAgainstPredicted(
        ("Ivy Bridge", "Haswell"), np.array([1603.0, 1293]), np.array([1715.3, 1427.7])
    )
    picture = predicted(data, Look())
    (axes,) = picture.axes
    assert axes.get_xscale() == "linear" and axes.get_xlim()[0] == 0
    assert {"+7.01 %", "+10.4 %"} <= set(texts(picture))


def test_a_ratio_has_no_unit() -> None:
    data = MeasuredAgainstPredicted(
        ("L1_DCA",), np.array([5.87]), np.array([1.0]), "Counted over exact bytes", ""
    )
    (axes,) = predicted(data, Look()).axes
    assert axes.get_xlabel() == "Counted over exact bytes"
    assert predicted(data, Look()).table.columns[2:4] == ("measured", "predicted")


def test_what_is_held_against_what_can_be_called_otherwise() -> None:
    """Kwack et al., Table VI: the derived intensity is 23.1 % higher than the exact one."""
    data = read_comparison(FIGURES / "kwack2018_intensities.csv")
    picture = predicted(data, Look())
    assert {"exact", "derived", "at the right: how far derived is above exact"} <= set(
        texts(picture)
    )
    assert {"+23.1 %", "−83 %"} <= set(texts(picture))
    assert picture.table.columns[2:4] == ("exact", "derived")


def test_many_pairs_make_a_cloud_about_the_diagonal() -> None:
    picture = predicted(CLOUD, Look())
    diagonal = line(picture, "diagonal:1")
    assert diagonal[:, 0] == pytest.approx(diagonal[:, 1])
    double = line(picture, "diagonal:2")
    assert double[:, 1] == pytest.approx(2 * double[:, 0])
    assert len(named(picture, "points:")) == 3


def test_a_measured_time_of_0_has_no_error_but_does_not_hurt() -> None:
    data = MeasuredAgainstPredicted(("a", "b"), np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    picture = predicted(data, Look())
    assert "+100 %" in texts(picture)
    assert picture.table.rows[0][4] == np.inf


def test_elasticities_are_ranked_and_signed() -> None:
    picture = sensitivity(ELASTICITIES, Look())
    rows = [row[0] for row in picture.table.rows]
    assert rows == ["N", "word", "karst.network", "P", "B"]
    assert spans(polygon(picture, "bar:N"))[:2] == pytest.approx((0.0, 2.0))
    assert spans(polygon(picture, "bar:karst.network"))[:2] == pytest.approx((-1.0, 0.0))
    assert {"+2", "−1", "−0.29", "0"} <= set(texts(picture))


def test_scaling_stays_below_the_ideal_line() -> None:
    picture = scaling(SCALING, Look())
    ideal = line(picture, "ideal")
    assert ideal[:, 0] == pytest.approx(ideal[:, 1])
    for series in SCALING.series:
        drawn = line(picture, f"speedup:{series.name}")
        assert (drawn[:, 1] <= drawn[:, 0] * (1 + 1e-12)).all()
        efficiency = line(picture, f"efficiency:{series.name}")
        assert efficiency[:, 1] == pytest.approx(100 * series.efficiency)
    assert {"50 %", "80 %", "Speed-up", "Efficiency [%]"} <= set(texts(picture))


def test_narrow_scaling_stands_in_a_column() -> None:
    picture = scaling(SCALING, Look(width=3.5))
    lefts = {round(axes.get_position().y0, 3) for axes in picture.axes}
    assert len(lefts) == 3
