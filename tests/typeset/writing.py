"""Formulas for the tests, written as in a file; and random ones, with hostile names among them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from roofdsl.analysis.counting import total_work
from roofdsl.embedding.expressions import model_from_expressions
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import (
    INFINITY,
    Add,
    Conditional,
    Divide,
    Expression,
    Function,
    Multiply,
    Number,
    Power,
    Symbol,
)
from tests.expression.random_trees import conditions, trees

HOSTILE = (
    "<script>alert(1)</script>",
    r"\input{secret}",
    r"\write18{ls}",
    "{{ config }}",
    "50 % # & _ ^ ~ $x$",
    "a]]>b",
    "--><!--",
    "\u202etxt.exe",
    "\u200f",
    "\0\x1b[31m",
    "\ud800",
    "中文 🚀",
    "é ≤ ∞ …",
    "' onload='alert(1)",
    "}",
    "\\",
    "_",
    "__",
    "T_",
    "x_1_step",
    "blue_waters_xe.flops.dp_fma",
    "Ϡ",
    "αβ",
    "",
)

names = st.one_of(
    st.sampled_from(["word", "T_step", "alpha", "beta2", "karst.network", "Pi", "ranks_per_node"]),
    st.sampled_from(HOSTILE),
    st.text(max_size=6),
)
numbers = st.one_of(
    st.builds(Fraction, st.integers(-(10**12), 10**12), st.integers(1, 10**4)),
    st.integers(-30, 30).map(lambda exponent: Fraction(10) ** exponent * 139),
)


@st.composite
def formulas(draw: st.DrawFn) -> Expression:
    """Draw a tree with names and numbers put in for some of its own."""
    tree = draw(st.one_of(trees, conditions))
    others = st.one_of(
        names.map(Symbol),
        numbers.map(Number),
        st.just(INFINITY),
        st.builds(
            lambda name, branch: Function("lambertw", (Symbol(name), Number(Fraction(branch)))),
            names,
            st.sampled_from([0, -1]),
        ),
        st.builds(lambda name: Add((Symbol(name), Symbol("Q"))), names),
        st.builds(lambda name: Multiply((Symbol(name), Number(Fraction(8)))), names),
    )
    return substitute(tree, {name: draw(others) for name in ("N", "P", "x")})


def formula(written: str) -> Expression:
    """Return a formula as a file would have it, every name in it a parameter."""
    return total_work(model_from_expressions("m", flops=written).definition, "flops")


def deep(height: int) -> Expression:
    """Return a formula nested so deeply that no page can hold it."""
    tree: Expression = Symbol("N")
    for _ in range(height):
        tree = Divide(Number(Fraction(1)), Add((Number(Fraction(1)), Power(tree, Symbol("P")))))
    return tree


def chain(length: int) -> Expression:
    """Return many conditions behind one another."""
    tree: Expression = Symbol("N")
    for number in range(length):
        condition = Function("is_integer", (Symbol(f"x{number}"),))
        tree = Conditional(condition, Number(Fraction(number)), tree)
    return tree


def doubled(times: int) -> Expression:
    """Return a formula that uses its parts over and over: 2^times names as written out."""
    tree: Expression = Symbol("N")
    for _ in range(times):
        tree = Add((Multiply((tree, Symbol("P"))), tree))
    return tree
