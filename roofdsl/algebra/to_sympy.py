"""Expression trees as SymPy expressions, for users' own SymPy code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import sympy

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.tree import INFINITY, Expression, Number, Symbol

Basic: TypeAlias = sympy.Basic  # an expression or a condition; SymPy has no type information

DEEPEST = 150
MOST_BITS = 20_000
_TOO_LONG = f"a number of more than {MOST_BITS} bits"


def to_sympy(tree: Expression) -> Basic:
    """Return `tree` as a SymPy expression in symbols with the assumptions of its own.

    Numbers are exact; log2(x) is log(x)/log(2). Maxima, minima and conditions are left as they
    are: comparing their operands could take SymPy minutes; of what has no value they are nan.
    Raises OverflowError for numbers longer than `MOST_BITS`, which SymPy would write out, and for
    trees deeper than `DEEPEST`.

    >>> n = Symbol("N", integer=True)
    >>> to_sympy(trees.Divide(trees.Multiply((n, n)), trees.Function("log2", (n,))))
    N**2*log(2)/log(N)
    """
    nodes = bottom_up(tree)
    truths = _truths(nodes)
    done: dict[int, Basic] = {}
    depths: dict[int, int] = {}
    for node in nodes:
        parts = operands_of(node)
        depths[id(node)] = 1 + max((depths[id(part)] for part in parts), default=0)
        if depths[id(node)] > DEEPEST:
            raise OverflowError(f"a formula nested more than {DEEPEST} levels deep")
        operands = [done[id(part)] for part in parts]
        try:
            result = _convert(node, operands, truths)
        except (TypeError, ValueError):  # SymPy refuses to compare what has no value
            result = sympy.nan
        done[id(node)] = result
        if _bits(result) > MOST_BITS:
            raise OverflowError(_TOO_LONG)
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


class _Truths(NamedTuple):
    """Which names and which conditionals stand where a condition does."""

    names: frozenset[str]
    conditionals: frozenset[int]


def _truths(nodes: Sequence[Expression]) -> _Truths:
    """Find them among the nodes of a tree, each behind its operands."""
    found: dict[int, Expression] = {}
    for node in reversed(nodes):
        conditions: tuple[Expression, ...] = ()
        if isinstance(node, trees.Logic):
            conditions = node.operands
        elif isinstance(node, trees.Conditional):
            conditions = operands_of(node) if id(node) in found else (node.condition,)
        found.update((id(part), part) for part in conditions)
    truths = found.values()
    return _Truths(
        frozenset(part.name for part in truths if isinstance(part, Symbol)),
        frozenset(id(part) for part in truths if isinstance(part, trees.Conditional)),
    )


def _convert(node: Expression, operands: list[Basic], truths: _Truths) -> Basic:
    match node:
        case Number(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Symbol(name):
            return sympy.Symbol(name) if name in truths.names else symbol_to_sympy(node)
        case trees.Add():
            return sympy.Add(*operands)
        case trees.Multiply():
            return sympy.Mul(*operands)
        case trees.Divide():
            return operands[0] / operands[1]
        case trees.Power():
            return _power(*operands)
        case trees.Function(name, _):
            return _function(name, operands)
        case trees.Comparison(relation, Number(left), Number(right)):
            return sympy.true if compare(relation, left, right) else sympy.false
        case trees.Comparison(relation, _, _):
            if sympy.zoo in operands or sympy.nan in operands:
                return sympy.nan
            numbers = all(operand.is_number for operand in operands)
            return _RELATIONS[relation](*operands, evaluate=numbers)
        case trees.Logic(operator, _):
            return _logic(operator, *operands)
        case trees.Conditional():
            return _conditional(*operands, truth=id(node) in truths.conditionals)
        case trees.Sum():
            body, index, low, high = operands
            return _sum(body, index, sympy.ceiling(low), sympy.floor(high))


_RELATIONS = {
    "==": sympy.Eq, "!=": sympy.Ne,
    "<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge,
}  # fmt: skip
LOGIC: dict[trees.Operator, type[Basic]] = {"and": sympy.And, "or": sympy.Or, "not": sympy.Not}
_TRUTH = (sympy.true, sympy.false)


def _logic(operator: trees.Operator, *operands: Basic) -> Basic:
    return LOGIC[operator](*operands, evaluate=all(operand in _TRUTH for operand in operands))


def _conditional(condition: Basic, consequence: Basic, alternative: Basic, *, truth: bool) -> Basic:
    if condition in _TRUTH:
        return consequence if condition == sympy.true else alternative
    if truth:  # SymPy's conditions cannot hold a Piecewise
        otherwise = _logic("and", _logic("not", condition), alternative)
        return _logic("or", _logic("and", condition, consequence), otherwise)
    if condition.has(sympy.Piecewise):
        # SymPy would write it with ITE, and simplify that at the next one: at 0, which may fail.
        folded = sympy.piecewise_fold(condition, evaluate=False)
        condition = sympy.to_nnf(folded.rewrite(sympy.ITE), simplify=False)
    return sympy.Piecewise((consequence, condition), (alternative, sympy.true), evaluate=False)


def _sum(body: Basic, index: Basic, low: Basic, high: Basic) -> Basic:
    """Return a sum that is 0 when it has no term: SymPy's own is not if it lacks more than one."""
    if not (high - low + 1).is_nonnegative:
        high = _extreme(sympy.Max, [high, low - 1])
    return sympy.Sum(body, (index, low, high))


def _extreme(function: type[Basic], operands: list[Basic]) -> Basic:
    return function(*operands, evaluate=all(operand.is_Rational for operand in operands))


def _power(base: Basic, exponent: Basic) -> Basic:
    if exponent.is_Rational and _bits(base) * abs(exponent) > MOST_BITS:
        raise OverflowError(_TOO_LONG)
    return sympy.Pow(base, exponent)


def _bits(expression: Basic) -> int:
    """Return the length of the number in front of an expression, 0 for none."""
    number = expression.as_coeff_Mul()[0] if isinstance(expression, sympy.Expr) else sympy.S.One
    if not number.is_Rational or abs(number) == 1:
        return 0
    return int(number.p).bit_length() + int(number.q).bit_length()


def _function(name: str, operands: list[Basic]) -> Basic:
    match name:
        case "log2":
            return sympy.log(operands[0]) / sympy.log(2)
        case "log10":
            return sympy.log(operands[0]) / sympy.log(10)
        case "log":
            return sympy.log(operands[0]) / sympy.log(operands[1])
        case "min" | "max":
            return _extreme(sympy.Min if name == "min" else sympy.Max, operands)
        case "is_integer":
            # Not `Contains`, which stays undecided for log(3)/log(2).
            value = operands[0]
            if value.is_number and value.has(sympy.Sum):
                # Undecided in a condition, it would keep SymPy busy for ever.
                value = value.doit()
            return sympy.Eq(sympy.floor(value), value, evaluate=value.is_number)
    return PLAIN[name](*operands)


PLAIN = {
    "ln": sympy.log,
    "exp": sympy.exp,
    "abs": sympy.Abs,
    "ceil": sympy.ceiling,
    "floor": sympy.floor,
    "lambertw": sympy.LambertW,
}
