"""Roofs are pulled by mouse, touch and keys: the rate goes with the line, and the page says so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, drive
from tests.explorer.test_page import click, read, rest, text, wait

FLOPS, MEMORY = 22e9, 13.9e9  # of Karst


@pytest.fixture
def page(browser: Browser, write: Write) -> Iterator[Page]:
    written = write(["summa", "dgemv"], ["karst", "jetstream"], N="4096", P="121")
    page = browser.page(written.path, width=1500, link="#views=roofline")
    page.run(DRIVER)
    wait(page, "location.hash.includes('model=') && document.querySelector('.pull')")
    rest(page)
    yield page
    assert page.problems() == []
    page.close()


# The middle of a handle; where the axes are [pixels] and what they show [powers of ten].
PLACES = """
(() => {
  const plot = document.querySelector("#view-roofline .plot");
  const { left, top } = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  return {
    x: [left + xaxis._offset, xaxis._length, ...xaxis.range],
    y: [top + yaxis._offset, yaxis._length, ...yaxis.range],
  };
})()
"""


def pixel(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return where a point of the figure is on the screen."""
    (left, width, west, east), (top, height, south, north) = page.run(PLACES).values()
    across, up = (math.log10(x) - west) / (east - west), (math.log10(y) - south) / (north - south)
    return left + across * width, top + (1 - up) * height


def handle(page: Page, key: str) -> tuple[float, float]:
    box = page.run(
        "(({ left, top, width, height }) => [left + width / 2, top + height / 2])"
        f"(document.querySelector(\".pull[data-key='{key}']\").getBoundingClientRect())"
    )
    return box[0], box[1]


def pull(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse("mouseMoved", *start)
    page.mouse("mousePressed", *start)
    for part in (0.3, 0.6, 1.0):
        x, y = (one + part * (other - one) for one, other in zip(start, end, strict=True))
        move: dict[str, Any] = {"type": "mouseMoved", "x": x, "y": y, "button": "left"}
        page.send("Input.dispatchMouseEvent", **move, buttons=1)
        page.settle()
    page.mouse("mouseReleased", *end)
    page.settle()


def rate(page: Page, key: str) -> float:
    return float(read(page)["controls"][key][0])


def test_a_ceiling_goes_with_its_handle(page: Page) -> None:
    before = page.run("history.length")
    wait(page, "document.querySelector('#changes .how')?.textContent === 'proven'")
    x, y = handle(page, "A.flops")
    assert y == pytest.approx(pixel(page, 1, FLOPS)[1], abs=1)
    _, height, south, north = page.run(PLACES)["y"]
    pull(page, (x, y), (x, y - 30))
    wanted = FLOPS * 10 ** (30 * (north - south) / height)
    assert rate(page, "A.flops") == float(f"{wanted:.3g}")
    assert read(page)["controls"]["A.flops"][1]
    rest(page)
    now = rate(page, "A.flops")
    assert handle(page, "A.flops")[1] == pytest.approx(pixel(page, 1, now)[1], abs=1)
    assert text(page, "#changed > span > span") == f"changed: flops 22 → {now / 1e9:.3g} GFLOP/s"
    time = float(read(page)["numbers"]["time on flops"])
    drive(page, [("A.flops", "type", f"{now / 1e9} GFLOP/s")])  # the field has the same
    assert float(read(page)["numbers"]["time on flops"]) == time
    # One change, however many steps, and the back button takes it back.
    wait(page, f"history.length === {before + 1}")
    drive(page, [("model.N", "type", "5000")])
    wait(page, "document.querySelector('#changes .how')?.textContent === 'sampled'")
    wait(page, "location.hash.includes('5000')")
    page.run("history.back()")
    wait(page, "document.querySelector(\"[data-key='model.N']\").dataset.value === '4096'")
    assert rate(page, "A.flops") == now
    click(page, "#changed button")
    assert rate(page, "A.flops") == FLOPS
    assert page.run("document.getElementById('changed').hidden")


def test_a_bandwidth_is_pulled_by_its_line(page: Page) -> None:
    axes = page.run(PLACES)
    start = pixel(page, 0.3, 0.3 * MEMORY)
    end = pixel(page, 0.3, 0.3 * 2 * MEMORY)
    pull(page, start, end)
    assert rate(page, "A.memory") == pytest.approx(2 * MEMORY, rel=0.005)
    assert rate(page, "A.flops") == FLOPS
    pull(page, end, (end[0] + start[1] - end[1], end[1]))  # to the right is down
    assert rate(page, "A.memory") < 2 * MEMORY
    assert page.run(PLACES) == axes
    # Where there is no line, the figure is moved as a whole, and the handles with it.
    place = pixel(page, 0.1, 1e10)
    pull(page, place, (place[0], place[1] + 40))
    assert page.run(PLACES)["y"][2:] != axes["y"][2:]
    now = rate(page, "A.flops")
    assert handle(page, "A.flops")[1] == pytest.approx(pixel(page, 1, now)[1], abs=1)


def test_a_roof_is_pulled_beyond_the_frame_which_widens_then(page: Page) -> None:
    x, y = handle(page, "A.flops")
    axes = page.run(PLACES)
    pull(page, (x, y), (x, axes["y"][0] - 60))
    assert rate(page, "A.flops") > 10 ** axes["y"][3]
    rest(page)
    wait(page, f"({PLACES}).y[3] > {axes['y'][3]}")
    assert rate(page, "A.flops") < 10 ** page.run(PLACES)["y"][3]


def test_arrow_keys_move_a_handle(page: Page) -> None:
    page.run("document.querySelector(\".pull[data-key='A.memory']\").focus()")
    page.key("ArrowUp")
    more = rate(page, "A.memory")
    # Five of the thousand steps of a slider from a hundredth to a hundred times.
    assert more == float(f"{MEMORY * 1e4**0.005:.3g}")
    page.key("ArrowLeft")
    assert rate(page, "A.memory") < more
    said = "document.querySelector(\".pull[data-key='A.memory']\").ariaValueText"
    rest(page)
    assert page.run(said) == f"{rate(page, 'A.memory') / 1e9:g} GB/s"


def test_a_finger_pulls_a_handle_of_the_second_machine(page: Page) -> None:
    page.size(400, 800, touch=True)
    page.open("#views=roofline&B=jetstream")
    page.run(DRIVER)
    rest(page)
    before = rate(page, "B.flops")
    x, y = handle(page, "B.flops")
    points = [(x, y - 4 * step) for step in range(6)]
    for at, (across, down) in enumerate(points):
        kind = "touchMove" if at else "touchStart"
        touches = [{"x": across, "y": down}]
        page.send("Input.dispatchTouchEvent", type=kind, touchPoints=touches)
        page.settle()
    page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    assert rate(page, "B.flops") > 1.2 * before
    assert rate(page, "A.flops") == FLOPS
    assert text(page, "#changed > span > span").startswith("changed: jetstream flops")
