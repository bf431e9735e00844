"""What a formula does over a whole interval of one unknown: the bounds of its values and slopes.

Each node is computed once, from the bottom up. Where `ceil`, `floor` or `if` may jump within the
interval, they are enclosed by what they lie between (u ≤ ceil u < u + 1), and the jumps counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import gcd, inf, isinf
from types import MappingProxyType
from typing import TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add
from roofdsl.expression.order import bottom_up, outside_sums, sum_levels
from roofdsl.expression.polynomial import polynomial
from roofdsl.expression.sign import known_bounds
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import INFINITY, Expression, Number, Symbol
from roofdsl.numeric import interval
from roofdsl.numeric.choice import (
    EITHER,
    FALSE,
    TRUE,
    absolute,
    compared,
    hull,
    joined,
    largest,
    shifted,
    smallest,
    whole_values,
)
from roofdsl.numeric.interval import ANYTHING, Bounds, around

Ends: TypeAlias = tuple[float, float]
NOTHING_BESIDE: Mapping[str, Ends] = MappingProxyType({})
MOST_SUMMANDS = 256
# Of a sum that jumps more often in an interval nothing is known.
_MOST_JUMPS = 4
_MOST_ANEW = 64
_Step = Callable[[list[Bounds]], Bounds]


class Enclosure:
    """A formula of one unknown x > 0, compiled; `integer`: of whole x only.

    `beside`: other names in it, each with the ends it lies between whatever x is. `summands`: of a
    sum with more terms, those of sums in them counted, nothing is known.
    `jumps`: 0 where the last interval has none for certain, else about how many one `ceil`, `floor`
    or `if` may have had; `nowhere`: whether it is certain to be undefined all over it; `size`: its
    operations.

    >>> from roofdsl.expression.construct import multiply
    >>> n = Symbol("N")
    >>> square = Enclosure(multiply(n, n), "N")
    >>> square.over(1.0, 4.0)
    (0.99..., 16.0..., 2.0, 2.0)
    """

    def __init__(
        self,
        tree: Expression,
        name: str,
        *,
        integer: bool = False,
        summands: int = MOST_SUMMANDS,
        beside: Mapping[str, Ends] = NOTHING_BESIDE,
    ) -> None:
        self.tree = tree
        self._beside = beside
        self._others: list[tuple[str, int]] = []
        self._summands = summands
        self.jumps = 0.0
        self.nowhere = False
        self.name = name
        self._integer = integer
        self._wide = False
        self._jumping: set[int] = set()
        self._low = self._high = 0.0
        self._places: dict[int, int] = {}
        self._registers: list[Bounds] = []
        self._steps: list[tuple[int, _Step]] = []
        self._unknowns: list[int] = []
        self._written_out = 0
        # Only what is computed for every x may make the formula undefined: the logarithm of a
        # negative number in a branch that is not taken does no harm.
        self._certain = {id(node) for node in bottom_up(tree, _always)}
        for node in bottom_up(tree, outside_sums):
            self._place(node)
        self._result = self._places[id(tree)]
        self.size = len(self._steps) + self._written_out

    def put_beside(self, ends: Mapping[str, Ends]) -> None:
        """Let the other names lie between other ends."""
        self._beside = ends
        for name, place in self._others:
            self._registers[place] = (*ends[name], 0.0, 0.0)

    def over(self, low: float, high: float) -> Bounds:
        """Return the bounds over an interval."""
        self._wide = False
        self.jumps = 0.0
        if self._jumping:
            self._jumping.clear()
        return self._run(low, high)

    def near(self, low: float, high: float) -> Bounds:
        """Return the bounds at a point of the last interval, with all that the jumps there may do.

        What jumps in the interval is not computed at the point, but enclosed: with `ceil u` as
        u + t for one unknown t from 0 to 1 all over the interval, the formula has no jumps, and the
        slopes found over the interval lead from the point to any other.
        """
        self._wide = True
        return self._run(low, high)

    def of(self, node: Expression) -> Bounds:
        """Return what the last call found for a node of the tree."""
        return self._registers[self._places[id(node)]]

    def _run(self, low: float, high: float) -> Bounds:
        registers = self._registers
        self._low, self._high = low, high
        self.nowhere = False
        for place in self._unknowns:
            registers[place] = (low, high, 1.0, 1.0)
        for place, step in self._steps:
            registers[place] = step(registers)
        # Not a number, or a lower bound above the upper one, comes of ∞ - ∞ and the like.
        result = registers[self._result]
        return result if result[0] <= result[1] else ANYTHING

    def _place(self, node: Expression) -> None:
        place = len(self._registers)
        self._places[id(node)] = place
        self._registers.append(ANYTHING)
        if isinstance(node, Number):
            self._registers[place] = interval.constant(node.value)
        elif node == INFINITY:
            self._registers[place] = (inf, inf, 0.0, 0.0)
        elif isinstance(node, Symbol):
            if node.name == self.name:
                self._unknowns.append(place)
            elif node.name in self._beside:
                self._registers[place] = (*self._beside[node.name], 0.0, 0.0)
                self._others.append((node.name, place))
            else:
                raise ValueError(f"{node.name!r} has no value")
        else:
            places = [self._places[id(each)] for each in outside_sums(node)]
            step = self._step(node, places, place)
            if id(node) in self._certain:
                step = self._checked(node, places, step)
            self._steps.append((place, step))

    def _checked(self, node: Expression, places: Sequence[int], step: _Step) -> _Step:
        """Notice where a logarithm, a root or a quotient is nowhere defined."""
        match node:
            case trees.Function("log2" | "ln" | "log10" | "log", _):
                operand, limit = places[0], 0.0
            case trees.Power(_, Number(value)) if value.denominator != 1:
                operand, limit = places[0], -5e-324
            case _:
                return step

        def checked(registers: list[Bounds]) -> Bounds:
            if registers[operand][1] <= limit:
                self.nowhere = True
            return step(registers)

        return checked

    def _step(self, node: Expression, places: Sequence[int], place: int) -> _Step:
        match node:
            case trees.Add():
                return lambda r: interval.add([r[each] for each in places])
            case trees.Multiply():
                return lambda r: interval.multiply([r[each] for each in places])
            case trees.Divide():
                above, below = places
                return lambda r: interval.divide(r[above], r[below])
            case trees.Power(_, exponent):
                return _power(exponent, places)
            case trees.Function("ceil" | "floor" as name, (argument,)):
                return self._rounding(name, argument, places[0], place)
            case trees.Function("is_integer", _):
                return self._whole(places[0])
            case trees.Function(name, _):
                return _function(name, places)
            case trees.Comparison(relation, _, _):
                left, right = places
                return lambda r: compared(relation, r[left], r[right])
            case trees.Logic(operator, _):
                return lambda r: joined(operator, [r[each] for each in places])
            case trees.Conditional():
                return self._choice(places, place)
            case trees.Sum():
                return self._sum(node, places, place)
            case _:
                raise TypeError(node)

    def _rounding(self, name: str, argument: Expression, operand: int, place: int) -> _Step:
        # Where q·u is always whole, ceil u - u is one of 0, 1/q, …, 1 - 1/q, never more: the reach
        # of a jump is as much smaller than 1.
        lattice = self._lattice(argument)
        reach = 1 - 1 / lattice if lattice else 1.0
        below, above = (0.0, reach) if name == "ceil" else (-reach, 0.0)

        def rounding(registers: list[Bounds]) -> Bounds:
            bounds = registers[operand]
            if not (self._wide and place in self._jumping):
                # With one whole number all over the interval there is no jump. Else the numbers
                # between tell few jumps from many: u may pass one of them more than once.
                first, last = whole_values(bounds, name, lattice)
                if first == last and not isinf(first):
                    return first, first, 0.0, 0.0
                if not self._wide:
                    self._jumping.add(place)
                    self.jumps = max(self.jumps, last - first)
            return shifted(bounds, below, above)

        return rounding

    def _lattice(self, argument: Expression) -> int:
        """Return q if q·argument is a whole number for every whole x, else 0."""
        found = polynomial(argument, self.name) if self._integer else None
        if found is None:
            return 0
        least = 1
        for degree, coefficient in found.terms.items():
            value = coefficient.constant
            if value is None or degree.log or degree.x < 0 or degree.x.denominator != 1:
                return 0
            least = least * value.denominator // gcd(least, value.denominator)
        return least if least < 2**31 else 0

    def _whole(self, operand: int) -> _Step:
        def whole(registers: list[Bounds]) -> Bounds:
            low, high, _, _ = registers[operand]
            first, last = whole_values(registers[operand], "ceil", 0)
            if last - first == 0 and low > first - 1 and high < first:
                return FALSE
            if low == high == first:
                return TRUE
            if not self._wide:
                self.jumps = max(self.jumps, 2 * (last - first))
            return EITHER

        return whole

    def _choice(self, places: Sequence[int], place: int) -> _Step:
        condition, consequence, alternative = places

        def choice(registers: list[Bounds]) -> Bounds:
            if not (self._wide and place in self._jumping):
                low, high, _, _ = registers[condition]
                if low == high:
                    return registers[consequence if low else alternative]
                if not self._wide:
                    self._jumping.add(place)
                    self.jumps = max(self.jumps, 1.0)
            return hull((registers[consequence], registers[alternative]))

        return choice

    def _sum(self, node: trees.Sum, places: Sequence[int], place: int) -> _Step:
        if not free_symbols(node):
            known = known_bounds(node)
            if known is not None:
                low, high = around(known[0])[0], around(known[1])[1]
                return lambda _: (low, high, 0.0, 0.0)
        unknown = {self.name, *self._beside}
        alone = all(each.name not in unknown for each in free_symbols(node.body))
        fixed = isinstance(node.low, Number) and isinstance(node.high, Number)
        together = self._summands if alone or fixed else min(self._summands, _MOST_ANEW)
        # Of sums inside each other every term is a sum: each has few, that all have no more.
        most = int(together ** (1 / sum_levels(node)))
        own = together // most
        if not (alone and isinstance(node.low, Number)):
            self._written_out += len(bottom_up(node.body)) * most
        added = self._of_numbers(node, own) if alone else self._written_anew(node, own)

        def total(registers: list[Bounds]) -> Bounds:
            bounds = (registers[each] for each in places)
            (first, low), (high, last) = map(whole_values, bounds, ("ceil", "floor"), (0, 0))
            # A long sum is not written out: to know nothing of it is sound as well.
            if first != low or not last - low < most or place in self._jumping:
                return ANYTHING
            if last == high:
                return added(low, high)
            self._jumping.add(place)
            self.jumps = max(self.jumps, last - high)
            if last - high > _MOST_JUMPS:
                return ANYTHING
            return hull([added(low, high + each) for each in range(int(last - high) + 1)])

        return total

    @staticmethod
    def _of_numbers(node: trees.Sum, summands: int) -> Callable[[float, float], Bounds]:
        """Return what adds up terms that are one number each, from one place to another.

        What they come to from the last lower place on is kept.
        """
        side = Enclosure(node.body, node.index.name, integer=True, summands=summands)
        rows: dict[float, _Row] = {}

        def added(low: float, high: float) -> Bounds:
            if low not in rows:
                rows.clear()
                rows[low] = _Row(side, low)
            return rows[low].up_to(high)

        return added

    def _written_anew(self, node: trees.Sum, summands: int) -> Callable[[float, float], Bounds]:
        """Return what writes terms in the unknown out, from one place to another; it keeps one."""
        inner: dict[tuple[float, float], Enclosure] = {}

        def added(low: float, high: float) -> Bounds:
            if (low, high) not in inner:
                inner.clear()
                terms = (
                    substitute(node.body, {node.index.name: Number(Fraction(each))})
                    for each in range(int(low), int(high) + 1)
                )
                inner[low, high] = Enclosure(
                    add(*terms),
                    self.name,
                    integer=self._integer,
                    summands=summands,
                    beside=self._beside,
                )
            written = inner[low, high]
            written.put_beside(self._beside)
            if self._wide:
                return written.near(self._low, self._high)
            found = written.over(self._low, self._high)
            self.jumps = max(self.jumps, written.jumps)
            return found

        return added


class _Row:
    """Sums of the values of a formula at whole numbers, from one of them on."""

    def __init__(self, side: Enclosure, low: float) -> None:
        self._side = side
        self._low = low
        self._sums: list[Bounds] = [(0.0, 0.0, 0.0, 0.0)]

    def up_to(self, high: float) -> Bounds:
        for place in range(len(self._sums), int(high - self._low) + 2):
            x = self._low + place - 1
            low, high_value, _, _ = interval.add([self._sums[-1], self._side.over(x, x)])
            self._sums.append((low, high_value, 0.0, 0.0))
        return self._sums[max(0, int(high - self._low) + 1)]


def _always(node: Expression) -> tuple[Expression, ...]:
    """Return the operands that are computed whatever is chosen."""
    return (node.condition,) if isinstance(node, trees.Conditional) else outside_sums(node)


def _power(exponent: Expression, places: Sequence[int]) -> _Step:
    base, other = places
    if not isinstance(exponent, Number):
        return lambda r: interval.exponential(r[other], r[base])
    value = exponent.value
    if value == 0:
        return lambda _: (1.0, 1.0, 0.0, 0.0)
    raised = interval.raising(value)
    return lambda r: raised(r[base])


def _function(name: str, places: Sequence[int]) -> _Step:
    operand = places[0]
    match name:
        case "log2" | "ln" | "log10":
            return lambda r: interval.logarithm(r[operand], name)
        case "log":
            base = places[1]
            return lambda r: interval.divide(
                interval.logarithm(r[operand], "ln"), interval.logarithm(r[base], "ln")
            )
        case "exp":
            return lambda r: interval.exponential(r[operand], None)
        case "abs":
            return lambda r: absolute(r[operand])
        case "min":
            return lambda r: smallest([r[each] for each in places])
        case "max":
            return lambda r: largest([r[each] for each in places])
        case _:
            return lambda _: ANYTHING
