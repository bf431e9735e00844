"""Where the time goes on several machines: rows, panels and timelines beside one another."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from matplotlib.patches import Polygon
from matplotlib.text import Text

import roofdsl as rd
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from tests.figures.seen import line, named, outside, overlapping, polygon, texts

FILE = """\
machine box { flops = 10 GFLOP/s; memory = 10 GB/s; network = 1 GB/s }
machine lone { flops = 20 GFLOP/s; memory = 10 GB/s }
machine far { flops = 20 GFLOP/s; memory = 10 GB/s; network = 2 GB/s }
model still { param N: integer; flops = N*N*1 flop; memory = N*1 B }
model sends { param N: integer; flops = N*N*1 flop; memory = N*1 B; network = N*1 B }
model other { param M: integer; flops = M*1 flop }
model steps {
    param N: integer
    step first { flops = N*N*1 flop; memory = N*1 B }
    step second { memory = 3*N*N*1 B }
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "several.roof"
    path.write_text(FILE, encoding="utf-8")
    return path


def on(file: Path, model: str, machine: str) -> rd.Prediction:
    return rd.load_model(f"{file}:{model}").on(rd.load_machine(f"{file}:{machine}"))


def widths(picture: Picture, name: str) -> float:
    across = polygon(picture, name).get_xy()[:, 0]
    return float(np.ptp(across))


def captions(picture: Picture) -> list[str]:
    return [text.get_text() for text in named(picture, "caption:") if isinstance(text, Text)]


def test_each_machine_is_a_row_of_shares_with_its_time(file: Path) -> None:
    picture = rd.plot.breakdown(on(file, "still", "box"), on(file, "still", "lone"), at={"N": 20})
    # 400 flop at 10 and at 20 GFLOP/s against 20 B at 10 GB/s: 40 and 20 ns against 2 ns.
    for row, flops in enumerate((40, 20)):
        assert widths(picture, f"share:flops:{row}") == pytest.approx(100 * flops / (flops + 2))
        assert widths(picture, f"share:memory:{row}") == pytest.approx(100 * 2 / (flops + 2))
    assert {"box", "lone", "40 ns", "20 ns"} <= {*texts(picture)}
    assert picture.table.columns[:4] == ("name", "time [s]", "bound", "flops busy [s]")
    names, times, bounds = zip(*(row[:3] for row in picture.table.rows), strict=True)
    assert (names, bounds) == (("box", "lone"), ("flops", "flops"))
    assert times == pytest.approx((40e-9, 20e-9))


def test_times_stand_on_one_axis(file: Path) -> None:
    asked = on(file, "still", "box"), on(file, "still", "lone")
    picture = rd.plot.breakdown(*asked, at={"N": 20}, form="seconds")
    assert picture.axes[0].get_xlabel() == "Time [ns]"
    for name, flops in (("box", 40), ("lone", 20)):
        assert widths(picture, f"bar:{name}:flops") == pytest.approx(flops)
        assert widths(picture, f"bar:{name}:memory") == pytest.approx(2)
        assert line(picture, f"time:{name}")[:, 0] == pytest.approx([flops] * 2)


@pytest.mark.parametrize("form", ["bars", "seconds"])
@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("sizes", [20, [2, 4, 8]], ids=["at one size", "along sizes"])
def test_a_resource_that_one_lacks_is_named(
    file: Path, form: Literal["bars", "seconds"], each: bool, sizes: int | list[int]
) -> None:
    asked = on(file, "still", "lone"), on(file, "sends", "box")
    if each and isinstance(sizes, int):
        with pytest.raises(
            rd.RoofError, match=r"R0807.*steps of one model, not of still and sends"
        ):
            rd.plot.breakdown(*asked, at={"N": sizes}, form=form, each_machine=True)
        return
    picture = rd.plot.breakdown(*asked, at={"N": sizes}, form=form, each_machine=each)
    said = texts(picture)
    # A line along sizes is of the network: what has none has no line.
    one_line = not each and isinstance(sizes, list)
    lacking = "still on lone" if one_line else "network of still on lone"
    assert said[said.index("not drawn, none there:") + 1] == lacking


def test_what_is_not_there_is_no_number(file: Path) -> None:
    asked = on(file, "still", "lone"), on(file, "sends", "box")
    picture = rd.plot.breakdown(*asked, at={"N": 20})
    assert [row[-1] for row in picture.table.rows] == [None, pytest.approx(20e-9)]
    along = rd.plot.breakdown(*asked, at={"N": [20]}, each_machine=True)
    assert [row[-1] for row in along.table.rows] == [None, pytest.approx(20e-9)]


@pytest.mark.parametrize("look", [Look(), Look(dark=True, width=3.5)], ids=["wide", "column"])
def test_panels_of_steps_have_the_same_rows_over_the_same_time(file: Path, look: Look) -> None:
    asked = [on(file, "steps", name) for name in ("box", "lone", "far")]
    picture = rd.plot.breakdown(*asked, at={"N": 20}, each_machine=True, look=look)
    assert captions(picture) == ["box", "lone", "far"]
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in picture.axes}) == 1
    assert overlapping(picture) == [] and outside(picture) == []
    assert picture.table.columns[:4] == ("name", "step", "runs", "time [s]")
    for name, alone in zip(("box", "lone", "far"), asked, strict=True):
        single = rd.plot.breakdown(alone, at={"N": 20})
        own = [row[1:] for row in picture.table.rows if row[0] == name]
        assert own == [*single.table.rows]
        # 1200 B at 10 GB/s.
        assert [row[2] for row in own if row[0] == "second"] == [pytest.approx(120e-9)]


