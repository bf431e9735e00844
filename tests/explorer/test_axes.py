"""Axes of the explorer have the words, units and ticks that `roofdsl plot` gives them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from roofdsl.analysis.intensity import axis_label
from roofdsl.figures.axis_unit import in_unit, unit_between
from roofdsl.figures.chart import CAI, OI
from roofdsl.figures.lettering import powers
from roofdsl.figures.ridgeline import X_LABEL
from roofdsl.units.dimension import BYTE, FLOP, SECOND, Dimension
from roofdsl.units.quantity import prefixed_units
from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, drive
from tests.explorer.test_page import click, rest, wait

AXES = Path(__file__).resolve().parents[2] / "roofdsl" / "explorer" / "page" / "axes.js"


@pytest.fixture
def page(browser: Browser, write: Write) -> Iterator[Page]:
    written = write(["summa", "dgemv"], ["karst", "jetstream"], N="4096", P="121")
    views = "#views=roofline.communication.ridgeline.regime"
    page = browser.page(written.path, width=1500, height=2000, link=views)
    page.run(DRIVER)
    wait(page, "location.hash.includes('model=')")
    rest(page)
    yield page
    assert page.problems() == []
    page.close()


@pytest.mark.parametrize("dimension", [FLOP / SECOND, BYTE / SECOND, BYTE, SECOND, FLOP])
def test_the_rule_for_units_is_that_of_figures(page: Page, dimension: Dimension) -> None:
    units = json.dumps([*prefixed_units(dimension).items()])
    random = Random(str(dimension))
    ends = [sorted(random.uniform(-9, 22) for _ in range(2)) for _ in range(300)]
    ends += [[n / 2, n / 2 + width / 2] for n in range(-12, 36) for width in (1, 4, 9, 15)]
    found = called(page, f"{json.dumps(ends)}.map((each) => unitBetween(each, {units}))")
    wanted = [unit_between(10**low, 10**high, dimension) for low, high in ends]
    assert [unit for _, unit in found] == [unit for unit, _ in wanted]
    assert [10.0**exponent for exponent, _ in found] == pytest.approx([size for _, size in wanted])
    largest = [10 ** random.uniform(-15, 20) for _ in range(100)]
    found = called(page, f"{json.dumps(largest)}.map((each) => unitUpTo(each, {units})[1])")
    assert found == [in_unit(one, dimension)[0] for one in largest]


def called(page: Page, code: str) -> Any:
    """Return what an expression gives that calls what the script of axes declares."""
    return page.run(f"(() => {{ {AXES.read_text(encoding='utf-8')}; return {code}; }})()")


# The title, the range, and the ticks within it, of both axes of a view.
LOOK = """
["xaxis", "yaxis"].map((name) => {
  const { title, range, tickvals, ticktext } =
    document.querySelector("#view-%s .plot")._fullLayout[name];
  const within = tickvals.flatMap((value, at) => {
    const power = Math.log10(value);
    return power >= range[0] - 1e-9 && power <= range[1] + 1e-9 ? [[power, ticktext[at]]] : [];
  });
  return [title.text, range, within];
})
"""


def test_axes_have_the_words_and_units_of_figures(page: Page) -> None:
    assert page.run(LOOK % "roofline")[0][0] == OI.label
    assert page.run(LOOK % "communication")[0][0] == CAI.label
    x, y = page.run(LOOK % "ridgeline")
    assert (x[0], y[0]) == (X_LABEL, axis_label("OI"))
    units = set()
    for flops in ("22 GFLOP/s", "3 EFLOP/s", "5 MFLOP/s"):
        drive(page, [("A.flops", "type", flops), ("A.memory", "type", flops.replace("FLOP", "B"))])
        click(page, "#fit")
        rest(page)
        _, (title, (low, high), ticks) = page.run(LOOK % "roofline")
        fitting, size = unit_between(10**low, 10**high, FLOP / SECOND)
        assert title == f"Attainable performance [{fitting}]"
        units.add(fitting)
        exponents = [round(power - math.log10(size)) for power, _ in ticks]
        assert [text for _, text in ticks] == powers(10, exponents)
        assert len(ticks) >= 2
    assert len(units) == 3


def test_a_map_has_rates_in_the_unit_that_fits(page: Page) -> None:
    page.open("#views=regime&plane=A.network,model.N")
    page.run(DRIVER)
    wait(page, "document.querySelector('#view-regime .plot')._fullLayout?.xaxis.title.text")
    x, y = page.run(LOOK % "regime")
    # From a hundredth to a hundred times 1.2 GB/s.
    assert x[0] == f"network [{unit_between(1.2e7, 1.2e11, BYTE / SECOND)[0]}]"
    assert y[0] == "N"
