"""The first and the last whole number at which conditions hold, proven where that can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.cases import cases_of
from roofdsl.numeric.checker import checker
from roofdsl.numeric.integrality import EVERY, Levels, Listed, Progression, integrality
from roofdsl.numeric.period import period
from roofdsl.numeric.place import Place
from roofdsl.numeric.refinement import refined
from roofdsl.numeric.run import holding_in
from roofdsl.numeric.sign_runs import sign_runs

Test = Callable[[int], bool]
_Held: TypeAlias = tuple[Place, Place, tuple[Expression, ...]]
_TRIED = 1.0


def holding_runs(
    cases: Iterable[Sequence[Expression]],
    name: str,
    low: Place,
    high: Place,
    budget: Budget,
    *,
    integer: bool,
) -> list[_Held]:
    """Return in order where one of some cases may hold, by its comparisons.

    With each run come those parts of its case that may not hold all over it.
    """
    found: list[_Held] = []
    rows: dict[int, list[_Held]] = {}
    for case in cases:
        for part in case:
            if id(part) in rows:
                continue
            if isinstance(part, trees.Comparison) and not (integer and period(part, name)):
                share = budget.share(1 / 2)
                rows[id(part)] = [*_compared(part, name, low, high, share, integer)]
            else:
                rows[id(part)] = [(low, high, (part,))]
        whole: list[_Held] = [(low, high, ())]
        cut = refined([whole, *(rows[id(part)] for part in case)])
        found += ((first, last, tuple(chain(*doubtful))) for first, last, doubtful in cut)
    return sorted(found, key=lambda run: run[:2])


def _compared(
    part: trees.Comparison, name: str, low: Place, high: Place, budget: Budget, integer: bool
) -> Iterator[_Held]:
    """Yield where a comparison holds, or may hold."""
    found = sign_runs(part.left, part.right, name, low, high, integer=integer, budget=budget)
    holds = [holding_in(run, part.relation) for run in found.runs]
    # Between two runs of a real unknown the sides are equal at a number that may be no float.
    meeting = not integer and compare(part.relation, 0, 0)
    for place, run in enumerate(found.runs):
        here = holds[place]
        if meeting and place and here is holds[place - 1] is False:
            yield found.runs[place - 1].last, run.first, (part,)
        if here is True:
            yield run.first, run.last, ()
        elif here is not False:
            yield *(here or (run.first, run.last)), (part,)


class Holding:
    """Conditions on one whole number ≥ 1.

    Where comparisons hold is found out once, for all numbers that are asked for later if these lie
    between `low` and `high`.

    >>> from roofdsl.expression.construct import number, square_root
    >>> n = trees.Symbol("N", integer=True)
    >>> root = square_root(n)
    >>> conditions = [trees.Function("is_integer", (root,)), trees.Comparison(">", n, number(10))]
    >>> Holding(conditions, "N", 1, 100).first(1, 100, Budget())
    Allowed(value=16, proven=True, looked=None)
    """

    def __init__(self, conditions: Iterable[Expression], name: str, low: int, high: int) -> None:
        self._name = name
        self._cases = cases_of(conditions)
        self._ends = low, high
        self._known: list[_Held] | None = None

    def first(
        self,
        low: int,
        high: int,
        budget: Budget,
        also: Test | None = None,
        *,
        upwards: bool = True,
    ) -> Allowed[int]:
        """Return the first number from `low` to `high`, or the last where it goes downwards.

        It must pass the test `also`, too.
        """
        low = max(low, 1)
        best, undecided = None, list[int | None]()
        runs = self._runs(low, high, budget) if low <= high else []
        seeking = _Seeking(self._name, upwards, budget)
        for first, last, parts in runs if upwards else runs[::-1]:
            found = seeking.seek(parts, max(int(first), low), min(int(last), high), also)
            undecided += () if found.proven else (found.looked,)
            if found.value is not None:
                best = found.value
                # Another run is of interest where it has a number before this one.
                low, high = (low, best - 1) if upwards else (best + 1, high)
        known = [each for each in undecided if each is not None]
        looked = (
            (min if upwards else max)(known) if known and len(known) == len(undecided) else None
        )
        return Allowed(best, not undecided, looked)

    def hull(self, budget: Budget) -> tuple[int, int] | None:
        """Return ends beyond which the comparisons do not hold, None where they never do."""
        runs = self._runs(*self._ends, budget)
        return (int(runs[0][0]), max(int(run[1]) for run in runs)) if runs else None

    def _runs(self, low: int, high: int, budget: Budget) -> list[_Held]:
        """Return in order where comparisons hold, in one case or another, over a range and more."""
        if self._known is None or low < self._ends[0] or self._ends[1] < high:
            ends = self._ends = min(low, self._ends[0]), max(high, self._ends[1])
            self._known = holding_runs(self._cases, self._name, *ends, budget, integer=True)
        return self._known


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
    ) -> Allowed[int]:
        """Return the first number at which all parts hold."""
        if low > high:
            return Allowed(None, True)
        start, end = (low, high) if self.upwards else (high, low)
        unlike = {id(part): part for part in parts}.values()
        forms = [(part, self._form(part)) for part in unlike]
        tried = [part for part, form in forms if form != EVERY]
        for _, form in forms:
            if isinstance(form, Levels | Listed):
                return self._walk(form.numbers(start, end, self.budget), tried, also, None)
        for part, form in forms:
            if isinstance(form, Progression) and form != EVERY:
                rest = [each for each in tried if each is not part or not form.exact]
                return self._along(form, rest, low, high, also)
        numbers = range(start, end + 1) if self.upwards else range(start, end - 1, -1)
        return self._walk(numbers, tried, also, self._repeating(tried))

    def _form(self, part: Expression) -> Progression | Levels | Listed | None:
        match part:
            case trees.Function("is_integer", (argument,)):
                return integrality(argument, self.name)
        return None

    def _repeating(self, parts: Sequence[Expression]) -> int | None:
        """Return after how many numbers all parts repeat themselves, None where it is not known."""
        periods = [period(part, self.name) for part in parts]
        known = [each for each in periods if each is not None]
        return lcm(*known) if len(known) == len(periods) else None

    def _walk(
        self,
        numbers: Iterable[int | None],
        parts: Sequence[Expression],
        also: Test | None,
        repeating: int | None,
    ) -> Allowed[int]:
        tests = [checker(part, self.name) for part in parts]
        begin: int | None = None
        before: int | None = None
        for candidate in numbers:
            if candidate is None:
                return Allowed(None, False, before)
            if begin is None:
                begin = candidate
            if repeating is not None and abs(candidate - begin) >= repeating:
                return Allowed(None, True)
            if all(holds(Fraction(candidate), self.budget) for holds in tests):
                if also is None or also(candidate):
                    return Allowed(candidate, True)
                repeating = None  # the tests do not always fail
            self.budget.spend(_TRIED)
            if not self.budget.left:
                return Allowed(None, False, candidate)
            before = candidate
        return Allowed(None, True)

    def _along(
        self,
        form: Progression,
        parts: Sequence[Expression],
        low: int,
        high: int,
        also: Test | None,
    ) -> Allowed[int]:
        """Look for m where only the numbers of a progression come into question."""
        symbol = trees.Symbol(self.name, integer=True, positive=True)
        put_in = [substitute(part, {self.name: form.tree(symbol)}) for part in parts]
        inside = None if also is None else lambda m: also(form.at(m))
        found = self.seek(put_in, *form.within(low, high), inside)
        value, looked = (None if m is None else form.at(m) for m in (found.value, found.looked))
        return Allowed(value, found.proven, looked)
