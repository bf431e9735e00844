"""Long formulas in lines: nothing is lost, no line is too long, terms stay together."""

from __future__ import annotations

import pytest

from roofdsl.typeset.text import text
from roofdsl.typeset.wrapping import wrapped
from tests.typeset.library import bundled_formulas

FORMULAS = [text(tree) for tree in bundled_formulas()]


@pytest.mark.parametrize(("width", "first"), [(40, 0), (60, 45), (94, 80)])
def test_every_formula_of_the_library_is_all_there(width: int, first: int) -> None:
    long = [formula for formula in FORMULAS if len(formula) > width]
    assert long
    for formula in long:
        lines = wrapped(formula, width, first)
        assert "".join(lines).replace(" ", "") == formula.replace(" ", "")
        for place, line in enumerate(lines):
            room = width if place else first or width
            assert len(line) <= room or " " not in line.strip()


@pytest.mark.parametrize(
    ("formula", "lines"),
    [
        ("a*b + c*d", ["a*b + c*d"]),
        ("a*bbb*(ccc + d) + eee*fff", ["a*bbb*(ccc + d)", "+ eee*fff"]),
        ("aaaa*max(bbbbbb, cccccccc)", ["aaaa*max(bbbbbb,", "cccccccc)"]),
        ("if aaa > 3 then bb else cc", ["if aaa > 3", "then bb else cc"]),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaa + b", ["aaaaaaaaaaaaaaaaaaaaaaaaaa", "+ b"]),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]),
    ],
)
def test_a_line_ends_where_it_holds_together_least(formula: str, lines: list[str]) -> None:
    assert wrapped(formula, 17) == lines
