"""Scenarios that are pinned and compared, and changes that the browser's back button takes back."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write, Written
from tests.explorer.settings import DRIVER, drive
from tests.explorer.test_page import click, read, select, wait


@pytest.fixture(scope="module")
def summa(write: Write) -> Written:
    return write(["summa", "dgemv"], ["karst", "jetstream"], N="4096", P="121")


@pytest.fixture
def page(browser: Browser, summa: Written) -> Iterator[Page]:
    page = browser.page(summa.path, link="#views=ridgeline")
    page.run(DRIVER)
    wait(page, "location.hash.includes('model=')")
    yield page
    assert page.problems() == []
    page.close()


def value(page: Page, key: str) -> str:
    return str(read(page)["controls"][key][0])


def back(page: Page, key: str, wanted: str) -> None:
    page.run("history.back()")
    wait(page, f"document.querySelector(\"[data-key='{key}']\").dataset.value === '{wanted}'")


def test_back_takes_back_one_finished_change_after_another(page: Page) -> None:
    before = page.run("history.length")
    drive(page, [("model.N", "type", "1000")])
    wait(page, "location.hash.includes('1000')")
    # A slider that is moved for long is one change, once it is let go.
    for place in (200, 300, 400):
        drive(page, [("A.network", "slide", place)])
        page.run("new Promise((done) => setTimeout(done, 250))")
    assert page.run("history.length") == before + 1
    page.run(
        "document.querySelector(\"[data-key='A.network'] .slider\")"
        ".dispatchEvent(new Event('change', { bubbles: true }))"
    )
    wait(page, f"history.length === {before + 2}")
    select(page, "compose", "sum")
    wait(page, f"history.length === {before + 3}")
    click(page, "#theme")  # is no change of a value
    wait(page, "location.hash.includes('theme')")
    assert page.run("history.length") == before + 3
    page.run("history.back()")
    wait(page, "document.getElementById('compose').value === 'written'")
    assert value(page, "model.N") == "1000"
    back(page, "A.network", "1200000000")
    assert value(page, "model.N") == "1000"
    back(page, "model.N", "4096")
    page.run("history.forward()")
    wait(page, "document.querySelector(\"[data-key='model.N']\").dataset.value === '1000'")


ROWS = """
[...document.querySelectorAll("#scenarios tbody tr")].map((row) => [
  row.querySelector("input").value,
  Number(row.querySelectorAll("data")[0].value),
  row.querySelector(".difference").textContent.trim(),
  row.querySelector(".unlike").textContent,
])
"""


def test_scenarios_are_compared(page: Page) -> None:
    assert page.run("document.getElementById('scenarios').hidden")
    click(page, "#pin")
    start = read(page)["numbers"]["time"]
    drive(page, [("A.network", "type", "2.4 GB/s")])
    click(page, "#pin")
    middle = read(page)["numbers"]["time"]
    drive(page, [("model.N", "type", "8192")])
    now = float(read(page)["numbers"]["time"])
    rows = page.run(ROWS)
    assert [row[0] for row in rows] == ["", "A", "B"]
    assert [row[1] for row in rows] == [now, float(start), float(middle)]
    for row, time in zip(rows[1:], (start, middle), strict=True):
        part = 100 * (float(time) / now - 1)
        assert row[2] == f"▼ −{-part:.3g} %"
    assert rows[1][3] == "N = 4096, karst.network = as by default"
    assert rows[2][3] == "N = 4096"
    click(page, "#scenarios tbody tr:nth-child(2) button")  # set as in A
    assert read(page)["numbers"]["time"] == start
    assert value(page, "A.network") == "1200000000"
    assert [row[0] for row in page.run(ROWS)] == ["", "A", "B"]


def test_scenarios_have_names_and_come_with_the_link(browser: Browser, page: Page) -> None:
    click(page, "#pin")
    name = "<b>my & first #1</b>"
    page.run(
        "{ const input = document.querySelector('#scenarios tr:nth-child(2) input');"
        f"input.value = {json.dumps(name)}; input.dispatchEvent(new Event('change')); true }}"
    )
    drive(page, [("model.N", "type", "512")])
    wait(page, "location.hash.includes('512')")
    rows = page.run(ROWS)
    assert rows[1][0] == name.replace("#", "")
    other = browser.page(page.path, link=page.run("location.hash"))
    other.run(DRIVER)
    assert other.run(ROWS) == rows
    assert other.problems() == []
    other.close()
    click(page, "#scenarios tbody tr:nth-child(2) button:nth-child(2)")
    assert page.run("document.getElementById('scenarios').hidden")


def test_pins_that_make_no_sense_do_no_harm(browser: Browser, summa: Written) -> None:
    inner = "%23model=__proto__%26A=nobody%26pin=x%26model.summa.N=NaN"
    page = browser.page(summa.path, link=f"#pin=one{inner}&pin=&pin=two")
    page.run(DRIVER)
    times = [row[1] for row in page.run(ROWS)]
    assert len(times) == 4 and len(set(times)) == 1  # all as at the start
    assert page.problems() == []
    page.close()
