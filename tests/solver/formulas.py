"""Random formulas in N."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from tests.solver.writing import (
    Formula,
    N,
    call,
    ceil,
    floor,
    formula,
    largest,
    least,
    log2,
    sqrt,
    when,
)

numbers = st.one_of(
    st.integers(1, 40),
    st.fractions(min_value=Fraction(1, 40), max_value=40, max_denominator=40),
    st.integers(1, 10**6),
).map(formula)
_leaves = st.one_of(
    st.just(N),
    st.just(N),
    st.just(N**2),
    st.just(N**3),
    st.just(log2(N)),
    st.just(sqrt(N)),
    st.just(N * log2(N)),
    numbers,
)


def _arithmetic(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / b, inner, inner),
        st.builds(lambda a, b: a - b, inner, numbers),
        st.builds(lambda a, b: a * b, inner, numbers),
        st.builds(lambda a, b: a / b, inner, numbers),
        st.builds(lambda a, b: a**b, inner, st.sampled_from([2, 3, "1/2", "1/3", -1]).map(formula)),
        st.builds(log2, inner),
    )


def _jumps(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        _arithmetic(inner),
        st.builds(ceil, inner),
        st.builds(floor, inner),
        st.builds(lambda q: ceil(N / q), st.integers(2, 40).map(formula)),
        st.builds(lambda q: floor(N / q), st.integers(2, 40).map(formula)),
        st.builds(largest, inner, inner),
        st.builds(least, inner, inner),
        st.builds(lambda a: call("abs", a), inner),
        st.builds(
            lambda a, relation, b, c, d: when(a, relation, b, c, d),
            inner,
            st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
            inner,
            inner,
            inner,
        ),
    )


smooth = st.recursive(_leaves, _arithmetic, max_leaves=6)
jumping = st.recursive(_leaves, _jumps, max_leaves=6)
