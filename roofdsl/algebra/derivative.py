"""Derivatives and elasticities of expressions, tree in, tree out; no SymPy needed.

Where a formula has a kink its derivatives to the two sides differ. A derivative to one side looks
at what `min`, `max`, `abs`, `if`, `ceil` and `floor` do just beside the point: of arguments that
are equal there, the one that grows faster towards that side is the largest on it. Where the formula
jumps on that side the derivative has no value: it is then a division by zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import conditional
from roofdsl.expression.construct import (
    add,
    call,
    divide,
    maximum,
    minimum,
    multiply,
    negate,
    number,
    power,
    subtract,
)
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Relation, Symbol

Side: TypeAlias = Literal[-1, 0, 1]
"""Towards smaller values, towards larger ones, or 0: where there is no kink."""
_Known: TypeAlias = Mapping[int, Expression]
"""The derivatives of a tree's nodes, by their ids."""
_NONE = trees.Divide(ONE, ZERO)


class NotDifferentiable(ValueError):
    """Raised for a formula with no derivative by a name: a `lambertw`, or a sum of such length."""


def elasticity(tree: Expression, name: str, side: Side = 0) -> Expression:
    """Return ∂ ln f / ∂ ln x = x f′ / f: how many per cent f grows if x grows by one.

    Piecewise where f is: an `if` chooses among the elasticities of its branches.

    >>> n = Symbol("N")
    >>> elasticity(multiply(number(3), n), "M")
    Number(value=Fraction(0, 1))
    """
    symbol = next((symbol for symbol in free_symbols(tree) if symbol.name == name), None)
    if symbol is None:
        return ZERO
    return divide(multiply(symbol, derivative(tree, name, side)), tree)


def derivative(tree: Expression, name: str, side: Side = 0) -> Expression:
    """Return the derivative of a tree by a name, to one side or where both are the same.

    >>> n = Symbol("N")
    >>> derivative(multiply(number(3), n), "N")
    Number(value=Fraction(3, 1))
    """
    done: dict[int, Expression] = {}
    for node in bottom_up(tree):
        done[id(node)] = _derivative(node, name, done, side)
    return done[id(tree)]


def _derivative(node: Expression, name: str, done: _Known, side: Side) -> Expression:
    match node:
        case Number() | trees.Comparison() | trees.Logic():
            return ZERO
        case Symbol(name=other):
            return ONE if other == name else ZERO
        case trees.Add(terms):
            return add(*(done[id(term)] for term in terms))
        case trees.Multiply(factors):
            return _product(factors, done)
        case trees.Divide(above, below):
            return _quotient(above, below, done)
        case trees.Power(base, exponent):
            return _power(base, exponent, done)
        case trees.Conditional():
            return _conditional(node, done, side)
        case trees.Sum(body, index, low, high):
            if done[id(low)] != ZERO or done[id(high)] != ZERO:
                raise NotDifferentiable(f"the bounds of a sum depend on {name}")
            inner = done[id(body)]
            return ZERO if inner == ZERO else trees.Sum(inner, index, low, high)
        case trees.Function(function, arguments):
            inner_ones = [done[id(argument)] for argument in arguments]
            if all(each == ZERO for each in inner_ones) or function == "is_integer":
                return ZERO
            if function in ("ceil", "floor"):
                return _jump(node, arguments[0], inner_ones[0], side)
            if function in ("min", "max"):
                return _extreme(function == "max", arguments, inner_ones, side)
            return _function(function, arguments, inner_ones, side)


def _product(factors: tuple[Expression, ...], done: _Known) -> Expression:
    terms = []
    for place, factor in enumerate(factors):
        inner = done[id(factor)]
        if inner != ZERO:
            terms.append(multiply(*factors[:place], inner, *factors[place + 1 :]))
    return add(*terms) if terms else ZERO


def _quotient(above: Expression, below: Expression, done: _Known) -> Expression:
    up, down = done[id(above)], done[id(below)]
    if down == ZERO:
        return ZERO if up == ZERO else divide(up, below)
    lost = divide(multiply(above, down), power(below, number(2)))
    return negate(lost) if up == ZERO else subtract(divide(up, below), lost)


def _power(base: Expression, exponent: Expression, done: _Known) -> Expression:
    inner, outer = done[id(base)], done[id(exponent)]
    terms = []
    if inner != ZERO:
        terms.append(multiply(exponent, power(base, subtract(exponent, ONE)), inner))
    if outer != ZERO:
        terms.append(multiply(power(base, exponent), call("ln", base), outer))
    return add(*terms) if terms else ZERO