def test_timelines_stand_one_above_another_over_the_same_time(file: Path) -> None:
    asked = [on(file, "steps", name) for name in ("box", "lone")]
    picture = rd.plot.breakdown(*asked, at={"N": 20}, form="tree")
    assert captions(picture) == ["box", "lone"]
    # 40 + 120 ns on the slower one, 20 + 120 ns on the other.
    ends = [axes.get_xlim()[1] for axes in picture.axes]
    assert ends[0] == ends[1] == pytest.approx(160)
    wholes = [float(np.ptp(each.get_xy()[:, 0])) for each in polygons(picture, "block:steps")]
    assert wholes == pytest.approx([160, 140])
    times = {(row[0], row[1]): row[3] for row in picture.table.rows}
    assert times["lone", "steps.first"] == pytest.approx(20e-9)


def polygons(picture: Picture, name: str) -> list[Polygon]:
    """Return the polygons of this name, one for each panel."""
    found = [artist for artist in named(picture, name) if artist.get_gid() == name]
    return [artist for artist in found if isinstance(artist, Polygon)]


@pytest.mark.parametrize("form", ["bars", "seconds"])
def test_panels_along_a_parameter_are_those_of_one_machine_each(
    file: Path, form: Literal["bars", "seconds"]
) -> None:
    asked = [on(file, "sends", name) for name in ("box", "far")]
    at = {"N": [2, 4, 8]}
    picture = rd.plot.breakdown(*asked, at=at, form=form, each_machine=True)
    assert captions(picture) == ["box", "far"]
    assert len({axes.get_ylim() for axes in picture.axes}) == 1
    for name, alone in zip(("box", "far"), asked, strict=True):
        single = rd.plot.breakdown(alone, at=at, form=form)
        assert [row[1:] for row in picture.table.rows if row[0] == name] == [*single.table.rows]


def test_what_does_not_go_together_is_refused(file: Path) -> None:
    box, other = on(file, "still", "box"), on(file, "other", "box")
    wrong: tuple[tuple[list[rd.Prediction], dict[str, Any], str], ...] = (
        ([box, box], {"at": {"N": 20}, "resource": "memory"}, "not memory alone"),
        ([box], {"at": {"N": [2, 4]}, "resource": "memory"}, "not memory alone"),
        ([box, other], {"at": {"N": [2, 4], "M": 3}}, "1 of 2 predictions go along a parameter"),
        ([box, box], {"at": {"N": [2, 4]}, "form": "tree"}, "a timeline shows one setting"),
        ([], {}, "a breakdown needs a model on a machine"),
    )
    for asked, options, message in wrong:
        with pytest.raises(rd.RoofError, match=f"R0807.*{message}"):
            rd.plot.breakdown(*asked, **options)
