"""From a tree to its series for a large unknown, through `min`, `max`, `if`, `ceil` and `floor`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from roofdsl.algebra import series
from roofdsl.algebra.series import CONSTANT, AsymptoticSeries, Degrees, Order, Undecided, Work
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare as holds
from roofdsl.expression.condition import join
from roofdsl.expression.construct import call
from roofdsl.expression.logarithm import LN2, LOG10_2
from roofdsl.expression.normal_form import NormalForm, number_form, symbol_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.product import Rational, TooLong, powers_of
from roofdsl.expression.sign import known_bounds, sign
from roofdsl.expression.substitute import depending, free_symbols, substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Symbol

MOST_SUMMANDS = 64


def expansion(tree: Expression, name: str, length: int) -> AsymptoticSeries:
    """Return the series of a tree as a name grows; may raise `Undecided`.

    `length`: how many terms of a binomial or logarithmic series to take.
    """
    try:
        return _Expansion(name, Work(length)).of(tree)
    except (TooLong, RecursionError) as error:
        raise Undecided from error


def series_sign(found: AsymptoticSeries) -> int:
    """Return the sign a series has from some x on; may raise `Undecided`."""
    if found.is_zero:
        return 0
    _, coefficient = found.lead()
    result = sign(coefficient)
    if not result:
        raise Undecided
    return result


class _Expansion:
    """The series of the nodes of a tree; raises TooLong where they would take too much work."""

    def __init__(self, name: str, work: Work) -> None:
        self.name = name
        self.work = work
        self.found: dict[int, AsymptoticSeries | Undecided] = {}
        self.depending: set[int] = set()

    def of(self, tree: Expression) -> AsymptoticSeries:
        """Return the series of a tree, its nodes from the bottom up."""
        self.depending |= depending(tree, self.name)
        conditions = trees.Comparison | trees.Logic
        waiting = [
            node
            for node in bottom_up(
                tree, lambda node: outside_sums(node) if id(node) in self.depending else ()
            )
            if id(node) not in self.found and not isinstance(node, conditions)
        ]
        if len(waiting) > self.work.left:
            raise TooLong  # as it would, a unit for each, only later
        for node in waiting:
            self.work.spend(1)
            try:
                self.found[id(node)] = self._series(node)
            except Undecided as undecided:
                # It may stand in a branch that is never taken.
                self.found[id(node)] = undecided
        return self._get(tree)

    def _product(self, operands: Sequence[Expression]) -> AsymptoticSeries:
        result = series.constant_series(number_form(1))
        for each in operands:
            result = result.times(self._get(each), self.work)
        return result

    def _get(self, node: Expression) -> AsymptoticSeries:
        found = self.found[id(node)]
        if isinstance(found, Undecided):
            raise found
        return found

    def _series(self, node: Expression) -> AsymptoticSeries:
        if id(node) not in self.depending:
            if isinstance(node, trees.Function) and node.name == "is_integer":
                raise Undecided
            form = number_form(node.value) if isinstance(node, Number) else normal_form(node)
            if form is None:
                raise Undecided
            return series.constant_series(form)
        match node:
            case Symbol():
                return series.term_series(Order(Degrees(1)))
            case trees.Add(operands):
                return series.total(self._get(each) for each in operands)
            case trees.Multiply(operands):
                return self._product(operands)
            case trees.Divide(above, below):
                inverse = series.power(self._get(below), -1, self.work)
                return self._get(above).times(inverse, self.work)
            case trees.Power(base, exponent):
                return self._power(self._get(base), self._get(exponent))
            case trees.Function(name, operands):
                return self._function(name, [self._get(each) for each in operands])
            case trees.Conditional(condition, consequence, alternative):
                return self._conditional(condition, consequence, alternative)
            case trees.Sum():
                return self._sum(node)
            case _:
                raise Undecided

    def _power(self, base: AsymptoticSeries, exponent: AsymptoticSeries) -> AsymptoticSeries:
        if exponent.is_zero:
            return series.constant_series(number_form(1))
        value = _constant(exponent)
        if value is not None:
            return series.power(base, value, self.work)
        logarithm = series.logarithm(base, self.work)
        return series.exponential(logarithm.times(exponent, self.work), self.work)

    def _function(self, name: str, operands: Sequence[AsymptoticSeries]) -> AsymptoticSeries:
        first = operands[0]
        match name:
            case "log2":
                return series.logarithm(first, self.work)
            case "ln" | "log10":
                scale = series.constant_series(symbol_form(LN2 if name == "ln" else LOG10_2))
                return series.logarithm(first, self.work).times(scale, self.work)
            case "log":
                above, below = (series.logarithm(each, self.work) for each in operands)
                return above.times(series.power(below, -1, self.work), self.work)
            case "exp":
                return series.exponential(
                    first.times(series.constant_series(series.PER_LN2), self.work), self.work
                )
            case "abs":
                return first if series_sign(first) >= 0 else -first
            case "min" | "max":
                return self._extreme(name, operands)
            case "ceil" | "floor":
                return _rounded(name, first)
            case _:
                raise Undecided

    def _extreme(self, name: str, operands: Sequence[AsymptoticSeries]) -> AsymptoticSeries:
        best = operands[0]
        for other in operands[1:]:
            try:
                difference = series_sign(other - best)
            except Undecided:
                best = _merged(best, other, lambda one, two: _either(name, one, two))
            else:
                if difference and (difference > 0) == (name == "max"):
                    best = other
        return best

    def _conditional(
        self, condition: Expression, consequence: Expression, alternative: Expression
    ) -> AsymptoticSeries:
        known = self._truth(condition)
        if known is not None:
            return self._get(consequence if known else alternative)
        if id(condition) in self.depending:
            raise Undecided
        return _merged(
            self._get(consequence),
            self._get(alternative),
            lambda left, right: trees.Conditional(condition, left, right),
        )

    def _truth(self, condition: Expression) -> bool | None:
        """Return whether a condition holds for all large x, fails for all, or neither is known."""
        if id(condition) not in self.depending:
            form = normal_form(trees.Conditional(condition, ONE, ZERO))
            value = None if form is None else form.constant
            return None if value is None else value == 1
        match condition:
            case trees.Comparison(relation, left, right):
                try:
                    difference = self._get(left) - self._get(right)
                    return holds(relation, series_sign(difference), 0)
                except Undecided:
                    return None
            case trees.Logic(operator, operands):
                return join(operator, [self._truth(each) for each in operands])
            case _:
                return None

    def _sum(self, node: trees.Sum) -> AsymptoticSeries:
        low, high = _constant(self._get(node.low)), _constant(self._get(node.high))
        if low is None or high is None or high - low >= MOST_SUMMANDS:
            raise Undecided
        if low.denominator != 1 or high.denominator != 1:
            raise Undecided
        summands = [
            substitute(node.body, {node.index.name: Number(Fraction(index))})
            for index in range(low.numerator, high.numerator + 1)
        ]
        return series.total(_Expansion(self.name, self.work).of(each) for each in summands)


def _constant(found: AsymptoticSeries) -> Rational | None:
    """Return a series' value if it is a rational number."""
    if found.rest is not None or found.terms.keys() - {CONSTANT}:
        return None
    return found.terms[CONSTANT].constant if found.terms else 0


