"""The regime view: the proven map from the start, points looked at once something has moved."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import pytest

from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, drive
from tests.explorer.test_page import rest, select, wait

NOTE = "document.querySelector('#view-regime .beyond').textContent"
TYPES = "document.querySelector('#view-regime .plot').data.map((trace) => trace.type)"
NAMES = "document.querySelector('#view-regime .plot').layout.annotations.map((each) => each.text)"
# The line between the two regions, as it is drawn.
LINES = """
document.querySelector("#view-regime .plot").data
  .filter(({ line, fill }) => line?.width === 1.6 && !fill).map(({ x, y }) => [[...x], [...y]])
"""


@pytest.fixture(scope="module")
def page(browser: Browser, write: Write) -> Iterator[Page]:
    written = write(["summa", "fft"], ["karst"], N="4096", P="121")
    page = browser.page(written.path, link="#views=regime")
    page.run(DRIVER)
    yield page
    assert page.problems() == []
    page.close()


# Its end, where it meets another, is known to 2·10⁻⁷ of P, and there N grows 20 times as fast.
NEAR = 1e-5


def boundary(processes: float) -> float:
    """Return where flops take as long as the network on Karst, by the thesis."""
    return math.sqrt(processes) * 22e9 * 8 * math.log2(processes) / (2 * 1.2e9) - 1


def check(sizes: list[float], processes: list[float]) -> None:
    assert len(sizes) > 90
    for size, count in zip(sizes, processes, strict=True):
        assert size == pytest.approx(boundary(count), rel=NEAR)


def test_the_boundary_is_proven_and_has_its_formula(page: Page) -> None:
    wait(page, NOTE + ".includes('of the plane is proven')")
    assert "heatmap" not in page.run(TYPES)
    names = page.run(NAMES)
    assert {"network-bound", "compute-bound"} <= set(names)
    assert any(name.startswith("N = ") and "√P" in name for name in names)
    across, up = max(page.run(LINES), key=lambda line: len(line[0]))  # N across, P up
    check(across, up)


def test_the_axes_may_be_the_other_way_round(page: Page) -> None:
    select(page, "plane-0", "model.P")
    select(page, "plane-1", "model.N")
    rest(page)
    across, up = max(page.run(LINES), key=lambda line: len(line[0]))
    check(up, across)
    select(page, "plane-0", "model.N")
    select(page, "plane-1", "model.P")


def test_once_anything_else_has_moved_points_are_looked_at(page: Page) -> None:
    drive(page, [("model.N", "type", "512"), ("model.P", "type", "16")])  # both are its axes
    rest(page)
    assert "is proven" in page.run(NOTE)
    drive(page, [("A.network", "type", "2.4 GB/s")])
    wait(page, NOTE + ".startsWith('sampled at')")
    assert "heatmap" in page.run(TYPES)
    page.run("document.querySelector(\"[data-key='A.network'] .reset\").click()")
    wait(page, NOTE + ".includes('of the plane is proven')")
    select(page, "plane-1", "A.network")
    wait(page, NOTE + ".startsWith('sampled at')")
    assert json.dumps(page.run(NAMES))
