"""The icicle: widths are times, small steps are joined and counted, hidden ones are said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Polygon
from matplotlib.text import Text

import roofdsl as rd
from roofdsl.analysis.composition import Composed
from roofdsl.figures.look import DARK, LIGHT, Look, Palette
from roofdsl.figures.picture import Picture
from tests.figures.samples import MANY_STEPS, SAMPLES, drawn
from tests.figures.seen import key, named, outside, overlapping, texts

LARGE = {
    "lenet5": {"batch": 64},
    "resnet152_training": {"batch": 64},
    "gpt3_training": {"batch": 1},
}


@dataclass(frozen=True)
class Block:
    """A block as it is drawn: its row, its ends in the unit of the axis, its colour."""

    path: str
    row: float
    start: float
    end: float
    colour: str


def blocks(picture: Picture) -> list[Block]:
    found = []
    for artist in named(picture, "block:"):
        assert isinstance(artist, Polygon)
        xs, ys = np.asarray(artist.get_xy(), float).T
        path = str(artist.get_gid()).partition(":")[2]
        colour = to_hex(artist.get_facecolor())
        found.append(Block(path, float(ys.min()), float(xs.min()), float(xs.max()), colour))
    return found


def steps(part: Composed[float], runs: float = 1.0) -> Iterator[tuple[str, float, str | None]]:
    """Yield the name, time and bound of each step of an answer, with no code of the figure."""
    yield part.name, part.time * runs, part.bound
    for child in part.children:
        yield from steps(child, runs * part.count)


def kernels(part: Composed[float], runs: float = 1.0) -> Iterator[float]:
    """Yield the time of each kernel of an answer that has no overlaps of two long steps."""
    if not part.children:
        yield part.time * runs
    for child in part.children:
        yield from kernels(child, runs * part.count)


@pytest.fixture(scope="module", params=LARGE)
def large(request: pytest.FixtureRequest) -> tuple[rd.Result, Picture, Picture]:
    model = rd.load_model(request.param).on(rd.load_machine("a100_sxm_80gb"))
    at = LARGE[request.param]
    dark = rd.plot.Look(dark=True, width=3.5)
    result = model.evaluate(**at)
    return result, rd.plot.icicle(model, at=at), rd.plot.icicle(model, at=at, look=dark)


def test_each_block_is_as_wide_as_its_step_takes_long(
    large: tuple[rd.Result, Picture, Picture],
) -> None:
    result, *pictures = large
    times = [time for _, time, _ in steps(result.breakdown)]
    for picture in pictures:
        found = blocks(picture)
        whole = max(found, key=lambda block: block.end - block.start)
        factor = (whole.end - whole.start) / result.time
        shown = [block for block in found if not block.path.endswith(".more")]
        assert len(shown) > 7
        for block in shown:
            time = (block.end - block.start) / factor
            assert min(abs(time - other) for other in times) <= 1e-9 * result.time, block
        # Each lies within one of the row above, and none on another of its row.
        for row in {block.row for block in found}:
            ends = sorted((block.start, block.end) for block in found if block.row == row)
            slack = 1e-9 * whole.end
            assert all(a[1] <= b[0] + slack for a, b in pairwise(ends))
            above = [block for block in found if block.row == row - 1]
            for start, end in ends if row else []:
                assert any(b.start - slack <= start and end <= b.end + slack for b in above)
        assert overlapping(picture) == []
        assert outside(picture) == []


def test_the_table_has_each_step_and_the_kernels_that_take_longest(
    large: tuple[rd.Result, Picture, Picture],
) -> None:
    result, picture, _ = large
    rows = picture.table.rows
    assert rows[0][3] == result.time
    wanted = [(time, bound) for _, time, bound in steps(result.breakdown)]
    for _, _, _, time, share, bound, *_ in rows:
        assert isinstance(time, float)
        assert share == time / result.time
        assert any(abs(time - other) <= 1e-12 * result.time and bound == b for other, b in wanted)
    # Kernels as the answer has them, however often they run.
    shares = [
        text.get_text()
        for text in named(picture, "cell:")
        if isinstance(text, Text) and str(text.get_gid()).endswith(":2")
    ]
    longest = sorted(kernels(result.breakdown), reverse=True)[: len(shares) - 1]
    assert shares == ["share", *(f"{100 * time / result.time:.3g} %" for time in longest)]


def test_small_steps_are_joined_and_counted() -> None:
    picture = drawn("icicle", Look(width=9.0))
    (joined,) = [block for block in blocks(picture) if block.path == "forward.more"]
    # 60 of 10 µs and 20 of 20 µs: what binds them differs, and 1 ms of 4 is theirs.
    assert joined.end - joined.start == pytest.approx(1.0)
    assert joined.end == pytest.approx(4.0)
    assert "80 more, 10 %" in texts(picture)
    assert "bound by several" in key(picture)
    assert len(picture.table.rows) == sum(1 for _ in MANY_STEPS.all_parts())


def test_what_runs_behind_a_longer_step_is_said_and_not_drawn() -> None:
    picture = drawn("icicle", Look())
    assert not [block for block in blocks(picture) if block.path == "allreduce"]
    assert "1 step runs behind a longer one" in key(picture)
    assert [row[0] for row in picture.table.rows if row[6]] == ["allreduce"]


@pytest.mark.parametrize(("look", "palette"), [(Look(), LIGHT), (Look(dark=True), DARK)])
def test_a_colour_is_what_binds(look: Look, palette: Palette) -> None:
    found = {block.path: block.colour for block in blocks(drawn("icicle", look))}
    for path, bound in (("forward", "flops"), ("backward", "memory"), ("update", "network")):
        assert found[path] == palette.fills[bound]


def test_a_label_stands_only_where_it_fits() -> None:
    for width in (2.0, 3.5, 7.16):
        picture = SAMPLES["icicle"](Look(width=width))
        assert overlapping(picture) == []
        shown = {block.path: block for block in blocks(picture)}
        axes = picture.axes[0]
        for label in named(picture, "label:"):
            block = shown[str(label.get_gid()).partition(":")[2]]
            ends = axes.transData.transform([(block.start, 0.0), (block.end, 0.0)])[:, 0]
            box = label.get_window_extent()
            assert ends[0] <= box.x0
            assert box.x1 <= ends[1]


def test_several_machines_stand_over_one_time() -> None:
    machines = ("a100_sxm_80gb", "h100_sxm", "karst")
    asked = [rd.load_model("lenet5").on(rd.load_machine(name)) for name in machines]
    picture = rd.plot.icicle(*asked, at={"batch": 64})
    assert [axes.get_xlim() for axes in picture.axes] == [picture.axes[0].get_xlim()] * 3
    wholes = [block for block in blocks(picture) if block.path == "lenet5"]
    times = [each.evaluate(batch=64).time for each in asked]
    assert [block.end / wholes[0].end for block in wholes] == pytest.approx(
        [time / times[0] for time in times]
    )
    captions = [text.get_text() for text in named(picture, "caption:") if isinstance(text, Text)]
    assert captions == list(machines)
    assert {row[7] for row in picture.table.rows} == set(machines)
    assert overlapping(picture) == []
    with pytest.raises(rd.RoofError, match=r"R0807.*1 to 6 predictions, not 9"):
        rd.plot.icicle(*asked, *asked, *asked, at={"batch": 64})


def test_it_shows_one_setting() -> None:
    lenet = rd.load_model("lenet5").on(rd.load_machine("karst"))
    with pytest.raises(rd.RoofError, match=r"R0807.*one setting"):
        rd.plot.icicle(lenet, at={"batch": [1, 2]})
