"""The formulas that a prediction's bound hangs on, as the nodes of a certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from roofdsl.analysis.algebra import ByName
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import is_condition
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import INFINITY, ZERO, Expression, Number, Relation, Symbol
from roofdsl.verify.certificate import Node

_TURNED: dict[str, Relation] = {">": "<", ">=": "<="}
# Stands for what is unlimited: whatever is divided by it takes no time.
_UNLIMITED = -1
_MOST_DECIMALS = 20


class NoCertificate(Exception):  # it does not leave analysis
    """Raised where no certificate is found; says why."""


class Listing:
    """The algebra of nodes: a value is the number of a node, and equal nodes are one.

    `known` are the values of names, but for the unknown's.
    """

    def __init__(self, unknown: str, known: Mapping[str, Expression]) -> None:
        self.unknown = unknown
        self.known = known
        self.nodes: list[Node] = []
        self._places: dict[Node, int] = {}
        self._trees: dict[Expression, int] = {}
        self.zero = self.tree(ZERO)

    def node(self, kind: str, operands: Sequence[int] = (), text: str = "") -> int:
        found = Node(kind, tuple(operands), text)
        if found not in self._places:
            self._places[found] = len(self.nodes)
            self.nodes.append(found)
        return self._places[found]

    def number(self, value: Fraction | int) -> int:
        return self.node("number", (), shown(Fraction(value)))

    def of(self, tree: Expression) -> int:
        if tree not in self._trees:
            self._trees[tree] = self.tree(substitute(tree, self.known))
        return self._trees[tree]

    def rate(self, symbol: Symbol) -> int:
        return self.of(symbol)

    def add(self, values: Sequence[int]) -> int:
        some = [each for each in values if each != self.zero]
        return self.node("+", some) if len(some) > 1 else [*some, self.zero][0]

    def multiply(self, count: int, value: int) -> int:
        if self.zero in (count, value):
            return self.zero
        return value if self.nodes[count].text == "1" else self.node("*", (count, value))

    def divide(self, work: int, rate: int) -> int:
        return (
            self.zero if rate == _UNLIMITED or work == self.zero else self.node("/", (work, rate))
        )

    def largest(self, values: Sequence[int]) -> int:
        several = [*dict.fromkeys(values)]
        return self.node("pick", several * 2) if len(several) > 1 else several[0]

    def choice(self, values: Sequence[int], _: Sequence[ByName[int]]) -> tuple[int, ...]:
        return tuple(values)

    def chosen(self, choice: tuple[int, ...], tables: Sequence[ByName[int]]) -> ByName[int]:
        found: ByName[int] = {}
        for name in dict.fromkeys(name for table in tables for name in table):
            picked = [table.get(name, self.zero) for table in tables]
            same = len({*picked}) == 1
            found[name] = picked[0] if same else self.node("pick", (*choice, *picked))
        return found

    def ties(self, _: ByName[int]) -> tuple[str, ...]:
        return ()

    def tree(self, tree: Expression, indices: Mapping[str, int] | None = None) -> int:
        """Return the node of a formula of the unknown alone; `indices` are those of sums."""
        inside = indices or {}
        done: dict[int, int] = {}
        for part in bottom_up(tree, outside_sums):
            if isinstance(part, trees.Conditional):
                both = done[id(part.consequence)], done[id(part.alternative)]
                done[id(part)] = self._condition(part.condition, done, *both)
            elif not is_condition(part):
                own = [done[id(each)] for each in outside_sums(part)]
                done[id(part)] = self._node(part, own, inside)
        return done[id(tree)]

    def _first_largest(self, name: str, of: list[int]) -> int:
        turned = [self.node("*", (self.number(-1), each)) for each in of if name != "max"]
        if name == "abs":
            return self.largest([*of, *turned])
        return self.node("pick", (*turned, *of)) if turned else self.largest(of)

    def _condition(
        self, condition: Expression, of: Mapping[int, int], then: int, otherwise: int
    ) -> int:
        """Return what counts as a condition holds or not, by comparisons of two nodes each."""
        match condition:
            case trees.Logic("not", (inner,)):
                return self._condition(inner, of, otherwise, then)
            case trees.Logic(operator, operands):
                found = then if operator == "and" else otherwise
                for each in reversed(operands):
                    both = (found, otherwise) if operator == "and" else (then, found)
                    found = self._condition(each, of, *both)
                return found
            case trees.Function("is_integer", (inner,)):
                below = self.node("floor", (of[id(inner)],))
                return self.node("if ==", (of[id(inner)], below, then, otherwise))
            case trees.Comparison(relation, left, right):
                sides = of[id(left)], of[id(right)]
                if relation in (">", ">="):
                    relation, sides = _TURNED[relation], sides[::-1]
                if relation == "!=":
                    return self.node("if ==", (*sides, otherwise, then))
                return self.node(f"if {relation}", (*sides, then, otherwise))
        raise NoCertificate("the checker knows no such condition")

    def _node(self, part: Expression, of: list[int], indices: Mapping[str, int]) -> int:
        match part:
            case Number(value):
                return self.number(value)
            case Symbol(name=name) if name in indices:
                return indices[name]
            case Symbol(name=self.unknown):
                return self.node("x")
            case Symbol() if part == INFINITY:
                return _UNLIMITED
            case trees.Divide() if of[1] == _UNLIMITED:
                return self.zero
            case _ if _UNLIMITED in of:
                raise NoCertificate("what is unlimited stands inside a formula")
            case trees.Add():
                return self.node("+", of)
            case trees.Multiply():
                return self.node("*", of)
            case trees.Divide():
                return self.node("/", of)
            case trees.Power():
                return self.node("^", of)
            case trees.Function("min" | "max" | "abs" as name):
                return self._first_largest(name, of)
            case trees.Function("log2" | "log10" | "log" as name):
                base = self.number(int(name[3:])) if name[3:] else of[1]
                return self.node("/", (self.node("ln", of[:1]), self.node("ln", (base,))))
            case trees.Function("ln" | "exp" | "ceil" | "floor" as name):
                return self.node(name, of)
            case trees.Sum(body, index):
                own = self.node("index", (), str(len(self.nodes)))
                return self.node("sum", (own, self.tree(body, {**indices, index.name: own}), *of))
        raise NoCertificate(f"the checker knows no {type(part).__name__.lower()} '{part}'")


def shown(value: Fraction) -> str:
    """Return a number as it stands in certificates: a decimal where that ends soon, else exactly.

    >>> shown(Fraction(25, 2)), shown(Fraction(1, 3)), shown(Fraction(22 * 10**9))
    ('12.5', '1/3', '22000000000')
    """
    for digits in range(_MOST_DECIMALS):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            if not digits:
                break
            text = f"{abs(scaled.numerator):0{digits + 1}d}"
            return ("-" if value < 0 else "") + f"{text[:-digits]}.{text[-digits:]}"
    return str(value)
