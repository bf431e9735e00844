"""Expressions compiled to JavaScript, on top of the functions of `arithmetic.js`.

No text of a user gets into the code: a name becomes an identifier that the caller chooses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isinf
from pathlib import Path

from roofdsl.expression import tree as trees
from roofdsl.expression.rational import as_float
from roofdsl.expression.schedule import Instruction, Loop, Schedule, schedule
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.sum_of_powers import degrees
from roofdsl.expression.tree import INFINITY, ONE, Expression, Number, Relation, Symbol

_IDENTIFIER = re.compile(r"[A-Za-z]\w*(\[\d+\]|\.[A-Za-z]\w*)*", re.ASCII)
_DEEPEST = 30
_MOST_ARGUMENTS = 500
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
    EvaluationError, it is NaN. Raises ValueError for a name without an identifier. There is no
    `lambertw`: closed forms have it, but no formula of a file does.

    >>> n = Symbol("N")
    >>> javascript(trees.Divide(trees.Power(n, Number(Fraction(3))), Symbol("<script>")))
    'divide(power(p[0], 3), p[1])'
    """
    if names is None:
        names = {symbol.name: f"p[{place}]" for place, symbol in enumerate(free_symbols(tree))}
    for identifier in names.values():
        if not _IDENTIFIER.fullmatch(identifier):
            raise ValueError(f"not an identifier of JavaScript: {identifier!r}")
    plan = schedule(tree)
    body = _Writer(plan, names).body(plan.steps, plan.result)
    has_sums = any(isinstance(step.node, trees.Sum) for step in plan.steps)
    return f"evaluated(() => {body})" if has_sums or body.startswith("{") else body


class _Writer:
    """Writes the steps of a schedule: a function's body, or that of the terms of a sum.

    What is used once is written where it is used; what else there is gets a name.
    """

    def __init__(self, plan: Schedule, identifiers: Mapping[str, str]) -> None:
        self.identifiers = identifiers
        self.named: set[int] = set()
        self._name(plan.steps, plan.result, set(), {})
        # By the slots, which begin with the outermost index.
        self.texts = {slot: f"${place}" for place, slot in enumerate(sorted(self.named), 1)}

    def _name(
        self, steps: Sequence[Instruction], result: int, outside: set[int], depths: dict[int, int]
    ) -> None:
        """Find what needs a name: indices, what is used twice or in a loop, what is nested deep."""
        own = {step.slot for step in steps if not isinstance(step.node, Number | Symbol)}
        uses = Counter([result, *(place for step in steps for place in step.operands)])
        self.named.update(
            slot for slot, count in uses.items() if slot in outside or (slot in own and count > 1)
        )
        for step in steps:
            depth = 1 + max((depths.get(place, 0) for place in step.operands), default=-1)
            if depth > _DEEPEST:
                self.named.add(step.slot)
            depths[step.slot] = 0 if step.slot in self.named else depth
            if step.loop:
                self.named.add(step.loop.index_slot)
                self._name(step.loop.steps, step.loop.body, outside | own, depths)

    def body(self, steps: Sequence[Instruction], result: int) -> str:
        """Return an expression, or a block of statements that returns its value."""
        statements = []
        for step in steps:
            text = self._text(step, [self.texts[place] for place in step.operands])
            if step.slot in self.named:
                statements.append(f"const {self.texts[step.slot]} = {text};")
            else:
                self.texts[step.slot] = text
        value = self.texts[result]
        return f"{{ {' '.join(statements)} return {value}; }}" if statements else value

    def _text(self, step: Instruction, operands: Sequence[str]) -> str:
        match step.node:
            case Number(value):
                return _number(value)
            case Symbol(name):
                if name not in self.identifiers and step.node != INFINITY:
                    raise ValueError(f"no identifier for the name {name!r}")
                return self.identifiers.get(name, "Infinity")
            case trees.Comparison(relation, _, _):
                return _COMPARISONS[relation].format(f"order({', '.join(operands)})")
            case trees.Sum():
                if step.loop is None:
                    return "NaN"
                term = self.body(step.loop.steps, step.loop.body)
                low, high = operands
                each = f"({self.texts[step.loop.index_slot]}) => {term}"
                return f"sumOver({low}, {high}, {each}{_growth(step.node, step.loop)})"
        function = _function(step.node)
        while len(operands) > _MOST_ARGUMENTS:  # of functions that take as many as one likes
            operands = [
                f"{function}({', '.join(operands[start : start + _MOST_ARGUMENTS])})"
                for start in range(0, len(operands), _MOST_ARGUMENTS)
            ]
        return f"{function}({', '.join(operands)})"


def _growth(node: trees.Sum, loop: Loop) -> str:
    """Return how far few terms of a sum tell all others: a last argument of `sumOver`, or none."""
    found = degrees(loop)
    if found is not None:
        return ", Infinity" if found.get(loop.body, 0) >= 0 else ""
    if not all(_is_smooth(step.node) for step in loop.steps):
        return ""  # what between the whole numbers is something else
    from roofdsl.expression.long_sum import long_parts  # few formulas have such sums

    early = isinstance(node.low, Number) and node.low.value < 1
    high = Symbol("high", integer=True)
    started = trees.Sum(node.body, node.index, node.low if early else ONE, high)
    return "" if long_parts(started, high) is None else ", 2"


def _is_smooth(node: Expression) -> bool:
    if isinstance(node, trees.Function):
        return node.name in ("log2", "ln", "log10", "log")
    return isinstance(node, trees.Add | trees.Multiply | trees.Divide | trees.Power)


def _number(value: Fraction) -> str:
    number = as_float(value)
    if isinf(number):
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
