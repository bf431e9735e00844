"""Formulas written with Python's operators, and other programs to check them against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import sympy

from roofdsl.allowance import Budget
from roofdsl.expression import construct
from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Number, Relation, Symbol
from roofdsl.numeric.order_change import OrderChange, change_between
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.sign_runs import SignRuns


class Formula:
    """A tree that `+ - * / **` and the functions below build upon."""

    def __init__(self, tree: Expression) -> None:
        self.tree = tree

    def __add__(self, other):
        return Formula(construct.add(self.tree, tree(other)))

    def __radd__(self, other):
        return Formula(construct.add(tree(other), self.tree))

    def __sub__(self, other):
        return Formula(construct.subtract(self.tree, tree(other)))

    def __rsub__(self, other):
        return formula(other) - self

    def __mul__(self, other):
        return Formula(construct.multiply(self.tree, tree(other)))

    def __rmul__(self, other):
        return formula(other) * self

    def __truediv__(self, other):
        return Formula(construct.divide(self.tree, tree(other)))

    def __rtruediv__(self, other):
        return formula(other) / self

    def __pow__(self, other):
        return Formula(construct.power(self.tree, tree(other)))

    def __neg__(self):
        return Formula(construct.negate(self.tree))


def formula(value) -> Formula:
    return value if isinstance(value, Formula) else Formula(construct.number(str(value)))


def tree(value) -> Expression:
    return formula(value).tree


def name(text: str, *, integer: bool = False) -> Formula:
    return Formula(Symbol(text, integer=integer))


def call(function: str, *arguments) -> Formula:
    return Formula(construct.call(function, *(tree(each) for each in arguments)))


def log2(x) -> Formula:
    return call("log2", x)


def sqrt(x) -> Formula:
    return Formula(construct.square_root(tree(x)))


def ceil(x) -> Formula:
    return call("ceil", x)


def floor(x) -> Formula:
    return call("floor", x)


def largest(*x) -> Formula:
    return call("max", *x)


def least(*x) -> Formula:
    return call("min", *x)


def when(left, relation: Relation, right, consequence, alternative) -> Formula:
    condition = trees.Comparison(relation, tree(left), tree(right))
    return Formula(trees.Conditional(condition, tree(consequence), tree(alternative)))


N, P = name("N", integer=True), name("P", integer=True)


_ARRAYS: dict[str, Callable[..., np.ndarray]] = {
    "log2": np.log2,
    "ln": np.log,
    "log10": np.log10,
    "exp": np.exp,
    "abs": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "log": lambda x, base: np.log2(x) / np.log2(base),
    "min": lambda *x: np.minimum.reduce(np.broadcast_arrays(*x)),
    "max": lambda *x: np.maximum.reduce(np.broadcast_arrays(*x)),
    "is_integer": lambda x: np.floor(x) == x,
}
_RELATIONS = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
# Floats are not to be trusted where numbers are this close.
_CLOSE = 1e-9
_MOST_PRECISE = 250
_EXACTLY = mpmath.mpf(10) ** -60


class Computed:
    """An expression computed with NumPy, and where a jump made the result doubtful."""

    def __init__(self, what: Expression, values: Mapping[str, np.ndarray]) -> None:
        self.doubtful = np.zeros(np.broadcast(*values.values()).shape, dtype=bool)
        self.undefined = self.doubtful.copy()
        found: dict[int, np.ndarray] = {}
        with np.errstate(all="ignore"):
            for node in bottom_up(what):
                operands = [found[id(each)] for each in operands_of(node)]
                self._doubt(node, operands)
                found[id(node)] = _array(node, operands, values)
                self.undefined |= ~np.isfinite(found[id(node)])
        self.value = found[id(what)] + np.zeros(self.doubtful.shape)

    def _doubt(self, node: Expression, operands) -> None:
        match node:
            case trees.Function("ceil" | "floor" | "is_integer", _):
                self.doubtful |= abs(operands[0] - np.round(operands[0])) < _CLOSE
            case trees.Comparison():
                left, right = operands
                self.doubtful |= abs(left - right) <= _CLOSE * np.maximum(abs(left), abs(right))


def changes(found: SignRuns, left: Expression, right: Expression, name: str) -> list[OrderChange]:
    """Return what lies between the runs of two formulas."""
    integer = isinstance(found.runs[0].first, int)
    known = {name: Symbol(name, integer=integer)}
    pair = Pair(substitute(left, known), substitute(right, known), name, integer=integer)
    return [
        change_between(pair, one.last, other.first, Budget()) for one, other in pairwise(found.runs)
    ]


def array(what: Expression, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """Compute an expression with NumPy."""
    return Computed(what, values).value


def signs(left: Expression, right: Expression, unknown: str, points: np.ndarray) -> np.ndarray:
    """Return the sign of `left - right` at every point, the close ones computed to 100 digits.

    A point where something is not defined gives 9; so do most of the close ones, if they are many.
    """
    one = Computed(left, {unknown: points.astype(float)})
    other = Computed(right, {unknown: points.astype(float)})
    with np.errstate(invalid="ignore"):
        difference = one.value - other.value
    result = np.sign(difference)
    size = np.maximum(abs(one.value), abs(other.value))
    close = ~(abs(difference) > _CLOSE * size) | one.doubtful | other.doubtful
    result[close] = 9
    doubtful = np.flatnonzero(close)
    for place in doubtful[:: 1 + len(doubtful) // _MOST_PRECISE]:
        at = {unknown: int(points[place])}
        try:
            exact = precise(left, at) - precise(right, at)
            limit = _EXACTLY * (1 + abs(precise(left, at)))
            result[place] = 0 if abs(exact) < limit else 1 if exact > 0 else -1
        except (ArithmeticError, ValueError, TypeError):
            result[place] = 9
    result[one.undefined | other.undefined] = 9
    return result


def _array(node: Expression, operands, values):
    match node:
        case Number(value):
            return np.float64(value)
        case Symbol(symbol):
            return values[symbol]
        case trees.Add():
            return sum(operands[1:], start=operands[0])
        case trees.Multiply():
            return np.prod(np.broadcast_arrays(*operands), axis=0)
        case trees.Divide():
            return operands[0] / operands[1]
        case trees.Power():
            return np.power(operands[0], operands[1])
        case trees.Function(function, _):
            return _ARRAYS[function](*operands)
        case trees.Comparison(relation, _, _):
            return _RELATIONS[relation](*operands)
        case trees.Logic("and", _):
            return np.logical_and.reduce(operands)
        case trees.Logic("or", _):
            return np.logical_or.reduce(operands)
        case trees.Logic("not", _):
            return np.logical_not(operands[0])
        case trees.Conditional():
            return np.where(*operands)
    raise TypeError(node)


def precise(what: Expression, values: Mapping[str, int], digits: int = 100) -> mpmath.mpf:
    """Compute an expression to many digits."""
    found: dict[int, mpmath.mpf] = {}
    with mpmath.workdps(digits):
        for node in bottom_up(what):
            operands = [found[id(each)] for each in operands_of(node)]
            found[id(node)] = _precise(node, operands, values)
    return found[id(what)]


_PRECISE: dict[str, Callable[..., mpmath.mpf]] = {
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "ln": mpmath.log,
    "log10": mpmath.log10,
    "exp": mpmath.exp,
    "abs": abs,
    "ceil": lambda x: mpmath.ceil(_snapped(x)),
    "floor": lambda x: mpmath.floor(_snapped(x)),
    "is_integer": lambda x: mpmath.isint(_snapped(x)),
    "log": mpmath.log,
    "min": min,
    "max": max,
    "lambertw": lambda x, branch: mpmath.lambertw(x, int(branch)).real,
}


def _precise(node: Expression, operands, values):
    match node:
        case Number(value):
            return mpmath.mpf(value.numerator) / value.denominator
        case Symbol(symbol):
            return mpmath.mpf(values[symbol])
        case trees.Add():
            return mpmath.fsum(operands)
        case trees.Multiply():
            return mpmath.fprod(operands)
        case trees.Divide():
            return operands[0] / operands[1]
        case trees.Power():
            return mpmath.power(operands[0], operands[1])
        case trees.Function(function, _):
            return _PRECISE[function](*operands)
        case trees.Comparison(relation, left, right):
            del left, right
            difference = operands[0] - operands[1]
            if abs(difference) < _EXACTLY * (1 + abs(operands[0])):
                difference = mpmath.mpf(0)
            return bool(_RELATIONS[relation](difference, 0))
        case trees.Logic("and", _):
            return all(operands)
        case trees.Logic("or", _):
            return any(operands)
        case trees.Logic("not", _):
            return not operands[0]
        case trees.Conditional():
            return operands[1] if operands[0] else operands[2]
    raise TypeError(node)


def _snapped(x: mpmath.mpf) -> mpmath.mpf:
    """Return the whole number that a number is, but for rounding."""
    nearest = mpmath.nint(x)
    return nearest if abs(x - nearest) < _EXACTLY else x


def to_sympy(what: Expression) -> sympy.Expr:
    """Return an expression for SymPy, its names as positive symbols."""
    match what:
        case Number(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Symbol(symbol):
            return sympy.Symbol(symbol, positive=True)
        case trees.Add(operands):
            return sympy.Add(*map(to_sympy, operands))
        case trees.Multiply(operands):
            return sympy.Mul(*map(to_sympy, operands))
        case trees.Divide(above, below):
            return to_sympy(above) / to_sympy(below)
        case trees.Power(base, exponent):
            return to_sympy(base) ** to_sympy(exponent)
        case trees.Function("log2", (argument,)):
            return sympy.log(to_sympy(argument), 2)
        case trees.Function("ln", (argument,)):
            return sympy.log(to_sympy(argument))
        case trees.Function("log10", (argument,)):
            return sympy.log(to_sympy(argument), 10)
        case trees.Function("log", (argument, base)):
            return sympy.log(to_sympy(argument), to_sympy(base))
        case trees.Function("exp", (argument,)):
            return sympy.exp(to_sympy(argument))
    raise TypeError(what)


def rational(value: str | int) -> Fraction:
    return Fraction(value)
