"""Formulas of compositions in the page: in one parameter, like terms of all steps added up."""

from __future__ import annotations

from tests.explorer.browser import Browser
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, drive
from tests.explorer.test_page import wait

TEXT = """
machine box { flops = 1 Gflop/s; memory = 1 GB/s }
model layer { param n: integer; param w: integer; flops = 2*n*w^2; memory = 8 B * (w^2 + 2*n*w) }
model net {
    param n: integer
    param w: integer = 3
    step one = layer(n = n, w = w)
    repeat 4 { step two = layer(n = n, w = 10) }
}
"""
SHOWN = """
Object.fromEntries([...document.querySelectorAll("#formulas .formula")].map((box) => [
  box.querySelector(".name").textContent,
  [box.querySelector(".with-names").textContent.replace(/[\\u2062\\s]/g, ""),
   box.querySelector(".value").textContent]]))
"""


def test_they_are_added_up_and_are_those_of_the_start(browser: Browser, write: Write) -> None:
    page = browser.page(write(["net"], ["box"], TEXT, n="5").path, link="#views=surface")
    page.run(DRIVER)
    page.run("document.getElementById('formulas-section').open = true")
    wait(page, "document.querySelectorAll('#formulas .formula').length")
    found = page.run(SHOWN)
    # 2·n·9 and four times 2·n·100; in bytes 8·(9 + 6·n) and four times 8·(100 + 20·n).
    assert found["flops"] == ["818n", f" = {818 * 5 / 1000:g} kFLOP"]
    assert found["memory"] == ["688n+3272", f" = {(688 * 5 + 3272) / 1000:g} kB"]
    assert found["one, run once: flops"][0] == "18n"
    assert found["two, run once: memory"][0] == "160n+800"
    drive(page, [("model.n", "type", "50")])  # what they are in may move
    assert page.run(SHOWN)["flops"] == ["818n", " = 40.9 kFLOP"]
    drive(page, [("model.w", "type", "4")])
    assert "flops" not in page.run(SHOWN)
    assert page.problems() == []
    page.close()
