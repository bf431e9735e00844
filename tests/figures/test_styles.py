"""Every kind of figure in every style: the width, letters and lines that its place asks for."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.lines import Line2D
from matplotlib.text import Text

from roofdsl.diagnostic import RoofError
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.style import STYLES
from tests.figures.samples import SAMPLES, drawn
from tests.figures.seen import letterings, outside, overlapping

# As the publishers have them: one column and both [in], the smallest and the largest text [pt].
ASKED = {
    "nature": (89 / 25.4, 183 / 25.4, 5.0, 7.0),
    "ieee": (3.5, 7.16, 8.0, 10.0),
    "acm": (241.14749 / 72.27, 506.295 / 72.27, 7.0, 9.0),
    "slides": (12.4, 12.4, 14.0, 17.0),
    "poster": (15.0, 15.0, 24.0, 30.0),
}


def shown(picture: Picture) -> list[Text]:
    """Return the texts that are seen; an exponent in another size is part of one."""
    found = {text.text for text in letterings(picture)}
    return [text for text in picture.findobj(Text) if text.get_text() in found]


@pytest.mark.parametrize("style", ASKED)
@pytest.mark.parametrize("kind", SAMPLES)
def test_a_figure_has_the_size_and_letters_of_its_style(kind: str, style: str) -> None:
    picture = drawn(kind, Look(style=style))
    assert overlapping(picture) == []
    assert outside(picture) == []
    column, page, smallest, largest = ASKED[style]
    own = drawn(kind, Look()).get_figwidth()
    assert picture.get_figwidth() == pytest.approx(page if own > 7 else column, abs=0.001)
    sizes = [float(text.get_fontsize()) for text in shown(picture)]
    assert smallest - 0.01 <= min(sizes) <= max(sizes) <= largest + 0.01
    serif = {name for text in shown(picture) for name in text.get_fontfamily() if name == "serif"}
    assert bool(serif) == (style in ("ieee", "acm"))


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_lines_of_a_figure_for_nature_have_a_quarter_to_one_point(kind: str) -> None:
    lines = drawn(kind, Look(style="nature")).findobj(Line2D)
    widths = [line.get_linewidth() for line in lines if line.get_linestyle() != "None"]
    assert 0.25 <= min(w for w in widths if w) <= max(widths) <= 1.0


@pytest.mark.parametrize("style", STYLES)
def test_all_grows_alike(style: str) -> None:
    # At the width that leaves the same room, a style's figure is the plain one made larger.
    scale = STYLES[style].scale
    plain = SAMPLES["levels"](Look(width=4.6, height=3.4))
    styled = SAMPLES["levels"](Look(style=style, width=4.6 * scale, height=3.4 * scale))
    before, after = (
        [np.sqrt(found.get_sizes()) for found in picture.findobj(PathCollection)]
        for picture in (plain, styled)
    )
    assert len(before) == len(after) > 3
    for first, second in zip(before, after, strict=True):
        assert second / first == pytest.approx(scale)


def test_a_width_and_a_height_of_ones_own_count_more() -> None:
    picture = SAMPLES["roofline"](Look(style="slides", width=6.0, height=5.0))
    assert picture.get_size_inches() == pytest.approx([6.0, 5.0], abs=0.05)
    assert {14.0, 16.0} <= {text.get_fontsize() for text in shown(picture)}


def test_a_slide_has_room_for_its_figure() -> None:
    assert SAMPLES["regime"](Look(style="slides")).get_figheight() <= 6.21


def test_fonts_of_ones_own_move_nothing() -> None:
    there = drawn("steps", Look(width=3.0)).render("svg")
    with mpl.rc_context({"font.family": ["STIXGeneral"], "font.size": 30.0}):
        assert SAMPLES["steps"](Look(width=3.0)).render("svg") == there


def test_latex_sets_a_figure_with_serifs_in_its_roman_letters() -> None:
    roman = SAMPLES["roofline"](Look(style="ieee")).render("pgf").decode()
    plain = drawn("roofline", Look()).render("pgf").decode()
    assert r"\rmfamily" in roman and r"\sffamily" not in roman
    assert r"\sffamily" in plain and r"\rmfamily" not in plain


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(RoofError, match=r"R0807.*'natur' is no style.*\n.*nature"):
        Look(style="natur")
    with pytest.raises(RoofError, match=r"R0807.*width = 4 is no size.*\n.*5.14 to 30"):
        Look(style="poster", width=4.0)
