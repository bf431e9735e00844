"""Expressions compiled to JavaScript, on top of the functions of `arithmetic.js`.

No text of a user gets into the code: a name becomes an identifier that the caller chooses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import depending, free_symbols
from roofdsl.expression.tree import HALF, INFINITY, Expression, Number, Relation, Symbol

_IDENTIFIER = re.compile(r"[A-Za-z]\w*(\[\d+\]|\.[A-Za-z]\w*)*", re.ASCII)
_THIRD = Number(Fraction(1, 3))
_DEEPEST = 30
_MOST_ARGUMENTS = 500
_DEEPEST_SUMS = 40
_COMPARISONS: dict[Relation, str] = {
    "==": "equal({})",
    "!=": "not(equal({}))",
    "<": "less({})",
    "<=": "atMost({})",
    ">": "not(atMost({}))",
    ">=": "not(less({}))",
}
_LOGIC = {"and": "all", "or": "any", "not": "not"}
_FUNCTIONS = {
    "log2": "log2",
    "ln": "ln",
    "log10": "log10",
    "log": "logarithm",
    "exp": "exponential",
    "abs": "abs",
    "min": "min",
    "max": "max",
    "ceil": "ceil",
    "floor": "floor",
    "is_integer": "isInteger",
    "lambertw": "lambertw",
}


def prelude() -> str:
    """Return the JavaScript functions that compiled expressions call.

    >>> "function divide(a, b)" in prelude()
    True
    """
    return Path(__file__).with_name("arithmetic.js").read_text(encoding="utf-8")


def exact_prelude() -> str:
    """Return functions of fractions to be called instead, in a scope within that of `prelude`.

    >>> "class Fraction" in exact_prelude()
    True
    """
    return Path(__file__).with_name("exact.js").read_text(encoding="utf-8")


def javascript(tree: Expression, names: Mapping[str, str] | None = None) -> str:
    """Return a JavaScript expression with the value of `tree` in SI base units.

    `names` maps each name in it to an identifier such as `speed` or `p[0]`; without it, they are
    `p[0]`, `p[1]`, … in the order of `free_symbols`. Identifiers that begin with `$` are used
    inside. The value is that of `numeric.scalar`, to a few roundings; where that raises
    EvaluationError, it is NaN. Raises ValueError for a name without an identifier.

    >>> n = Symbol("N")
    >>> javascript(trees.Divide(trees.Power(n, Number(Fraction(3))), Symbol("<script>")))
    'divide(power(p[0], 3), p[1])'
    """
    if names is None:
        names = {symbol.name: f"p[{place}]" for place, symbol in enumerate(free_symbols(tree))}
    for identifier in names.values():
        if not _IDENTIFIER.fullmatch(identifier):
            raise ValueError(f"not an identifier of JavaScript: {identifier!r}")
    code = _Code(names)
    scope = _Scope(code, None, "", "", frozenset())
    result = scope.place(tree)
    if not scope.statements and not code.has_sums:
        return result
    return f"evaluated(() => {_function_body(scope.statements, result)})"


def _function_body(statements: Sequence[str], result: str) -> str:
    return f"{{ {' '.join(statements)} return {result}; }}" if statements else result


class _Piece(NamedTuple):
    """JavaScript, and how deeply its calls are nested."""

    text: str
    depth: int = 0


class _Code:
    """What all scopes of one function share."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.count = 0
        self.open_sums = 0
        self.has_sums = False

    def new_name(self) -> str:
        self.count += 1
        return f"${self.count}"


