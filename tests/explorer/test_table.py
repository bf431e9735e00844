"""The table of steps: sorted, searched, and lit together with the points of the figures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, drive
from tests.explorer.test_page import rest, text, wait

# Times in s of the four steps: 8, 4, 2 and 1; the first and the last are bound by memory.
TEXT = """
machine box { flops = 1 flop/s; memory = 1 B/s }
model steps {
    param N: integer
    step beta  { flops = 4*N; memory = 2 B * N }
    step Alpha { flops = 2*N; memory = 8 B * N }
    step delta { flops = 2*N; memory = 1 B * N }
    step gamma { flops = N/2; memory = 1 B * N }
}
"""
NAMES = "[...document.querySelectorAll('#step-table tbody th')].map((cell) => cell.textContent)"
SORTS = "[...document.querySelectorAll('#step-table thead th')].map((head) => head.ariaSort)"
LIT = "[...document.querySelectorAll('#step-table tr.lit')].map((row) => row.dataset.step)"
RING = """
{ const ring = document.querySelector("#view-roofline .ring")?.getBoundingClientRect();
  ring ? [ring.left + ring.width / 2, ring.top + ring.height / 2] : null }
"""


@pytest.fixture(scope="module")
def opened(browser: Browser, write: Write) -> Iterator[Page]:
    page = browser.page(
        write(["steps"], ["box"], TEXT, N="1").path, width=1400, height=1300, link="#views=roofline"
    )
    page.run(DRIVER)
    yield page
    assert page.problems() == []
    page.close()


def press(page: Page, column: str) -> None:
    """Sort by a column with the keyboard."""
    page.run(
        "[...document.querySelectorAll('#step-table .sort')]"
        f".find((each) => each.textContent === '{column}').focus()"
    )
    page.key("Enter")
    page.settle()


def test_it_is_sorted_by_any_column(opened: Page) -> None:
    assert opened.run(NAMES) == ["Alpha", "beta", "delta", "gamma"]  # the longest first
    assert opened.run(SORTS) == ["none", "descending", "none", "none", "none", "none"]
    press(opened, "step")
    assert opened.run(NAMES) == ["Alpha", "beta", "delta", "gamma"]
    assert opened.run(SORTS)[0] == "ascending"
    press(opened, "step")
    assert opened.run(NAMES) == ["gamma", "delta", "beta", "Alpha"]
    assert opened.run(SORTS)[0] == "descending"
    press(opened, "OI")
    assert opened.run(NAMES)[2:] == ["gamma", "Alpha"]  # 2, 2, 1/2, 1/4 flop/B
    press(opened, "time")
    assert opened.run(NAMES)[0] == "Alpha"


def test_steps_are_found(opened: Page) -> None:
    for wanted, found in (("ta", ["beta", "delta"]), ("memory", ["Alpha", "gamma"]), ("", None)):
        opened.run(
            "{ const find = document.getElementById('find-step');"
            f"find.value = '{wanted}'; find.dispatchEvent(new Event('input')); true }}"
        )
        if found is not None:
            assert opened.run(NAMES) == found
            assert text(opened, "#steps-found") == f"{len(found)} of 4 steps"
    assert text(opened, "#steps-found") == "4 of 4 steps"


def centre(page: Page, step: str) -> tuple[float, float]:
    """Return where a step's point is, by the axes: the page does not say which marker it is."""
    x, y = {"Alpha": (0.25, 0.25), "beta": (2.0, 1.0)}[step]
    left, top = page.run(f"""
        {{ const plot = document.querySelector("#view-roofline .plot");
          const {{ xaxis, yaxis }} = plot._fullLayout;
          const {{ left, top }} = plot.getBoundingClientRect();
          [left + xaxis._offset + xaxis.d2p({x}), top + yaxis._offset + yaxis.d2p({y})] }}
    """)
    return left, top


def test_a_row_lights_its_point(opened: Page) -> None:
    rest(opened)
    opened.run("document.querySelector('#step-table tbody tr').focus()")
    assert opened.run(LIT) == ["Alpha"]
    assert opened.run(RING) == pytest.approx(centre(opened, "Alpha"), abs=1)
    opened.key("ArrowDown")
    assert opened.run(LIT) == ["beta"]
    assert opened.run(RING) == pytest.approx(centre(opened, "beta"), abs=1)
    opened.run("document.activeElement.blur()")
    assert (opened.run(LIT), opened.run(RING)) == ([], None)


def test_a_point_lights_its_row(opened: Page) -> None:
    rest(opened)
    x, y = centre(opened, "Alpha")
    opened.mouse("mouseMoved", x - 80, y + 90)
    opened.mouse("mouseMoved", x, y)
    wait(opened, f"{LIT}.length")
    assert opened.run(LIT) == ["Alpha"]
    opened.mouse("mouseMoved", 5, 5)
    wait(opened, f"{LIT}.length === 0")


def test_the_order_is_kept_while_numbers_change(opened: Page) -> None:
    press(opened, "step")
    drive(opened, [("A.memory", "type", "100 B/s")])
    assert opened.run(NAMES) == ["Alpha", "beta", "delta", "gamma"]
    press(opened, "time")
    assert opened.run(NAMES)[0] == "beta"
    drive(opened, [("A.memory", "type", "1 B/s")])
