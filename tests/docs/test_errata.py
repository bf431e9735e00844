"""The tests that docs/errata.md names are in the library, what it quotes in the papers."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from roofdsl.model.library import bundled, check_module
from tests.library.test_printed import TITLES, stands_in, texts

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


# A formula in a quotation: the papers' texts have it in TeX, or twice.
FORMULA = re.compile(r"[/=<>≠·^_½²]")


def quoted(section: str) -> set[str]:
    """Return what stands in quotation marks outside of examples, and is no test's title."""
    prose = "\n".join(line for line in section.split("\n") if not line.startswith("    "))
    found = {" ".join(words.split()) for words in re.findall(r'"([^"]+)"', prose)}
    named = {
        words for words in found if any(each.startswith(words.rstrip(" …")) for each in titles())
    }
    return {words for words in found - named if not FORMULA.search(words)}


def test_what_the_errata_quote_stands_in_the_paper() -> None:
    if len(texts()) < len(TITLES):
        pytest.skip("the papers' texts are not at hand: set ROOFDSL_PAPERS")
    missing = []
    for section in ERRATA.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, prose = section.partition("\n")
        author = next(author for author in texts() if author in heading.casefold())
        text = texts()[author].replace("$", "")
        missing += [words for words in quoted(prose) if not stands_in(words, text)]
    assert missing == []