class _Scope:
    """A function's body: that of the formulas, or of the terms of a sum.

    Each node is computed once, before the loops that do not change it; `own` are the nodes that
    need the index.
    """

    def __init__(
        self, code: _Code, outer: _Scope | None, index: str, identifier: str, own: frozenset[int]
    ) -> None:
        self.code = code
        self.outer = outer
        self.index = index
        self.identifier = identifier
        self.own = own
        self.statements: list[str] = []
        self.pieces: dict[int, _Piece] = {}

    def place(self, root: Expression) -> str:
        """Write the statements that a node needs, and return its expression."""
        nodes = bottom_up(root, self._operands)
        uses = Counter(id(operand) for node in nodes for operand in self._operands(node))
        for node in nodes:
            if id(node) not in self.pieces:
                self.pieces[id(node)] = self._piece(node, uses[id(node)])
        return self.pieces[id(root)].text

    def _operands(self, node: Expression) -> tuple[Expression, ...]:
        if id(node) in self.pieces or (self.outer and id(node) not in self.own):
            return ()
        return outside_sums(node)

    def _piece(self, node: Expression, uses: int) -> _Piece:
        if isinstance(node, Number):
            return _Piece(_number(node.value))
        if self.outer and id(node) not in self.own:
            return _Piece(self.outer.place_once(node))
        if isinstance(node, Symbol):
            return _Piece(self._name(node))
        operands = [self.pieces[id(operand)] for operand in outside_sums(node)]
        text = self._call(node, [operand.text for operand in operands])
        depth = 1 + max(operand.depth for operand in operands)
        if uses > 1 or depth > _DEEPEST:
            return _Piece(self._kept(text))
        return _Piece(text, depth)

    def place_once(self, node: Expression) -> str:
        """Return a name for the value of a node, as it is used in a loop."""
        text = self.place(node)
        if isinstance(node, Number | Symbol) or text.startswith("$"):
            return text
        kept = self._kept(text)
        self.pieces[id(node)] = _Piece(kept)
        return kept

    def _kept(self, text: str) -> str:
        name = self.code.new_name()
        self.statements.append(f"const {name} = {text};")
        return name

    def _name(self, symbol: Symbol) -> str:
        if self.outer and symbol.name == self.index:
            return self.identifier
        if symbol.name in self.code.names:
            return self.code.names[symbol.name]
        if symbol == INFINITY:
            return "Infinity"
        raise ValueError(f"no identifier for the name {symbol.name!r}")

    def _call(self, node: Expression, operands: Sequence[str]) -> str:
        if isinstance(node, trees.Sum):
            return self._sum(node, *operands)
        if isinstance(node, trees.Power) and node.exponent in (HALF, _THIRD):
            return f"{'sqrt' if node.exponent == HALF else 'cubeRoot'}({operands[0]})"
        if isinstance(node, trees.Comparison):
            return _COMPARISONS[node.relation].format(f"order({operands[0]}, {operands[1]})")
        function = _function(node)
        while len(operands) > _MOST_ARGUMENTS:  # of functions that take as many as one likes
            operands = [
                f"{function}({', '.join(operands[start : start + _MOST_ARGUMENTS])})"
                for start in range(0, len(operands), _MOST_ARGUMENTS)
            ]
        return f"{function}({', '.join(operands)})"

    def _sum(self, node: trees.Sum, low: str, high: str) -> str:
        self.code.has_sums = True
        if self.code.open_sums == _DEEPEST_SUMS:
            return "NaN"
        name, identifier = node.index.name, self.code.new_name()
        inner = _Scope(self.code, self, name, identifier, depending(node.body, name))
        self.code.open_sums += 1
        body = inner.place(node.body)
        self.code.open_sums -= 1
        term = _function_body(inner.statements, body)
        return f"sumOver({low}, {high}, ({identifier}) => {term})"


def _number(value: Fraction) -> str:
    try:
        number = float(value)
    except OverflowError:
        return "NaN"
    text = str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if Fraction(text) == value:
        return text
    return f"fraction({text}, {value.numerator}n, {value.denominator}n)"


def _function(node: Expression) -> str:
    match node:
        case trees.Add(terms):
            return "add" if len(terms) == 2 else "total"
        case trees.Multiply(factors):
            return "multiply" if len(factors) == 2 else "product"
        case trees.Divide():
            return "divide"
        case trees.Power():
            return "power"
        case trees.Function(name, _):
            return _FUNCTIONS[name]
        case trees.Logic(operator, _):
            return _LOGIC[operator]
        case trees.Conditional():
            return "choose"
    raise TypeError(node)
