"""What holds for every kind of figure, in every look."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex

from roofdsl.figures.look import DARK, LIGHT, Look, settings
from roofdsl.figures.saving import csv_text
from tests.figures.samples import LOOKS, SAMPLES, drawn
from tests.figures.seen import outside, overlapping

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("kind", SAMPLES)
def test_no_text_lies_on_another_or_leaves_the_page(kind: str, look: str) -> None:
    picture = drawn(kind, LOOKS[look])
    assert overlapping(picture) == []
    assert outside(picture) == []


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_ground_is_that_of_the_palette(kind: str) -> None:
    for look, palette in ((Look(), LIGHT), (Look(dark=True), DARK)):
        assert to_hex(drawn(kind, look).get_facecolor()) == palette.paper


@pytest.mark.parametrize("kind", SAMPLES)
def test_width_and_height_are_those_asked_for(kind: str) -> None:
    width, height = SAMPLES[kind](Look(width=6.0, height=4.5)).get_size_inches()
    assert width == pytest.approx(6.0)
    assert height == pytest.approx(4.5, abs=0.02)


FORMS = ("svg", "pdf", "png")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["pair", "perdome", "surface"])
def test_a_users_own_settings_change_nothing(kind: str, form: str) -> None:
    first = drawn(kind, Look()).render(form)
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.facecolor": "red"}):
        assert SAMPLES[kind](Look()).render(form) == first


def test_two_processes_give_the_same_bytes_for_every_kind_and_format() -> None:
    code = (
        "import hashlib, sys\n"
        "from roofdsl.figures.look import Look\n"
        "from tests.figures.samples import SAMPLES\n"
        "for kind, draw in SAMPLES.items():\n"
        "    picture = draw(Look(dark=kind == 'pair'))\n"
        f"    for form in {FORMS}:\n"
        "        print(kind, form, hashlib.sha256(picture.render(form)).hexdigest())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    here = [
        f"{kind} {form} {sha256(drawn(kind, Look(dark=kind == 'pair')).render(form)).hexdigest()}"
        for kind in SAMPLES
        for form in FORMS
    ]
    assert other.stdout.splitlines() == here


@pytest.mark.parametrize("kind", SAMPLES)
def test_the_data_behind_it_is_a_table(kind: str) -> None:
    table = drawn(kind, Look()).table
    rows = list(csv.reader(io.StringIO(csv_text(table))))
    assert tuple(rows[0]) == table.columns
    assert len(rows) == 1 + len(table.rows) > 1
    assert {len(row) for row in rows} == {len(table.columns)}


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_title_of_ones_own_or_none(kind: str) -> None:
    mine, bare = drawn(kind, Look(title="Mine")), drawn(kind, Look(title=""))
    assert (mine.title, bare.title) == ("Mine", "")
    assert bare.get_figheight() < mine.get_figheight()


def test_a_notebook_shows_it_as_svg() -> None:
    picture = SAMPLES["roofline"](Look())
    assert picture._repr_svg_().startswith("<?xml")


def test_texts_in_an_svg_are_texts() -> None:
    shown = SAMPLES["roofline"](Look()).render("svg").decode()
    for text in ("peak 22 GFLOP/s", "memory 13.9 GB/s", "OI* 1.58", "N = 61952", "memory-bound"):
        assert f">{text}<" in shown
    assert "Date" not in shown


def test_settings_are_put_back() -> None:
    before = dict(mpl.rcParams)
    with settings():
        assert mpl.rcParams["svg.fonttype"] == "none"
    assert dict(mpl.rcParams) == before
