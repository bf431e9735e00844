"""Texts of users come out as text."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.typeset.escape import escape_html, escape_latex

LATEX = [
    (r"\input{secret}", r"\textbackslash{}input\{secret\}"),
    (r"\write18{ls}", r"\textbackslash{}write18\{ls\}"),
    ("50 % of $1 & #2_3", r"50 \% of \$1 \& \#2\_3"),
    ("a^b~c", r"a\textasciicircum{}b\textasciitilde{}c"),
    ("C <- αAB + βC", r"C \textless{}- $\alpha$AB + $\beta$C"),
    ("a √P × √P grid", r"a $\surd$P $\times$ $\surd$P grid"),
    ("O(N²), é, Ł, ß", r"O(N${}^{2}$), \'{e}, \L{}, \ss{}"),
    ("10⁻⁷ ∈ ℝ", r"10${}^{-7}$ $\in$ $\mathbf{R}$"),
    ("--help ,,x'' x", r"-{\kern0pt}-help ,{\kern0pt},x'{\kern0pt}' x"),
    ("one\n\n two\ttabs", "one two tabs"),
    ("[x] *", "{}[x] *"),
    ('"quoted"', r"\symbol{34}quoted\symbol{34}"),
    ("\u202etxt.exe", r"\texttt{U+202E}txt.exe"),
    ("中🚀", r"\texttt{U+4E2D}\texttt{U+1F680}"),
    ("^^41", r"\textasciicircum{}\textasciicircum{}41"),
    ("\0", r"\texttt{U+0000}"),
]


@pytest.mark.parametrize(("text", "expected"), LATEX)
def test_latex_shows_a_text_as_it_is(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


@given(st.text())
def test_latex_has_no_character_that_is_not_escaped(text: str) -> None:
    shown = escape_latex(text)
    assert all(" " <= char <= "~" for char in shown)
    # What is left without commands that are known to be harmless has no special character.
    rest = re.sub(r"\$[^$]*(?<!\\)\$", "", re.sub(r"\\[$]", "", shown))
    rest = re.sub(r"\\([A-Za-z]+|[%&#_{}'`^~=.\",])", "", rest)
    assert not set(rest) & set("\\%&#_^$")
    assert shown.count("{") - shown.count(r"\{") == shown.count("}") - shown.count(r"\}")


@given(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])))
def test_html_comes_back_as_it_was(text: str) -> None:
    shown = escape_html(text)
    assert not set(shown) & set("<>\"'")
    assert html.unescape(shown) == text


def test_html_shows_what_cannot_be_seen() -> None:
    assert escape_html("\u202etxt.exe\u200f\0\x1b[m\ud800") == (
        r"&lt;U+202E&gt;txt.exe&lt;U+200F&gt;\x00\x1b[m&lt;U+D800&gt;"
    )
    assert escape_html("two\nlines") == "two\nlines"
