"""The lines of the papers that the library's tests quote: they stand there, with their number.

The papers' texts are not in the repository. `ROOFDSL_PAPERS` names the folder that holds them, each
a text file with its title near the top; else `../shared/papers` beside the checkout is looked at.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from roofdsl.analysis.printed import significant
from roofdsl.model.library import bundled, check_module, shown_path
from roofdsl.syntax.expectation_nodes import ExpectClose

ROOT = Path(__file__).resolve().parents[2]
PAPERS = Path(os.environ.get("ROOFDSL_PAPERS", ROOT.parent / "shared" / "papers"))
TITLES = {
    "cardwell": "PERFORMANCE MODELS FOR DISTRIBUTED-MEMORY",
    "kong": "A Roofline-based Performance Estimator",
    "tang": "PerDome: A Performance Model",
    "checconi": "Ridgeline: A 2D Roofline Model",
    "kwack": "Roofline Analysis with Cray Performance Analysis Tools",
}
# Works that are cited by a model beside the five papers, whose texts are not at hand.
ELSEWHERE = re.compile(r"\bZeRO\b")
PLACE = re.compile(r"§|\b(Tables?|Eq\.|Figs?\.|Lemma) ?[\dIVX]|[Aa]bstract")
BETWEEN = 400  # characters that `…` may stand for


class Line(NamedTuple):
    file: str
    title: str
    text: str
    expected: str
    read: bool
    test: str

    def __str__(self) -> str:
        return f"{self.file}: {self.title}: {self.text}"


@cache
def lines() -> list[Line]:
    found = []
    for path in (*bundled("model").values(), *bundled("machine").values()):
        module, _ = check_module(path, shown_path(path))
        assert module is not None
        for test in module.tests:
            for item in test.items:
                if isinstance(item, ExpectClose) and item.line is not None:
                    words = (item.line.value, item.expected.span.text, item.read)
                    found.append(Line(path.stem, test.title.value, *words, test.span.text))
    return found


def plain(text: str) -> str:
    """Return a text without what extraction and line breaks put between its words."""
    return re.sub(r"[\s*|]+", " ", text).casefold()


@cache
def texts() -> dict[str, str]:
    """Return the papers' texts by their first author, those that are at hand."""
    found = {}
    for path in sorted(PAPERS.glob("*.txt")) if PAPERS.is_dir() else ():
        text = path.read_text(encoding="utf-8")
        for author, title in TITLES.items():
            if title in text[:2000]:
                found[author] = plain(text)
    return found


def stands_in(line: str, text: str) -> bool:
    pieces = [re.escape(plain(piece).strip()) for piece in line.split("…")]
    return re.search(f".{{0,{BETWEEN}}}?".join(pieces), text) is not None


def test_lines_are_found_in_a_text_and_others_are_not() -> None:
    text = plain("The *ridge* point\nis at 3.31, and\tthe other one at 127.6.")
    assert stands_in("ridge point is at 3.31", text)
    assert stands_in("ridge point … 127.6", text)
    assert not stands_in("127.6 … ridge point", text)
    assert not stands_in("ridge point is at 3.32", text)


def test_every_line_stands_in_its_paper() -> None:
    if len(texts()) < len(TITLES):
        pytest.skip(f"the papers' texts are not at hand in {PAPERS.name}: set ROOFDSL_PAPERS")
    missing = []
    for line in lines():
        if ELSEWHERE.search(line.title):
            continue
        author = re.sub(r"\d.*", "", line.file)
        known = [texts()[author]] if author in texts() else texts().values()
        if not any(stands_in(line.text, text) for text in known):
            missing.append(str(line))
    assert missing == []


def test_a_test_with_printed_numbers_says_where_they_stand() -> None:
    assert [str(line) for line in lines() if not PLACE.search(line.title)] == []


def typed(line: Line) -> set[str]:
    """Return the digits of the numbers in the files of the machines that a test names."""
    found = set()
    for path in bundled("machine").values():
        if re.search(rf"\b{path.stem}\b", line.test):
            for each in (path, *path.parent.glob(f"{path.stem}_*.csv")):
                code = re.sub(r"#.*|\"[^\"\n]*\"", "", each.read_text(encoding="utf-8"))
                found |= {significant(n) for n in re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", code)}
    return found


def test_what_was_typed_is_not_said_to_be_computed() -> None:
    """A number of three digits or more that stands in the machine's own file is read back."""
    claimed = [
        str(line)
        for line in lines()
        if not line.read
        and len(digits := significant(re.sub(r"[^\d.,_]", "", line.expected.split(" ")[0]))) >= 3
        and digits in typed(line)
        and digits in map(significant, re.findall(r"\d[\d,]*(?:\.\d+)?", line.text))
        and line.text not in COMPUTED
    ]
    assert claimed == []


# Lines whose number a model computes, although a machine's file has the same digits elsewhere.
COMPUTED: dict[str, str] = {}
