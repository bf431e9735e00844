"""Formulas in figures: typeset where there is room, plain text everywhere else, and safe."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from matplotlib.mathtext import MathTextParser
from matplotlib.text import Text

import roofdsl as rd
from roofdsl.expression.construct import add, divide, multiply, power
from roofdsl.expression.tree import Expression, Function, Number, Symbol
from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.curves import Curve, Quantities, quantity_lines
from roofdsl.figures.formula import Formula, followed, formula, math_of
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import Look
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.typeset.mathtext import LONGEST, mathtext, upright
from roofdsl.units.dimension import DIMENSIONLESS
from tests.expression.random_trees import trees
from tests.figures.seen import named, outside, overlapping

PARSER = MathTextParser("path")
RATIO = "karst.flops/karst.memory"


@given(trees)
def test_mathtext_reads_every_formula(tree: Expression) -> None:
    found = mathtext(tree)
    assert found.isascii() and len(found) <= LONGEST
    if found:
        PARSER.parse(f"${found}$")


@pytest.mark.parametrize("text", ["50 % of {a_b}$", "N = 4, [flop/B]", "karst"])
def test_plain_texts_in_a_formula_are_shown_as_they_are(text: str) -> None:
    shown = [chr(glyph[2]) for glyph in PARSER.parse(f"${upright(text)}$").glyphs]
    assert "".join(shown) == text.replace(" ", "")


@pytest.mark.parametrize("text", ["a\\input{x}", "a^b", "naïve", "~", "a`b", "#", "a & b"])
def test_what_is_not_simple_is_no_part_of_a_formula(text: str) -> None:
    assert upright(text) == "" and followed(Formula("x/y", "x/y"), text) == f"x/y{text}"
    assert not isinstance(followed(Formula("x/y", "x/y"), text), Formula)


def test_a_long_formula_is_plain_text_and_short() -> None:
    tree: Expression = Symbol("N")
    for place in range(80):
        tree = add(tree, power(Symbol(f"N_{place}"), Number(Fraction(place))))
    assert formula("long " * 99, tree) == "long " * 99
    assert not isinstance(formula("long", tree), Formula)


def test_a_formula_without_room_is_plain_text() -> None:
    long = formula("network/memory", divide(Symbol("network"), Symbol("memory")))
    width = extent(long)[0]
    assert shortened(long, width + 1) is long and math_of(long)
    cut = shortened(long, 0.6 * width)
    assert "…" in cut and not isinstance(cut, Formula) and extent(cut)[0] <= 0.6 * width


@pytest.mark.parametrize("look", [Look(), Look(dark=True), Look(width=3.5), Look(style="ieee")])
def test_quantities_are_typeset_in_curves(look: Look) -> None:
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    at: dict[str, int | list[int]] = {"N": [242, 4096, 61952], "P": 121}
    both = rd.plot.curve(summa, quantities=["OI", RATIO], at=at, look=look)
    (label,) = [text for text in named(both, f"label:{RATIO}") if isinstance(text, Text)]
    assert label.get_parse_math() and label.get_text().startswith(r"$\dfrac{\mathrm{flops}_")
    assert both.table.columns == ("name", "N", "OI [flop/B]", f"{RATIO} [flop/B]")
    alone = rd.plot.curve(summa, quantities=["network/memory"], at=at, look=look)
    assert alone.axes[0].get_ylabel() == r"$\dfrac{\mathrm{network}}{\mathrm{memory}}$"
    for picture in (both, alone):
        assert overlapping(picture) == [] and outside(picture) == []
        svg = re.sub(rb"<!--.*?-->", b"", picture.render("svg"), flags=re.DOTALL)
        assert b"dfrac" not in svg and picture.render("pdf")
    assert rb"\displaystyle\frac{\mathrm{network}}" in alone.render("pgf")


def test_a_key_makes_room_for_formulas() -> None:
    many = many_curves()
    entries = [text for text in named(many, "key:") if isinstance(text, Text)]
    assert len(entries) > 4 and any(text.get_parse_math() for text in entries)
    assert overlapping(many) == [] and outside(many) == []


def many_curves() -> Picture:
    """Return curves whose names have no room in the panel."""
    values = np.array([1.0, 2.0, 4.0])
    trees = {place: divide(Symbol(f"a_{place}"), Symbol("b")) for place in range(30)}
    names = (formula(f"a_{place}/b", tree) for place, tree in trees.items())
    lines = [Curve(name, values, values * (1 + 0.001 * n)) for n, name in enumerate(names)]
    data = Quantities(lines, "ratio", DIMENSIONLESS, AxisName("N"), FigureTable((), ()))
    return quantity_lines(data, Look())


def test_a_function_stands_apart_from_what_it_is_multiplied_by() -> None:
    found = mathtext(multiply(Symbol("word"), Function("log2", (Symbol("P"),))))
    assert found == r"\mathrm{word}\,\log_{2} P"
