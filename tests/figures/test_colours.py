"""Colours that everyone can tell apart, on paper, on a dark ground and in grey."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from roofdsl.figures.look import DARK, LIGHT, Palette, lettering_colour

# Viénot, Brettel and Mollon 1999: what dichromats see, in linear RGB.
SIGHTS = {
    "trichromat": np.eye(3),
    "protanope": np.array(
        [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]
    ),
    "deuteranope": np.array(
        [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]
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


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_series_and_regions_look_different_to_everyone(palette: Palette, sight: str) -> None:
    own = [shades.strong for shades in palette.own]
    fills = [*palette.fills.values(), *(shades.fill for shades in palette.own)]
    for colours in (palette.series[:6], (*palette.strong.values(), *own)):
        for first, second in combinations(colours, 2):
            assert np.linalg.norm(seen(first, sight) - seen(second, sight)) > 10, (first, second)
    for first, second in combinations(fills, 2):
        assert np.linalg.norm(seen(first, sight) - seen(second, sight)) > 5, (first, second)


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
    for colour in palette.series:
        assert contrast(lettering_colour(colour, palette), palette.paper) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_resources_of_ones_own_have_colours_in_the_order_they_turn_up(palette: Palette) -> None:
    order = ("memory", "nvme", "messages", "gpu.links", "time")
    assert palette.edge("nvme", order) == palette.own[0].strong
    assert palette.fill("gpu.links", order) == palette.own[1].fill
    assert palette.tint("nvme") == palette.own[0].tint
    # What is no resource keeps its colours, whatever else is there.
    assert palette.fill("time", order) == palette.fill("time", ("messages", "time"))
    assert palette.fill("messages", order) not in {each.fill for each in palette.own}
