"""The pictures of docs/figures.md are what is drawn today, as pixels.

`ROOFDSL_UPDATE_IMAGES=1 pytest tests/figures/test_gallery.py`, which `make figures` calls, draws
those that are kept in `tests/figures/gallery` anew: look at what changed.

Two pictures are compared tile by tile (`images.difference`), in matplotlib's own DejaVu letters.
With the same matplotlib the difference is 0; between 3.9 and 3.11, which have other hinting and
measure texts a little otherwise, at most 0.056. A label that is moved by a line, or a label or line
in another colour, makes 0.076 or more.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imsave
from matplotlib.lines import Line2D
from matplotlib.text import Text

from examples.figures.gallery import commands
from roofdsl.cli import plot_command
from roofdsl.cli.main import main
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from tests.figures.images import Image, difference, halved, read
from tests.figures.samples import SAMPLES

UPDATE = os.environ.get("ROOFDSL_UPDATE_IMAGES") == "1"
ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).parent / "gallery"
TOLERANCE = 0.065

COMMANDS = {
    Path(words[words.index("-o") + 1]).stem: words
    for words in map(shlex.split, commands(ROOT / "docs" / "figures.md"))
}


@cache
def drawn(name: str) -> Picture:
    """Return a picture of the gallery as its command draws it."""
    words = COMMANDS[name]
    asked, draw = plot_command.KINDS[words[2]]
    found: list[Picture] = []

    def kept(request: plot_command.Request) -> Picture:
        found.append(draw(request))
        return found[0]

    line = [os.devnull if word == f"{name}.svg" else word for word in words[1:]]
    line[line.index("-o")] = "--data"
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(plot_command.KINDS, words[2], (asked, kept))
        with pytest.raises(SystemExit) as ended:
            main(line)
    assert not ended.value.code, words
    return found[0]


def pixels(picture: Picture) -> Image:
    """Return the pixels of a picture, 100 to an inch."""
    return halved(read(io.BytesIO(picture.render("png"))))


def letters(svg: str) -> list[str]:
    return sorted(re.findall(r"<text\b[^>]*>([^<]*)</text>", svg))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_picture_of_the_gallery_is_as_it_was(name: str) -> None:
    found, kept = pixels(drawn(name)), KEPT / f"{name}.png"
    if UPDATE:
        KEPT.mkdir(exist_ok=True)
        # In 32 shades of each colour, which no tile's mean tells, a file is half as large.
        imsave(kept, np.round(found * 31) / 31, pil_kwargs={"optimize": True})
    assert difference(found, read(kept)) <= TOLERANCE, f"{name}: `make figures` draws it anew"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_picture_in_the_document_says_what_is_drawn(name: str) -> None:
    shown = (ROOT / "docs" / "images" / f"{name}.svg").read_text(encoding="utf-8")
    assert letters(shown) == letters(drawn(name).render("svg").decode("utf-8"))


def test_no_picture_is_kept_that_is_not_shown() -> None:
    assert {path.stem for path in KEPT.glob("*.png")} == set(COMMANDS)


def moved(artist: Text | Line2D) -> None:
    """Move a text up by two thirds of a line."""
    assert isinstance(artist, Text)
    turned = artist.get_transform()
    x, y = turned.transform(artist.get_position())
    artist.set_position(tuple(turned.inverted().transform((x, y + 6.0))))


def recoloured(artist: Text | Line2D) -> None:
    artist.set_color("#d55e00")


def gone(artist: Text | Line2D) -> None:
    artist.set_visible(False)


def same(artist: Text | Line2D) -> None:
    assert artist.get_visible()


def changed(kind: str, name: str, change: Callable[[Text | Line2D], None]) -> float:
    """Return how far a picture is from itself with one artist changed."""
    picture = SAMPLES[kind](Look())
    before = pixels(picture)
    (artist,) = picture.findobj(lambda each: each.get_gid() == name)
    assert isinstance(artist, Text | Line2D)
    change(artist)
    return difference(before, pixels(picture))


@pytest.mark.parametrize(
    ("kind", "name", "change"),
    [
        ("roofline", "label:ceiling:karst:peak", moved),
        ("roofline", "label:slope:karst:memory", moved),
        ("steps", "label:forward.conv1", moved),
        ("steps", "label:forward.relu1", moved),
        ("curve", "label:OI", moved),
        ("roofline", "label:ceiling:karst:peak", recoloured),
        ("roofline", "slope:karst:memory:main", recoloured),
        ("steps", "time:forward.conv1", recoloured),
        ("curve", "curve:OI", recoloured),
        ("curve", "curve:OI", gone),
    ],
)
def test_what_moves_or_has_another_colour_is_seen(
    kind: str, name: str, change: Callable[[Text | Line2D], None]
) -> None:
    assert changed(kind, name, change) > TOLERANCE
    assert changed(kind, name, same) == 0
