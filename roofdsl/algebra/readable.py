"""How hard a formula is to read, and the arrangement of a quotient that is easiest."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from roofdsl.algebra.coefficient import length, split
from roofdsl.algebra.quotient import Factor, Quotient, atom_order
from roofdsl.expression import tree as trees
from roofdsl.expression.construct import divide, multiply, number, plus_first, power
from roofdsl.expression.normal_form import NormalForm, product_form
from roofdsl.expression.order import fold, operands_of
from roofdsl.expression.product import Powers, Product, powers_of
from roofdsl.expression.tree import HALF, ONE, Expression, Number, Symbol

MOST_MOVES = 12


def effort(tree: Expression) -> float:
    """Return how hard a formula is to read: about one for each name, more where it nests.

    >>> from roofdsl.expression.construct import add
    >>> n, one = Symbol("N"), number(1)
    >>> effort(power(add(n, one), number(2))) < effort(add(multiply(n, n), n, n, one))
    True
    """
    return fold(tree, lambda node, efforts: sum(efforts) + _own_effort(node))


def _own_effort(node: Expression) -> float:
    parts = operands_of(node)
    match node:
        case Number(value):
            whole, rest = split(abs(value))
            fraction = 1 if rest != ONE else 0
            return 1 + fraction + max(0, length(whole.value) + length(rest.value) - 4) / 3
        case Symbol():
            return 1
        case trees.Add():
            return len(parts) - 1
        case trees.Multiply():
            return (len(parts) - 1) / 2 + _sums(parts) / 2
        case trees.Divide(numerator, denominator):
            stacked = isinstance(numerator, trees.Divide) + isinstance(denominator, trees.Divide)
            return 1 + stacked + _sums(parts) / 2
        case trees.Power(base, exponent):
            return -0.5 if exponent == HALF else _sums((base,)) / 2
        case _:
            return 1


def _sums(parts: tuple[Expression, ...]) -> int:
    return sum(isinstance(part, trees.Add) for part in parts)


def arrangements(quotient: Quotient) -> Iterator[Expression]:
    """Return ways to write a quotient: as it is, with roots moved into sums, as a sum of terms.

    >>> from roofdsl.algebra.quotient import quotients
    >>> from roofdsl.expression.construct import add
    >>> n, m = Symbol("N"), Symbol("M")
    >>> (found,) = quotients(divide(add(n, m), n))
    >>> [type(tree).__name__ for tree in arrangements(found)]
    ['Divide', 'Add', 'Add']
    """
    best = quotient_tree(quotient)
    yield best
    least = effort(best)
    if len(quotient.common.powers) * len(quotient.factors) > MOST_MOVES:
        return
    for atom, outside in sorted(quotient.common.powers, key=lambda item: atom_order(item[0])):
        for place, factor in enumerate(quotient.factors):
            if outside > 0 and factor.exponent > 0 and outside.denominator == 1:
                continue  # N^2*(N + 1) tells more than N^3 + N^2
            moved = _moved(quotient, place, atom)
            tree = quotient_tree(moved)
            if effort(tree) < least:
                quotient, least = moved, effort(tree)
                yield tree
                break
    if len(quotient.factors) == 1 and quotient.factors[0].exponent == 1:
        form = quotient.factors[0].form * product_form(quotient.common)
        yield _sum_tree(form)


def _moved(quotient: Quotient, place: int, atom: Expression) -> Quotient:
    """Multiply an atom into one of the sums so that none of it is left outside."""
    outside = dict(quotient.common.powers)[atom]
    form, exponent = quotient.factors[place]
    inside = Product(1, powers_of((atom, Fraction(outside) / exponent)))
    common = Product(
        quotient.common.coefficient, quotient.common.powers - powers_of((atom, outside))
    )
    factor = Factor(form * product_form(inside), exponent)
    factors = (*quotient.factors[:place], factor, *quotient.factors[place + 1 :])
    return Quotient(common, factors)


def quotient_tree(quotient: Quotient) -> Expression:
    """Return a quotient as one fraction.

    >>> quotient_tree(Quotient(Product(2, powers_of((Symbol("P"), -1))), ()))
    Divide(numerator=Number(...2...), denominator=Symbol(name='P', ...))
    """
    coefficient, powers = quotient.common
    top, bottom = split(Fraction(coefficient))
    above: list[Expression] = [top, _monomial(powers, 1)]
    below: list[Expression] = [bottom, _monomial(powers, -1)]
    for form, exponent in quotient.factors:
        side = above if exponent > 0 else below
        side.append(power(_sum_tree(form), number(abs(exponent))))
    return divide(multiply(*above), multiply(*below))


def _monomial(powers: Powers, sign: int) -> Expression:
    return Product(1, frozenset((atom, sign * e) for atom, e in powers if sign * e > 0)).tree()


def _sum_tree(form: NormalForm) -> Expression:
    """Return a sum, terms of high degree first, but not beginning with a minus if that can be."""
    ordered = sorted(form.products(), key=Product.order)
    return plus_first([quotient_tree(Quotient(term, ())) for term in ordered])
