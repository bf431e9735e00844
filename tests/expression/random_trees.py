"""Random expressions in positive names, among them the names of SymPy's own objects."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from roofdsl.expression.tree import (
    HALF,
    MINUS_ONE,
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Function,
    Logic,
    Multiply,
    Number,
    Power,
    Sum,
    Symbol,
)

WHOLE = tuple(Symbol(name, integer=True) for name in ("N", "P", "E", "S", "I"))
REAL = tuple(Symbol(name) for name in ("Q", "beta", "x"))
SYMBOLS = WHOLE + REAL

fractions = st.builds(Fraction, st.integers(1, 40), st.sampled_from([1, 1, 1, 2, 3, 5, 10]))
numbers = fractions.map(Number)
names = st.sampled_from(SYMBOLS)
exponents = st.sampled_from(
    [HALF, *(Number(Fraction(text)) for text in ("2", "3", "-1", "-2", "1/3", "3/2", "-1/2"))]
)


def negative(tree: Expression) -> Expression:
    return Multiply((MINUS_ONE, tree))


def _arithmetic(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        several.map(Add),
        several.map(Multiply),
        st.builds(Divide, parts, parts),
        st.builds(Power, parts, exponents),
        st.builds(lambda left, right: Add((left, negative(right))), parts, parts),
        parts.map(negative),
    )


def _others(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(parts, min_size=1, max_size=3).map(tuple)
    conditions = _conditions(parts)
    index = Symbol("k", integer=True, positive=False)
    bodies = st.one_of(
        parts, st.builds(lambda part: Multiply((index, part)), parts), st.just(index)
    )
    bounds = st.integers(0, 6).map(lambda value: Number(Fraction(value)))
    return st.one_of(
        st.builds(
            lambda name, part: Function(name, (part,)),
            st.sampled_from(["log2", "ln", "log10", "exp", "abs", "ceil", "floor"]),
            parts,
        ),
        st.builds(Function, st.sampled_from(["min", "max"]), several),
        st.builds(lambda value, base: Function("log", (value, base)), parts, numbers),
        st.builds(Conditional, conditions, parts, parts),
        st.builds(Sum, bodies, st.just(index), bounds, bounds),
    )


def _conditions(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    relations = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    simple = st.one_of(
        st.builds(Comparison, relations, parts, parts),
        parts.map(lambda part: Function("is_integer", (part,))),
    )
    joined = st.builds(
        Logic, st.sampled_from(["and", "or"]), st.lists(simple, min_size=2, max_size=3).map(tuple)
    )
    return st.one_of(simple, joined, simple.map(lambda part: Logic("not", (part,))))


leaves = st.one_of(names, numbers)
rational_trees = st.recursive(leaves, _arithmetic, max_leaves=12)
trees = st.recursive(
    leaves,
    lambda parts: st.one_of(_arithmetic(parts), _arithmetic(parts), _others(parts)),
    max_leaves=12,
)
conditions = _conditions(st.recursive(leaves, _arithmetic, max_leaves=4))
points = st.fixed_dictionaries(
    {
        **{symbol.name: st.integers(1, 300).map(Fraction) for symbol in WHOLE},
        **{symbol.name: fractions for symbol in REAL},
    }
)
