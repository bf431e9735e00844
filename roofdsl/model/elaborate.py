"""Elaborate a written expression: resolve its names, check its units, build its tree.

Each kind of syntax has one rule. A rule returns the formula, or None once it has reported why
there is none, so that one mistake gives one message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

from roofdsl.diagnostic import Diagnostic, Label, Reporter
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import conditional
from roofdsl.expression.condition import truth as known
from roofdsl.expression.construct import add, divide, multiply, negate, power
from roofdsl.expression.substitute import constant, free_symbols, substitute
from roofdsl.expression.tree import Expression, Number, Relation, Symbol
from roofdsl.model import functions, mismatch
from roofdsl.model.literal import literal
from roofdsl.model.precision import PRECISION
from roofdsl.model.scope import MOST_PARTS, Scope, within
from roofdsl.model.types import Formula, FunctionDefinition
from roofdsl.source import Span
from roofdsl.syntax import expressions
from roofdsl.syntax.expressions import ExpressionSyntax
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

LARGEST_POWER = 1000
MOST_EXPANSIONS = 20_000
DEEPEST_EXPANSION = 100
_MOST_LABELS = 4


def elaborate(node: ExpressionSyntax, scope: Scope) -> Formula | None:
    """Return the formula of a written expression, or None after reporting what is wrong."""
    return _RULES[type(node)](node, scope)


def plain(node: ExpressionSyntax, scope: Scope, what: str) -> Expression | None:
    """Elaborate an expression that must be a plain number; `what` says where it stands."""
    formula = choice(node, scope)
    if formula is None:
        return None
    if not fits(formula, DIMENSIONLESS):
        mismatch.not_plain(node.span, formula.dimension, what, scope)
        return None
    return formula.tree


def truth(node: ExpressionSyntax, scope: Scope) -> Expression | None:
    """Elaborate an expression that must be true or false."""
    formula = elaborate(node, scope)
    if formula is None:
        return None
    if not formula.truth:
        mismatch.not_a_truth(formula, node.span, scope)
        return None
    return formula.tree


def value(node: ExpressionSyntax, scope: Scope) -> Formula | None:
    """Elaborate an expression that must be a number, with or without a unit."""
    formula = choice(node, scope)
    if formula is not None and formula.dimension == PRECISION:
        mismatch.not_a_quantity(node.span, scope)
        return None
    return formula


def value_in(
    wanted: Dimension, node: ExpressionSyntax, target: str, declared: Span, scope: Scope
) -> Formula | None:
    """Elaborate a number given to `target`, declared with a unit: it has that unit, or is 0."""
    formula = value(node, scope)
    if formula is None or formula.dimension == wanted or is_zero(formula):
        return formula
    mismatch.assigned(target, formula, node.span, wanted, declared, scope)
    return None


def choice(node: ExpressionSyntax, scope: Scope) -> Formula | None:
    """Elaborate an expression that must be a number or a precision."""
    formula = elaborate(node, scope)
    if formula is not None and formula.truth:
        mismatch.not_a_number(node.span, scope)
        return None
    return formula


def is_zero(formula: Formula) -> bool:
    """Whether a formula is a literal 0, which fits any unit."""
    return isinstance(formula.tree, Number) and formula.tree.value == 0


def fits(formula: Formula, wanted: Dimension) -> bool:
    """Whether a formula has a dimension, or may have it; a 0 fits any but that of precisions."""
    given = formula.dimension
    return given == wanted or (is_zero(formula) and wanted != PRECISION) or not given.is_known


def _number(node: expressions.NumberLiteral, scope: Scope) -> Formula | None:
    if not node.uncertainty:
        return literal(node, scope)
    message = "a number with an uncertainty cannot be part of a formula"
    named = f"give the number a name, `let x = {mismatch.excerpt(node.span)}`, and use that"
    if node.span.source.begin:  # a value that is given, where there is no `let`
        named = "as a value, a number with ± stands alone"
    hint = scope.instead_of_uncertain or named
    scope.refuse("R0211", message, node.span, hint=hint)
    return None


def _chain(node: expressions.Chain, scope: Scope) -> Formula | None:
    if node.operators[0] in ("and", "or"):
        operands = [truth(operand, scope) for operand in node.operands]
        if None in operands:
            return None
        operator = cast("Any", node.operators[0])  # one of the two, as just asked
        return Formula(trees.Logic(operator, tuple(cast("list[Expression]", operands))), truth=True)
    formulas = [value(operand, scope) for operand in node.operands]
    if None in formulas:
        return None
    present = cast("list[Formula]", formulas)
    if node.operators[0] in "+-":
        return _sum(node, present, scope)
    return _product(node, present, scope)


def _sum(node: expressions.Chain, formulas: list[Formula], scope: Scope) -> Formula | None:
    what = {"+": "added", "-": "subtracted"}[node.operators[0]]
    operands = zip(formulas, (operand.span for operand in node.operands), strict=True)
    dimension = mismatch.common_dimension([*operands], what, scope)
    if dimension is None:
        return None
    terms = [formulas[0].tree]
    for operator, formula in zip(node.operators, formulas[1:], strict=True):
        terms.append(formula.tree if operator == "+" else negate(formula.tree))
    return Formula(add(*terms), dimension)


def _product(node: expressions.Chain, formulas: list[Formula], scope: Scope) -> Formula | None:
    dimension = formulas[0].dimension
    run = [formulas[0].tree]
    others = zip(node.operators, formulas[1:], node.operands[1:], strict=True)
    for operator, formula, operand in others:
        if operator == "*":
            run.append(formula.tree)
            dimension = dimension * formula.dimension
        elif is_zero(formula):
            place = Label(operand.span, "this is 0")
            scope.refuse("R0407", "nothing can be divided by 0", place)
            return None
        else:
            run = [divide(multiply(*run), formula.tree)]
            dimension = dimension / formula.dimension
    return Formula(multiply(*run), dimension)


def _prefix(node: expressions.Prefix, scope: Scope) -> Formula | None:
    if node.operator == "not":
        condition = truth(node.operand, scope)
        return None if condition is None else Formula(trees.Logic("not", (condition,)), truth=True)
    formula = value(node.operand, scope)
    if formula is None or node.operator == "+":
        return formula
    return formula._replace(tree=negate(formula.tree))


def _raised(node: expressions.Raised, scope: Scope) -> Formula | None:
    base = value(node.base, scope)
    exponent = plain(node.exponent, scope, "an exponent")
    if base is None or exponent is None:
        return None
    fixed = constant(exponent) if not free_symbols(exponent) else None
    if not free_symbols(exponent) and (fixed is None or abs(fixed) > LARGEST_POWER):
        mismatch.exponent_too_large(node, LARGEST_POWER, scope)
        return None
    dimension = base.dimension
    if fixed is None and dimension.is_known and dimension != DIMENSIONLESS:
        mismatch.exponent_not_literal(node, base, scope)
        return None
    return Formula(power(base.tree, exponent), dimension if fixed is None else dimension**fixed)


def _relation(node: expressions.RelationSyntax, scope: Scope) -> Formula | None:
    left, right = elaborate(node.left, scope), elaborate(node.right, scope)
    if left is None or right is None:
        return None
    if left.truth or right.truth:
        side, other = (node.left, node.right) if left.truth else (node.right, node.left)
        if isinstance(side, expressions.TruthLiteral):
            side, other = other, side
        shown = mismatch.excerpt(side.span)
        alone = f"true or false is not compared: write `{shown}` or `not {shown}`"
        hint = alone if left.truth and right.truth else None
        mismatch.not_a_number(side.span, scope, hint)
        return None
    for formula, side in ((left, node.left), (right, node.right)):
        if formula.dimension == PRECISION and node.relation not in ("==", "!="):
            mismatch.not_a_quantity(side.span, scope)
            return None
    pair = [(left, node.left.span), (right, node.right.span)]
    if mismatch.common_dimension(pair, "compared", scope) is None:
        return None
    relation = cast(Relation, node.relation)
    return Formula(trees.Comparison(relation, left.tree, right.tree), truth=True)


def _is_test(node: expressions.IsTest, scope: Scope) -> Formula | None:
    if node.path.text != "integer":
        return scope.tested(node)
    tree = plain(node.value, scope, "what is tested with `is integer`")
    return None if tree is None else Formula(trees.Function("is_integer", (tree,)), truth=True)


def _if_then_else(node: expressions.IfThenElse, scope: Scope) -> Formula | None:
    condition = truth(node.condition, scope)
    consequence, alternative = choice(node.consequence, scope), choice(node.alternative, scope)
    if condition is None or consequence is None or alternative is None:
        return None
    outcomes = [(consequence, node.consequence.span), (alternative, node.alternative.span)]
    dimension = mismatch.common_dimension(outcomes, "the two outcomes of one `if`", scope)
    if dimension is None:
        return None
    # In the body of a function what it is given may settle the condition, or a part of it.
    return Formula(conditional(condition, consequence.tree, alternative.tree), dimension)


def _sum_over(node: expressions.SumOver, scope: Scope) -> Formula | None:
    low = plain(node.low, scope, "a bound of a sum")
    high = plain(node.high, scope, "a bound of a sum")
    # No name has a `#`: what the body takes from elsewhere may have a parameter called like the
    # index in it.
    name = node.variable.name
    scope.expansion.indices += 1
    own = f"{name}#{scope.expansion.indices}"
    inner = within(scope, {name: Formula(Symbol(own, integer=True, positive=False))})
    body = value(node.body, inner)
    if low is None or high is None or body is None:
        return None
    taken = {symbol.name for symbol in free_symbols(body.tree)}
    number = 0
    while name in taken:
        number += 1
        name = f"{node.variable.name}_{number}"
    index = Symbol(name, integer=True, positive=False)
    return Formula(trees.Sum(substitute(body.tree, {own: index}), index, low, high), body.dimension)


def _call(node: expressions.Call, scope: Scope) -> Formula | None:
    name = node.function.name
    declared = scope.functions.get(name)
    if declared is not None:
        return _expand(node, declared, scope)
    if name in functions.BUILT_IN:
        return functions.call(node, scope, choice)
    if scope.knows_call(name):
        return scope.special(node)
    functions.unknown(node, scope)
    return None


def _expand(node: expressions.Call, definition: FunctionDefinition, scope: Scope) -> Formula | None:
    """Write a call out as the function's body with the arguments put in."""
    function, expansion = definition.declaration, scope.expansion
    names = tuple(parameter.name for parameter in function.parameters)
    arguments = functions.match_arguments(node, names, scope)
    if arguments is None:
        return None
    formulas = {key: choice(argument, scope) for key, argument in arguments.items()}
    if None in formulas.values():
        return None
    if not expansion.unfolds:
        expansion.count += 1
        return Formula(Symbol("?"), Dimension.unknown(f"{expansion.count}"))
    if not definition.sound:
        return None
    depth = 2 + getattr(function.body, "depth", 0)  # a name or a number has none
    expansion.count += 1
    if expansion.count > MOST_EXPANSIONS or expansion.depth + depth > DEEPEST_EXPANSION:
        functions.too_many_expansions(node, expansion.count > MOST_EXPANSIONS, scope)
        return None
    inner = scope.body_of(definition, cast("dict[str, Formula]", formulas))
    inner.report = partial(_report_inside, node, scope.report)
    expansion.depth += depth
    try:
        found = choice(function.body, inner)
    finally:
        expansion.depth -= depth
    if found is not None and expansion.sizes.of(found.tree) > MOST_PARTS:
        functions.too_many_expansions(node, True, scope)
        return None
    return found


