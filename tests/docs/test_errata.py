"""The tests that docs/errata.md names, in the language, are in the library."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from roofdsl.model.library import bundled, check_module

ERRATA = Path(__file__).resolve().parents[2] / "docs" / "errata.md"


def named() -> list[str]:
    """Return the titles behind `Test:` or `Tests:`, up to the paragraph's end."""
    text = ERRATA.read_text(encoding="utf-8")
    behind = re.findall(r"\bTests?: (.*?)\n\n", text, re.DOTALL)
    return [" ".join(title.split()) for part in behind for title in re.findall(r'"([^"]+)"', part)]


@cache
def titles() -> set[str]:
    modules = (check_module(path)[0] for path in bundled("model").values())
    return {test.title.value for module in modules if module is not None for test in module.tests}


@pytest.mark.parametrize("title", named())
def test_a_test_that_the_errata_name_is_there(title: str) -> None:
    """A title may be cut off by `…`."""
    start = title.removesuffix("…")
    found = [other for other in titles() if other.startswith(start)]
    assert found if start != title else title in found


def test_many_are_named() -> None:
    assert len(named()) > 40
