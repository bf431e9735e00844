"""Whether two formulas mean the same: proven, disproven at a point, or neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, isclose, lcm

from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import OPPOSITE, conditional, is_condition, truth
from roofdsl.expression.construct import call, divide, subtract
from roofdsl.expression.normal_form import NormalForm, number_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import fold, operands_of, weight
from roofdsl.expression.substitute import free_symbols, rebuild, substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Relation, Symbol
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.typeset.text import text

LONGEST = 3000
"""Nodes of a formula from which on it is only compared as it is written."""

_POINTS = ((64, 256, 16, 1024), (36, 4, 144, 9), (1, 100, 25, 49), (4096, 16, 1, 64))
# Squares, so that `require sqrt(P) is integer` mostly holds: formulas that differ only where a
# model has no meaning are then not called different.
_SIGNLESS = ((1, 1, 2, 1), (0, 0, 1, 0), (1, 0, 1, 1), (0, 1, 3, 1))
# Switches, precisions, and numbers that may be 0: their symbols are not known to be positive.
_MIRRORED: dict[Relation, Relation] = {">": "<", ">=": "<="}
_NAMES: dict[type, str] = {
    trees.Comparison: "relation",
    trees.Function: "name",
    trees.Logic: "operator",
}
_JOINING: dict[str, trees.Operator] = {"and": "and", "or": "or"}


def same_form(one: Expression, other: Expression) -> bool:
    """Whether two formulas have one value by their normal forms, and differ in order only."""
    if one == other:
        return True
    forms = normal_form(one), normal_form(other)
    return None not in forms and forms[0] == forms[1]


def same_value(one: Expression, other: Expression) -> bool | None:
    """Whether two formulas, or two conditions, mean the same; None where neither is shown.

    The order of what is added, multiplied or compared does not count, nor do the names of indices.

    >>> from roofdsl.expression.construct import add, multiply, number
    >>> n, k = Symbol("N"), Symbol("k")
    >>> same_value(add(n, n), multiply(number(2), n)), same_value(n, k)
    (True, False)
    """
    if _written_alike(one, other):
        return True
    short = max(weight(tree, LONGEST) for tree in (one, other)) < LONGEST
    numbers = not (is_condition(one) or is_condition(other))
    if short:
        first, second = canonical(one), canonical(other)
        if first == second or (numbers and same_form(first, second)):
            return True
    if _differ_at_a_point(one, other):
        return False
    proven = short and numbers and simplify_ratio(divide(other, one)) == ONE
    return True if proven else None


def _written_alike(one: Expression, other: Expression) -> bool:
    """Whether two trees are equal; what they share of their parts is looked at once."""
    waiting = [(one, other)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        pair = first, second = waiting.pop()
        key = id(first), id(second)
        if first is second or key in seen:
            continue
        seen.add(key)
        below = [operands_of(node) for node in pair]
        if not below[0] and first != second:
            return False
        if type(first) is not type(second) or len(below[0]) != len(below[1]):
            return False
        names = [getattr(node, _NAMES.get(type(node), ""), None) for node in pair]
        if names[0] != names[1]:
            return False
        waiting += zip(*below, strict=True)
    return True


def canonical(tree: Expression) -> Expression:
    """Return a formula with what order and names leave open settled, inside `max`, `if` and sums.

    >>> one, two = Symbol("N", integer=True), Symbol("P")
    >>> canonical(trees.Comparison(">", one, ZERO)) == canonical(trees.Comparison("<=", ONE, one))
    True
    >>> canonical(call("max", one, two)) == canonical(call("max", two, one))
    True
    """
    if weight(tree, LONGEST) >= LONGEST:
        return tree
    return _short(fold(_indices_numbered(tree), _settled))


def _settled(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    """Return one node of a canonical formula, made of its operands, which are canonical."""
    match node:
        case trees.Comparison(relation):
            return _comparison(relation, *parts)
        case trees.Logic("not"):
            return _denied(parts[0])
        case trees.Logic(operator):
            return _joined(operator, parts)
        case trees.Function("min" | "max" as name):
            return _joined(name, [_short(part) for part in parts])
        case trees.Function("is_integer") if _is_whole(parts[0]):
            return truth(True)
        case trees.Function(name):
            return call(name, *(_short(part) for part in parts))
        case trees.Conditional():
            condition, consequence, alternative = parts
            return conditional(condition, _short(consequence), _short(alternative))
    return rebuild(node, parts)


def _indices_numbered(tree: Expression) -> Expression:
    """Return a formula with the indices of its sums named by how deep they nest: inner ones 1."""

    def numbered(
        node: Expression, parts: tuple[tuple[Expression, int], ...]
    ) -> tuple[Expression, int]:
        deepest = max((depth for _, depth in parts), default=0)
        built = rebuild(node, tuple(part for part, _ in parts))
        if not isinstance(built, trees.Sum):
            return built, deepest
        index = Symbol(f"#{deepest + 1}", built.index.integer, built.index.positive)
        body = substitute(built.body, {built.index.name: index})
        return trees.Sum(body, index, built.low, built.high), deepest + 1

    return fold(tree, numbered)[0]


def _is_whole(tree: Expression) -> bool:
    form = normal_form(tree)
    return form is not None and form.is_whole


def _short(tree: Expression) -> Expression:
    if is_condition(tree):
        return tree
    form = normal_form(tree)
    return tree if form is None else form.tree()


def _comparison(relation: Relation, left: Expression, right: Expression) -> Expression:
    """Return a comparison as one with 0: `2*N > 2` is `2 - N <= 0` for a whole N."""
    form = normal_form(subtract(left, right))
    if form is None:
        return trees.Comparison(relation, left, right)
    if relation in _MIRRORED:
        relation, form = _MIRRORED[relation], -form
    form = _scaled(form)
    if relation == "<" and form.is_whole:
        relation, form = "<=", form + number_form(1)
    tree = form.tree()
    if relation in ("==", "!="):
        tree = min(tree, (-form).tree(), key=text)
    return trees.Comparison(relation, tree, ZERO)


def _scaled(form: NormalForm) -> NormalForm:
    """Divide a form by the number above 0 that leaves whole coefficients without a factor."""
    numbers = [Fraction(coefficient) for coefficient in form.terms.values()]
    above = gcd(*(number.numerator for number in numbers))
    below = lcm(*(number.denominator for number in numbers))
    return form * number_form(Fraction(below, above)) if above else form


def _denied(condition: Expression) -> Expression:
    match condition:
        case trees.Comparison(relation, left, _):
            return _comparison(OPPOSITE[relation], left, ZERO)
        case trees.Logic("not", (operand,)):
            return operand
        case trees.Logic(operator, operands):
            other: trees.Operator = "or" if operator == "and" else "and"
            return _joined(other, [_denied(operand) for operand in operands])
        case _:
            return trees.Logic("not", (condition,))


def _joined(name: str, operands: Sequence[Expression]) -> Expression:
    """Return `max`, `and` or the like of its operands, each once: its own kind is taken apart."""
    flat: set[Expression] = set()
    for operand in operands:
        same = getattr(operand, _NAMES.get(type(operand), ""), None) == name
        flat.update(operands_of(operand) if same else (operand,))
    kept = tuple(sorted(flat, key=text))
    if len(kept) == 1:
        return kept[0]
    return trees.Logic(_JOINING[name], kept) if name in _JOINING else call(name, *kept)


def conjunction(conditions: Sequence[Expression]) -> frozenset[Expression]:
    """Return the single conditions that must hold together, without those that always do.

    >>> n = Symbol("N", integer=True)
    >>> above, below = trees.Comparison(">", n, ZERO), trees.Comparison("<", n, Symbol("P"))
    >>> len(conjunction([trees.Logic("and", (above, below)), truth(True)]))
    2
    """
    found: set[Expression] = set()
    for condition in conditions:
        if weight(condition, LONGEST) >= LONGEST:
            found.add(Symbol(f"condition {id(condition)}"))  # too long: compared with no other
            continue
        tree = canonical(condition)
        several = isinstance(tree, trees.Logic) and tree.operator == "and"
        found.update(operands_of(tree) if several else [tree])
    return frozenset(part for part in found if not _always_holds(part))


def _always_holds(condition: Expression) -> bool:
    try:
        return bool(evaluate(condition, {}))
    except (EvaluationError, OverflowError):
        return False


def _differ_at_a_point(one: Expression, other: Expression) -> bool:
    symbols = list({s.name: s for tree in (one, other) for s in free_symbols(tree)}.values())
    for values in _points(symbols):
        try:
            first, second = exact(one, values), exact(other, values)
            if first is not None and second is not None:
                if first != second:
                    return True
                continue
            rounded = {name: float(value) for name, value in values.items()}
            if not isclose(evaluate(one, rounded), evaluate(other, rounded), rel_tol=1e-9):
                return True
        except (EvaluationError, OverflowError):
            continue
    return False


def _points(symbols: Sequence[Symbol]) -> Iterator[dict[str, Fraction]]:
    for sizes, switches in zip(_POINTS, _SIGNLESS, strict=True):
        yield {
            symbol.name: Fraction((sizes if symbol.positive else switches)[place % len(sizes)])
            for place, symbol in enumerate(symbols)
        }
