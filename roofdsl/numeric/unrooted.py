"""Differences with roots of sums, raised to a power in which the roots are gone.

sqrt(N² + 1) is above N by 1/(2N): far out no float tells the two apart, and exact signs tell one
number at a time. But of two numbers ≥ 0 the larger has the larger square, and N² + 1 is above N²
everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm

from roofdsl.expression.construct import number, power, subtract
from roofdsl.expression.normal_form import NormalForm, collected
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import Powers, Product, is_positive
from roofdsl.expression.tree import Add

# What grows beyond so many terms, or takes higher powers, is left as it was.
_MOST_TERMS = 40
_HIGHEST = 4
# Each round leaves fewer roots: N + sqrt(N + 1) against sqrt(N² + N^(3/2)) takes two.
_MOST_ROUNDS = 3


def unrooted(form: NormalForm, name: str) -> NormalForm:
    """Return a sum of the same sign as another for every x > 0, with fewer roots of sums.

    >>> from roofdsl.expression.tree import HALF, ONE, Power, Symbol
    >>> n = Symbol("N")
    >>> root = Power(Add((Power(n, number(2)), ONE)), HALF)
    >>> unrooted(normal_form(subtract(root, n)), "N").constant
    1
    """
    for _ in range(_MOST_ROUNDS):
        degree = _degree([*form.products()])
        if not degree:
            break
        # What is added and what is taken away are both sums of positive terms. With P and Q ≥ 0,
        # P^n - Q^n is P - Q times a sum of products of them, which is 0 only where both are.
        positive, negative = (
            collected(Product(sign * c, powers) for c, powers in form.products() if sign * c > 0)
            for sign in (1, -1)
        )
        raised = (power(side.tree(), number(degree)) for side in (positive, negative))
        found = normal_form(subtract(*raised), name)
        # Where two roots of one sum meet in a product, the sum is a factor, not yet taken apart.
        found = found and normal_form(found.tree(), name)
        if found is None or len(found.terms) > _MOST_TERMS:
            break
        form = found
    return form


def _degree(products: Iterable[Product]) -> int:
    """Return the power in which the roots of one side are gone, 0 where there is none."""
    sides: dict[bool, set[Powers]] = {True: set(), False: set()}
    for coefficient, powers in products:
        if not all(is_positive(atom) for atom, _ in powers):
            return 0
        roots = [each for each in powers if isinstance(each[0], Add) and each[1].denominator > 1]
        sides[coefficient > 0].add(frozenset(roots))
    # If all terms of a side have the same roots, these are a factor of it.
    for found in sides.values():
        if len(found) == 1 and all(sides.values()):
            (common,) = found
            degree = lcm(*(exponent.denominator for _, exponent in common))
            if 1 < degree <= _HIGHEST:
                return degree
    return 0
