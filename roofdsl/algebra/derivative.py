"""Derivatives and elasticities of expressions, tree in, tree out; no SymPy needed."""

from __future__ import annotations

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import (
    add,
    call,
    divide,
    multiply,
    negate,
    number,
    power,
    subtract,
)
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Relation, Symbol


class NotDifferentiable(ValueError):
    """Raised for a formula with no derivative by a name: a `lambertw`, or a sum of such length."""


def elasticity(tree: Expression, name: str) -> Expression:
    """Return ∂ ln f / ∂ ln x = x f′ / f: how many per cent f grows if x grows by one.

    Piecewise where f is: an `if` chooses among the elasticities of its branches.

    >>> n = Symbol("N")
    >>> elasticity(multiply(number(3), n), "M")
    Number(value=Fraction(0, 1))
    """
    symbol = next((symbol for symbol in free_symbols(tree) if symbol.name == name), None)
    if symbol is None:
        return ZERO
    return divide(multiply(symbol, derivative(tree, name)), tree)


def derivative(tree: Expression, name: str) -> Expression:
    """Return the derivative of a tree by a name; jumps (`ceil`, `floor`) count as flat.

    >>> n = Symbol("N")
    >>> derivative(multiply(number(3), n), "N")
    Number(value=Fraction(3, 1))
    """
    done: dict[int, Expression] = {}
    for node in bottom_up(tree):
        done[id(node)] = _derivative(node, name, done)
    return done[id(tree)]


def _derivative(node: Expression, name: str, done: dict[int, Expression]) -> Expression:
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
        case trees.Conditional(condition, consequence, alternative):
            return _either(condition, done[id(consequence)], done[id(alternative)])
        case trees.Sum(body, index, low, high):
            if done[id(low)] != ZERO or done[id(high)] != ZERO:
                raise NotDifferentiable(f"the bounds of a sum depend on {name}")
            inner = done[id(body)]
            return ZERO if inner == ZERO else trees.Sum(inner, index, low, high)
        case trees.Function(function, arguments):
            return _function(function, arguments, done)


def _product(factors: tuple[Expression, ...], done: dict[int, Expression]) -> Expression:
    terms = []
    for place, factor in enumerate(factors):
        inner = done[id(factor)]
        if inner != ZERO:
            terms.append(multiply(*factors[:place], inner, *factors[place + 1 :]))
    return add(*terms) if terms else ZERO


def _quotient(above: Expression, below: Expression, done: dict[int, Expression]) -> Expression:
    up, down = done[id(above)], done[id(below)]
    if down == ZERO:
        return ZERO if up == ZERO else divide(up, below)
    lost = divide(multiply(above, down), power(below, number(2)))
    return negate(lost) if up == ZERO else subtract(divide(up, below), lost)


def _power(base: Expression, exponent: Expression, done: dict[int, Expression]) -> Expression:
    inner, outer = done[id(base)], done[id(exponent)]
    terms = []
    if inner != ZERO:
        terms.append(multiply(exponent, power(base, subtract(exponent, ONE)), inner))
    if outer != ZERO:
        terms.append(multiply(power(base, exponent), call("ln", base), outer))
    return add(*terms) if terms else ZERO


def _function(
    name: str, arguments: tuple[Expression, ...], done: dict[int, Expression]
) -> Expression:
    inner = [done[id(argument)] for argument in arguments]
    if all(each == ZERO for each in inner) or name in ("ceil", "floor", "is_integer"):
        return ZERO
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
        case "abs":
            condition = trees.Comparison(">=", arguments[0], ZERO)
            return _either(condition, inner[0], negate(inner[0]))
        case "min" | "max":
            return _extreme("<=" if name == "min" else ">=", arguments, inner)
    raise NotDifferentiable(f"there is no derivative of {name}")


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
    relation: Relation, arguments: tuple[Expression, ...], inner: list[Expression]
) -> Expression:
    """Return the derivative of the first argument that is the smallest or largest."""
    result = inner[-1]
    for place in range(len(arguments) - 2, -1, -1):
        conditions = tuple(
            trees.Comparison(relation, arguments[place], other) for other in arguments[place + 1 :]
        )
        condition = conditions[0] if len(conditions) == 1 else trees.Logic("and", conditions)
        result = _either(condition, inner[place], result)
    return result


def _either(condition: Expression, one: Expression, other: Expression) -> Expression:
    return one if one == other else trees.Conditional(condition, one, other)
