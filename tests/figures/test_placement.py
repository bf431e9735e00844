"""Labels stand at what they name: measured on figures that leave them little room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.text import Text

import roofdsl as rd
from roofdsl.figures.chart import CAI, OI, Chart, Line, Point, Roof
from roofdsl.figures.crowd import Crowd
from roofdsl.figures.energy import energy
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.placement import Box
from roofdsl.figures.roofline import charts
from roofdsl.figures.scaling import scaling
from tests.counts import inputs
from tests.figures.awkward import awkward
from tests.figures.geometry import collisions, misleading, unlabelled
from tests.figures.samples import ARCHES, KARST, MACHINES, SCALING, SPOTS
from tests.figures.seen import key, named

COUNT = inputs(40, 200)


@pytest.mark.parametrize("number", range(COUNT))
def test_labels_of_an_awkward_figure(number: int) -> None:
    _, shown = awkward(number)
    assert collisions(shown.picture) == []
    assert misleading(shown.picture, shown.points) == []
    assert unlabelled(shown.picture, shown.roofs) == []


def labels(picture: Picture) -> dict[str, str]:
    found = [artist for artist in named(picture, "label:") if isinstance(artist, Text)]
    return {(artist.get_gid() or "").removeprefix("label:"): artist.get_text() for artist in found}


@pytest.mark.parametrize("look", [Look(), Look(width=3.5), Look(dark=True, log2=True)])
def test_no_ceiling_has_the_name_of_another(look: Look) -> None:
    machines = [rd.load_machine(name) for name in ("h100_sxm", "karst")]
    model = rd.load_model("summa")
    predictions = [model.on(machine) for machine in machines]
    picture = rd.plot.roofline(*predictions, at={"N": 4096, "P": 16}, look=look)
    assert misleading(picture) == []
    shown = labels(picture)
    for machine, ceiling, rates in (
        ("h100_sxm", "matrix.fp64", ("and its vector.fp32 67 TFLOP/s", "3.35 TB/s")),
        ("karst", "peak", ("22 GFLOP/s", "13.9 GB/s")),
    ):
        assert shown[f"ceiling:{machine}:{ceiling}"] == f"{machine} {rates[0]}"
        assert shown[f"slope:{machine}:memory"] == f"{machine} {rates[1]}"


def test_lines_of_one_height_have_one_label() -> None:
    machines = [rd.load_machine(name) for name in ("h100_sxm", "karst")]
    shown = labels(rd.plot.roofline(*machines))
    assert sorted(text for name, text in shown.items() if name.startswith("ceiling:h100")) == [
        "h100_sxm and its matrix.fp64 67 TFLOP/s",
        "h100_sxm matrix.bf16, fp16 989.5 TFLOP/s",
        "h100_sxm matrix.fp8, int8 1.979 PFLOP/s",
        "h100_sxm matrix.tf32 494.5 TFLOP/s",
        "h100_sxm special.fp32 3.9 TFLOP/s",
        "h100_sxm vector.fp64 34 TFLOP/s",
    ]


@pytest.mark.parametrize("look", [Look(), Look(width=3.5)])
def test_the_default_level_between_two_others_is_named(look: Look) -> None:
    levels = tuple(
        Line(name, rate * 1e9, f"{rate:g} GB/s", main=name == "DRAM")
        for name, rate in (("HBM", 15.0), ("DRAM", 13.9), ("L3", 13.0))
    )
    picture = charts((Chart(OI, (Roof("karst", KARST.ceilings, levels),)),), look)
    assert labels(picture)["slope:karst:DRAM"] == "DRAM 13.9 GB/s"
    assert len(named(picture, "leader:label:slope:karst:")) == 1
    assert misleading(picture) == collisions(picture) == []


def test_a_label_without_room_at_any_height_is_in_the_key() -> None:
    look = Look(width=1.5, height=2.0)
    picture = charts((Chart(CAI, MACHINES),), look)
    missing = unlabelled(picture, [MACHINES])
    assert missing
    assert {roof.machine for roof in MACHINES} <= {*key(picture)}


def test_what_drops_from_a_ridge_ends_where_a_label_stands() -> None:
    roofs = (KARST, Roof("m", (Line("peak", 40e9, "40 GFLOP/s"),), KARST.slopes))
    picture = charts((Chart(OI, roofs),), Look(width=3.5))
    assert misleading(picture) == collisions(picture) == []


def several(look: Look) -> Picture:
    points = tuple(Point("summa", 5.0, 1e8 * (n + 1), r.machine) for n, r in enumerate(MACHINES))
    return charts((Chart(CAI, MACHINES, points),), look)


@pytest.mark.parametrize(
    ("draw", "prefix", "entries"),
    [
        (several, "points:", {roof.machine for roof in MACHINES}),
        (lambda look: energy(ARCHES, SPOTS[:2], look), "efficiency:product:", {"karst", "cool"}),
        (lambda look: scaling(SCALING, look), "speedup:", set()),
    ],
)
def test_several_machines_have_markers_of_their_own(
    draw: Callable[[Look], Picture], prefix: str, entries: set[str]
) -> None:
    """Also in grey: their shapes differ, not their colours alone."""
    picture = draw(Look())
    drawn = [each for each in named(picture, prefix) if isinstance(each, PathCollection)]
    outlines = {np.asarray(each.get_paths()[0].vertices).round(3).tobytes() for each in drawn}
    colours = {to_hex(tuple(np.asarray(each.get_edgecolor())[0])) for each in drawn}
    faces = {to_hex(tuple(np.asarray(each.get_facecolor())[0])) for each in drawn}
    assert len(outlines) == len(drawn) > 1
    assert max(len(colours), len(faces)) == len(drawn)
    assert entries <= {*key(picture)}


def test_labels_side_by_side_are_as_far_apart_as_words() -> None:
    crowd = Crowd(100.0, 20.0)
    assert crowd.place([Box(20, 10, 30, 8)])
    touching, apart, above = Box(51, 10, 30, 8), Box(54, 10, 30, 8), Box(20, 18.1, 30, 3)
    assert crowd.place([touching, apart]) == apart
    # Lines of a text may follow each other closely.
    assert crowd.place([above]) == above
