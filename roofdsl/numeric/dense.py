"""Stretches of many jumps: where the first and the last change of order lies among them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from roofdsl.allowance import Budget
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place, place_after, place_before
from roofdsl.numeric.run import Ends, SignRun, append
from roofdsl.numeric.search import search

# What the search for boxes may take of the budget; the rest is for what it leaves open.
_SEARCH_PART = 1 / 2

# What a scan for the first or last switch among dense jumps may take of what is left: it may well
# find nothing soon, and the answer without it is true, too.
_SCAN_PART = 1 / 8
# Where one order is not seen among so many runs, it is hardly there.
_MOST_SCANNED = 24
# So many runs in a row, none longer than this, are told as one that is mixed.
MOST_SHORT_RUNS = 8
SHORT = 64
# And so many of which none is longer than this part of where it lies: far out, too, nobody reads a
# list so long.
_MOST_NARROW_RUNS = 24
_NARROW = 16
# Of so few places between the first and the last switch, each is looked at.
_FEW = 1000


def searched(pair: Pair, low: Place, high: Place, budget: Budget) -> list[SignRun]:
    """Search a range for runs of one order; scan what is dense with jumps."""
    found: list[SignRun] = []
    for run in search(pair, low, high, budget.share(_SEARCH_PART), dense=True):
        for part in _scanned(pair, run, budget) if run.state == "mixed" else [run]:
            append(found, part)
    return found


def _scanned(pair: Pair, dense: SignRun, budget: Budget) -> list[SignRun]:
    """Find the first and the last change of order in a run left as `mixed`.

    What is left as `mixed` then begins with the first change, ends before the last, and has two
    orders in it.
    """
    # From both ends inwards, until both orders are seen behind the first change: scans pass nothing
    # over, so what lies outside is proven to have one order, and where each of the two begins and
    # ends in between is known.
    forward = _scan(pair, dense, budget, until=_enough)
    if not _enough(forward):
        # It went on to the end, or as far as it could; the rest is looked at from the other end.
        *known, rest = forward
        if rest.state != "undecided":
            return forward
        return [*known, *_scan(pair, rest, budget, reverse=True)[::-1]]
    head = forward.pop(0)
    inner = SignRun(place_after(head.last), dense.last, "mixed")
    backward = _scan(pair, inner, budget, reverse=True, until=_enough)
    if not _enough(backward):
        return [head, *backward[::-1]]
    tail = backward.pop(0)
    inner = inner._replace(last=place_before(tail.first))
    if isinstance(inner.first, int) and inner.last - inner.first <= _FEW:
        listed = _scan(pair, inner, budget)
        if listed[-1].state != "undecided":
            return [head, *listed, tail]
    if _both(forward) and _both(backward):
        orders = ("above",), ("below",), ("below", "equal"), ("above", "equal")
        ends = [
            (
                next(each.first for each in forward if each.state in wanted),
                next(each.last for each in backward if each.state in wanted),
            )
            for wanted in orders
        ]
        inner = inner._replace(ends=Ends(*ends))
    return [head, inner, tail]


def _enough(found: Sequence[SignRun]) -> bool:
    """Whether a scan has seen what there is: both orders behind its first run, or many runs."""
    return _both(found[1:]) or len(found) > _MOST_SCANNED


def _both(found: Sequence[SignRun]) -> bool:
    states = {each.state for each in found}
    return {"above", "below"} <= states and "undecided" not in states


def _scan(
    pair: Pair,
    run: SignRun,
    budget: Budget,
    *,
    reverse: bool = False,
    until: Callable[[list[SignRun]], bool] | None = None,
) -> list[SignRun]:
    """Search a run down to single places, with a part of the budget."""
    share = budget.share(_SCAN_PART)
    return search(pair, run.first, run.last, share, reverse=reverse, until=until)


def without_short(runs: list[SignRun]) -> list[SignRun]:
    """Put many short runs in a row together as one that is mixed.

    It begins with the first switch and ends before the last: what the whole range begins or ends
    with stands for itself.
    """

    def short(run: SignRun) -> bool:
        return run.state == "mixed" or (run.state != "undecided" and run.last - run.first < SHORT)

    def narrow(run: SignRun) -> bool:
        return run.state != "undecided" and run.last - run.first < run.last / _NARROW

    return _together(_together(runs, short, MOST_SHORT_RUNS), narrow, _MOST_NARROW_RUNS)


def _together(runs: list[SignRun], belongs: Callable[[SignRun], bool], most: int) -> list[SignRun]:
    """Put so many runs in a row that belong together as one; a mixed one counts as many short."""
    found: list[SignRun] = []
    for alike, row in groupby(runs, belongs):
        whole = [*row]
        start, end = int(whole[0] is runs[0]), len(whole) - (whole[-1] is runs[-1])
        inner = whole[start:end]
        mixed = sum(run.state == "mixed" for run in inner)
        if alike and len(inner) + mixed * (MOST_SHORT_RUNS - 1) >= most:
            whole[start:end] = [SignRun(inner[0].first, inner[-1].last, "mixed", Ends.of(inner))]
        for run in whole:
            append(found, run)
    return found
