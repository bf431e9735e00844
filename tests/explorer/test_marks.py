"""In a browser, the explorer's figures show every point, and none contradicts the answer."""

from __future__ import annotations

import csv
import math
from collections import Counter
from io import StringIO
from typing import Any

import pytest

from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import RoofError
from roofdsl.figures.chart import CAI, OI, Axis, Chart
from roofdsl.plots.cases import Case
from roofdsl.plots.roofline import chart
from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, drive, expected
from tests.explorer.test_page import click, number, rest, wait

# What views draw, and what stands below them; saved tables are kept.
WATCH = """
globalThis.saved = null;
URL.createObjectURL = (blob) => { globalThis.saved = blob.text(); return "blob:"; };
HTMLAnchorElement.prototype.click = () => {};
globalThis.watch = (name) => {
  const view = document.getElementById(`view-${name}`);
  const plot = view.querySelector(".plot");
  const points = plot.data.find(({ meta }) => meta === "points");
  return {
    symbols: points?.marker.symbol,
    fills: points?.marker.color,
    ceilings: (plot.layout.shapes ?? []).map(({ y0, line }) => [y0, line.color]),
    names: (plot.layout.annotations ?? []).map(({ text }) => text),
    note: view.querySelector(".beyond").textContent,
    says: plot.data.flatMap(({ text }) => text ?? []).filter(Boolean),
    spatial: plot.data.filter(({ marker }) => marker).map(({ marker }) => marker.symbol),
  };
};
globalThis.colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
true
"""
LANGUAGE = """
    resource disk: B
    model steps {
        param n: integer = 100
        step inside { flops = 20*n; memory = 4 B*n; network = 1 B*n }
        step copy { memory = 16 B*n }
        step registers { flops = 50*n }
        step far { flops = 1e9*n; memory = 1e-9 B*n }
        step nothing { network = 3 B*n }
        step waits { flops = 10*n; memory = 4 B*n; disk = 2 B*n }
    }
    model sends {
        param n: integer = 100
        param sent: integer[0..] = 8
        flops = 40*n
        memory = 2 B*n
        network = 1 B*n*sent
    }
    model stores { param n: integer = 100; flops = 40*n; memory = 2 B*n; disk = 9 B*n }
    machine plain {
        flops = 10 flop/s
        memory = 1 B/s
        network = 1 B/s
        disk = 1 B/s
    }
"""


@pytest.mark.parametrize("view", ["roofline", "communication", "ridgeline", "surface"])
def test_what_lies_beyond_the_frame_is_said(view: str, browser: Browser, write: Write) -> None:
    page = _opened(browser, write(["steps", "sends", "stores"], ["plain"], LANGUAGE), view)
    seen = page.run(f"watch('{view}')")
    assert seen["note"].startswith(
        {
            "roofline": "3 of 6 steps lie outside the frame: far (OI 1e18), copy (OI 0), "
            "registers (OI ∞); not drawn, 0/0: nothing",
            "communication": "1 of 3 models lies outside the frame: stores (CAI ∞); "
            "4 of 6 steps lie outside the frame: far (CAI ∞), registers (CAI ∞), waits (CAI ∞) "
            "and 1 more; not drawn, 0/0: copy",
            "ridgeline": "1 of 3 models lies outside the frame: stores (MI ∞)",
            "surface": "1 of 3 models lies outside the frame: stores (CAI ∞)",
        }[view]
    )
    if view == "surface":
        assert "circle-open" in seen["spatial"]
    else:
        arrows = Counter(each for each in seen["symbols"] if each.startswith("arrow"))
        right = {"roofline": 2, "communication": 4, "ridgeline": 1}[view]
        assert arrows["arrow-right"] == right
        # `copy`, or `nothing`, to the left.
        assert arrows.total() == right + (view != "ridgeline")
    click(page, f"#view-{view} [data-form=csv]")
    rows = [row for row in csv.reader(StringIO(page.run("saved"))) if row]
    names = {row[2 if view != "surface" else 1] for row in rows if row[0] in ("point", "step")}
    wanted = {"steps", "sends", "stores"}
    if view in ("roofline", "communication"):
        wanted |= {"inside", "copy", "registers", "far", "nothing", "waits"}
    assert names == wanted
    assert page.problems() == []
    page.close()


