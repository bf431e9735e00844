"""The boxes in which one formula with jumps lies above another: by a search, and by the jumps.

A short search comes first. What it leaves open among jumps is told by the envelope and the residues
of `ceil` and `floor`, cut at the values of those that take few, and at last searched with all that
is left of the budget.
"""

from __future__ import annotations

from roofdsl.allowance import Budget
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.numeric.band import banded
from roofdsl.numeric.dense import searched
from roofdsl.numeric.operands import operands
from roofdsl.numeric.pair import BUILDING, Pair
from roofdsl.numeric.place import Place
from roofdsl.numeric.run import ORDERS, SignRun, append
from roofdsl.numeric.search import search
from roofdsl.numeric.sliver import is_narrow
from roofdsl.numeric.steps import pieces

# A search among jumps ends by finding nothing, or soon.
_QUICK = 400.0
# What one change of a rounding of few values may take of what is left.
_STEP_PART = 1 / 8
# What the operands of a choice may take: where they decide all, they do so soon.
_OPERANDS_PART = 1 / 16


def ordered(
    pair: Pair, low: Place, high: Place, budget: Budget, *, cut: bool = True
) -> list[SignRun]:
    """Return runs from `low` to `high` > 0 in each of which the order is one, or not known.

    Between those of a real unknown lie enclosures of changes. `cut`: whether the range may be cut
    into pieces in which a function has one value.
    """
    runs = search(pair, low, high, budget.limited(_QUICK), dense=True)
    doubtful = [run for run in runs if run.state in ("mixed", "undecided")]
    envelope: list[SignRun] = []
    if doubtful and not pair.integer:
        # One for all: what floats could not tell beside single jumps may lie outside, too.
        envelope = banded(pair, doubtful[0].first, doubtful[-1].last, budget)
    found: list[SignRun] = []
    for run in runs:
        parts = [run]
        if run in doubtful and budget.left:
            if pair.integer:
                parts = _by_operands(pair, run, budget) or _banded(pair, run, budget, cut=cut)
            else:
                parts = _enveloped(pair, run, envelope, budget)
        for part in parts:
            append(found, part)
    return found


def _enveloped(
    pair: Pair, whole: SignRun, envelope: list[SignRun], budget: Budget
) -> list[SignRun]:
    """Compare over a stretch of a real unknown by an envelope; what lies within it is searched."""
    found: list[SignRun] = []
    for run in envelope:
        low, high = max(run.first, whole.first), min(run.last, whole.last)
        if low > high or (low == high and whole.first < whole.last):
            continue
        if run.state == "undecided" and not is_narrow(low, high):
            found += searched(pair, low, high, budget)
        else:
            found.append(run._replace(first=low, last=high))
    return found


def _by_operands(pair: Pair, whole: SignRun, budget: Budget) -> list[SignRun]:
    """Compare by the operands of a `max` or `min`; nothing where that does not decide all."""
    budget.spend(BUILDING * pair.cost)
    found = operands(*pair.written, pair.name)
    if found is None:
        return []
    rows = []
    shares = budget.share(_OPERANDS_PART).shares(len(found.differences))
    for tree, share in zip(found.differences, shares, strict=True):
        inner = Pair(tree, ZERO, pair.name, integer=True, budget=share)
        rows.append(ordered(inner, whole.first, whole.last, share))
    together = found.together(rows)
    return together if all(run.state in ORDERS or run.ends for run in together) else []


def _banded(pair: Pair, whole: SignRun, budget: Budget, *, cut: bool) -> list[SignRun]:
    """Compare by envelope and residues; what they leave undecided is cut, or searched."""
    found: list[SignRun] = []
    for run in banded(pair, whole.first, whole.last, budget):
        rest = [run]
        if run.state == "undecided":
            rest = _piecewise(pair, run, budget) if cut else []
            rest = rest or searched(pair, run.first, run.last, budget)
        for each in rest:
            append(found, each)
    return found


def _piecewise(pair: Pair, whole: SignRun, budget: Budget) -> list[SignRun]:
    """Compare piece by piece where a rounding takes few values; nothing where none does."""
    ends = int(whole.first), int(whole.last)

    def compared(left: Expression, right: Expression) -> list[SignRun]:
        share = budget.share(_STEP_PART)
        inner = Pair(left, right, pair.name, integer=True, budget=share)
        return ordered(inner, *ends, share, cut=False)

    found: list[SignRun] = []
    parts = pieces(pair, *ends, compared)
    for (first, last, sides), share in zip(parts, budget.shares(len(parts)), strict=True):
        inner = Pair(*sides, pair.name, integer=True, budget=share)
        for run in ordered(inner, first, last, share):
            append(found, run)
    return found
