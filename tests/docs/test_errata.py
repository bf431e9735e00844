"""What docs/errata.md says is held by a test of the library is held by one that there is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from roofdsl.model.library import bundled, check_module

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "errata.md").read_text(encoding="utf-8")
NAMED = re.findall(r'Tests?:\s((?:"[^"]*"(?:,?\s(?:and\s)?)?)+)', PAGE)
TITLES = sorted(
    {" ".join(title.split()) for part in NAMED for title in re.findall('"(.*?)"', part, re.S)}
)


@cache
def library() -> list[str]:
    modules = (check_module(path)[0] for path in bundled("model").values())
    return [test.title.value for module in modules if module for test in module.tests]


@pytest.mark.parametrize("title", TITLES)
def test_a_test_that_is_named_is_there(title: str) -> None:
    first = title.rstrip("…").rstrip()
    assert any(each.startswith(first) for each in library())


def test_many_are_named() -> None:
    assert len(TITLES) > 30
