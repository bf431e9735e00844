"""SymPy expressions as expression trees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

import sympy

from roofdsl.algebra.coefficient import split
from roofdsl.algebra.to_sympy import LOGIC, PLAIN, Basic
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import conditional, truth
from roofdsl.expression.construct import call, divide, multiply, negate, plus_first, power
from roofdsl.expression.tree import INFINITY, ONE, ZERO, Expression, Number, Relation, Symbol


class UnsupportedExpression(ValueError):
    """Raised for what the language has no counterpart of; `name` says which function it is.

    >>> str(UnsupportedExpression("besselj"))
    "SymPy's `besselj` has no counterpart in the language"
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"SymPy's `{self.name}` has no counterpart in the language"


def from_sympy(expression: Basic, symbols: Mapping[str, Symbol] | None = None) -> Expression:
    """Return a SymPy expression as a tree.

    A symbol becomes the one of `symbols` with its name, else one with the assumptions SymPy has of
    it. log(x)/log(2) becomes log2(x), likewise for other bases. A float stands for its shortest
    decimal: 0.1 becomes 1/10. Raises UnsupportedExpression for what the language cannot say,
    TypeError for anything but a SymPy expression: SymPy would run a text as Python code.

    >>> n = sympy.Symbol("N", integer=True, positive=True)
    >>> from_sympy(sympy.log(n) / sympy.log(2)) == call("log2", Symbol("N", integer=True))
    True
    """
    if not isinstance(expression, sympy.Basic):
        raise TypeError("not a SymPy expression")
    known = dict(symbols or {})
    for summation in expression.atoms(sympy.Sum):
        for index in summation.variables:
            known.setdefault(index.name, Symbol(index.name, integer=True, positive=False))
    done: dict[Basic, Expression] = {}
    stack = [expression]
    while stack:
        node = stack[-1]
        waiting = [part for part in node.args if part not in done]
        if waiting and not isinstance(node, sympy.Set):
            stack.extend(waiting)
            continue
        stack.pop()
        if node not in done:
            done[node] = _convert(node, done, known)
    return done[expression]


def _convert(node: Basic, done: Mapping[Basic, Expression], known: dict[str, Symbol]) -> Expression:
    arguments = [done[part] for part in node.args if part in done]
    match node:
        case sympy.Symbol():
            return _symbol(node, known)
        case sympy.Rational() | sympy.Float():
            return Number(_fraction(node))
        case sympy.Add():
            return _sum([done[term] for term in node.as_ordered_terms() if term in done], arguments)
        case sympy.Mul() | sympy.Pow():
            return _product(node, done)
        case sympy.Piecewise():
            return _cases(node, done)
        case sympy.Sum():
            return _summation(node, done)
        case sympy.Contains():
            if node.args[1] != sympy.S.Integers:
                raise UnsupportedExpression("Contains")
            return trees.Function("is_integer", (arguments[0],))
        case sympy.core.relational.Relational():
            relation: Relation = node.rel_op
            if relation == "==" and sympy.floor(node.rhs) == node.lhs:
                return trees.Function("is_integer", (arguments[1],))
            return trees.Comparison(relation, *arguments)
        case sympy.And() | sympy.Or() | sympy.Not():
            return trees.Logic(_OPERATORS[node.func], tuple(arguments))
        case sympy.ITE():  # how SymPy writes a condition on an `if`
            condition, consequence, alternative = arguments
            otherwise = trees.Logic("and", (trees.Logic("not", (condition,)), alternative))
            return trees.Logic("or", (trees.Logic("and", (condition, consequence)), otherwise))
        case sympy.LambertW():
            return call("lambertw", arguments[0], arguments[1] if arguments[1:] else ZERO)
        case sympy.Tuple() | sympy.Set() | sympy.functions.elementary.piecewise.ExprCondPair():
            return ZERO  # part of a node that reads it itself
    constant = _CONSTANTS.get(node)
    if constant is not None:
        return constant
    name = _FUNCTIONS.get(node.func)
    if name is None:
        raise UnsupportedExpression(node.func.__name__)
    return call(name, *arguments)


