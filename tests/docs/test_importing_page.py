"""The page on importing names every format, and what becomes of its files."""

from __future__ import annotations

import re
from pathlib import Path

from roofdsl.importers.formats import FORMATS, MACHINE, NETWORK, POINTS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "importing.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([\w-]+)` \|.*\| \[?([^|\]]*)\]?[^|]* \|$", re.MULTILINE)


def test_every_format_has_its_row() -> None:
    rows = dict(ROW.findall(PAGE))
    assert set(FORMATS) - set(rows) == set()
    words = {NETWORK: "a network", MACHINE: "machine", POINTS: "points"}
    wrong = [name for name, each in FORMATS.items() if words[each.makes] not in rows[name]]
    assert wrong == []
