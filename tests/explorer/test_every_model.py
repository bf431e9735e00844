"""Where it starts, the explorer says what Python says, of every bundled model.

By default of some files; `make fuzz` takes all of them.
"""

from __future__ import annotations

import os

import pytest

from tests.agreement.points import files, first, reference
from tests.explorer.browser import Browser
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, differences, expected

ALL = os.environ.get("ROOFDSL_AGREEMENT") == "all"
SOME = ("collectives.mpi", "dnn.activation", "dnn.softmax", "linalg.summa", "networks.lenet5")
MOST_MODELS = 16
"""On one page."""


@pytest.mark.parametrize("file", files() if ALL else SOME)
def test_every_model_starts_with_the_numbers_of_python(
    file: str, browser: Browser, write: Write
) -> None:
    pages: dict[str, list[str]] = {}
    for point in first(file):
        machine = reference(point.prediction.machine)
        pages.setdefault(machine, []).append(reference(point.prediction.model))
    found: list[str] = []
    for machine_name, models in pages.items():
        for start in range(0, len(models), MOST_MODELS):
            written = write(models[start : start + MOST_MODELS], [machine_name])
            # So low that no figure is in sight: numbers alone are quick.
            page = browser.page(written.path, height=60, link="#views=surface")
            page.run(DRIVER)
            for place, model in enumerate(written.models):
                page.run(
                    "{ const select = document.getElementById('model');"
                    f"select.selectedIndex = {place};"
                    "select.dispatchEvent(new Event('change')); true }"
                )
                page.settle()
                shown = page.run("read()")
                assert isinstance(shown, dict) and not shown["problems"], model.name
                result = expected(model, written.machines[0], shown["controls"])
                assert result is not None, model.name
                wrong = differences(shown, result, written.machines[0])
                found += [f"{model.name} on {machine_name}: {each}" for each in wrong]
            page.close()
    assert found == []