_CONSTANTS: dict[Basic, Expression] = {
    sympy.oo: INFINITY,
    sympy.E: trees.Function("exp", (ONE,)),
    sympy.true: truth(True),
    sympy.false: truth(False),
}
_FUNCTIONS: dict[type[Basic], str] = {
    **{function: name for name, function in PLAIN.items()},
    sympy.Min: "min",
    sympy.Max: "max",
}
_OPERATORS = {function: operator for operator, function in LOGIC.items()}
_NAME = re.compile(r"[A-Za-z_\u0370-\u03ff][\w\u0370-\u03ff.]*")


def _symbol(node: Basic, known: Mapping[str, Symbol]) -> Symbol:
    if node.name in known:
        return known[node.name]
    if not _NAME.fullmatch(node.name):
        raise UnsupportedExpression(node.name)
    return Symbol(node.name, integer=bool(node.is_integer), positive=bool(node.is_positive))


def _fraction(node: Basic) -> Fraction:
    if node.is_Float:
        return Fraction(repr(float(node)) if node._prec == 53 else str(node))
    return Fraction(int(node.p), int(node.q))


def _sum(ordered: list[Expression], terms: list[Expression]) -> Expression:
    """Return a sum in the order SymPy prints, but not beginning with a minus if that can be."""
    return plus_first(ordered if len(ordered) == len(terms) else terms)


def _product(node: Basic, done: Mapping[Basic, Expression]) -> Expression:
    """Return a product or power as a fraction without negative exponents."""
    coefficient = Fraction(1)
    logarithms: list[tuple[Expression, int]] = []
    sides: tuple[list[Expression], list[Expression]] = ([], [])
    for factor in node.as_ordered_factors() if isinstance(node, sympy.Mul) else [node]:
        base, exponent = factor.args if isinstance(factor, sympy.Pow) else (factor, sympy.S.One)
        if factor.is_Rational or factor.is_Float:
            coefficient *= _fraction(factor)
        elif isinstance(base, sympy.log) and exponent.is_Integer:
            logarithms.append((done[base.args[0]], int(exponent)))
        elif factor is base:
            sides[0].append(done[base])
        else:
            below = bool(exponent.could_extract_minus_sign())
            raised = negate(done[exponent]) if below else done[exponent]
            sides[below].append(power(done[base], raised))
    for logarithm, times in _paired(logarithms):
        sides[times < 0].append(power(logarithm, Number(Fraction(abs(times)))))
    above, below_ = split(coefficient)
    return divide(multiply(above, *sides[0]), multiply(below_, *sides[1]))


def _paired(logarithms: list[tuple[Expression, int]]) -> list[tuple[Expression, int]]:
    """Make ln x / ln b into logarithms to the base b, numbers first, with their exponents."""
    above = {argument: times for argument, times in logarithms if times > 0}
    below = {argument: -times for argument, times in logarithms if times < 0}
    found: list[tuple[Expression, int]] = []

    def pair(values: dict[Expression, int], bases: dict[Expression, int], sign: int) -> None:
        for value in sorted(values, key=_is_number):
            for base in sorted(bases, key=_is_number, reverse=True):
                times = min(values[value], bases[base])
                if times and (sign > 0 or (_is_number(base) and not _is_number(value))):
                    found.append((_logarithm(value, base), sign * times))
                    values[value] -= times
                    bases[base] -= times

    pair(below, above, -1)
    pair(above, below, 1)
    found += [(call("ln", value), times) for value, times in above.items() if times]
    found += [(call("ln", value), -times) for value, times in below.items() if times]
    return found


def _is_number(node: Expression) -> bool:
    return isinstance(node, Number)


def _logarithm(value: Expression, base: Expression) -> Expression:
    if isinstance(base, Number) and base.value in (2, 10):
        return call(f"log{base.value}", value)
    return call("log", value, base)


def _cases(node: Basic, done: Mapping[Basic, Expression]) -> Expression:
    *cases, (last, always) = node.args
    if always != sympy.true:
        raise UnsupportedExpression("Piecewise")
    result = done[last]
    for value, condition in reversed(cases):
        result = conditional(done[condition], done[value], result)
    return result


def _summation(node: Basic, done: Mapping[Basic, Expression]) -> Expression:
    result = done[node.args[0]]
    for limits in node.args[1:]:
        if len(limits) != 3:
            raise UnsupportedExpression("Sum")
        index, low, high = (done[part] for part in limits)
        assert isinstance(index, Symbol)
        result = trees.Sum(result, index, low, high)
    return result
