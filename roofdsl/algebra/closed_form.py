"""Closed forms of the points where two formulas are equal, as trees in the other names.

The difference is brought to Σ c·x^a·L^b, L = log2 x, where equal terms cancel exactly; what all
terms have in common is divided out, and the few terms that are left are looked up here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.algebra.branch import branches
from roofdsl.algebra.root import (
    lambert_roots,
    lambert_roots_of_power,
    quadratic_roots,
    quotient,
    radical,
    ratio,
)
from roofdsl.expression.construct import number, power, subtract
from roofdsl.expression.normal_form import NormalForm, product_form
from roofdsl.expression.normalise import cleared, normal_form
from roofdsl.expression.polynomial import Degree, grouped
from roofdsl.expression.product import Rational, TooLong
from roofdsl.expression.sign import sign
from roofdsl.expression.tree import ONE, Expression

FormKind: TypeAlias = Literal[
    "never", "always", "power law", "quadratic", "2^ratio", "Lambert W", "polynomial", "none"
]


class ClosedForm(NamedTuple):
    """How `left = right` is solved for an unknown x, and the roots x > 0 as trees.

    `never`: the two differ for every x > 1; `always`: they are equal. `polynomial` and `none` may
    have roots that there is no formula for. Where the signs of the other names decide it, a root
    may turn out not to be real, or not positive: then only the numbers put in can tell. So it is
    with `if`, `min`, `max` and `abs`: the roots are those of all the formulas they may choose.
    """

    kind: FormKind
    roots: tuple[Expression, ...] = ()


def closed_form(left: Expression, right: Expression, name: str) -> ClosedForm:
    """Solve `left = right` for a name in closed form.

    >>> from roofdsl.expression.construct import multiply
    >>> from roofdsl.expression.tree import Symbol
    >>> n, rate = Symbol("N"), Symbol("rate")
    >>> closed_form(multiply(n, n), multiply(n, rate), "N")
    ClosedForm(kind='power law', roots=(Symbol(name='rate', integer=False, positive=True),))
    """
    found = [_of_one_branch(each, name) for each in branches(subtract(left, right), name)]
    if len(found) == 1:
        return found[0]
    kinds = [each.kind for each in found]
    first: FormKind = next((kind for kind in kinds if kind not in ("never", "always")), kinds[0])
    solved: FormKind = next((each.kind for each in found if each.roots), first)
    return ClosedForm(solved, tuple(dict.fromkeys(root for each in found for root in each.roots)))


def _of_one_branch(difference: Expression, name: str) -> ClosedForm:
    form = normal_form(difference, name)
    if form is None:
        return ClosedForm("none")
    try:
        return _solved(cleared(form, name), name)
    except TooLong:
        return ClosedForm("none")


def _solved(form: NormalForm, name: str) -> ClosedForm:
    if not form:
        return ClosedForm("always")
    # A common factor of all coefficients would only make the roots longer.
    common = form.common_factor(certain=True).inverse()
    difference = grouped(form * product_form(common), name)
    if difference is None:
        return ClosedForm("none")
    degree, rest = difference.stripped()
    found = _classified(rest.terms)
    if degree.log > 0:
        # log2 x divides both sides, so they meet at x = 1 too.
        kind: FormKind = "power law" if found.kind == "never" else found.kind
        return ClosedForm(kind, (ONE, *found.roots))
    return found


def _classified(terms: Mapping[Degree, NormalForm]) -> ClosedForm:
    """Look up a polynomial of at least one term, whose least exponents are 0."""
    if len(terms) == 1:
        return ClosedForm("never")
    if not any(degree.log for degree in terms):
        return _in_powers({degree.x: terms[degree] for degree in terms})
    if not any(degree.x for degree in terms):
        return _in_logarithm({degree.log: terms[degree] for degree in terms})
    return _lambert(terms)


def _in_powers(terms: Mapping[Rational, NormalForm]) -> ClosedForm:
    """Solve Σ c·x^a = 0."""
    roots = _positive_roots(terms)
    if roots is None:
        return ClosedForm("polynomial")
    if not roots:
        return ClosedForm("never")
    return ClosedForm("power law" if len(terms) == 2 else "quadratic", roots)


def _in_logarithm(terms: Mapping[Rational, NormalForm]) -> ClosedForm:
    """Solve Σ c·L^b = 0 with L = log2 x; where b is not 0 or 1, for L > 0 only."""
    if terms.keys() == {0, 1}:
        roots: tuple[Expression, ...] | None = (quotient(-terms[0], terms[1]).tree(),)
    else:
        roots = _positive_roots(terms)
    if roots is None:
        return ClosedForm("none")
    if not roots:
        return ClosedForm("never")
    return ClosedForm("2^ratio", tuple(power(number(2), each) for each in roots))


def _positive_roots(terms: Mapping[Rational, NormalForm]) -> tuple[Expression, ...] | None:
    """Return the u > 0 with Σ c·u^a = 0, or None where there is no formula for them."""
    if _of_one_sign(terms.values()):
        return ()
    highest = max(terms)
    if len(terms) == 2:
        if highest == 1:
            return (ratio(-terms[0], terms[highest]),)
        return (radical(quotient(-terms[0], terms[highest]), 1 / Fraction(highest)),)
    middle = highest / Fraction(2)
    if terms.keys() != {0, middle, highest}:
        return None
    roots = quadratic_roots(terms[highest], terms[middle], terms[0])
    return tuple(power(each, number(1 / middle)) for each in roots)


def _of_one_sign(coefficients: Iterable[NormalForm]) -> bool:
    signs = {sign(each) for each in coefficients}
    return len(signs) == 1 and None not in signs


def _lambert(terms: Mapping[Degree, NormalForm]) -> ClosedForm:
    """Solve what has both powers and logarithms of x."""
    roots: list[Expression] | None = None
    if len(terms) == 2:
        roots = _lambert_of_two(terms)
    elif len(terms) == 3:
        roots = _lambert_of_three(terms)
    if roots is None:
        return ClosedForm("never" if _of_one_sign(terms.values()) else "none")
    return ClosedForm("Lambert W" if roots else "never", tuple(roots))


def _lambert_of_two(terms: Mapping[Degree, NormalForm]) -> list[Expression] | None:
    """Solve c·x^a·L^b + d·x^e·L^f = 0, that is x^(a-e)·L^(b-f) = -d/c."""
    (first, c), (second, d) = terms.items()
    x, log = first.x - second.x, first.log - second.log
    if abs(log) == 1:
        # L = ratio·x^power, whatever the sign of L.
        if log == 1:
            return lambert_roots(-x, c, NormalForm({}), d)
        return lambert_roots(x, d, NormalForm({}), c)
    power_of_x = quotient(-d, c)
    if sign(power_of_x) == -1:
        return []
    return lambert_roots_of_power(Fraction(x) / log, radical(power_of_x, 1 / Fraction(log)))


def _lambert_of_three(terms: Mapping[Degree, NormalForm]) -> list[Expression] | None:
    """Solve x^b·(c·L + d) + e·x^a = 0."""
    logarithms = [degree for degree in terms if degree.log == 1]
    plain = [degree for degree in terms if degree.log == 0]
    if len(logarithms) != 1 or len(plain) != 2:
        return None
    (slope,) = logarithms
    shift = Degree(slope.x, 0)
    if shift not in plain:
        return None
    scale = next(degree for degree in plain if degree != shift)
    return lambert_roots(scale.x - slope.x, terms[slope], terms[shift], terms[scale])
