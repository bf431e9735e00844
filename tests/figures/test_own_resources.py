"""Figures over resources that a file declares: a roof, a region and a plane of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.figures.look import LIGHT

FILE = """
unit edge
resource nvme: B
resource atomics: edge
model join {
    param R: GB = 64 GB
    flops = 32 flop/B*R; memory = 4*R; nvme = R; atomics = R/64 B*1 edge
}
model steps {
    param R: GB = 64 GB
    step read { nvme = R; flops = 1 flop/B*R; memory = R }
    step compute { flops = 1000 flop/B*R; memory = R; nvme = R }
}
machine box { flops = 512 GFLOP/s; memory = 256 GB/s; nvme = 8 GB/s; atomics = 1e9 edge/s }
"""
Row = dict[str, str | float | int | None]


@pytest.fixture(scope="module")
def prediction(tmp_path_factory: pytest.TempPathFactory) -> rd.Prediction:
    path = tmp_path_factory.mktemp("own") / "join.roof"
    path.write_text(FILE, encoding="utf-8")
    return rd.load_model(f"{path}:join").on(rd.load_machine(f"{path}:box"))


@pytest.fixture(scope="module")
def steps(prediction: rd.Prediction) -> rd.Prediction:
    path = Path(prediction.machine.definition.span.source.name)
    return rd.load_model(f"{path}:steps").on(prediction.machine)


def rows(picture: rd.plot.Picture, what: str) -> list[Row]:
    table = picture.table
    found = (dict(zip(table.columns, row, strict=True)) for row in table.rows)
    return [row for row in found if row["what"] == what]


def test_a_roofline_has_its_roof_and_its_region(prediction: rd.Prediction) -> None:
    picture = rd.plot.roofline(prediction, resource="nvme")
    (slope,) = rows(picture, "bandwidth")
    assert (slope["name"], slope["bandwidth [B/s]"]) == ("nvme", 8e9)
    (ridge,) = rows(picture, "ridge point")
    assert ridge["intensity [flop/B]"] == 64
    (point,) = rows(picture, "point")
    assert (point["intensity [flop/B]"], point["performance [flop/s]"]) == (32, 256e9)
    assert point["bound"] == "nvme"
    svg = picture.render("svg").decode()
    assert "nvme-bound" in svg and LIGHT.own[0].tint in svg


def test_units_of_ones_own_stand_in_the_axis_and_the_table(prediction: rd.Prediction) -> None:
    picture = rd.plot.pair(prediction, resource="atomics")
    assert {"intensity [flop/B]", "intensity [flop/edge]"} <= set(picture.table.columns)
    over = [row for row in rows(picture, "point") if row["intensity"] == "flops/atomics"]
    assert [row["intensity [flop/edge]"] for row in over] == [32 * 64]
    assert rows(picture, "ridge point")[1]["intensity [flop/edge]"] == 512


def test_planes_have_it_in_the_place_of_the_network(prediction: rd.Prediction) -> None:
    surface = rd.plot.surface(prediction, resource="nvme")
    (ridge,) = rows(surface, "ridge point")
    assert (ridge["OI [flop/B]"], ridge["flops/nvme [flop/B]"]) == (2, 64)
    (point,) = rows(surface, "trajectory")
    assert (point["OI [flop/B]"], point["flops/nvme [flop/B]"]) == (8, 32)
    plane = rd.plot.ridgeline(prediction, resource="nvme")
    (ridge,) = rows(plane, "ridge point")
    assert (ridge["memory/nvme [B/B]"], ridge["OI [flop/B]"]) == (32, 2)
    (point,) = rows(plane, "point")
    assert (point["memory/nvme [B/B]"], point["bound"]) == (4, "nvme")
    assert LIGHT.own[0].fill in plane.render("svg").decode()


def test_steps_stand_over_it_by_themselves(steps: rd.Prediction) -> None:
    points = {row["name"]: row for row in rows(rd.plot.roofline(steps, resource="nvme"), "point")}
    assert points["read"]["intensity [flop/B]"] == 1
    assert points["compute"]["intensity [flop/B]"] == 1000
    assert points["compute"]["bound"] == "flops"


def test_over_another_intensity_its_ceiling_says_so(steps: rd.Prediction) -> None:
    svg = rd.plot.roofline(steps).render("svg").decode()
    assert "nvme at this flops/nvme" in svg


def test_bars_and_keys_have_its_colours(steps: rd.Prediction) -> None:
    for form in ("bars", "tree"):
        svg = rd.plot.breakdown(steps, form=form).render("svg").decode()
        assert LIGHT.own[0].fill in svg and LIGHT.own[0].strong in svg


def test_a_range_is_a_trajectory_over_it(prediction: rd.Prediction) -> None:
    picture = rd.plot.roofline(prediction, at={"R": [1e9, 4e9]}, resource="nvme")
    assert [row["intensity [flop/B]"] for row in rows(picture, "trajectory")] == [32, 32]
    line = rd.plot.curve(prediction, quantities=["intensity.nvme"], at={"R": [1e9, 4e9]})
    assert [row[2] for row in line.table.rows] == [32, 32]


def test_what_was_measured_has_a_point_where_its_work_is_given(
    prediction: rd.Prediction, tmp_path: Path
) -> None:
    table = tmp_path / "measured.csv"
    table.write_text("kernel,flops,nvme,time,remark\nrun,64e9,4e9,1,cold\n", encoding="utf-8")
    kernels = rd.plot.read_measured(table)
    picture = rd.plot.roofline(prediction, measured=kernels, resource="nvme")
    found = [row for row in rows(picture, "point") if row["measured"]]
    assert [row["intensity [flop/B]"] for row in found] == [16]
    assert "no OI" in str(rows(rd.plot.roofline(prediction, measured=kernels), "not drawn"))


def test_what_is_no_resource_here_is_refused(prediction: rd.Prediction) -> None:
    with pytest.raises(rd.RoofError, match="no figure over 'nvem'"):
        rd.plot.roofline(prediction, resource="nvem")
