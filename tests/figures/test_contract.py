"""What is asked for is drawn, has a badge at the frame's side, or is named; no picture contradicts.

The words in a picture are compared with what `evaluate` says of the same model and machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D

import roofdsl as rd
from roofdsl.analysis.composition import Composed
from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.look import DARK, LIGHT, Look
from roofdsl.figures.picture import Picture
from tests.figures.seen import (
    accounted,
    badges,
    colour_at,
    key,
    left_out,
    line,
    named,
    not_drawn,
    offsets,
    texts,
)

A100: dict[str, int | str] = {"batch": 8, "ranks": 8, "dtype": "bf16"}


def rows(picture: Picture, what: str) -> list[dict[str, object]]:
    columns = picture.table.columns
    return [dict(zip(columns, row, strict=True)) for row in picture.table.rows if row[0] == what]


def test_every_step_of_resnet50_is_in_the_picture_and_in_the_data() -> None:
    prediction = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
    steps = prediction.evaluate(batch=32).breakdown
    count = sum(1 for _ in kernels(steps))
    assert count == 94
    picture = rd.plot.roofline(prediction, at={"batch": 32})
    assert len(rows(picture, "point")) == 1 + count
    assert len(offsets(picture, "points:")) + badges(picture) == 1 + count
    assert "88 others" in texts(picture)  # with the seven that have colours: 94, and the whole


def kernels(part: Composed[float]) -> Iterable[Composed[float]]:
    if not part.children:
        yield part
    for child in part.children:
        yield from kernels(child)


def test_the_ridge_is_that_of_the_kinds_asked_for() -> None:
    """Products at 312 Tflop/s, other work at 19.5 and 2.44, over 2039 GB/s: not 153 flop/B."""
    prediction = rd.load_model("resnet50_training").on(rd.load_machine("a100_sxm_80gb"))
    result = prediction.evaluate(**A100)
    rates = {"matrix.bf16": 312e12, "vector.fp32": 19.5e12, "special.fp32": 108 * 16 * 1.41e9}
    work = {kind: result.work[f"flops.{kind}"] for kind in rates}
    mixed = sum(work.values()) / sum(work[kind] / rate for kind, rate in rates.items())
    assert result.bound == "memory" and result.ridge.OI == pytest.approx(mixed / 2039e9, rel=1e-9)
    assert mixed / 2039e9 == pytest.approx(124, abs=0.5)
    picture = rd.plot.pair(prediction, at=A100)
    assert {"OI* 124", "CAI* 844"} <= set(texts(picture))
    assert colour_at(picture, "region:", result.OI, result.attainable / 1e9) == {"region:memory"}
    drawn = rows(picture, "ridge point")
    assert [row["intensity [flop/B]"] for row in drawn[:1]] == pytest.approx([result.ridge.OI])


def test_the_regions_of_planes_are_those_of_the_kinds_asked_for() -> None:
    prediction = rd.load_model("resnet50_training").on(rd.load_machine("a100_sxm_80gb"))
    result = prediction.evaluate(**A100)
    picture = rd.plot.ridgeline(prediction, at=A100)
    assert "OI* 124 flop/B" in texts(picture)
    assert colour_at(picture, "region:", result.MI, result.OI) == {"region:memory"}
    assert named(picture, "bound:") == []
    picture = rd.plot.surface(prediction, at=A100)
    assert {"OI* 124", "CAI* 844"} <= set(texts(picture))


SHARES = """
machine chip { flops = 1 GFLOP/s; memory = 1 GB/s; network = 1 GB/s }
model two_steps {
    step compute { flops = 60; memory = 59 B }
    step move { memory = 39 B; network = 1 B }
}
"""


def test_the_largest_share_is_said_in_a_plane_where_the_region_is_anothers(tmp_path: Path) -> None:
    path = tmp_path / "shares.roof"
    path.write_text(SHARES, encoding="utf-8")
    prediction = rd.load_model(f"{path}:two_steps").on(rd.load_machine(f"{path}:chip"))
    assert prediction.evaluate().bound == "flops"  # 60 of 99; memory is busy for 98
    picture = rd.plot.ridgeline(prediction)
    assert colour_at(picture, "region:", 98.0, 60 / 98) == {"region:memory"}
    for drawn in (picture, rd.plot.surface(prediction), rd.plot.pair(prediction)):
        assert "flops, 60.6 % of the time" in texts(drawn)
        assert all(str(a.get_gid()).endswith("flops") for a in named(drawn, "bound:chip:two_steps"))
        assert len(named(drawn, "bound:")) >= 1


MIXED = """
machine chip {
    flops { bf16 = 300 TFLOP/s; fp32 = 20 TFLOP/s; default fp32 }
    memory = 2 TB/s
    network = 100 GB/s
}
model mixed {
    param half: precision = bf16
    param single: precision = fp32
    step narrow { flops[half] = 6000000; memory = 10000 B }
    step wide { flops[single] = 200000; memory = 10000 B }
}
"""


def test_the_peak_of_a_mix_is_a_ceiling_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mixed.roof"
    path.write_text(MIXED, encoding="utf-8")
    prediction = rd.load_model(f"{path}:mixed").on(rd.load_machine(f"{path}:chip"))
    picture = rd.plot.roofline(prediction)
    # 6.2e6 flop in 6e6/300e12 + 0.2e6/20e12 s
    peak = 6.2e6 / (6e6 / 300e12 + 0.2e6 / 20e12)
    assert line(picture, "ceiling:chip:peak of the mix")[0, 1] == pytest.approx(peak / 1e9)
    assert f"OI* {peak / 2e12:.3g}" in texts(picture)


def test_precisions_side_by_side_have_a_ridge_each() -> None:
    prediction = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
    picture = rd.plot.roofline(prediction, at={"batch": 32, "dtype": ["bf16", "fp64"]})
    drawn = {float(str(row["intensity [flop/B]"])) for row in rows(picture, "ridge point")}
    wanted = {prediction.evaluate(batch=32, dtype=d).ridge.OI for d in ("bf16", "fp64")}
    assert drawn == wanted
    assert named(picture, "region:") == []  # which would lie on each other


AT: list[tuple[str, str, dict[str, int | str]]] = [
    ("summa", "karst", {"N": 4096, "P": 121}),
    ("summa", "karst", {"N": 61952, "P": 121}),
    ("resnet50_training", "a100_sxm_80gb", A100),
    ("lenet5", "a100_sxm_80gb", {"batch": 64}),
    ("cannon", "xeon_e5630", {"N": 2000, "B": 400, "P": 32}),
    ("jacobi2d", "blue_waters_xe", {"n": 8192}),
    ("llama2_70b_decode", "h100_sxm", {"batch": 4}),
    ("perdome", "i7_titan", {"I": "1.7 flop/B", "I_C": "0.1 flop/B", "I_G": "2 flop/B"}),
]


@pytest.mark.parametrize(("model", "machine", "at"), AT)
@pytest.mark.parametrize("look", [Look(), Look(dark=True)], ids=["light", "dark"])
def test_the_region_under_a_marker_is_the_bound_or_a_ceiling_touches_it(
    model: str, machine: str, at: dict[str, int | str], look: Look
) -> None:
    prediction = rd.load_model(model).on(rd.load_machine(machine))
    result = prediction.evaluate(**at)
    draw = rd.plot.communication if machine == "xeon_e5630" else rd.plot.roofline
    picture = draw(prediction, at=at, look=look)
    points = rows(picture, "point")
    assert {row["bound"] for row in points if row["name"] == model} == {result.bound}
    (axes,) = picture.axes
    fills = (DARK if look.dark else LIGHT).fills
    for row in points:
        x, y = float(str(row["intensity [flop/B]"])), float(str(row["performance [flop/s]"])) / 1e9
        bound = str(row["bound"])
        if np.isnan(x) or bound == "None":
            continue
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        inside = left <= x <= right and low <= y <= high
        if not inside:
            continue
        under = colour_at(picture, "region:", x, 0.999 * y)
        root = next((name for name in ("flops", "memory", "network") if name in bound), bound)
        assert under == {f"region:{root}"} or touched(picture, x, y, root), row
        near = [
            artist
            for artist in named(picture, "points:")
            if isinstance(artist, PathCollection)
            and any(np.allclose(at, [x, y]) for at in np.asarray(artist.get_offsets()))
        ]
        faces = {to_hex(tuple(np.asarray(artist.get_facecolor())[0])) for artist in near}
        if root in fills:
            assert fills[root] in faces or "." in bound


def touched(picture: Picture, x: float, y: float, root: str) -> bool:
    """Whether a line of a resource goes through a point: of the roof, or a ceiling of its own."""
    lines = {"flops": "ceiling:", "memory": "slope:", "network": "slope:"}
    for artist in [*named(picture, "bound:"), *named(picture, lines.get(root, "bound:"))]:
        assert isinstance(artist, Line2D)
        if str(artist.get_gid()).startswith("bound:") and root not in str(artist.get_gid()):
            continue
        along, up = np.asarray(artist.get_xydata(), dtype=float).T
        if along[0] * (1 - 1e-9) <= x <= along[-1] * (1 + 1e-9):
            height = np.exp(np.interp(np.log(x), np.log(along), np.log(up)))
            if height == pytest.approx(y, rel=1e-6):
                return True
    return False


def test_a_network_bound_point_has_the_networks_ceiling() -> None:
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    picture = rd.plot.roofline(prediction, at={"N": 4096, "P": 121})
    assert "network at this CAI" in texts(picture)
    (drawn,) = named(picture, "bound:karst:summa:network")
    assert isinstance(drawn, Line2D)
    assert to_hex(drawn.get_color()) == LIGHT.strong["network"]


def test_the_largest_share_of_a_composition_is_said_where_the_region_is_anothers() -> None:
    prediction = rd.load_model("lenet5").on(rd.load_machine("a100_sxm_80gb"))
    result = prediction.evaluate(batch=64)
    picture = rd.plot.roofline(prediction, at={"batch": 64})
    region = "memory" if result.OI < (result.ridge.OI or 0.0) else "flops"
    assert result.bound is not None
    said = [text for text in texts(picture) if text.startswith(f"{result.bound}, ")]
    assert bool(said) == (region != result.bound)
    assert all(f"{100 * result.shares[result.bound]:.3g} %" in text for text in said)


def test_what_leaves_the_frame_has_a_badge_with_its_value() -> None:
    ddot = rd.load_model("ddot").on(rd.load_machine("karst"))
    counts = [1, 2, 4, 8]
    picture = rd.plot.communication(ddot, at={"N": 1_000_000, "P": counts})
    assert badges(picture) == 1  # alone, it sends nothing
    assert any("P = 1 (CAI ∞)" in text for text in texts(picture))
    assert len(rows(picture, "trajectory")) == len(counts)


def test_a_trajectory_outside_the_frame_has_a_badge() -> None:
    from roofdsl.figures.chart import OI, Chart, Trajectory
    from roofdsl.figures.roofline import charts
    from tests.figures.samples import KARST

    x = np.array([1e20, 1e21, 1e22])
    path = Trajectory("far", "N", np.array([1.0, 2.0, 3.0]), x, np.full(3, 22e9), "karst")
    picture = charts((Chart(OI, (KARST,), (), (path,)),), Look())
    assert badges(picture) == 3
    assert any(text.startswith("far, N = 1 … 3 (OI 1×10²⁰)") for text in texts(picture))
    assert "far" not in texts(picture)


def test_what_was_measured_without_enough_is_named() -> None:
    measured = [
        rd.plot.MeasuredKernel("triad", flops=2e9, memory=24e9, time=2.0),
        rd.plot.MeasuredKernel("unclear", flops=2e9, time=2.0),
        rd.plot.MeasuredKernel("nothing", flops=0.0, memory=0.0, time=1.0),
    ]
    picture = rd.plot.roofline(rd.load_machine("karst"), measured=measured)
    shown = texts(picture)
    assert len(offsets(picture, "points:")) == 1
    assert "not drawn: unclear (no OI or no performance in the table)" in shown
    assert not_drawn(picture)[0] == "nothing"
    assert [row["name"] for row in rows(picture, "point")] == ["triad", "nothing"]
    assert len(rows(picture, "not drawn")) == 1


def test_a_hundred_points_at_one_side_share_badges_that_count_them() -> None:
    from roofdsl.figures.chart import OI, Chart, Point
    from roofdsl.figures.roofline import charts
    from tests.figures.samples import KARST

    points = tuple(
        Point(f"k{n}", np.inf, 1e9 * 1.03**n, "karst", bound=("flops", "network")[n % 2])
        for n in range(100)
    )
    picture = charts((Chart(OI, (KARST,), points),), Look())
    drawn = offsets(picture, "badge:E")
    assert badges(picture) == 100 and len(drawn) < 40
    (axes,) = picture.axes
    heights = np.sort(axes.transData.transform(drawn)[:, 1]) * 72 / picture.dpi
    assert np.diff(heights).min() > 5.0
    assert any(text.endswith("points (OI ∞)") for text in texts(picture))


def test_machines_are_told_apart_by_shape_and_in_the_key() -> None:
    machines = [rd.load_machine(name) for name in ("karst", "jetstream", "big_red_ii")]
    summa = rd.load_model("summa")
    picture = rd.plot.roofline(*(summa.on(m) for m in machines), at={"N": 4096, "P": 121})
    drawn = [a for a in named(picture, "points:") if isinstance(a, PathCollection)]
    forms = {len(np.asarray(artist.get_paths()[0].vertices)) for artist in drawn}
    assert len(drawn) == 3 and len(forms) == 3
    assert {"karst", "jetstream", "big_red_ii"} <= set(key(picture))


LEVELS = """
machine chip { flops = 1 GFLOP/s; memory { L1 = 4 GB/s; L2 = 2 GB/s; default L2 } }
model levels {
    step compute { flops = 60; memory.L1 = 400 B; memory.L2 = 200 B }
    step move { memory.L1 = 40 B; memory.L2 = 300 B }
}
"""


def test_no_bound_of_a_resource_lies_below_the_estimate(tmp_path: Path) -> None:
    path = tmp_path / "levels.roof"
    path.write_text(LEVELS, encoding="utf-8")
    prediction = rd.load_model(f"{path}:levels").on(rd.load_machine(f"{path}:chip"))
    picture = rd.plot.perfbound(prediction)
    (row,) = picture.table.rows
    found = dict(zip(picture.table.columns, row, strict=True))
    # Levels overlap in each step: 100 ns, then 150 ns.
    assert found["memory bound [flop/s]"] == pytest.approx(60 / 250e-9)
    assert found["flops bound [flop/s]"] == pytest.approx(60 / 60e-9)
    assert found["estimate [flop/s]"] == pytest.approx(60 / 250e-9)


def test_a_trajectory_of_a_composition_is_what_evaluate_says() -> None:
    prediction = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
    sizes = [1, 8, 64, 256]
    for row in rows(rd.plot.roofline(prediction, at={"batch": sizes}), "trajectory"):
        result = prediction.evaluate(batch=int(float(str(row["value"]))))
        assert row["performance [flop/s]"] == pytest.approx(result.attainable, rel=1e-12)
        assert row["bound"] == result.bound


@pytest.mark.parametrize("kind", ["ridgeline", "surface", "communication"])
def test_what_sends_nothing_has_a_badge_in_every_plane(kind: str) -> None:
    ddot = rd.load_model("ddot").on(rd.load_machine("karst"))
    draws: dict[str, Callable[..., rd.plot.Picture]] = {
        "ridgeline": rd.plot.ridgeline,
        "surface": rd.plot.surface,
        "communication": rd.plot.communication,
    }
    picture = draws[kind](ddot, at={"N": [10_000, 100_000, 1_000_000], "P": [1, 16]})
    assert len(rows(picture, "trajectory")) == 6
    assert accounted(picture) == (3, 3, 0)
    assert any("∞" in text for text in texts(picture))


def test_steps_are_rows_or_counted_in_the_last_one() -> None:
    prediction = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
    picture = rd.plot.breakdown(prediction, at={"batch": 32})
    (more,) = [text for text in texts(picture) if text.endswith(" more")]
    assert len(named(picture, "time:")) + int(more.split()[0]) == 94
    assert len(picture.table.rows) == 94
    blocks = rd.plot.breakdown(prediction, at={"batch": 32}, form="tree")
    (more,) = [text for text in texts(blocks) if text.endswith(" further steps")]
    drawn = len(named(blocks, "block:"))
    assert drawn + int(more.split()[2]) == len(blocks.table.rows) >= 94


@pytest.mark.parametrize("look", [Look(), Look(width=3.5)], ids=["wide", "column"])
def test_partitions_with_an_idle_device_have_badges_beside_the_map(look: Look) -> None:
    partitions = {"CPU-only": (1.7, 0.0), "CP": (0.0833, 2.0), "far": (1e-6, 1.8)}
    machine = rd.load_machine("i7_gtx750")
    picture = rd.plot.perdome(machine, 1.7, partitions, {"CP": 120e9}, look)
    assert len(offsets(picture, "partition:")) + badges(picture) == len(partitions)
    assert badges(picture) == 2
    assert any("120" in text for text in texts(picture)) or named(picture, "bar:CP")


def test_elasticities_beyond_the_rows_are_counted_and_those_without_value_named() -> None:
    from roofdsl.figures.sensitivity import Elasticities, sensitivity

    values = {f"x{n}": 1.0 / (n + 1) for n in range(40)} | {"unclear": float("nan")}
    picture = sensitivity(Elasticities("time", values), Look())
    drawn = len(named(picture, "bar:"))
    assert len(picture.table.rows) == len(values)
    assert f"{40 - drawn} more, of at most 0.0323" in texts(picture)
    assert not_drawn(picture)[0] == "unclear"


def test_values_without_a_place_on_an_axis_are_named() -> None:
    from roofdsl.figures.curves import Curve, busy_lines
    from roofdsl.figures.perfbound import PerformanceBounds, perfbound
    from roofdsl.figures.predicted import MeasuredAgainstPredicted, predicted
    from roofdsl.figures.scaling import ScalingCurves, Series, scaling
    from roofdsl.figures.shares import Shares, shares

    counts = np.array([1.0, 2.0, 4.0])
    some, odd = np.array([1.0, 2.0, 3.0]), np.array([np.inf, 2.0, 0.0])
    pictures: list[tuple[Picture, int]] = [
        (
            busy_lines(
                (Curve("network", counts, np.array([0.0, 1, 2])),), "", AxisName("P"), Look()
            ),
            1,
        ),
        (
            perfbound(
                PerformanceBounds(("a", "b", "c"), {"flops": some, "network": odd}, some), Look()
            ),
            2,
        ),
        (predicted(MeasuredAgainstPredicted(("a", "b", "c"), some, 100 * odd), Look()), 2),
        (predicted(MeasuredAgainstPredicted(("a",) * 60, np.ones(60), np.zeros(60)), Look()), 60),
        (scaling(ScalingCurves((Series("N = 1", counts, odd, odd / counts),)), Look()), 2),
        (
            shares(
                (Shares("N", counts, ("1", "2", "4"), {"flops": np.array([0.0, 1, 2])}),), Look()
            ),
            1,
        ),
    ]
    for picture, count in pictures:
        assert left_out(picture) == count, picture.title


def test_sizes_that_no_search_found_are_named() -> None:
    from roofdsl.figures.scaling import Isoline, ScalingCurves, Series, scaling

    counts = np.array([4.0, 16.0])
    line = Isoline(0.8, counts, np.array([100.0, np.nan]))
    series = Series("N = 1", counts, counts / 2, np.full(2, 0.5))
    picture = scaling(ScalingCurves((series,), (line,), "N"), Look())
    assert not_drawn(picture) == ["80 % at P = 16"]
