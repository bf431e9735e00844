"""Expression trees as SymPy expressions, for users' own SymPy code."""

from __future__ import annotations

from typing import TypeAlias

import sympy

from roofdsl.expression.condition import compare
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.tree import (
    INFINITY,
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Function,
    Logic,
    Multiply,
    Number,
    Power,
    Sum,
    Symbol,
)

Basic: TypeAlias = sympy.Basic  # an expression or a condition; SymPy has no type information

MOST_BITS_IN_POWER = 8192


def to_sympy(tree: Expression) -> Basic:
    """Return `tree` as a SymPy expression in symbols with the assumptions of its own.

    Numbers are exact; log2(x) is log(x)/log(2). Maxima, minima and conditions are left as they
    are: comparing their operands could take SymPy minutes.

    >>> n = Symbol("N", integer=True)
    >>> to_sympy(Divide(Multiply((n, n)), Function("log2", (n,))))
    N**2*log(2)/log(N)
    """
    truths = _truth_symbols(tree)
    done: dict[int, Basic] = {}
    for node in bottom_up(tree):
        operands = [done[id(operand)] for operand in operands_of(node)]
        done[id(node)] = _convert(node, operands, truths)
    return done[id(tree)]


def symbol_to_sympy(symbol: Symbol) -> Basic:
    """Return the SymPy symbol that stands for a name: integer or not, positive or just real.

    >>> symbol_to_sympy(Symbol("N", integer=True)).is_positive
    True
    """
    if symbol == INFINITY:
        return sympy.oo
    assumptions = {"positive": True} if symbol.positive else {"real": True}
    if symbol.integer:
        assumptions["integer"] = True
    return sympy.Symbol(symbol.name, **assumptions)


def _truth_symbols(tree: Expression) -> set[str]:
    """Return the names that stand where a condition does."""
    names: set[str] = set()
    for node in bottom_up(tree):
        if isinstance(node, Logic):
            conditions = node.operands
        elif isinstance(node, Conditional):
            conditions = (node.condition,)
        else:
            continue
        names.update(part.name for part in conditions if isinstance(part, Symbol))
    return names


def _convert(node: Expression, operands: list[Basic], truths: set[str]) -> Basic:
    match node:
        case Number(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Symbol(name):
            return sympy.Symbol(name) if name in truths else symbol_to_sympy(node)
        case Add():
            return sympy.Add(*operands)
        case Multiply():
            return sympy.Mul(*operands)
        case Divide():
            return operands[0] / operands[1]
        case Power():
            return _power(*operands)
        case Function(name, _):
            return _function(name, operands)
        case Comparison(relation, Number(left), Number(right)):
            return sympy.true if compare(relation, left, right) else sympy.false
        case Comparison(relation, _, _):
            return _RELATIONS[relation](*operands, evaluate=False)
        case Logic(operator, _):
            return _LOGIC[operator](*operands, evaluate=False)
        case Conditional():
            condition, consequence, alternative = operands
            branches = (consequence, condition), (alternative, sympy.true)
            return sympy.Piecewise(*branches, evaluate=False)
        case Sum():
            body, index, low, high = operands
            return sympy.Sum(body, (index, low, high))


_RELATIONS = {
    "==": sympy.Eq,
    "!=": sympy.Ne,
    "<": sympy.Lt,
    "<=": sympy.Le,
    ">": sympy.Gt,
    ">=": sympy.Ge,
}
_LOGIC = {"and": sympy.And, "or": sympy.Or, "not": sympy.Not}


def _power(base: Basic, exponent: Basic) -> Basic:
    """Return a power; one that SymPy would write out in too many digits stays a power."""
    if base.is_Rational and exponent.is_Rational and abs(base) != 1:
        size = int(base.p).bit_length() + int(base.q).bit_length()
        if size * abs(exponent) > MOST_BITS_IN_POWER:
            return sympy.Pow(base, exponent, evaluate=False)
    return sympy.Pow(base, exponent)


def _function(name: str, operands: list[Basic]) -> Basic:
    match name:
        case "log2":
            return sympy.log(operands[0]) / sympy.log(2)
        case "log10":
            return sympy.log(operands[0]) / sympy.log(10)
        case "log":
            return sympy.log(operands[0]) / sympy.log(operands[1])
        case "min":
            return sympy.Min(*operands, evaluate=False)
        case "max":
            return sympy.Max(*operands, evaluate=False)
        case "is_integer":
            return sympy.Contains(operands[0], sympy.S.Integers, evaluate=False)
    return _PLAIN[name](*operands)


_PLAIN = {
    "ln": sympy.log,
    "exp": sympy.exp,
    "abs": sympy.Abs,
    "ceil": sympy.ceiling,
    "floor": sympy.floor,
    "lambertw": sympy.LambertW,
}
