"""The first and the last whole number at which conditions hold, proven where that can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from heapq import merge
from itertools import product
from math import lcm
from typing import Generic, NamedTuple, TypeVar

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare
from roofdsl.expression.construct import multiply, number, power
from roofdsl.expression.rational import integer_root
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.cases import cases_of
from roofdsl.numeric.congruence import EVERY, ResidueClass, meeting
from roofdsl.numeric.exact import exact_evaluator
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.integrality import Classes, Levels, Listed, Rooted, integrality
from roofdsl.numeric.period import period
from roofdsl.numeric.refinement import refined
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sign_runs import sign_runs

N = TypeVar("N", int, float)
Test = Callable[[int], bool]
ORDERS = {"above": 1, "equal": 0, "below": -1}
_MOST_CASES = 32
_TRIED = 1.0


class Found(NamedTuple, Generic[N]):
    """A number at which the conditions hold, and whether it is proven that none comes before it.

    With None for the number: whether it is proven that there is none.
    """

    value: N | None
    proven: bool


class Stretch(NamedTuple):
    """Numbers from `first` to `last`: all comparisons hold there, those of `doubtful` perhaps."""

    first: int
    last: int
    doubtful: tuple[Expression, ...] = ()


class Holding:
    """Conditions on one whole number ≥ 1.

    Where comparisons hold is found out once, for all numbers that are asked for later if these lie
    between `low` and `high`.

    >>> n = trees.Symbol("N", integer=True)
    >>> root = power(n, number(Fraction(1, 2)))
    >>> conditions = [trees.Function("is_integer", (root,)), trees.Comparison(">", n, number(10))]
    >>> Holding(conditions, "N", 1, 100).first(1, 100, Budget())
    Found(value=16, proven=True)
    """

    def __init__(self, conditions: Iterable[Expression], name: str, low: int, high: int) -> None:
        self._name = name
        self._low, self._high = low, high
        self._stretches: dict[int, tuple[int, int, list[Stretch]]] = {}  # by the id of a part
        each = [cases_of(condition) for condition in conditions]
        count = 1
        for cases in each:
            count *= len(cases)
        if count > _MOST_CASES:  # those of several cases are only tried
            wholes = [*conditions]
            each = [
                cases if len(cases) < 2 else [[whole]]
                for cases, whole in zip(each, wholes, strict=True)
            ]
        self._cases = [[part for case in row for part in case] for row in product(*each)]

    def first(self, first: int, last: int, budget: Budget, also: Test | None = None) -> Found[int]:
        """Return the first number of a stretch; it must pass the test `also`, too."""
        return self._nearest(first, last, True, budget, also)

    def last(self, first: int, last: int, budget: Budget, also: Test | None = None) -> Found[int]:
        """Return the last number of a stretch; it must pass the test `also`, too."""
        return self._nearest(first, last, False, budget, also)

    def hull(self, budget: Budget) -> tuple[int, int] | None:
        """Return ends beyond which the comparisons do not hold, None where they never do."""
        ends: list[tuple[int, int]] = []
        for parts in self._cases:
            stretches, _ = self._compared(parts, self._low, self._high, budget)
            if stretches:
                ends.append((stretches[0].first, stretches[-1].last))
        return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None

    def _nearest(
        self, first: int, last: int, upwards: bool, budget: Budget, also: Test | None
    ) -> Found[int]:
        low, high = max(first, 1), last
        best, proven = None, True
        for parts in self._cases:
            if low > high:
                break
            found = self._in_case(parts, low, high, upwards, budget, also)
            proven = proven and found.proven
            if found.value is None:
                continue
            best = found.value
            # Another case is of interest where it has a number before this one.
            low, high = (low, best - 1) if upwards else (best + 1, high)
        return Found(best, proven)

    def _in_case(
        self,
        parts: Sequence[Expression],
        low: int,
        high: int,
        upwards: bool,
        budget: Budget,
        also: Test | None,
    ) -> Found[int]:
        stretches, others = self._compared(parts, low, high, budget)
        proven = True
        for stretch in stretches if upwards else stretches[::-1]:
            seeking = _Seeking(self._name, upwards, budget)
            found = seeking.seek([*others, *stretch.doubtful], stretch.first, stretch.last, also)
            proven = proven and found.proven
            if found.value is not None:
                return Found(found.value, proven)
        return Found(None, proven)

    def _compared(
        self, parts: Sequence[Expression], low: int, high: int, budget: Budget
    ) -> tuple[list[Stretch], list[Expression]]:
        """Return where the comparisons among some parts hold, and the other parts."""
        stretches = [Stretch(low, high)]
        others: list[Expression] = []
        for part in parts:
            if isinstance(part, trees.Comparison) and period(part, self._name) is None:
                rows = [stretches, self._where(part, low, high, budget)]
                stretches = [
                    Stretch(first, last, (*one, *other))
                    for first, last, (one, other) in refined(rows)
                ]
            else:
                others.append(part)
        return stretches, others

    def _where(
        self, part: trees.Comparison, first: int, last: int, budget: Budget
    ) -> list[Stretch]:
        """Return where a comparison holds or may hold, over these numbers and more."""
        if id(part) in self._stretches:
            low, high, known = self._stretches[id(part)]
            if low <= first and last <= high:
                return known
        low, high = min(first, self._low), max(last, self._high)
        runs = sign_runs(
            part.left, part.right, self._name, low, high,
            integer=True, budget=budget.share(1 / 2),
        ).runs  # fmt: skip
        found: list[Stretch] = []
        for run in runs:
            order = ORDERS.get(run.state)
            if order is None:
                found.append(Stretch(int(run.first), int(run.last), (part,)))
            elif compare(part.relation, order, 0):
                found.append(Stretch(int(run.first), int(run.last)))
        self._stretches[id(part)] = low, high, found
        return found


class _Seeking:
    """Looks for the first number, upwards or downwards, that passes some tests.

    Only numbers that a condition's form leaves possible are tried, each exactly. What repeats
    itself after L numbers and fails for L numbers in a row always fails.
    """

    def __init__(self, name: str, upwards: bool, budget: Budget) -> None:
        self.name = name
        self.upwards = upwards
        self.budget = budget

    def seek(
        self, parts: Sequence[Expression], low: int, high: int, also: Test | None = None
    ) -> Found[int]:
        """Return the first number at which all parts hold."""
        if low > high:
            return Found(None, True)
        start, end = (low, high) if self.upwards else (high, low)
        classes: tuple[ResidueClass, ...] = (EVERY,)
        tried: list[Expression] = []
        candidates: Iterable[int | None] | None = None
        for part in {id(part): part for part in parts}.values():
            form = None
            if isinstance(part, trees.Function) and part.name == "is_integer":
                form = integrality(part.arguments[0], self.name, self.budget)
            match form:
                case Rooted():
                    return self._root(form, parts, low, high, also)
                case Levels():
                    candidates = form.numbers(start, end, self.budget)
                    tried.append(part)
                case Listed(listed):
                    candidates = listed if self.upwards else listed[::-1]
                    tried.append(part)
                case Classes(own):
                    joined = meeting(classes, own)
                    if joined is None:
                        tried.append(part)
                    else:
                        classes = joined
                case _:
                    tried.append(part)
        tests = [*map(self._test, tried)]
        if candidates is not None:
            modulus = classes
            tests.insert(0, lambda n: any(n % each.modulus == each.residue for each in modulus))
            inside = (n if n is None or low <= n <= high else low - 1 for n in candidates)
            return self._walk((n for n in inside if n != low - 1), tests, also, None)
        rows = [each.numbers(start, end) for each in classes]
        numbers = rows[0] if len(rows) == 1 else merge(*rows, reverse=not self.upwards)
        if not tests and also is None:
            return Found(next(iter(numbers), None), True)
        repeating = self._repeating(tried)
        if repeating is not None:
            repeating = lcm(repeating, *(each.modulus for each in classes))
        return self._walk(numbers, tests, also, repeating)

    def _repeating(self, parts: Sequence[Expression]) -> int | None:
        found = 1
        for part in parts:
            own = period(part, self.name)
            if own is None:
                return None
            found = lcm(found, own)
        return found

    def _walk(
        self,
        numbers: Iterable[int | None],
        tests: Sequence[Test],
        also: Test | None,
        repeating: int | None,
    ) -> Found[int]:
        begin: int | None = None
        for candidate in numbers:
            if candidate is None or not self.budget.left:
                return Found(None, False)
            if begin is None:
                begin = candidate
            if repeating is not None and abs(candidate - begin) >= repeating:
                return Found(None, True)
            self.budget.spend(_TRIED)
            if all(test(candidate) for test in tests):
                if also is None or also(candidate):
                    return Found(candidate, True)
                repeating = None  # the tests do not always fail
        return Found(None, True)

    def _root(
        self, form: Rooted, parts: Sequence[Expression], low: int, high: int, also: Test | None
    ) -> Found[int]:
        """Look for m where only n = scale · m^degree comes into question."""
        scale, degree = form
        least = integer_root(-(-low // scale) - 1, degree) + 1
        most = integer_root(high // scale, degree)
        symbol = trees.Symbol(self.name, integer=True, positive=True)
        tree = multiply(number(scale), power(symbol, number(degree)))
        inside = None if also is None else lambda m: also(scale * m**degree)
        put_in = [substitute(part, {self.name: tree}) for part in parts]
        found = self.seek(put_in, least, most, inside)
        return Found(None if found.value is None else scale * found.value**degree, found.proven)

    def _test(self, condition: Expression) -> Test:
        holds = checker(condition, self.name)
        return lambda candidate: holds(Fraction(candidate), self.budget)


def checker(condition: Expression, name: str) -> Callable[[Fraction, Budget | None], bool]:
    """Return a function that says whether a condition holds at a value: exactly where it can.

    Where it has no value it does not hold.
    """
    compute = exact_evaluator(condition)

    def holds(value: Fraction, budget: Budget | None) -> bool:
        try:
            known = compute({name: value}, budget)
            return bool(evaluate(condition, {name: float(value)}) if known is None else known)
        except (EvaluationError, OverflowError):
            return False

    return holds