def _merged(
    left: AsymptoticSeries,
    right: AsymptoticSeries,
    choose: Callable[[Expression, Expression], Expression],
) -> AsymptoticSeries:
    """Return one of two series of the same order, by their leading coefficients."""
    order, coefficient = left.lead()
    other_order, other = right.lead()
    if series.compare(order, other_order):
        raise Undecided
    rests = [each for found in (left, right) for each in (*found.orders()[1:2], found.rest) if each]
    rest = max(rests, key=series.order_key) if rests else None
    if coefficient == other:
        return AsymptoticSeries({order: coefficient}, rest)
    tree = choose(coefficient.tree(), other.tree())
    return AsymptoticSeries({order: symbol_form(tree)}, rest)


def _either(name: str, one: Expression, two: Expression) -> Expression:
    """Return the least or the greatest of two trees, of which one may be among the others."""
    known = one.arguments if isinstance(one, trees.Function) and one.name == name else (one,)
    return one if two in known else call(name, one, two)


def _rounded(name: str, argument: AsymptoticSeries) -> AsymptoticSeries:
    """Return `ceil` or `floor` of a series: itself up to a constant, or the number it nears."""
    if argument.is_zero:
        return argument
    order, coefficient = argument.lead()
    growth = series.compare(order, CONSTANT)
    if growth > 0:
        return series.total((argument, AsymptoticSeries({}, CONSTANT)))
    if growth < 0:
        whole, remainder = number_form(0), argument
    else:
        remainder = series.total((argument, AsymptoticSeries({CONSTANT: -coefficient})))
        if not coefficient.is_whole:
            return series.constant_series(_rounded_constant(name, coefficient))
        whole = coefficient
    direction = series_sign(remainder)
    step = 1 if name == "ceil" and direction > 0 else -1 if name == "floor" and direction < 0 else 0
    return series.constant_series(whole + number_form(step))


def _rounded_constant(name: str, coefficient: NormalForm) -> NormalForm:
    """Return `ceil` or `floor` of what is taken for no whole number, and is none if it is one."""
    tree = coefficient.tree()
    form = normal_form(trees.Function(name, (tree,)))
    if form is None:
        raise Undecided
    if not free_symbols(tree) and form.constant is None:
        low, high = known_bounds(tree) or (0, 0)
        # A number that may be whole would need the direction it is approached from.
        if not floor(low) < low <= high < ceil(low):
            raise Undecided
    return form


def term_form(order: Order, coefficient: NormalForm, unknown: Symbol) -> NormalForm:
    """Return a term as a normal form in the unknown."""
    log: Expression = trees.Function("log2", (unknown,))
    loglog: Expression = trees.Function("log2", (log,))
    x: Expression = unknown
    factors = zip((x, log, loglog), order.degrees, strict=True)
    atoms = [(atom, exponent) for atom, exponent in factors if exponent]
    form = coefficient * NormalForm({powers_of(*atoms): 1})
    if not order.exponential:
        return form
    exponent = NormalForm({})
    for degrees, factor in order.exponential:
        exponent = exponent + term_form(Order(degrees), factor, unknown)
    return form * series.power_of_2(exponent)
