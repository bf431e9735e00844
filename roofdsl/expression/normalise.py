"""From a tree to its normal form: products multiplied out, logarithms and roots taken apart.

Logarithms become log2 of single names and primes, roots of numbers roots of primes; what cannot be
taken apart (`ceil`, `max`, the logarithm of a sum, …) stays whole, as an atom.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare, join
from roofdsl.expression.construct import call
from roofdsl.expression.logarithm import LN2, LOG10_2, decimal, exponents, log2_of_whole
from roofdsl.expression.normal_form import (
    MOST_TERMS,
    NormalForm,
    collected,
    number_form,
    product_form,
    symbol_form,
)
from roofdsl.expression.order import bottom_up, outside_sums, sum_levels, weight
from roofdsl.expression.product import UNIT, Product, TooLong, powers_of, unsigned
from roofdsl.expression.rational import rational_logarithm
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import INFINITY, Expression, Number, Symbol

LARGEST_ATOM = 1000
LONGEST_SUM = 4000
"""So many parts, written out, may the terms of a sum have that becomes an atom."""
MOST_PRODUCTS = 4000
"""So many products of terms, beside those of one with one, are made for one normal form."""
MOST_SUMMANDS = 64
_TWO = Number(Fraction(2))
_NAMES = (Number, Symbol)


def normal_form(tree: Expression, unknown: str = "") -> NormalForm | None:
    """Return the normal form of a number expression, or None if it grows too long.

    `unknown`: a name to be taken for positive, whatever its symbol says.

    >>> from roofdsl.expression.construct import multiply, square_root, subtract
    >>> n, two = Symbol("N"), Number(Fraction(2))
    >>> root = square_root(multiply(two, n, n))
    >>> normal_form(subtract(root, multiply(square_root(two), n)))
    NormalForm({})
    """
    try:
        return Normaliser(unknown).form(tree)
    except (TooLong, RecursionError):
        return None


def constant_value(tree: Expression) -> Fraction | None:
    """Return the number an expression is equal to if it can be shown to be rational, else None.

    >>> constant_value(trees.Divide(trees.Function("log2", (Number(Fraction(8)),)), _TWO))
    Fraction(3, 2)
    """
    form = normal_form(tree)
    value = form.constant if form is not None else None
    return None if value is None else Fraction(value)


def cleared(form: NormalForm, name: str) -> NormalForm:
    """Multiply a normal form by the sums with a name in them that it is divided by.

    What comes out is 0 where the form is; it may be 0 where that is not defined, too. May raise
    `TooLong`.
    """
    factor = powers_of(
        *(
            (atom, exponent)
            for atom, exponent in form.divisors().items()
            if any(symbol.name == name for symbol in free_symbols(atom))
        )
    )
    return Normaliser(name).scaled(form, Product(1, factor)) if factor else form


class Normaliser:
    """Normal forms of trees that share subtrees; each is worked out once. May raise `TooLong`."""

    def __init__(self, unknown: str = "") -> None:
        self._unknown = unknown
        self._forms: dict[int, NormalForm] = {}
        self._truths: dict[int, bool | None] = {}
        self._sizes: dict[int, int] = {}
        self._products = 0
        # Results are kept by identity, so what they belong to has to stay alive.
        self._alive: list[Expression] = []

    def form(self, tree: Expression) -> NormalForm:
        """Return the normal form of a tree."""
        if id(tree) in self._forms:
            return self._forms[id(tree)]
        self._alive.append(tree)
        for node in bottom_up(tree, outside_sums):
            if id(node) in self._sizes:
                continue
            operands = outside_sums(node)
            self._sizes[id(node)] = 1 + sum(self._sizes[id(operand)] for operand in operands)
            if isinstance(node, trees.Comparison | trees.Logic) or (
                isinstance(node, trees.Function) and node.name == "is_integer"
            ):
                self._truths[id(node)] = self._truth(node)
            else:
                self._forms[id(node)] = self._form(node)
        if id(tree) not in self._forms:
            raise TypeError("a condition has no normal form")
        return self._forms[id(tree)]

    def _form(self, node: Expression) -> NormalForm:
        match node:
            case Number(value):
                return number_form(value)
            case Symbol(name):
                if name == self._unknown and not node.positive:
                    node = Symbol(name, integer=node.integer, positive=True)
                return symbol_form(node)
            case trees.Add(operands):
                terms = (term for each in operands for term in self._of(each).products())
                return collected(terms)
            case trees.Multiply(operands):
                return self._multiplied([self._of(each) for each in operands])
            case trees.Divide(above, below):
                divisor = self._of(below)
                if not divisor:
                    return self._atom(node)
                return self._multiplied(
                    [self._of(above), product_form(self._product(divisor).inverse())]
                )
            case trees.Power(base, exponent):
                return self._power(node, self._of(base), self._of(exponent))
            case trees.Function(name, operands):
                return self._function(node, name, [self._of(each) for each in operands])
            case trees.Conditional(condition, consequence, alternative):
                branches = self._of(consequence), self._of(alternative)
                known = self._truths.get(id(condition))
                if known is not None:
                    return branches[0] if known else branches[1]
                return branches[0] if branches[0] == branches[1] else self._atom(node)
            case trees.Sum():
                return self._sum(node)
            case trees.Comparison() | trees.Logic():
                raise TypeError("a condition has no normal form")

    def _of(self, node: Expression) -> NormalForm:
        return self._forms[id(node)]

    def _truth(self, node: Expression) -> bool | None:
        match node:
            case trees.Comparison(relation, left, right):
                difference = (self._of(left) - self._of(right)).constant
                return None if difference is None else compare(relation, Fraction(difference), 0)
            case trees.Logic(operator, operands):
                return join(operator, [self._truths.get(id(operand)) for operand in operands])
            case trees.Function(_, (argument,)):
                value = self._of(argument).constant
                return None if value is None else value.denominator == 1
            case _:
                return None

    def _atom(self, node: Expression) -> NormalForm:
        # An atom is hashed and compared as written out, which a shared subtree makes long.
        if self._sizes.get(id(node), 0) > LARGEST_ATOM:
            raise TooLong
        return symbol_form(node)

    def _product(self, form: NormalForm) -> Product:
        """Return a form as one product, its sum an atom of it."""
        if len(form.terms) > 1:
            # Ordered as written out: logarithms of sums of logarithms double it at each level.
            atoms = (
                each for powers in form.terms for each, _ in powers if type(each) not in _NAMES
            )
            if sum(weight(atom, LONGEST_SUM) for atom in atoms) >= LONGEST_SUM:
                raise TooLong
        return form.product

    def _multiplied(self, forms: Sequence[NormalForm]) -> NormalForm:
        if any(
            type(atom) is trees.Add for form in forms for powers in form.terms for atom, _ in powers
        ):
            # A sum among the atoms may cancel against a factor that is a sum.
            product = UNIT
            for form in forms:
                product = product.times(self._product(form))
            return self._expanded(product)
        result = forms[0]
        for form in forms[1:]:
            result = self._times(result, form)
        return self._finite(result)

    def _times(self, one: NormalForm, other: NormalForm) -> NormalForm:
        self._products += len(one.terms) * len(other.terms) - 1
        if self._products > MOST_PRODUCTS:
            raise TooLong
        return one * other

    def scaled(self, form: NormalForm, factor: Product) -> NormalForm:
        """Return a normal form times a product, sums in it multiplied out."""
        parts = [self._expanded(term.times(factor)) for term in form.products()]
        return collected(term for part in parts for term in part.products())

    def _expanded(self, product: Product) -> NormalForm:
        """Multiply out the sums among the atoms of a product that have a whole exponent > 0."""
        sums = [
            (atom, exponent)
            for atom, exponent in product.powers
            if type(atom) is trees.Add and exponent > 0 and exponent.denominator == 1
        ]
        rest = Product(product.coefficient, product.powers.difference(sums))
        result = product_form(rest)
        for atom, exponent in sums:
            form = self.form(atom)
            if exponent > MOST_TERMS:
                raise TooLong
            for _ in range(exponent.numerator):
                result = self._times(result, form)
        return self._finite(result)

    def _finite(self, form: NormalForm) -> NormalForm:
        """Drop what is divided by infinity: the time of a resource without limit."""
        return NormalForm(
            {
                powers: coefficient
                for powers, coefficient in form.terms.items()
                if not any(atom == INFINITY and exponent < 0 for atom, exponent in powers)
            }
        )

    def _power(self, node: trees.Power, base: NormalForm, exponent: NormalForm) -> NormalForm:
        value = exponent.constant
        if value is None:
            return self._exponential(node, base, exponent)
        if value == 0:
            return number_form(1)
        power = self._product(base).raised(value)
        return self._atom(node) if power is None else self._expanded(power)

    def _exponential(self, node: trees.Power, base: NormalForm, exponent: NormalForm) -> NormalForm:
        """Take powers of 2 apart: 2^(3·log2 N + P) is N^3·2^P."""
        logarithm = self._log2(self._product(base))
        if logarithm is None:
            return self._atom(node)
        taken, rest = exponents(logarithm * exponent)
        if taken == UNIT:
            return self._atom(node)
        if rest:
            taken = taken.times(Product(1, powers_of((trees.Power(_TWO, rest.tree()), 1))))
        return self._expanded(taken)

    def _function(self, node: trees.Function, name: str, operands: list[NormalForm]) -> NormalForm:
        values = [operand.constant for operand in operands]
        match name:
            case "log2" | "ln" | "log10":
                return self._logarithm(node, name, operands[0])
            case "log":
                return self._logarithm_to_base(node, *operands)
            case "exp":
                scale = NormalForm({powers_of((LN2, -1)): 1})
                taken, rest = exponents(operands[0] * scale)
                if taken == UNIT and rest:
                    return self._atom(node)
                if rest:
                    rest = rest * symbol_form(LN2)
                    taken = taken.times(Product(1, powers_of((call("exp", rest.tree()), 1))))
                return self._expanded(taken)
            case "min" | "max" if all(operand == operands[0] for operand in operands):
                return operands[0]
            case "abs" if len(operands[0].terms) == 1:
                ((powers, coefficient),) = operands[0].terms.items()
                if not unsigned(powers):
                    return operands[0] if coefficient > 0 else -operands[0]
            case "ceil" | "floor" if operands[0].is_whole:
                return operands[0]
            case "abs" | "ceil" | "floor" | "min" | "max" if None not in values:
                numbers = [Number(Fraction(value)) for value in values if value is not None]
                folded = call(name, *numbers)
                if isinstance(folded, Number):
                    return number_form(folded.value)
            case _:
                pass
        return self._atom(node)

    def _logarithm(self, node: trees.Function, name: str, argument: NormalForm) -> NormalForm:
        result = self._log2(self._product(argument))
        if result is None:
            return self._atom(node)
        if name == "ln":
            return result * symbol_form(LN2)
        if name == "log10":
            return decimal(result * symbol_form(LOG10_2))
        return result

    def _logarithm_to_base(
        self, node: trees.Function, argument: NormalForm, base: NormalForm
    ) -> NormalForm:
        value, base_value = argument.constant, base.constant
        if base_value is not None and base_value > 0 and base_value != 1:
            if base_value == 10:
                return self._logarithm(node, "log10", argument)
            if value is not None and value > 0:
                exact = rational_logarithm(Fraction(value), Fraction(base_value))
                if exact is not None:
                    return number_form(exact)
        above, below = self._log2(self._product(argument)), self._log2(self._product(base))
        if above is None or not below:
            return self._atom(node)
        return self._multiplied([above, product_form(self._product(below).inverse())])

    def _log2(self, product: Product) -> NormalForm | None:
        """Return log2 of a product as a sum, or None where signs forbid to take it apart."""
        if not product.can_be_taken_apart:
            return None
        result = log2_of_whole(product.coefficient.numerator)
        result = result - log2_of_whole(product.coefficient.denominator)
        for atom, exponent in product.powers:
            result = result + self._log2_of_atom(atom) * number_form(exponent)
        return result

    def _log2_of_atom(self, atom: Expression) -> NormalForm:
        match atom:
            case Number(value):
                return log2_of_whole(value.numerator)
            case trees.Power(base, exponent):
                logarithm = self._log2(self._product(self.form(base)))
                if logarithm is not None:
                    return logarithm * self.form(exponent)
            case trees.Function("exp", (argument,)):
                return self.form(argument) * NormalForm({powers_of((LN2, -1)): 1})
            case _:
                pass
        return symbol_form(trees.Function("log2", (atom,)))

    def _sum(self, node: trees.Sum) -> NormalForm:
        low, high = self._of(node.low).constant, self._of(node.high).constant
        if low is None or low.denominator != 1 or (high is not None and high.denominator != 1):
            return self._atom(node)
        if high is None or high - low >= MOST_SUMMANDS ** (1 / sum_levels(node)):
            index = Symbol(f"index of {node.index.name}", integer=True, positive=low > 0)
            body = self.form(substitute(node.body, {node.index.name: index}))
            from roofdsl.expression.sum_of_powers import summed  # few formulas have sums

            closed = summed(body, index, low.numerator, self._of(node.high), self.form)
            return self._atom(node) if closed is None else closed
        result = NormalForm({})
        for place in range(low.numerator, high.numerator + 1):
            summand = substitute(node.body, {node.index.name: Number(Fraction(place))})
            result = result + self.form(summand)
        return result
