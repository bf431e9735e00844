"""ARCHITECTURE.md names what there is."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_every_layer_has_a_line() -> None:
    table = TEXT.partition("| layer |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    named = {name for cell in cells for name in re.findall(r"`(\w+)/?`", cell)}
    package = ROOT / "roofdsl"
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    files = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    assert named >= folders | files
    # `codes` comes before its file does.
    assert named <= folders | files | {"codes"}


def test_it_has_at_most_two_pages() -> None:
    assert len(TEXT.splitlines()) <= 110
