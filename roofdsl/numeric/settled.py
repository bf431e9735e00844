"""Formulas over a box without the choices that come out alike all over it.

Enclosed by itself, each side of a comparison loses that both may depend on the same unknowns: of
a + b and b, which is the larger is then not known where b varies by more than a. So what stands on
both sides is taken away first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import inf
from sys import float_info

from roofdsl.allowance import Budget
from roofdsl.expression.condition import conditional, decided, truth
from roofdsl.expression.construct import add, call, subtract
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.substitute import free_symbols, rewritten
from roofdsl.expression.tree import (
    Add,
    Comparison,
    Conditional,
    Expression,
    Function,
    Logic,
    Number,
    Operator,
    Relation,
)
from roofdsl.numeric.enclosure import Enclosure, Ends
from roofdsl.numeric.over_box import Box, OverBox

_TINY = float_info.min
_MOST_OPTIONS = 8
"""Of more that may be the largest, no two are compared."""
_ONE_PAIR = 100.0
"""What it may take to compare two formulas."""
_TURNED: dict[Relation, Relation] = {"<": ">", "<=": ">="}


class Settling:
    """Settles choices over a box; what it has found serves all formulas that it is given.

    >>> from roofdsl.expression.construct import maximum, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n, m = Symbol("n"), Symbol("m")
    >>> settling = Settling({"n": (10.0, 20.0), "m": (1.0, 2.0)}, Budget())
    >>> settling.settled(maximum(n, add(n, m), number(5))) == add(n, m)
    True
    """

    def __init__(self, box: Box, budget: Budget) -> None:
        self._box = box
        self._budget = budget
        self._least: dict[Expression, float] = {}

    def settled(self, tree: Expression) -> Expression:
        """Return a formula that has the same values all over the box."""
        names = [symbol.name for symbol in free_symbols(tree)]
        if not names or not self._box.keys() >= {*names}:
            return tree
        whole = Enclosure(tree, names[0], beside=self._box)
        whole.over(*self._box[names[0]])
        self._budget.spend(whole.size)

        def found(node: Expression, operands: tuple[Expression, ...]) -> Expression | None:
            known: bool | None = None
            match node:
                case Function("max" | "min" as name, arguments):
                    ends = [whole.of(each)[:2] for each in arguments]
                    return self._extreme(name, operands, ends)
                case Function("is_integer", _):
                    form = normal_form(operands[0])
                    known = True if form is not None and form.is_whole else None
                case Comparison(relation, _, _):
                    low, high = whole.of(node)[:2]
                    known = bool(low) if low == high else self._compared(relation, *operands)
                case Logic(operator, _):
                    return _joined(operator, operands)
                case Conditional():
                    return _choice(*operands)
                case Add():
                    return _together(operands)
            return None if known is None else truth(known)

        return rewritten(tree, found)

    def _extreme(
        self, name: str, operands: Sequence[Expression], ends: Sequence[Ends]
    ) -> Expression | None:
        """Return the largest or least of those that may be it, None where that may be any."""
        if name == "min":  # of -u the largest
            ends = [(-high, -low) for low, high in ends]
        limit = max(low for low, _ in ends)
        may = [each for each, (_, high) in zip(operands, ends, strict=True) if high >= limit]
        kept = [*dict.fromkeys(may)]
        for one, other in permutations(kept, 2) if len(kept) <= _MOST_OPTIONS else ():
            pair = (one, other) if name == "max" else (other, one)
            if one in kept and other in kept and self._at_least(*pair):
                kept = [each for each in kept if each != other]
        return call(name, *kept) if len(kept) < len(operands) else None

    def _compared(self, relation: Relation, left: Expression, right: Expression) -> bool | None:
        """Return whether a relation holds all over the box, None where it may do either."""
        if relation in ("==", "!="):
            return None
        if relation in _TURNED:
            relation, left, right = _TURNED[relation], right, left
        holds, fails = self._at_least, self._above
        if relation == ">":
            holds, fails = fails, holds
        large, small = _options(left), _options(right)
        if len(large) * len(small) > _MOST_OPTIONS**2:
            return None
        if all(any(holds(one, other) for one in large) for other in small):
            return True
        if any(all(fails(other, one) for one in large) for other in small):
            return False
        return None

    def _at_least(self, one: Expression, other: Expression) -> bool:
        return self._least_difference(one, other) >= 0

    def _above(self, one: Expression, other: Expression) -> bool:
        return self._least_difference(one, other) > 0

    def _least_difference(self, one: Expression, other: Expression) -> float:
        """Return a number that one formula is never less above another."""
        gap = _difference(one, other)
        if gap not in self._least:
            self._least[gap] = self._lowest(gap)
        return self._least[gap]

    def _lowest(self, gap: Expression) -> float:
        if isinstance(gap, Number):
            return float(gap.value)
        if not self._budget.left:
            return -inf
        over = OverBox(gap, self._box)
        self._budget.spend(over.size)
        return _TINY if over.is_positive else over.range(self._budget.limited(_ONE_PAIR)).low


def _joined(operator: Operator, operands: Sequence[Expression]) -> Expression:
    """Return conditions without those that settle nothing."""
    if operator == "not":
        return Logic(operator, tuple(operands))
    settling = operator == "or"
    known = [decided(each) for each in operands]
    if settling in known:
        return truth(settling)
    rest = tuple(x for x, truth_value in zip(operands, known, strict=True) if truth_value is None)
    return Logic(operator, rest) if len(rest) > 1 else rest[0] if rest else truth(not settling)


def _choice(condition: Expression, yes: Expression, no: Expression) -> Expression:
    """Return a choice, by `>=` where it is by a comparison: of two that are opposite, by one."""
    if yes == no:
        return yes
    if isinstance(condition, Comparison):
        relation, left, right = condition.relation, condition.left, condition.right
        if relation in ("<=", ">"):
            left, right = right, left
        if relation in ("<", ">"):
            yes, no = no, yes
        if relation not in ("==", "!="):
            condition = Comparison(">=", left, right)
    return conditional(condition, yes, no)


def _together(terms: Sequence[Expression]) -> Expression:
    """Return a sum in which choices by one condition are one choice."""
    chosen: dict[Expression, tuple[list[Expression], list[Expression]]] = {}
    rest: list[Expression] = []
    for term in terms:
        if isinstance(term, Conditional):
            yes, no = chosen.setdefault(term.condition, ([], []))
            yes.append(term.consequence)
            no.append(term.alternative)
        else:
            rest.append(term)
    choices = (conditional(on, add(*yes), add(*no)) for on, (yes, no) in chosen.items())
    return add(*rest, *choices)


def _options(tree: Expression) -> tuple[Expression, ...]:
    """Return what the larger side of a comparison is the largest of."""
    return tree.arguments if isinstance(tree, Function) and tree.name == "max" else (tree,)


def _difference(one: Expression, other: Expression) -> Expression:
    """Return a difference without what is added on both sides."""
    above, below = _terms(one), _terms(other)
    for term in [*below]:
        if term in above:
            above.remove(term)
            below.remove(term)
    return subtract(add(*above), add(*below))


def _terms(tree: Expression) -> list[Expression]:
    return [*tree.terms] if isinstance(tree, Add) else [tree]
