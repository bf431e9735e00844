"""axe-core finds nothing on the pages of reports: wide and narrow, light and dark, of chapters."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explorer.accessibility import VIEWS, found
from tests.explorer.browser import Browser
from tests.report.opened import opened
from tests.report.samples import CHAPTERS, run


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report of a kernel and a composition, with three kinds of figures."""
    folder = tmp_path_factory.mktemp("short")
    run(folder, "report", "summa", "lenet5", "-m", "h100_sxm", "-o", "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def chapters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("chapters")
    run(folder, *CHAPTERS, "--no-figures", "-o", "report.html")
    return folder / "report.html"


@pytest.mark.parametrize(("scheme", "width"), VIEWS)
@pytest.mark.parametrize("which", ["short", "chapters"])
def test_nothing_is_found(
    browser: Browser, request: pytest.FixtureRequest, which: str, scheme: str, width: int
) -> None:
    report = opened(browser, request.getfixturevalue(which), width)
    report.scheme(scheme)
    report.settle()
    assert found(report) == []
    report.close()


def test_it_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    bad = "<!doctype html><title>t</title><main><h1>a</h1><img src='data:,'><p lang='x-'>b</main>"
    (tmp_path / "bad.html").write_text(bad, encoding="utf-8")
    report = opened(browser, tmp_path / "bad.html")
    rules = {each.partition(":")[0] for each in found(report)}
    assert {"image-alt", "html-has-lang"} <= rules
    report.close()