def _report_inside(call: expressions.Call, report: Reporter, problem: Diagnostic) -> None:
    """Report a problem in the body of a function together with the call it shows in."""
    # The innermost calls are shown, and the outermost, which stands in the model.
    labels = problem.labels[: _MOST_LABELS - 1]
    place = Label(call.span, f"in this call of '{call.function.name}'")
    report(replace(problem, labels=(*labels, place)))


_Rule = Callable[[Any, Scope], Formula | None]  # each rule takes its own type of node

_RULES: dict[type, _Rule] = {
    expressions.NumberLiteral: _number,
    expressions.TruthLiteral: lambda node, _: Formula(known(node.value), truth=True),
    expressions.NameUse: lambda node, scope: scope.formula(node.name, node.span),
    expressions.Grouped: lambda node, scope: elaborate(node.inner, scope),
    expressions.Chain: _chain,
    expressions.Prefix: _prefix,
    expressions.Raised: _raised,
    expressions.RelationSyntax: _relation,
    expressions.IsTest: _is_test,
    expressions.IfThenElse: _if_then_else,
    expressions.SumOver: _sum_over,
    expressions.Call: _call,
    **dict.fromkeys(
        (expressions.Member, expressions.On, expressions.MachineValue),
        lambda node, scope: scope.special(node),
    ),
}
