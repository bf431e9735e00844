"""Put expressions in the place of names, and find the names of an expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import is_

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import conditional, decided
from roofdsl.expression.construct import add, call, divide, multiply, power
from roofdsl.expression.order import bottom_up_each, fold, operands_of, outside_sums
from roofdsl.expression.tree import Expression, Number, Symbol


def substitute(tree: Expression, values: Mapping[str, Expression]) -> Expression:
    """Return `tree` with each name of `values` replaced, all at once.

    What has none of the names is the same object afterwards, and what was shared stays shared; the
    rest is built anew, numbers folded. The index of a `Sum` is its own: it is not replaced, and it
    is renamed where a replacement contains a name like it.

    >>> from roofdsl.expression.construct import number
    >>> n = Symbol("N")
    >>> substitute(multiply(number(2), n), {"N": number(21)})
    Number(value=Fraction(42, 1))
    """
    if type(tree) is Symbol:
        return values.get(tree.name, tree)
    if type(tree) is Number:
        return tree
    return substitute_each((tree,), values)[0]


def substitute_each(
    expressions: Sequence[Expression], values: Mapping[str, Expression]
) -> tuple[Expression, ...]:
    """Return each of several trees as `substitute` does, faster where they share their parts.

    >>> n = Symbol("N")
    >>> n_plus_n = add(n, n)
    >>> substitute_each((n, n_plus_n), {"N": Symbol("M")})[1].terms[0].name
    'M'
    """
    if not values or not expressions:
        return tuple(expressions)
    new: dict[int, Expression] = {}
    opened: dict[int, tuple[Expression, ...]] = {}
    waiting = [*expressions]
    while waiting:
        node = waiting.pop()
        key = id(node)
        if key in new:
            continue
        below = opened.get(key)
        if below is None:
            if type(node) is Symbol or type(node) is Number:
                new[key] = values.get(node.name, node) if type(node) is Symbol else node
                continue
            below = opened[key] = _visited(node, values)
            later: list[Expression] = []
            for each in below:
                if type(each) is Symbol:
                    new[id(each)] = values.get(each.name, each)
                elif type(each) is Number:
                    new[id(each)] = each
                elif id(each) not in new:
                    later.append(each)
            if later:
                waiting.append(node)
                waiting += later
                continue
        new[key] = _replaced(node, below, [new[id(each)] for each in below], values)
    return tuple([new[id(tree)] for tree in expressions])


def _visited(node: Expression, values: Mapping[str, Expression]) -> tuple[Expression, ...]:
    """Return what is put in by itself below a node.

    Bodies of sums are visited on their own, with the index taken out of `values`, and what a
    parameter switches off is not visited at all.
    """
    if type(node) is trees.Conditional and type(node.condition) is Symbol:
        chosen = _switched(node, values.get(node.condition.name))
        if chosen is not None:
            return (chosen,)
    return outside_sums(node)


def _replaced(
    node: Expression,
    below: Sequence[Expression],
    replaced: Sequence[Expression],
    values: Mapping[str, Expression],
) -> Expression:
    if type(node) is trees.Sum:
        low, high = replaced
        return _substitute_sum(node, low, high, values)
    if type(node) is trees.Conditional and len(below) == 1:
        return replaced[0]
    return node if all(map(is_, below, replaced)) else rebuild(node, tuple(replaced))


def _switched(node: trees.Conditional, condition: Expression | None) -> Expression | None:
    """Return the outcome that a condition settles on, None where it is open."""
    known = None if condition is None else decided(condition)
    if known is None:
        return None
    return node.consequence if known else node.alternative


def _substitute_sum(
    node: trees.Sum, low: Expression, high: Expression, values: Mapping[str, Expression]
) -> trees.Sum:
    inner = {name: value for name, value in values.items() if name != node.index.name}
    names = {symbol.name for symbol in free_symbols(node.body)}
    inner = {name: value for name, value in inner.items() if name in names}
    taken = {symbol.name for value in inner.values() for symbol in free_symbols(value)}
    index = node.index
    if index.name in taken:
        count = 1
        while (name := f"{index.name}_{count}") in taken | names:
            count += 1
        index = Symbol(name, integer=index.integer, positive=index.positive)
        inner[node.index.name] = index
    body = substitute(node.body, inner)
    if body is node.body and low is node.low and high is node.high:
        return node
    return trees.Sum(body, index, low, high)


def rebuild(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    """Return a node like `node` with other operands, in the order of `operands_of`, folded.

    >>> from roofdsl.expression.construct import number
    >>> rebuild(add(Symbol("N"), number(1)), (number(2), number(1)))
    Number(value=Fraction(3, 1))
    """
    match node:
        case Number() | Symbol():
            return node
        case trees.Add():
            return add(*parts)
        case trees.Multiply():
            return multiply(*parts)
        case trees.Divide():
            return divide(*parts)
        case trees.Power():
            return power(*parts)
        case trees.Function(name, _):
            return call(name, *parts)
        case trees.Comparison(relation, _, _):
            return trees.Comparison(relation, *parts)
        case trees.Logic(operator, _):
            return trees.Logic(operator, parts)
        case trees.Conditional():
            return conditional(*parts)
        case trees.Sum():
            body, index, low, high = parts
            assert isinstance(index, Symbol)
            return trees.Sum(body, index, low, high)


def rewritten(
    tree: Expression,
    change: Callable[[Expression, tuple[Expression, ...]], Expression | None],
) -> Expression:
    """Return a tree in which some nodes are others, found from the bottom up outside of sums.

    `change` gets a node and what has become of its operands; it returns None for what is to stay.
    What nothing changes in is the same object afterwards.

    >>> n = Symbol("N")
    >>> rewritten(add(n, trees.ONE), lambda node, _: trees.ONE if node == n else None)
    Number(value=Fraction(2, 1))
    """

    def made(node: Expression, operands: tuple[Expression, ...]) -> Expression:
        found = change(node, operands)
        if found is not None:
            return found
        if all(old is now for old, now in zip(outside_sums(node), operands, strict=True)):
            return node
        if isinstance(node, trees.Sum):
            return trees.Sum(node.body, node.index, *operands)
        return rebuild(node, operands)

    return fold(tree, made, outside_sums)


def constant(tree: Expression) -> Fraction | None:
    """Return the number an expression folds to, or None if it does not: it has a name in it, say.

    >>> constant(trees.Divide(trees.ONE, trees.HALF))
    Fraction(2, 1)
    """
    result = fold(tree, rebuild)
    return result.value if isinstance(result, Number) else None


def free_symbols(tree: Expression) -> tuple[Symbol, ...]:
    """Return the names an expression depends on, each once, in order of appearance.

    >>> n, k = Symbol("N"), Symbol("k")
    >>> [symbol.name for symbol in free_symbols(trees.Sum(multiply(n, k), k, n, k))]
    ['N', 'k']
    """
    if type(tree) is Number:
        return ()
    if type(tree) is Symbol:
        return (tree,)
    found: dict[str, Symbol] = {}
    seen: set[tuple[int, frozenset[str]]] = set()
    stack: list[tuple[Expression, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, bound = stack.pop()
        if isinstance(node, Symbol):
            if node.name not in bound:
                found.setdefault(node.name, node)
            continue
        if (id(node), bound) in seen:
            continue
        seen.add((id(node), bound))
        if isinstance(node, trees.Sum):
            stack.extend(((node.high, bound), (node.low, bound)))
            stack.append((node.body, bound | {node.index.name}))
        else:
            stack.extend([(operand, bound) for operand in operands_of(node)[::-1]])
    return tuple(found.values())


def depending(tree: Expression, name: str) -> frozenset[int]:
    """Return the ids of the nodes of a tree that depend on a name; an index is no such name.

    >>> n = Symbol("N")
    >>> double = add(n, n)
    >>> depending(multiply(double, Symbol("P")), "P") & {id(n), id(double)}
    frozenset()
    """
    found: set[int] = set()
    for node in bottom_up_each((tree,)):
        if isinstance(node, Symbol):
            depends = node.name == name
        else:
            shadowed = isinstance(node, trees.Sum) and node.index.name == name
            below = outside_sums(node) if shadowed else operands_of(node)
            depends = any(id(operand) in found for operand in below)
        if depends:
            found.add(id(node))
    return frozenset(found)


def closed(expressions: Sequence[Expression]) -> list[bool]:
    """Return of each of several trees whether it depends on no name; `free_symbols` says on which.

    >>> from roofdsl.expression.construct import number
    >>> k = Symbol("k")
    >>> closed((number(1), k, trees.Sum(k, k, number(1), number(3))))
    [True, False, True]
    """
    nothing = frozenset[str]()
    names: dict[int, frozenset[str]] = {}
    for node in bottom_up_each(expressions) if expressions else ():
        if isinstance(node, Symbol):
            names[id(node)] = frozenset((node.name,))
            continue
        found = nothing
        for operand in outside_sums(node):
            found = found | names[id(operand)] if found else names[id(operand)]
        if isinstance(node, trees.Sum):
            found = found | (names[id(node.body)] - {node.index.name})
        names[id(node)] = found
    return [not names[id(tree)] for tree in expressions]
