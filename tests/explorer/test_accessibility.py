"""axe-core finds nothing on an explorer's pages: wide and narrow, light and dark, with its help."""

from __future__ import annotations

import pytest

from tests.explorer.accessibility import VIEWS, found
from tests.explorer.browser import Browser
from tests.explorer.conftest import Write

PAGES = {
    "a kernel on two machines": (("summa",), ("karst", "jetstream")),
    "a network": (("lenet5",), ("h100_sxm",)),
}


@pytest.mark.parametrize(("scheme", "width"), VIEWS)
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_found(
    browser: Browser, write: Write, name: str, scheme: str, width: int
) -> None:
    page = browser.page(write(*PAGES[name]).path, width=width)
    page.scheme(scheme)
    page.open()
    page.settle()
    if name == "a network":
        page.key("?")  # its help
        page.settle()
    assert found(page) == []
    page.close()
