"""What the tests of reports share: a report in HTML, and a browser to open it in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.explorer.browser import CHROMIUM, Browser
from tests.report.samples import hostile_files, run


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report of a kernel, a composition and a hostile model, on three machines."""
    folder = tmp_path_factory.mktemp("report")
    hostile_files(folder)
    models = ["summa", "linalg.cannon", "50% <b>_#&{x}.roof:hostile"]
    machines = ["-m", "karst", "-m", "xeon_e5630", "-m", "50% <b>_#&{x}.roof:wild"]
    run(
        folder,
        "report",
        *models,
        *machines,
        "-p",
        "P=16",
        "-p",
        "N=4000",
        "-p",
        "B=400",
        "-o",
        "report.html",
    )
    return folder / "report.html"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no browser: chromium is not installed, so no report is opened")
    running = Browser()
    yield running
    running.close()
