"""The layout of a report as a browser has it: nothing is cut off, whatever the page's width."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.explorer.browser import Browser
from tests.report.opened import Report, opened
from tests.report.samples import run

LONG = "a_name_of_" + "very_" * 14 + "many_letters"
MODEL = f"""
## {LONG.title()} is what this is about.
model {LONG} {{
    param {LONG}_n: integer
    flops = 2*{LONG}_n
    memory = 8 B * {LONG}_n
}}
"""
A4 = 717
"""The width of a sheet between the margins that Chromium leaves, in px."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report of a kernel that sends, a network of many kernels, and a long name."""
    folder = tmp_path_factory.mktemp("layout")
    (folder / "long.roof").write_text(MODEL, encoding="utf-8")
    models = ("summa", "resnet50", f"long.roof:{LONG}")
    run(folder, "report", *models, "-m", "karst", "-m", "h100_sxm", "-o", "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def library_like(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report of two models that the README has, as wide as the issue says."""
    folder = tmp_path_factory.mktemp("layout")
    models = ("summa", "resnet50", "dgemm")
    machines = ("-m", "karst", "-m", "h100_sxm")
    run(folder, "report", *models, *machines, "--no-figures", "-o", "report.html")
    return folder / "report.html"


@pytest.fixture
def page(browser: Browser, path: Path) -> Iterator[Report]:
    report = opened(browser, path)
    yield report
    assert report.problems() == []
    report.close()


CUT_OFF = """(() => {
  const scrolled = [...document.querySelectorAll(".scroll")].filter((e) => e.clientWidth);
  return scrolled.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.parentElement.id);
})()"""
"""Regions that hold more than they show."""
BEYOND = """(() => {
  const most = document.documentElement.clientWidth + 0.5;
  return [...document.querySelectorAll("body *")].filter((e) => {
    const box = e.getBoundingClientRect();
    return box.width && box.right > most && !e.closest(".scroll svg, .scroll table, .skip");
  }).map((e) => e.outerHTML.slice(0, 80));
})()"""
"""Elements that end to the right of the page, but for what scrolls by itself."""
BOUND = """(() => {
  const table = document.querySelector("#summary table");
  const place = [...table.tHead.rows[0].cells].findIndex((c) => c.textContent === "bound");
  return [...table.rows].map((row) => row.cells[place].getBoundingClientRect().right);
})()"""


def test_nothing_is_cut_off_at_1100_pixels(browser: Browser, library_like: Path) -> None:
    report = opened(browser, library_like, 1100)
    assert report.run(CUT_OFF) == []
    assert report.run(BEYOND) == []
    report.close()


@pytest.mark.parametrize("width", [1100, 700, 400])
def test_what_binds_is_seen_without_scrolling(page: Report, width: int) -> None:
    page.size(width, 900)
    page.settle()
    assert page.run(BEYOND) == []
    names = "[...document.querySelectorAll('#summary thead th')].map(c => c.textContent)"
    assert page.run(names)[:4] == ["model", "machine", "bound", "fits"]
    if width > 400:  # else a name of a hundred letters leaves no room
        assert max(page.run(BOUND)) <= width


def test_on_a_telephone_what_binds_is_seen(browser: Browser, library_like: Path) -> None:
    report = opened(browser, library_like, 400)
    assert max(report.run(BOUND)) <= 400
    report.close()


def test_what_is_wider_than_a_telephone_is_reached_by_keyboard(page: Report) -> None:
    page.size(400, 900)
    page.settle()
    assert page.run("document.documentElement.scrollWidth") == 400
    wide = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth)"
    assert page.run(f"{wide}.length") > 5
    assert page.run(f"{wide}.every(e => e.tabIndex === 0 && e.ariaLabel && e.role)")
    page.run(f"{wide}[0].focus()")
    for _ in range(3):
        page.key("ArrowRight")
        page.settle()
    page.run("new Promise((done) => setTimeout(done, 300))")  # it scrolls smoothly
    assert page.run(f"{wide}[0].scrollLeft") > 0


def test_on_paper_nothing_is_cut_off(page: Report) -> None:
    page.size(A4, 1000)
    page.send("Emulation.setEmulatedMedia", media="print")
    page.settle()
    assert page.run(CUT_OFF) == []
    assert page.run(BEYOND) == []
    beyond = f"""[...document.querySelectorAll("table, math, svg, caption")].filter(
      (e) => e.getBoundingClientRect().right > {A4}).map((e) => e.outerHTML.slice(0, 99))"""
    assert page.run(beyond) == []


def test_letters_of_figures_can_be_read_on_a_telephone(page: Report) -> None:
    page.size(400, 900)
    page.settle()
    heights = """[...document.querySelectorAll(".drawing svg text")].map((text) => {
      const scale = text.ownerSVGElement.getScreenCTM().a;
      return parseFloat(getComputedStyle(text).fontSize) * scale;
    })"""
    found = page.run(heights)
    assert len(found) > 50
    assert min(found) >= 8.9


def test_figures_are_dark_in_dark_pages_and_light_on_paper(page: Report) -> None:
    paper = """[...document.querySelectorAll(".drawing svg")].map((svg) => {
      const fill = getComputedStyle(svg.querySelector("path")).fill.match(/\\d+/g);
      return fill.map(Number).reduce((sum, each) => sum + each, 0);
    })"""
    page.scheme("dark")
    page.settle()
    assert len(page.run(paper)) > 2
    assert max(page.run(paper)) < 120
    feature = {"name": "prefers-color-scheme", "value": "dark"}
    page.send("Emulation.setEmulatedMedia", media="print", features=[feature])
    page.settle()
    assert min(page.run(paper)) > 700
