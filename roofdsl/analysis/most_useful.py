"""The most useful count of processes: the fastest one that the model allows, the least of equals.

A count is compared with all others at once: T(P) with the number T(best), over the whole range.
Where T(P) is proven to lie above, no count is faster. Where some are, the fastest is sought among
them, in floats: the search goes on with it, or any that is faster, until none is left. So how it is
sought decides how soon that is, and not what is proven.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from roofdsl.allowance import Budget, ran_out
from roofdsl.analysis.branches import Branch
from roofdsl.analysis.domain import LARGEST, Domain
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.expression.construct import number, subtract
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Comparison, Expression
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.certify import constant_sign
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.run import SignRun
from roofdsl.numeric.scalar import evaluate, evaluator_of_each
from roofdsl.numeric.sign_runs import sign_runs

# Of what is left, for what may be allowed in a stretch, and for comparisons over one.
_FOR_DOMAIN = 1 / 16
_FOR_RUNS = 1 / 4
# Times that differ by more, relatively, floats can tell apart.
_NEAR = 1e-9
# In so many parts a stretch is looked at, and what that takes, in units of work.
_PARTS, _SEEN = 16, 2


@dataclass(frozen=True, slots=True)
class MostUseful(Proven):
    """The fastest count up to where that is proven, None where nothing is.

    None, too, where the fastest is the last that is looked at and the model allows more. A count is
    a value of what is open: of a grid's one side, if the other follows it. `last`: the last count
    that is looked at; `ends`: the model allows none beyond. `grid`: its sides; of grids it is the
    fastest that was seen.
    """

    count: int | None
    last: int
    ends: bool
    proof: Proof
    grid: tuple[int, ...] = ()

    @property
    def up_to(self) -> int | None:
        """The last count up to which it is proven."""
        return None if self.proof.up_to is None else int(self.proof.up_to)


class Fastest(NamedTuple):
    """Processes and their time; from `open_from` on it is undecided whether any are faster."""

    processes: int
    time: Expression
    open_from: int | None


def most_useful(
    prediction: Prediction, domain: Domain, last: int, seen: Sequence[int], budget: Budget
) -> MostUseful:
    """Return the fastest count from 1 to `last`; `seen` are some that are allowed, in order."""
    final = domain.last(1, last, budget.share(_FOR_DOMAIN))
    known = sorted({*seen} if final.value is None else {*seen, final.value})
    beyond = domain.first(last + 1, LARGEST, budget.share(_FOR_DOMAIN))
    ends = final.value is not None and beyond == Allowed(None, True)
    end = final.value if ends and final.value is not None else last
    over = RegimesOver(prediction, domain.unknown, 1, end, budget.share(1 / 2))
    search = CountSearch(over.whole.time, domain, budget)
    proven = end
    while known:
        best = search.fastest(search.best(known), 1, proven)
        if best.open_from is None:
            count = search.first_as_fast(best.time, 1, best.processes) or best.processes
            whole = proven == end
            falls = whole and not ends and count == final.value
            return MostUseful(None if falls else count, end, ends, Proof(whole, proven, ran_out()))
        # What begins to be undecided there says nothing of what is before.
        proven = best.open_from - 1
        known = [count for count in known if count <= proven]
    return MostUseful(None, end, ends, Proof(False, None, ran_out()))


class CountSearch:
    """Looks for faster counts; the time is a formula in each of some branches."""

    def __init__(self, branches: Sequence[Branch], domain: Domain, budget: Budget) -> None:
        self.branches = branches
        self.domain = domain
        self.budget = budget
        self.name = domain.unknown.name

    def fastest(self, best: Fastest, first: int, last: int) -> Fastest:
        """Return the fastest count of a stretch, the best so far if none in it is faster."""
        while self.budget.left:
            better, open_from = self._better(best.time, first, last)
            if not better:
                return best._replace(open_from=open_from)
            best = self.best(better)
        return best._replace(open_from=first)

    def best(self, counts: Iterable[int]) -> Fastest:
        """Return the fastest of some counts; which of those that may be equal is not certain."""
        times = {count: self._at(count) for count in counts}
        values = {count: evaluate(time, {}) for count, time in times.items()}
        least = min(values.values())
        near = sorted(count for count in times if values[count] <= least * (1 + _NEAR))
        best = near[0]
        for count in near[1:]:
            if constant_sign(subtract(times[count], times[best]), self.budget) == -1:
                best = count
        return Fastest(best, times[best], None)

    def first_as_fast(self, limit: Expression, first: int, last: int) -> int | None:
        """Return the first count of a stretch that takes no longer than a time."""
        for start, end, time in self._within(first, last):
            as_fast = self.domain.where(Comparison("<=", time, limit), start, end)
            found = as_fast.first(start, end, self._share()).value
            if found is not None:
                return found
        return None

    def _within(self, first: int, last: int) -> Iterator[tuple[int, int, Expression]]:
        for start, end, time in self.branches:
            if start <= last and end >= first:
                yield max(first, int(start)), min(last, int(end)), time

    def _better(self, limit: Expression, first: int, last: int) -> tuple[list[int], int | None]:
        """Return counts that take less than a time, or from where on that is undecided."""
        share = self.budget.share(_FOR_RUNS)
        found: list[int] = []
        open_from = None
        for start, end, time in self._within(first, last):
            for run in self._runs(time, limit, start, end, share):
                if run.state in ("above", "equal"):
                    continue
                below = run.state == "below"
                faster = Comparison("<", time, limit)
                where = self.domain if below else self.domain.where(faster, run.first, run.last)
                looks = (where.first, where.last)
                seen = [look(run.first, run.last, self._share()) for look in looks]
                ends = [each.value for each in seen if each.value is not None]
                found += [*ends, *self._about_least(time, ends[0], ends[-1])] if ends else []
                if not ends and not seen[0].proven and open_from is None:
                    open_from = int(run.first)
        return found, open_from

    def _about_least(self, time: Expression, first: int, last: int) -> Iterator[int]:
        """Yield what is allowed beside where the time is seen to be the least in a stretch."""
        compute = evaluator_of_each([time], [self.name])
        low, high, least = first, last, first
        while high - low > 2:
            self.budget.spend(_SEEN)
            parts = (low * (high / low) ** (part / _PARTS) for part in range(_PARTS))
            places = sorted({low, high, *(min(high, int(place)) for place in parts)})
            times = [x if isinstance(x, float) else inf for place in places for x in compute(place)]
            at = times.index(min(times))
            least = places[at]
            low, high = places[max(0, at - 1)], places[min(at + 1, len(places) - 1)]
        for look, start, end in (
            (self.domain.last, first, least),
            (self.domain.first, least, last),
        ):
            found = look(start, end, self._share()).value
            if found is not None:
                yield found

    def _runs(
        self, left: Expression, right: Expression, first: int, last: int, budget: Budget
    ) -> tuple[SignRun, ...]:
        return sign_runs(left, right, self.name, first, last, integer=True, budget=budget).runs

    def _share(self) -> Budget:
        return self.budget.share(_FOR_DOMAIN)

    def _at(self, count: int) -> Expression:
        time = next(branch.tree for branch in self.branches if branch.last >= count)
        return substitute(time, {self.name: number(count)})
