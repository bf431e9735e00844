"""Presets: the values that the tests of a model's file have, chosen by the test's title."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import roofdsl as rd
from roofdsl.explorer.presets import presets
from roofdsl.model.precision import code
from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, drive
from tests.explorer.test_page import read, select, text, wait

FILE = """
machine box { flops = 1 TFLOP/s; memory = 100 GB/s }
model half { param n: integer[1..100]; param slow = false; param dtype: precision = fp32
    flops = 2*n^3; memory = size(dtype)*n^2; require n/2 is integer }
model other { flops = 1 }
test "<i>of</i> two sizes" {
    let small = 2
    let first = half(n = small) on box
    expect first.flops == 16 flop
    expect (half(n = 3*small, dtype = fp64, slow = true) on box).flops == 432 flop
    expect (other() on box).flops == 1 flop
    expect (half(n = 2) on box).flops == 16 flop
}
test "what is refused" {
    expect half(n = 3) on box fails "integer"
    expect half(n = 200) on box fails
}
"""


@pytest.fixture
def page(browser: Browser, write: Write) -> Iterator[Page]:
    page = browser.page(write(["half"], ["box"], FILE).path, width=1500, link="#views=roofline")
    page.run(DRIVER)
    wait(page, "location.hash.includes('model=')")
    yield page
    assert page.problems() == []
    page.close()


GROUPS = """
[...document.querySelectorAll("#preset optgroup")].map((group) =>
  [group.label, [...group.children].map((each) => each.textContent)])
"""


def test_a_preset_sets_all_values_at_once(page: Page) -> None:
    names = ["n = 2", "n = 6, slow = true, dtype = fp64"]
    assert page.run(GROUPS) == [["<i>of</i> two sizes", names]]
    assert page.run("document.getElementById('preset').value") == "start"
    start = read(page)
    drive(page, [("A.flops", "type", "2 TFLOP/s")])
    assert page.run("document.getElementById('preset').value") == "own"
    before = page.run("history.length")
    select(page, "preset", "1")
    found = read(page)
    values = {name: found["controls"][f"model.{name}"] for name in ("n", "slow", "dtype")}
    assert values == {"n": ["6", True], "slow": ["true", True], "dtype": [str(code("fp64")), True]}
    assert found["controls"]["A.flops"] == ["1000000000000", False]
    assert found["problems"] == []
    assert float(found["numbers"]["time on memory"]) == 8 * 36 / 100e9
    assert page.run("document.getElementById('preset').title") == "<i>of</i> two sizes"
    wait(page, f"history.length === {before + 1}")
    select(page, "preset", "0")
    assert read(page)["controls"]["model.dtype"][1] is False
    assert text(page, "#preset option:checked") == "n = 2"
    select(page, "preset", "start")
    assert read(page) == start


def test_every_preset_of_the_library_is_accepted(browser: Browser, write: Write) -> None:
    written = write(["summa", "dgemv"], ["karst", "jetstream"], N="4096", P="121")
    page = browser.page(written.path, link="#views=roofline")
    page.run(DRIVER)
    model, karst = rd.load_model("summa"), rd.load_machine("karst")
    offered = presets(written.models[0], written.machines)
    assert len(offered) > 10
    for place, preset in enumerate(offered):
        select(page, "preset", str(place))
        found = read(page)
        assert found["problems"] == []
        assert page.run("document.querySelectorAll('[aria-invalid=true]').length") == 0
        values = preset["values"]
        assert isinstance(values, dict)
        wanted = model.on(karst).evaluate(**values).time
        assert float(found["numbers"]["time"]) == pytest.approx(wanted, rel=1e-12)
        for name, value in values.items():
            assert float(found["controls"][f"model.{name}"][0]) == value
    # The other model's parameters of the same names go along.
    select(page, "preset", "0")
    select(page, "model", "1")
    assert read(page)["controls"]["model.N"][0] == "242"
    assert page.problems() == []
    page.close()
