"""Axes: in the unit that fits, ticks of one style, panels that are aligned and have letters."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

import roofdsl as rd
from roofdsl.figures.chart import OI, Chart, Line, Roof
from roofdsl.figures.energy import Arch, energy
from roofdsl.figures.look import Look
from roofdsl.figures.perdome import Dome, Partition, perdome
from roofdsl.figures.perfbound import PerformanceBounds, perfbound
from roofdsl.figures.picture import Picture
from roofdsl.figures.predicted import MeasuredAgainstPredicted, predicted
from roofdsl.figures.roofline import charts
from tests.figures.samples import LOOKS, SAMPLES, drawn
from tests.figures.seen import line, named, offsets, outside, overlapping

PREFIXES = {
    "p": -12,
    "n": -9,
    "µ": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
LOGS = [Look(), Look(log2=True)]


def read(label: str) -> float:
    """Return the number that stands at a tick, as a person reads it.

    >>> read("0.1"), read("1/8"), read("10⁻⁷"), read("5×10⁻⁵")
    (0.1, 0.125, 1e-07, 5e-05)
    """
    text = label.replace("−", "-")
    raised = re.fullmatch(r"(?:(.+)×)?(10|2)([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if raised:
        digits = raised[3].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        return float(raised[1] or 1) * float(raised[2]) ** int(digits)
    above, _, below = text.partition("/")
    return float(above) / float(below or 1)


def labels_of(axes: Axes, along: str) -> list[tuple[float, str]]:
    """Return the ticks of an axis that have a label: values and labels."""
    axis = axes.xaxis if along == "x" else axes.yaxis
    # Beside a panel with the same axis there are none.
    shown = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
    return [(float(value), text.get_text()) for value, text in shown if text.get_text()]


def height(axes: Axes, y: float) -> float:
    """Return what a person reads off the y axis at a value of the data, in SI base units."""
    unit = re.search(r"\[(.?)(?:FLOP|flop|s\]|W)", axes.get_ylabel())
    assert unit is not None, axes.get_ylabel()
    (low, first), *_, (high, last) = labels_of(axes, "y")
    ends = [axes.transData.transform((axes.get_xlim()[0], each))[1] for each in (low, high, y)]
    part = (ends[2] - ends[0]) / (ends[1] - ends[0])
    if axes.get_yscale() == "log":
        number = read(first) * (read(last) / read(first)) ** part
    else:
        number = read(first) + (read(last) - read(first)) * part
    return float(number) * 10.0 ** PREFIXES[unit[1]]


@pytest.mark.parametrize("look", LOGS)
@pytest.mark.parametrize("peak", [3e5, 2.2e10, 6.7e13, 2.5e18, 7e19])
def test_performance_is_read_off_in_the_unit_that_fits(peak: float, look: Look) -> None:
    roof = Roof("m", (Line("peak", peak, "peak"),), (Line("memory", peak / 20, "memory"),))
    (axes,) = (picture := charts((Chart(OI, (roof,)),), look)).axes
    assert height(axes, line(picture, "ceiling:m:peak")[0, 1]) == pytest.approx(peak)
    assert all(1 / 64 <= read(label) <= 1e4 for _, label in labels_of(axes, "y"))


@pytest.mark.parametrize("look", LOGS)
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e6])
def test_what_is_drawn_is_what_is_read_off(scale: float, look: Look) -> None:
    values = scale * np.array([1e9, 3e9, 7e10])
    picture = perfbound(PerformanceBounds(("a", "b", "c"), {"flops": values}), look)
    read_off = [height(picture.axes[0], y) for y in line(picture, "bound:flops")[:, 1]]
    assert read_off == pytest.approx(values)
    over = np.geomspace(0.1, 10, 5)
    arch = Arch("m", over, values[0] * over, 2 * values[0] * over, scale * over)
    picture = energy((arch,), (), look)
    for axes, name, known in zip(
        picture.axes, ("efficiency:m", "power:m"), (arch.efficiency, arch.power), strict=True
    ):
        assert [height(axes, y) for y in line(picture, name)[:, 1]] == pytest.approx(known)
    splits = tuple(
        Partition(name, 1.0, 1.0, each) for name, each in zip("abc", values, strict=True)
    )
    dome = Dome(1.0, over, over, np.full((5, 5), values[1]), splits)
    picture = perdome(dome, look)
    bars = [height(picture.axes[1], y) for _, y in offsets(picture, "bound:")]
    assert bars == pytest.approx(values)


def test_measured_times_are_read_off_in_a_unit_that_fits() -> None:
    values = np.array([2e-7, 3e-5])
    picture = predicted(MeasuredAgainstPredicted(("a", "b"), values, values), Look())
    (axes,) = picture.axes
    assert axes.get_xlabel() == "Time [µs]"
    ticks = labels_of(axes, "x")
    assert [read(label) * 1e-6 for _, label in ticks] == pytest.approx([at for at, _ in ticks])


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_the_ticks_of_an_axis_are_of_one_style(kind: str, look: str) -> None:
    for axes in (axes for axes in drawn(kind, LOOKS[look]).axes if axes.axison):
        for along in "xy":
            ticks = [label for _, label in labels_of(axes, along)]
            raised = [label for label in ticks if label[-1] in "⁰¹²³⁴⁵⁶⁷⁸⁹" and label != "0"]
            assert len(raised) in (0, len([label for label in ticks if label != "0"])), ticks


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_several_panels_have_letters_and_one_has_none(kind: str, look: str) -> None:
    picture = drawn(kind, LOOKS[look])
    letters = [artist for artist in named(picture, "letter:") if isinstance(artist, Text)]
    count = len(picture.axes)
    expected = [f"({letter})" for letter in "abc"[:count]] if count > 1 else []
    assert [letter.get_text() for letter in letters] == expected
    for letter, axes in zip(letters, picture.axes, strict=False):
        x, y = letter.get_transform().transform(letter.get_position())
        box = axes.get_window_extent()
        assert box.y1 < y < box.y1 + 14.0 and x < box.x0 + 1.0


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", ["pair", "scaling", "energy", "surface", "perdome"])
def test_panels_are_aligned(kind: str, look: str) -> None:
    boxes = [axes.get_position() for axes in drawn(kind, LOOKS[look]).axes]
    charts = boxes[1:] if kind == "surface" else boxes
    for one, other in pairwise(charts):
        beside = one.x1 < other.x0
        sides = ("y0", "y1") if beside else ("x0", "x1")
        for side in sides:
            assert getattr(one, side) == pytest.approx(getattr(other, side))


@pytest.mark.parametrize("width", [3.5, 2.0, 1.5])
def test_a_name_wider_than_a_line_goes_on_behind_a_part_of_it(width: float) -> None:
    machine = "a_cluster_of_many_nodes_of_the_newest_kind_with_cards"
    picture = drawn_with_title(f"summa on {machine}", width)
    lines = [text.get_text() for text in named(picture, "title") if isinstance(text, Text)]
    assert "".join(lines).replace(" ", "") == f"summaon{machine}" and len(lines) > 1
    assert all(line.endswith("_") or line == "summa on" for line in lines[:-1])


@pytest.mark.parametrize("width", [5.0, 3.5, 1.5])
def test_titles_keep_their_machine(width: float) -> None:
    model, machine = "a_model_of_a_network_" * 6, "a_cluster_of_many_nodes_of_the_newest_kind"
    picture = drawn_with_title(f"{model} on {machine}", width)
    lines = [text for text in named(picture, "title") if isinstance(text, Text)]
    assert machine in "".join(line.get_text().replace(" ", "") for line in lines)
    assert outside(picture) == [] and overlapping(picture) == []
    assert picture.title == f"{model} on {machine} N = 4"


def drawn_with_title(title: str, width: float) -> Picture:
    roof = Roof("m", (Line("peak", 1e9, "peak"),), (Line("memory", 1e8, "memory"),))
    return charts((Chart(OI, (roof,)),), Look(width=width), title, "N = 4")


def machines(count: int, narrow: bool = False) -> Picture:
    """Return a panel for each of some machines, of very different speeds."""
    names = ("karst", "jetstream", "big_red_ii", "h100_sxm")[:count]
    summa, shown = rd.load_model("summa"), [rd.load_machine(name) for name in names]
    at: dict[str, int | list[int]] = {"N": [242, 4096, 61952], "P": 121}
    look, on = Look(width=3.5 if narrow else 0.0), [summa.on(machine) for machine in shown]
    return rd.plot.roofline(*on, at=at, look=look, each_machine=True)


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("count", [2, 4])
def test_each_machine_has_a_panel_with_the_same_axes(count: int, narrow: bool) -> None:
    picture = machines(count, narrow)
    captions = [text.get_text() for text in named(picture, "caption:") if isinstance(text, Text)]
    assert captions == ["karst", "jetstream", "big_red_ii", "h100_sxm"][:count]
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in picture.axes}) == 1
    boxes = [axes.get_position() for axes in picture.axes]
    for size in ("width", "height"):
        assert np.ptp([getattr(box, size) for box in boxes]) == pytest.approx(0, abs=1e-9)
    assert len({round(box.x0, 9) for box in boxes}) < count or not narrow
    assert overlapping(picture) == [] and outside(picture) == []
    # Each point and each roof stands in the panel of its machine, as they do alone.
    for axes, name in zip(picture.axes, captions, strict=True):
        lines = [str(each.get_gid()) for each in axes.lines]
        roofs = {gid.split(":")[1] for gid in lines if gid.startswith(("slope:", "ceiling:"))}
        assert roofs == {name}


def test_curves_of_each_machine_are_those_of_one_panel() -> None:
    summa = rd.load_model("summa")
    on = [summa.on(rd.load_machine(name)) for name in ("karst", "jetstream")]
    at: dict[str, int | list[int]] = {"N": [242, 4096, 61952], "P": 121}
    asked = ["time.network", "time.memory"]
    one = rd.plot.curve(*on, quantities=asked, at=at)
    several = rd.plot.curve(*on, quantities=asked, at=at, each_machine=True)
    assert several.table == one.table and len(several.axes) == 2
    for name in ("karst", "jetstream"):
        apart = line(several, f"curve:time.network:{name}")
        assert apart == pytest.approx(line(one, f"curve:time.network, {name}"))
    assert several.axes[0].get_ylim() == several.axes[1].get_ylim()


def test_rates_that_figures_go_along_are_read_off_in_the_unit_that_fits() -> None:
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    ends = 1e8, 1e12
    at: dict[str, int | list[float]] = {"N": 4096, "P": 121, "karst.network": [1e8, 1e10, 1e12]}
    pictures = [
        rd.plot.regime(summa, ("karst.network", *ends), ("N", 2, 10**6), {"P": 121}),
        rd.plot.curve(summa, quantities=["time"], at=at),
        rd.plot.breakdown(summa, at=at, form="seconds"),
    ]
    for picture in pictures:
        (axes,) = picture.axes
        assert axes.get_xlabel() == "karst.network [GB/s]"
        ticks = labels_of(axes, "x")
        assert len(ticks) > 2
        assert all(read(text) * 1e9 == pytest.approx(value) for value, text in ticks)
        assert axes.get_xlim() == pytest.approx(ends)
        assert "karst.network [B/s]" in picture.table.columns


def test_units_of_axes_have_their_exponents_raised() -> None:
    prediction = rd.load_model("dgemm").on(rd.load_machine("karst"))
    picture = rd.plot.curve(prediction, quantities=["n/time"], at={"n": [64, 256]})
    assert "s⁻¹" in picture.axes[0].get_ylabel() and "n/time [s^-1]" in picture.table.columns
