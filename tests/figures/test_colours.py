"""Colours that everyone can tell apart, on paper, on a dark ground and in grey."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from matplotlib.text import Text
from numpy.typing import NDArray

from roofdsl.figures.look import DARK, LIGHT, Look, Palette, lettering_colour
from roofdsl.figures.marks import MOST_COLOURED, marks
from tests.figures.grounds import of_lines, of_texts
from tests.figures.samples import SAMPLES, drawn

# Machado, Oliveira and Fernandes 2009: what dichromats see, in linear RGB (severity 1).
SIGHTS = {
    "trichromat": np.eye(3),
    "protanope": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranope": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanope": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> NDArray[np.float64]:
    """Return a colour in linear RGB (IEC 61966-2-1)."""
    values = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    return float(TO_XYZ[1] @ linear(colour))


def contrast(first: str, second: str) -> float:
    """Return the contrast of WCAG 2.1, 1 to 21."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, sight: str) -> NDArray[np.float64]:
    """Return a colour in CIE L*a*b* as a sight has it."""
    xyz = TO_XYZ @ np.clip(SIGHTS[sight] @ linear(colour), 0, 1) / (TO_XYZ @ np.ones(3))
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def apart(first: str, second: str, sight: str) -> float:
    """Return the distance of two colours as a sight has them (ΔE of CIE 1976)."""
    return float(np.linalg.norm(seen(first, sight) - seen(second, sight)))


def grey(colour: str) -> float:
    """Return the lightness L* of a colour, which is all that is left of it in grey."""
    return float(seen(colour, "trichromat")[0])


def test_the_matrices_leave_grey_as_it_is() -> None:
    for matrix in SIGHTS.values():
        assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_kernels_are_told_apart_by_everyone_and_in_grey(palette: Palette) -> None:
    for pair in combinations(palette.series, 2):
        assert min(apart(*pair, sight) for sight in SIGHTS) >= 9.5, pair
        assert abs(grey(pair[0]) - grey(pair[1])) >= 4.5, pair


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_lines_have_dashes_too_and_those_of_one_dash_differ_more_in_grey(palette: Palette) -> None:
    found = marks([str(number) for number in range(MOST_COLOURED)], palette)
    assert len({(mark.colour, mark.dash) for mark in found.values()}) == MOST_COLOURED
    for first, second in combinations(found.values(), 2):
        if first.dash == second.dash:
            assert abs(grey(first.colour) - grey(second.colour)) >= 10


def test_colours_that_are_alike_are_seen_to_be() -> None:
    # The palette as it was: vermilion and olive, to a protanope.
    assert apart("#d55e00", "#8c7a00", "protanope") < 8
    assert apart("#0072b2", "#e69f00", "trichromat") > 100


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_resources_and_regions_look_different_to_everyone(palette: Palette, sight: str) -> None:
    own = [shades.strong for shades in palette.own]
    fills = [*palette.fills.values(), *(shades.fill for shades in palette.own)]
    for first, second in combinations((*palette.strong.values(), *own), 2):
        assert apart(first, second, sight) > 10, (first, second)
    for first, second in combinations(fills, 2):
        assert apart(first, second, sight) > 5, (first, second)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_regions_differ_in_grey(palette: Palette) -> None:
    fills = [*palette.fills.values(), *(shades.fill for shades in palette.own)]
    greys = [seen(colour, "trichromat")[0] for colour in fills]
    for first, second in combinations(greys, 2):
        assert abs(first - second) > 7


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_can_be_read(palette: Palette) -> None:
    assert contrast(palette.ink, palette.paper) > 12
    assert contrast(palette.muted, palette.paper) > 4.5
    for resource, colour in palette.strong.items():
        assert contrast(colour, palette.tints[resource]) > 3
    for strong, tint, _ in palette.own:
        assert contrast(strong, tint) > 3
    tints = [*palette.tints.values(), *(each.tint for each in palette.own)]
    for colour in (*palette.series, *palette.strong.values()):
        for ground in (palette.paper, *tints):
            assert contrast(lettering_colour(colour, palette), ground) >= 4.5
            assert contrast(colour, ground) >= 3


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("kind", SAMPLES)
def test_every_text_can_be_read_and_every_line_seen(kind: str, dark: bool) -> None:
    picture = drawn(kind, Look(dark=dark))
    assert [(text, found) for text, found in of_texts(picture) if found < 4.5] == []
    assert [(name, found) for name, found in of_lines(picture) if found < 3] == []


def test_a_text_that_cannot_be_read_is_seen() -> None:
    picture = SAMPLES["roofline"](Look())
    (text,) = [each for each in picture.findobj(Text) if each.get_gid() == "label:region:memory"]
    assert isinstance(text, Text)
    text.set_color("#b36b00")  # as it was
    assert [name for name, found in of_texts(picture) if found < 4.5] == [text.get_text()]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_resources_of_ones_own_have_colours_in_the_order_they_turn_up(palette: Palette) -> None:
    order = ("memory", "nvme", "messages", "gpu.links", "time")
    assert palette.edge("nvme", order) == palette.own[0].strong
    assert palette.fill("gpu.links", order) == palette.own[1].fill
    assert palette.tint("nvme") == palette.own[0].tint
    # What is no resource keeps its colours, whatever else is there.
    assert palette.fill("time", order) == palette.fill("time", ("messages", "time"))
    assert palette.fill("messages", order) not in {each.fill for each in palette.own}
