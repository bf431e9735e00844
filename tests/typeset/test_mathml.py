"""Formulas in MathML: well-formed, of known elements only, names and texts as text."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roofdsl.expression.tree import Add, Expression, Function, Number, Symbol
from roofdsl.inert import visible
from roofdsl.typeset.mathml import MATHML, math_element, mathml
from roofdsl.typeset.text import text
from tests.typeset.writing import HOSTILE, chain, deep, doubled, formula, formulas

# How many children each element must have; None is any number of them.
ELEMENTS = {
    "math": None,
    "mrow": None,
    "mi": 0,
    "mn": 0,
    "mo": 0,
    "mtext": 0,
    "mfrac": 2,
    "msqrt": None,
    "msub": 2,
    "msup": 2,
    "munderover": 3,
    "mtable": None,
    "mtr": None,
    "mtd": None,
}
ATTRIBUTES = {
    "aria-label",
    "display",
    "displaystyle",
    "form",
    "lspace",
    "rspace",
    "stretchy",
    "style",
}


def parsed(shown: str) -> ElementTree.Element:
    """Parse MathML and check its elements, which are all there is to it."""
    root = ElementTree.fromstring(shown)
    assert root.tag == "math"
    for element in root.iter():
        count = ELEMENTS[element.tag]
        assert count in (None, len(element))
        assert set(element.attrib) <= ATTRIBUTES
        if count != 0:
            assert not element.text and not any(child.tail for child in element)
    return root


def read(shown: str) -> str:
    """Return what the elements of MathML hold, in short."""
    return short(parsed(shown))


def short(element: ElementTree.Element) -> str:
    inside = [short(child) for child in element]
    match element.tag:
        case "mo" if element.text == "\u2061" and element.get("rspace"):
            return " "  # between a function and what has no parentheses
        case "mfrac":
            return f"[{inside[0]}]/[{inside[1]}]"
        case "msup":
            return f"{inside[0]}^[{inside[1]}]"
        case "msub":
            return f"{inside[0]}_[{inside[1]}]"
        case "msqrt":
            return f"√[{''.join(inside)}]"
        case "munderover":
            return f"{inside[0]}_[{inside[1]}]^[{inside[2]}]"
        case "mtr":
            return " ".join(inside) + ";"
    text = (element.text or "").replace("\u2062", "").replace("\u2061", "")
    return text + "".join(inside)


READABLE = [
    ("(2*N^3 + 2*N^2)/P", "[2N^[3]+2N^[2]]/[P]"),
    ("2*sqrt(P)*(N/sqrt(P))^2*log2(sqrt(P))", "2√[P](N/√[P])^[2]log_[2] √[P]"),
    ("N*2 + P*Q*8", "N⋅2+PQ⋅8"),
    ("-(N + P)/P", "−[N+P]/[P]"),
    ("N - (P - 3)", "N−(P−3)"),
    ("word*(N + 1)", "word⋅(N+1)"),
    ("N^(-3/2)", "N^[−3/2]"),
    ("log(E/B, M/B)", "log_[M/B](E/B)"),
    ("ln(N)*P", "ln(N)P"),
    ("max(N, P, 2)", "max(N,P,2)"),
    ("ceil(N/P)*floor(N)*abs(N - P)", "⌈N/P⌉⌊N⌋|N−P|"),
    ("sum(k*N for k in 1..N-1)", "∑_[k=1]^[N−1]kN"),
    (
        "if N > P and not (P is integer) then N else 3",
        "{N if\u00a0N>P∧P∉ℤ;3 otherwise;",
    ),
    ("13.9e9*N", "1.39⋅10^[10]N"),
    ("T_step*W1*alpha*x_i", "T_[step]W_[1]αx_[i]"),
]


@pytest.mark.parametrize(("written", "expected"), READABLE)
def test_formulas_keep_the_shape_people_write(written: str, expected: str) -> None:
    assert read(mathml(formula(written))) == expected


def test_the_markup_of_one_formula() -> None:
    assert mathml(formula("2*N^3/P")) == (
        '<math aria-label="2*N^3/P" displaystyle="true"><mfrac><mrow><mn>2</mn><mo>\u2062</mo>'
        "<msup><mi>N</mi><mn>3</mn></msup></mrow><mi>P</mi></mfrac></math>"
    )


def test_names_have_subscripts() -> None:
    def shown(name: str) -> str:
        return math_element(MATHML.name(name).text, name)

    assert read(shown("blue_waters_xe.memory.L2")) == "memory_[blue_waters_xe,L2]"
    assert read(shown("i7_titan.gpu.memory")) == "memory_[i7_titan,gpu]"
    assert read(shown("word_size")) == "word_size"
    assert read(shown("∞")) == "∞"


def test_both_branches_of_the_lambert_function() -> None:
    for branch, shown in [(0, "W_[0](x)"), (-1, "W_[−1](x)")]:
        tree = Function("lambertw", (Symbol("x"), Number(Fraction(branch))))
        assert read(mathml(tree)) == shown


@given(formulas())
def test_every_formula_is_well_formed(tree: Expression) -> None:
    shown = mathml(tree)
    parsed(shown)
    shown.encode("utf-8")
    assert shown == mathml(tree)


@given(formulas(), st.integers(5, 60))
def test_broken_formulas_are_well_formed(tree: Expression, width: int) -> None:
    parsed(mathml(tree, width=width))


OPERANDS = {"mi", "mn", "mrow", "mfrac", "msqrt", "msub", "msup"}
"""What stands for a value, so that two of them need an operator between them to be said."""


@example(formula("N + max(N, P)"), None)
@example(Add((Symbol("N"), Function("lambertw", (Symbol("P"), Number(Fraction(0)))))), None)
@given(formulas(), st.one_of(st.none(), st.integers(5, 60)))
def test_formulas_can_be_said(tree: Expression, width: int | None) -> None:
    """As a whole as in a file, and piece by piece: nothing stands beside another without a sign."""
    root = parsed(mathml(tree, width=width))
    assert root.get("aria-label") == visible(text(tree))
    for element in root.iter():
        if element.tag in ("math", "mrow", "msqrt", "mtd"):
            tags = [child.tag for child in element]
            assert not any(OPERANDS.issuperset(pair) for pair in pairwise(tags)), tags


def test_long_formulas_break_before_a_sign() -> None:
    shown = mathml(formula("(N^6 + N^5 + N^4 - N^3 + N^2)/P"), width=20)
    assert read(shown) == "[1]/[P]⋅(N^[6]+N^[5]+N^[4];−N^[3]+N^[2]);"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text(name: str) -> None:
    root = parsed(math_element(MATHML.name(name).text, name))
    assert not any(char in "\u202e\u200f\0\x1b" for char in "".join(root.itertext()))


SCRIPT = "<script>alert('&')</script>"


def test_a_script_is_shown_as_it_is() -> None:
    root = parsed(math_element(MATHML.name(SCRIPT).text, SCRIPT))
    assert "".join(root.itertext()) == root.get("aria-label") == SCRIPT


@pytest.mark.parametrize("tree", [deep(300), chain(3000), doubled(40)])
def test_what_no_page_can_hold_is_left_out(tree: Expression) -> None:
    shown = mathml(tree)
    assert "…" in shown
    parsed(shown)
    parsed(mathml(tree, width=80))
