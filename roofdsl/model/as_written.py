"""A formula in the shape of its text: nothing is folded or put in, and calls keep their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, cast

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import HALF, MINUS_ONE, Expression, Number, Symbol
from roofdsl.model.literal import literal
from roofdsl.model.scope import Scope
from roofdsl.syntax import expressions
from roofdsl.syntax.expressions import ExpressionSyntax

NOTHING: Mapping[str, Expression] = MappingProxyType({})


def as_written(
    node: ExpressionSyntax, scope: Scope, names: Mapping[str, Expression] = NOTHING
) -> Expression:
    """Return the tree of an expression of a model, which is sound, as it stands there.

    `2*8` stays a product, and so does `f(x)` a call: an argument that is given to the parameter of
    its own name, as `B` in `Sort(E, B, M)`, is left out, as it means nothing new. Where a function
    is called, the tree is to be shown, not to be computed with.

    >>> from roofdsl.source import Source
    >>> from roofdsl.syntax.parse import parse_expression
    >>> from roofdsl.typeset.text import text
    >>> node = parse_expression(Source("a file", "2*8*N/1"))
    >>> text(as_written(node, Scope(print, {}, {})))
    '2*8*N/1'
    """

    def of(part: ExpressionSyntax) -> Expression:
        return as_written(part, scope, names)

    match node:
        case expressions.NumberLiteral():
            formula = literal(node, scope)
            assert formula is not None, node  # of a model that is sound
            return formula.tree
        case expressions.NameUse(name=name):
            return names.get(name, Symbol(name))
        case expressions.TruthLiteral(value=value):
            return truth(value)
        case expressions.Grouped(inner=inner):
            return of(inner)
        case expressions.Chain(operators=operators, operands=operands):
            return _chain(operators, [of(operand) for operand in operands])
        case expressions.Prefix(operator=operator, operand=operand):
            if operator == "not":
                return trees.Logic("not", (of(operand),))
            return of(operand) if operator == "+" else _negated(of(operand))
        case expressions.Raised(base=base, exponent=exponent):
            return trees.Power(of(base), of(exponent))
        case expressions.RelationSyntax(relation=relation, left=left, right=right):
            # What the grammar knows as a relation is one.
            return trees.Comparison(cast("trees.Relation", relation), of(left), of(right))
        case expressions.IsTest(value=tested):
            return trees.Function("is_integer", (of(tested),))
        case expressions.IfThenElse(condition=condition, consequence=first, alternative=second):
            return trees.Conditional(of(condition), of(first), of(second))
        case expressions.SumOver(body=body, variable=variable, low=low, high=high):
            return trees.Sum(of(body), Symbol(variable.name), of(low), of(high))
        case expressions.Call():
            return _call(node, scope, of)
    raise TypeError(node)  # what is no formula of a model's


def _chain(operators: tuple[str, ...], operands: list[Expression]) -> Expression:
    if operators[0] in ("and", "or"):
        return trees.Logic(cast("Any", operators[0]), tuple(operands))  # one of the two
    if operators[0] in "+-":
        pairs = zip(operators, operands[1:], strict=True)
        rest = (operand if sign == "+" else _negated(operand) for sign, operand in pairs)
        return trees.Add((operands[0], *rest))
    run = [operands[0]]
    for operator, operand in zip(operators, operands[1:], strict=True):
        if operator == "*":
            run.append(operand)
        else:
            run = [trees.Divide(_product(run), operand)]
    return _product(run)


def _product(factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else trees.Multiply(tuple(factors))


def _negated(operand: Expression) -> Expression:
    match operand:
        case Number(value):
            return Number(-value)
        case trees.Multiply(factors):
            return trees.Multiply((MINUS_ONE, *factors))
    return trees.Multiply((MINUS_ONE, operand))


def _call(
    node: expressions.Call, scope: Scope, of: Callable[[ExpressionSyntax], Expression]
) -> Expression:
    name = node.function.name
    arguments = [argument.value for argument in node.arguments]
    if name in scope.functions:
        parameters = scope.functions[name].declaration.parameters
        new = [
            argument
            for argument, parameter in zip(arguments, parameters, strict=True)
            if not (isinstance(argument, expressions.NameUse) and argument.name == parameter.name)
        ]
        arguments = new or arguments
    operands = tuple(map(of, arguments))
    return trees.Power(operands[0], HALF) if name == "sqrt" else trees.Function(name, operands)