def _function(
    name: str, arguments: tuple[Expression, ...], inner: list[Expression], side: Side
) -> Expression:
    match name:
        case "ln":
            return divide(inner[0], arguments[0])
        case "log2" | "log10":
            base = number(2 if name == "log2" else 10)
            return divide(inner[0], multiply(arguments[0], call("ln", base)))
        case "log":
            return _quotient_of_logarithms(arguments, inner)
        case "exp":
            return multiply(call("exp", arguments[0]), inner[0])
        case "abs":  # the larger of the argument and its opposite
            both = (arguments[0], negate(arguments[0]))
            return _extreme(True, both, [inner[0], negate(inner[0])], side)
    raise NotDifferentiable(f"there is no derivative of {name}")


def _jump(node: Expression, argument: Expression, inner: Expression, side: Side) -> Expression:
    """Return 0, but no value where `ceil` or `floor` steps as one leaves the point."""
    if not side:
        return ZERO
    # ceil(u) steps where u rises from a whole number, floor(u) where it falls from one.
    up = isinstance(node, trees.Function) and node.name == "ceil"
    whole = trees.Function("is_integer", (argument,))
    leaves = trees.Comparison(">" if up else "<", _towards(inner, side), ZERO)
    return conditional(trees.Logic("and", (whole, leaves)), _NONE, ZERO)


def _towards(inner: Expression, side: Side) -> Expression:
    """Return how fast a value grows as one goes to a side."""
    return negate(inner) if side < 0 else inner


def _quotient_of_logarithms(
    arguments: tuple[Expression, ...], inner: list[Expression]
) -> Expression:
    value, base = (call("ln", argument) for argument in arguments)
    terms = []
    if inner[0] != ZERO:
        terms.append(divide(inner[0], multiply(arguments[0], base)))
    if inner[1] != ZERO:
        lost = multiply(value, divide(inner[1], arguments[1]))
        terms.append(negate(divide(lost, power(base, number(2)))))
    return add(*terms)


def _extreme(
    largest: bool, arguments: tuple[Expression, ...], inner: list[Expression], side: Side
) -> Expression:
    """Return the derivative of the largest, or smallest, argument; the first of equals at side 0.

    To one side it is that of the argument which is the largest just beside the point.
    """
    relation: Relation = ">" if largest else "<"
    together = maximum if largest == (side > 0) else minimum
    best, result = arguments[-1], inner[-1]
    for argument, slope in zip(arguments[-2::-1], inner[-2::-1], strict=True):
        ahead = trees.Comparison(">=" if largest else "<=", argument, best)
        found = _either(ahead, slope, result)
        if side and slope != result:
            equal = trees.Comparison("==", argument, best)
            strictly = trees.Comparison(relation, argument, best)
            beside = together(slope, result)
            found = conditional(equal, beside, _either(strictly, slope, result))
        best, result = (maximum if largest else minimum)(argument, best), found
    return result


def _conditional(node: trees.Conditional, done: _Known, side: Side) -> Expression:
    one, other = node.consequence, node.alternative
    slopes = done[id(one)], done[id(other)]
    if not side:
        return _either(node.condition, *slopes)
    beside = _beside(node.condition, done, side)
    if beside is node.condition:
        return _either(beside, *slopes)
    # If the other branch is taken just beside the point, both must have one value at it.
    here = node.condition
    stays = trees.Logic("or", (_both(here, beside), _both(_not(here), _not(beside))))
    steady = trees.Logic("or", (stays, trees.Comparison("==", one, other)))
    return conditional(steady, _either(beside, *slopes), _NONE)


def _beside(condition: Expression, done: _Known, side: Side) -> Expression:
    """Return a condition as it is just beside the point; the same where the name is not in it."""
    match condition:
        case trees.Comparison(relation, left, right):
            if done[id(left)] == ZERO and done[id(right)] == ZERO:
                return condition
            gap = _towards(subtract(done[id(left)], done[id(right)]), side)
            equal = trees.Comparison("==", left, right)
            moved = trees.Comparison(relation, gap, ZERO)
            return trees.Logic("or", (_both(equal, moved), _both(_not(equal), condition)))
        case trees.Logic(operator, operands):
            parts = tuple(_beside(part, done, side) for part in operands)
            same = all(new is old for new, old in zip(parts, operands, strict=True))
            return condition if same else trees.Logic(operator, parts)
        case trees.Function("is_integer", (argument,)) if done[id(argument)] != ZERO:
            return _both(condition, trees.Comparison("==", done[id(argument)], ZERO))
    return condition


def _both(one: Expression, other: Expression) -> Expression:
    return trees.Logic("and", (one, other))


def _not(condition: Expression) -> Expression:
    return trees.Logic("not", (condition,))


def _either(condition: Expression, one: Expression, other: Expression) -> Expression:
    return one if one == other else conditional(condition, one, other)
