"""docs/papers.md names every table, figure and numbered equation of the papers, and what it says
can be done is there: the commands run elsewhere, here they exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roofdsl.answer.papers import paper_names
from roofdsl.model.library import bundled, check_module, shown_path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
ROMAN = "I II III IV V VI VII VIII IX X XI".split()


def numbered(prefix: str, last: int) -> list[str]:
    return [f"{prefix}{number}" for number in range(1, last + 1)]


# What each paper numbers, read from the papers.
NUMBERED = {
    "Cardwell 2019": {
        "Table": [*numbered("2.", 6), *numbered("3.", 8)],
        "Fig.": [*numbered("2.", 13), *numbered("3.", 2)],
        "Eq.": [*numbered("2.", 6), *numbered("3.", 2)],
    },
    "Kong, Pouchet, Sadayappan 2015": {
        "Table": ROMAN[:5], "Fig.": numbered("", 20), "Eq.": numbered("", 24),
    },
    "Tang, Hu, Barrett 2015": {
        "Table": numbered("", 2), "Fig.": numbered("", 3), "Eq.": numbered("", 20),
    },
    "Checconi, Tithi, Petrini 2022": {
        "Table": ROMAN[:2], "Fig.": numbered("", 6), "Eq.": [],
    },
    "Kwack, Arnold, Mendes, Bauer 2018": {
        "Table": ROMAN, "Fig.": numbered("", 24), "Eq.": numbered("", 7),
    },
}  # fmt: skip
ROW = re.compile(r"^\| (Table|Fig\.|Eq\.) ([^|]+?) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
STATES = ("*reproduced*", "*not reproducible*", "*no data*", "*in part*")


def rows(section: str) -> list[re.Match[str]]:
    _, _, rest = PAGE.partition(f"\n## {section}\n")
    return [*ROW.finditer(rest.partition("\n## ")[0])]


def every(text: str) -> list[str]:
    """Return the numbers that a row is of: `2.1`, `5-8`, `12-14, 16`.

    >>> every("2.3-2.5"), every("5–7, 9"), every("II–IV")
    (['2.3', '2.4', '2.5'], ['5', '6', '7', '9'], ['II', 'III', 'IV'])
    """
    found = []
    for part in text.split(","):
        first, _, last = part.strip().replace("–", "-").partition("-")
        if first in ROMAN:
            found += ROMAN[ROMAN.index(first) : ROMAN.index(last or first) + 1]
            continue
        chapter, _, low = first.rpartition(".")
        high = (last or first).rpartition(".")[2]
        before = f"{chapter}." if chapter else ""
        found += [f"{before}{number}" for number in range(int(low), int(high) + 1)]
    return found


@pytest.mark.parametrize("section", sorted(NUMBERED))
def test_every_table_figure_and_equation_is_accounted_for(section: str) -> None:
    for kind, numbers in NUMBERED[section].items():
        named = [each for row in rows(section) if row[1] == kind for each in every(row[2])]
        assert sorted(named) == sorted(numbers), kind


def test_each_row_says_what_is_there() -> None:
    commands = "".join(path.read_text() for path in (ROOT / "examples" / "figures").glob("*.sh"))
    models: set[str] = set()
    for path in bundled("model").values():
        module, _ = check_module(path, shown_path(path))
        assert module is not None
        models |= {*module.models}
    for section in NUMBERED:
        for row in rows(section):
            assert any(state in row[4] for state in STATES), row[0]
            assert "*reproduced*" not in row[4] or "`" in row[4], row[0]
            for name in re.findall(r"`table --paper ([^`]+)`", row[4]):
                assert name in paper_names(), row[0]
            for name in re.findall(r"`(\w+-[\w.-]+\.svg)`", row[4]):
                assert f"-o {name}" in commands, row[0]
            for name in re.findall(r"model `(\w+)`", row[4]):
                assert name in models, row[0]