def test_the_ridgelines_regions_end_at_the_line_between_them(
    browser: Browser, write: Write
) -> None:
    text = """
        model copies { param n: integer = 100; flops = n; memory = 20 B*n; network = 0.1 B*n }
        machine plain { flops = 40 flop/s; memory = 10 B/s; network = 2 B/s }
        """
    page = _opened(browser, write(["copies"], ["plain"], text), "ridgeline")
    ends = page.run("document.querySelector('#view-ridgeline .plot').layout.xaxis.range")
    fills = page.run(
        "document.querySelector('#view-ridgeline .plot').data.filter(({ fill }) => fill)"
        ".map(({ x, y }) => x.map((each, at) => [each, y[at]]))"
    )
    network, flops, memory = ([tuple(corner) for corner in corners] for corners in fills)
    # Between network and flops OI·MI is 20, here at the left side of the frame and the ridge point.
    left, right = (10**end for end in ends)
    edge = [pytest.approx((left, 20 / left)), (5, 4)]
    assert network[1:3] == edge
    assert [corner for corner in flops if corner in network] == edge
    assert [corner for corner in memory if corner in flops] == [(5, 4), pytest.approx((right, 4))]
    page.close()


def test_a_point_that_leaves_the_frame_becomes_an_arrow(browser: Browser, write: Write) -> None:
    page = _opened(browser, write(["sends"], ["plain"], LANGUAGE), "communication")
    assert page.run("watch('communication').symbols") == ["circle"]
    drive(page, [("model.sent", "type", "0")])
    rest(page)
    assert page.run("watch('communication').symbols") == ["arrow-right"]
    note = page.run("watch('communication').note")
    assert note.startswith("1 of 1 models lies outside the frame: sends (CAI ∞)")
    page.close()


def test_what_no_region_says_has_a_ceiling(browser: Browser, write: Write) -> None:
    written = write(["steps", "sends", "stores"], ["plain"], LANGUAGE)
    page = _opened(browser, written, "roofline")
    seen = page.run("watch('roofline')")
    other = page.run("watch('roofline').fills.at(-1)")  # of `stores`, bound by its disk
    named = [page.run(f"colour('{name}')") for name in ("flops", "memory", "network")]
    assert other not in named
    assert {"network at this CAI", "disk at this flops/disk"} <= set(seen["names"])
    assert [40 / 8, named[2]] in seen["ceilings"] and [40 / 9, other] in seen["ceilings"]
    assert seen["fills"][-2:] == [named[2], other]
    for view in ("ridgeline", "surface"):
        page.run(f"location.hash = 'views={view}'")
        wait(page, f"document.querySelector('#view-{view} .plot').data")
        rest(page)
        said = page.run(f"watch('{view}')")
        assert "disk at this flops/disk" in said["names"] + said["says"]
        assert "network at this CAI" not in said["names"] + said["says"]  # the region says it
    page.close()


def test_a_resource_of_ones_own_has_a_view_with_its_roof(browser: Browser, write: Write) -> None:
    page = _opened(browser, write(["stores", "sends"], ["plain"], LANGUAGE), "over-disk")
    seen = page.run("watch('over-disk')")
    own = page.run("colour('own-1')")
    assert seen["fills"][0] == own  # of `stores`, which its disk binds
    assert not any(color == own for _, color in seen["ceilings"])  # for it lies on the disk's roof
    assert number(page, "flops/disk") == pytest.approx(40 / 9)
    assert number(page, "flops/disk*") == 10
    click(page, "#view-over-disk [data-form=csv]")
    rows = [row for row in csv.reader(StringIO(page.run("saved"))) if row]
    assert rows[0][5] == "flops/disk [flop/B]"
    assert ["bandwidth", "plain", "disk", "", "1"] in [row[:5] for row in rows]
    drive(page, [("A.disk", "type", "4 B/s")])
    rest(page)
    assert number(page, "flops/disk*") == 2.5
    page.close()


