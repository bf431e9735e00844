"""docs/glossary.md names what there is, each once."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from roofdsl.analysis.result import Result

TEXT = (Path(__file__).resolve().parents[2] / "docs/glossary.md").read_text(encoding="utf-8")
WORDS = re.findall(r"^\| ([^|]+?) \| ([^|]+) \|$", TEXT, re.MULTILINE)


def test_a_word_has_one_meaning() -> None:
    words = [word for word, _ in WORDS if word not in ("word", "---")]
    assert len(words) == len(set(words)) > 30


def test_what_follows_is_an_attribute_of_a_result() -> None:
    later = {"margin", "uncertainty"}  # which are worked out when they are asked for
    known = {field.name for field in fields(Result)} | later
    named = {name for _, meaning in WORDS for name in re.findall(r"\(`(\w+)`\)", meaning)}
    assert named <= known
    assert {"times", "time", "shares", "bound", "ties", "attainable", "peak", "ridge"} <= named
