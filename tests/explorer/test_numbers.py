"""In a browser, the explorer's numbers are Python's, wherever its sliders and fields are."""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.explorer.browser import Browser
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, differences, drive, expected, moves

SETTINGS = int(os.environ.get("ROOFDSL_EXPLORER_SETTINGS", "10"))
"""Of each model; `make fuzz` takes 50."""
PAGES = {
    "karst": (
        "summa",
        "dgemv",
        "ddot",
        "fft",
        "stencil2d",
        "mst",
        "dijkstra",
        "papers.cardwell2019:summa_as_printed",
    ),
    "h100_sxm": (
        "networks.mlp:mlp_training",
        "networks.wide_mlp:wide_mlp_training",
        "networks.lstm_lm",
        "networks.gpt2:gpt2_decode",
        "networks.alexnet",
    ),
    "i7_titan": ("hetero.synthetic:synthetic_data", "hetero.perdome"),
    "xeon_e5630": ("cannon", "johnson"),
    "blue_waters_xe": ("jacobi2d", "jacobi3d", "geometric_series"),
}


@pytest.mark.parametrize("machine", PAGES)
def test_numbers_are_those_of_python(machine: str, browser: Browser, write: Write) -> None:
    written = write(PAGES[machine], [machine])
    explorer = written.built.explorer
    # So low that no figure is in sight: numbers alone are quick.
    page = browser.page(written.path, height=60, link="#views=surface")
    page.run(DRIVER)
    random = Random(machine)
    for place, model in enumerate(explorer.models):
        page.run(
            f"{{ const select = document.getElementById('model'); select.selectedIndex = {place};"
            "select.dispatchEvent(new Event('change')); true }"
        )
        page.settle()
        sound = 0
        for _ in range(5 * SETTINGS):
            moved = moves(random, explorer, model, 0)
            found = drive(page, moved)
            result = expected(written.models[place], written.machines[0], found["controls"])
            if result is None:
                assert found["problems"], f"{model.name}: Python refuses {moved}"
                continue
            assert not found["problems"], f"{model.name}: Python allows {moved}"
            wrong = differences(found, result, written.machines[0])
            assert wrong == [], f"{model.name} after {moved}"
            sound += 1
            if sound == SETTINGS:
                break
        assert sound == SETTINGS, f"{model.name}: only {sound} settings are allowed"
    assert page.problems() == []
    page.close()


def test_there_are_twenty_models() -> None:
    assert sum(map(len, PAGES.values())) == 20