@pytest.mark.parametrize(
    ("model", "machine"),
    [
        ("networks.resnet50", "a100_sxm_80gb"),
        ("networks.mlp:mlp_training", "h100_sxm"),
        ("cannon", "xeon_e5630"),
        ("summa", "karst"),
    ],
)
def test_points_and_ceilings_are_those_of_python(
    model: str, machine: str, browser: Browser, write: Write
) -> None:
    written = write([model], [machine])
    for view, axis in (("roofline", OI), ("communication", CAI)):
        page = _opened(browser, written, view)
        found = drive(page, [])
        result = expected(written.models[0], written.machines[0], found["controls"])
        assert result is not None
        asked = ModelOnMachine(written.models[0], written.machines[0])
        drawn = _chart(axis, Case(result.model, asked, result))
        if drawn is None:
            page.close()
            continue
        seen = page.run(f"watch('{view}')")
        click(page, f"#view-{view} [data-form=csv]")
        rows = [*csv.DictReader(StringIO(page.run("saved")))]
        column = f"{axis.symbol} [flop/B]"
        points = [row for row in rows if row["what"] in ("point", "step", "level")]
        wanted = [(point.x, point.y, point.bound) for point in drawn.points]
        got = [
            (_float(row[column]), _float(row["performance [flop/s]"]), row["bound"])
            for row in points
        ]
        _same(got, wanted)
        unsaid = [p.y for p in drawn.points if not drawn.says(p) and not math.isnan(p.x)]
        heights = [height for height, _ in seen["ceilings"]]
        assert len(heights) == len(unsaid)
        for height, other in zip(sorted(heights), sorted(unsaid), strict=True):
            assert math.isclose(height, other, rel_tol=1e-9) or other == 0
        assert page.problems() == []
        page.close()


def _chart(axis: Axis, case: Case) -> Chart | None:
    try:
        return chart(axis, [case.asked.machine], [case])
    except RoofError as error:  # no work on this axis's resource, or no rate for it
        if {each.code for each in error.diagnostics} - {"R0803", "R0804"}:
            raise
        return None


def _same(got: list[tuple[float, float, str]], wanted: list[tuple[float, float, str]]) -> None:
    def order(point: tuple[float, float, str]) -> tuple[str, str, str]:
        return point[2], f"{point[0]:.9e}", f"{point[1]:.9e}"

    assert len(got) == len(wanted)
    for one, other in zip(sorted(got, key=order), sorted(wanted, key=order), strict=True):
        for value, exact in zip(one[:2], other[:2], strict=True):
            both = math.isnan(value) and (math.isnan(exact) or not exact)
            assert both or math.isclose(value, exact, rel_tol=1e-12), (one, other)
        assert one[2] == other[2]


def _opened(browser: Browser, written: Any, view: str) -> Page:
    page = browser.page(written.path, link=f"#views={view}")
    page.run(DRIVER)
    page.run(WATCH)
    figure = f"document.getElementById('view-{view}')"
    drawn = f"{figure}.querySelector('.plot').data || {figure}.querySelector('.absent').textContent"
    wait(page, drawn)
    rest(page)
    return page


def _float(text: str) -> float:
    return math.nan if text == "" else float(text)


# Whether a view was drawn anew, and where each step's marker stands.
MOVED = """
globalThis.redrawn = 0;
{
  const plot = document.querySelector("#view-roofline .plot");
  plot.on("plotly_afterplot", () => globalThis.redrawn++);
  globalThis.markers = () => {
    const { uid, customdata } = plot._fullData.find(({ meta }) => meta === "points");
    const marks = [...plot.querySelectorAll(`.scatterlayer .trace${uid} .point`)];
    return marks.flatMap((mark, at) => {
      const { step } = customdata[at];
      return step ? [[step.path, mark.getAttribute("transform").match(/[-.0-9]+/g)]] : [];
    });
  };
}
true
"""
ONE_FRAME = """
new Promise((done) => {
  const slider = document.querySelector("[data-key='model.batch'] .slider");
  const before = document.documentElement.dataset.frame;
  slider.value = String(Number(slider.value) + 10);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const look = () => {
    if (document.documentElement.dataset.frame === before) return requestAnimationFrame(look);
    done([globalThis.redrawn, globalThis.markers()]);
  };
  look();
})
"""


def test_a_step_keeps_its_marker_where_another_becomes_the_longest(
    browser: Browser, write: Write
) -> None:
    models, machines = ["networks.lenet5:lenet5_training"], ["h100_sxm"]
    page = browser.page(write(models, machines, batch="256", ranks="8").path, width=1500)
    page.run("new Promise((done) => setTimeout(done, 1000))")
    page.run(MOVED)
    before = [path for path, _ in page.run("markers()")]
    redrawn, moved = page.run(ONE_FRAME)
    assert redrawn == 0
    page.run("new Promise((done) => setTimeout(done, 1000))")
    after = page.run("markers()")
    # The order is another one now, and each marker was in its place before it was drawn anew.
    assert [path for path, _ in after] != before == [path for path, _ in moved]
    places = {path: [float(each) for each in place] for path, place in after}
    for path, place in moved:
        assert [float(each) for each in place] == pytest.approx(places[path], abs=0.1), path
