"""Long sums with like terms added up, exactly, in which equal `max` and `min` are like terms.

`simplify_ratio` looks for the best way to write a short formula. A network has hundreds of layers,
many of one kind: what is read easily of them is their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm

from roofdsl.algebra.readable import effort
from roofdsl.expression import tree as trees
from roofdsl.expression.construct import call, divide, multiply, plus_first, power
from roofdsl.expression.normal_form import NormalForm, product_form
from roofdsl.expression.normalise import Normaliser
from roofdsl.expression.product import UNIT, Powers, Product, Rational, TooLong, is_positive
from roofdsl.expression.sign import sign
from roofdsl.expression.substitute import rewritten, substitute
from roofdsl.expression.tree import Expression, Number, Symbol

MOST_TERMS = 12
"""Operands of `max` and `min` with more terms stay as they are."""
_PLAIN = (Symbol, Number)


def gathered(tree: Expression) -> Expression:
    """Return a formula with its like terms added up, or as it is where that is shorter.

    Of a `max` or `min` a common positive factor stands before it, and what another operand is
    never less than, or never more than, is left out of it. A quotient by a sum stays one.

    >>> from roofdsl.expression.construct import add, number
    >>> from roofdsl.typeset.text import text
    >>> n, p, q = (Symbol(name) for name in "NPQ")
    >>> large = call("max", divide(multiply(number(6), n), p), divide(multiply(number(4), n), q))
    >>> small = call("max", divide(multiply(number(3), n), p), divide(multiply(number(2), n), q))
    >>> text(gathered(add(large, small, n, n)))
    'N*(2 + 3*max(3/P, 2/Q))'
    """
    if isinstance(tree, trees.Divide) and isinstance(tree.denominator, trees.Add):
        return divide(gathered(tree.numerator), gathered(tree.denominator))
    found = _Gatherer().of(tree)
    return tree if found is None or effort(found) > effort(tree) else found


class _Gatherer:
    """Gathers one formula; sums that are multiplied with one another, or raised, stay sums.

    `sums` are these by the symbols that stand for them meanwhile.
    """

    def __init__(self) -> None:
        self.normaliser = Normaliser()
        self.known: dict[Expression, Expression] = {}
        self.sums: dict[str, Expression] = {}

    def of(self, tree: Expression) -> Expression | None:
        try:
            found = written(self.normaliser.form(rewritten(tree, self._changed)))
        except (TooLong, RecursionError):
            return None
        for name in reversed(self.sums):  # a sum may stand in one that was found later
            found = substitute(found, {name: self.sums[name]})
        return found

    def _changed(self, node: Expression, operands: tuple[Expression, ...]) -> Expression | None:
        match node:
            case trees.Function("max" | "min" as name):
                found = call(name, *operands)
                if not isinstance(found, trees.Function):
                    return found
                if found not in self.known:
                    self.known[found] = self._extreme(found)
                return self.known[found]
            case trees.Power():
                base, exponent = operands
                return power(self._whole(base), exponent)
            case trees.Multiply() if sum(map(self._is_sum, operands)) > 1:
                return multiply(*map(self._whole, operands))
        return None

    def _is_sum(self, tree: Expression) -> bool:
        return type(tree) not in _PLAIN and len(self.normaliser.form(tree).terms) > 1

    def _whole(self, tree: Expression) -> Expression:
        """Return a product with a symbol for the sum that it has as a factor, if it has one."""
        form = self.normaliser.form(tree)
        if len(form.terms) < 2:
            return tree
        common = form.common_factor(certain=False)
        inside = written(form * product_form(common.inverse()))
        if inside not in self.known:
            name = f"sum {len(self.sums) + 1}"  # as no file can have it
            self.sums[name] = inside
            self.known[inside] = Symbol(name, positive=is_positive(inside))
        return multiply(common.tree(), self.known[inside])

    def _extreme(self, node: trees.Function) -> Expression:
        forms = [self.normaliser.form(each) for each in node.arguments]
        forms = _undominated(forms, 1 if node.name == "max" else -1)
        common = _common(forms)
        inside = [written(each * product_form(common.inverse())) for each in forms]
        return multiply(common.tree(), call(node.name, *inside))


def _undominated(forms: Sequence[NormalForm], direction: int) -> list[NormalForm]:
    """Return the operands of a `max` (1) or `min` (-1) that may be the only extreme one."""
    kept: list[NormalForm] = []
    for form in forms:
        signs = [_order(form, other) for other in kept]
        if any(each is not None and each * direction <= 0 for each in signs):
            continue
        kept = [x for x, each in zip(kept, signs, strict=True) if each is None]
        kept.append(form)
    return kept


def _order(one: NormalForm, other: NormalForm) -> int | None:
    """Return the sign of a difference, None where it is not certain, or the operands are long."""
    if max(len(one.terms), len(other.terms)) > MOST_TERMS:
        return 0 if one == other else None
    difference = one - other
    return None if _differ_in_rates(difference) else sign(difference)


def _differ_in_rates(form: NormalForm) -> bool:
    """Whether a form has terms of both signs in names of their own: as one grows, its sign decides.

    That names of whole numbers are at least 1 does not help then: the others may be any.
    """
    signs: dict[Powers, set[bool]] = {}
    for coefficient, powers in form.products():
        free = frozenset(item for item in powers if not _is_from_1(item[0]))
        signs.setdefault(free, set()).add(coefficient > 0)
    sure = [each for each in signs.values() if len(each) == 1]
    return any(True in each for each in sure) and any(False in each for each in sure)


def _is_from_1(atom: Expression) -> bool:
    return type(atom) is Symbol and atom.integer and atom.positive


def _common(forms: Sequence[NormalForm]) -> Product:
    """Return what is certainly positive and divides all operands: a number and powers of names."""
    terms = [term for form in forms for term in form.products()]
    if not terms or max(len(form.terms) for form in forms) > MOST_TERMS:
        return UNIT
    coefficient = _content([term.coefficient for term in terms])
    powers = _common_powers([term.powers for term in terms])
    return Product(coefficient, frozenset(item for item in powers if is_positive(item[0])))


def _content(numbers: Sequence[Rational]) -> Rational:
    above = gcd(*(number.numerator for number in numbers))
    return Fraction(above, lcm(*(number.denominator for number in numbers)))


def _common_powers(each: Sequence[Powers]) -> Powers:
    """Return the powers that all have, of one sign: the least of them by what it is raised to."""
    first = dict(each[0])
    for other in [dict(powers) for powers in each[1:]]:
        for atom in [*first]:
            one = first[atom]
            another: Rational = other.get(atom, 0)
            if one * another <= 0:
                del first[atom]
            elif (another - one) * one < 0:
                first[atom] = another
    return frozenset(first.items())


def written(form: NormalForm) -> Expression:
    """Return a sum of products: those of names first, in the order of their degrees.

    What all terms have in common stands outside of it where that is easier to read.
    """
    if len(form.terms) < 2:
        return form.product.tree()
    plain: list[Product] = []
    others: list[Product] = []
    for term in form.products():
        named = all(type(atom) in _PLAIN for atom, _ in term.powers)
        (plain if named else others).append(term)
    terms = [*sorted(plain, key=Product.order), *others]
    flat = plus_first([term.tree() for term in terms])
    common = Product(1, _common_powers([term.powers for term in terms]))
    if not common.powers:
        return flat
    inverse = common.inverse()
    inside = plus_first([term.times(inverse).tree() for term in terms])
    above = Product(1, frozenset(item for item in common.powers if item[1] > 0))
    below = Product(1, common.powers - above.powers).inverse()
    product = multiply(above.tree(), inside) if above.powers else inside
    factored = divide(product, below.tree()) if below.powers else product
    return min(flat, factored, key=effort)
