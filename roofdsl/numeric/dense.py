"""Stretches of many jumps: where the first and the last change of order lies among them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from roofdsl.numeric.budget import Budget
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place, place_after, place_before
from roofdsl.numeric.run import Ends, SignRun, State, append
from roofdsl.numeric.search import search

# What the search for boxes may take of the budget; the rest is for what it leaves open.
_SEARCH_PART = 1 / 2

# What a scan for the first or last switch among dense jumps may take of what is left: it may well
# find nothing soon, and the answer without it is true, too.
_SCAN_PART = 1 / 8
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
    # From both ends inwards, each up to the first change: what lies outside is proven to have one
    # order, and only what lies between is left as `mixed`.
    forward = _scan(pair, dense, budget, until=_changed)
    if len(forward) == 1 and forward[0].state != "undecided":
        return forward
    backward = _scan(pair, dense, budget, reverse=True, until=_changed)
    # A scan that begins with what is undecided says nothing of its end of the box.
    head = [each for each in forward[:1] if each.state != "undecided"]
    tail = [each for each in backward[:1] if each.state != "undecided"]
    low = place_after(head[0].last) if head else dense.first
    high = place_before(tail[0].first) if tail else dense.last
    if low > high:
        # Places that both have reached have one order, and so have all others then.
        overlap = head and tail and head[0].state == tail[0].state
        return [dense._replace(state=head[0].state)] if overlap else [*head, *tail]
    middle = SignRun(low, high, "mixed")
    after = _second(forward) if head else "undecided"
    before = _second(backward) if tail else "undecided"
    if "undecided" in (after, before):
        # Where a scan came to no change, the stretch may as well have one order from there on. What
        # the other comes to behind its change is told as far as it is decided.
        if after == before:
            return [*head, middle._replace(state="undecided"), *tail]
        inner = _scan(pair, middle, budget, reverse=after == "undecided")
        return [*head, *(inner if before == "undecided" else inner[::-1]), *tail]
    # Two orders have been seen in it: the first at one end, the second at the other, or between.
    seen = {after, before}
    few = high - low <= _FEW
    if few or len(seen) < 2:
        inner = _scan(pair, middle, budget)
        seen |= {each.state for each in inner} - {"undecided"}
        if len(seen) < 2 or (few and inner[-1].state != "undecided"):
            return [*head, *inner, *tail]
    return [*head, _with_ends(pair, middle, budget), *tail]


def _second(scan: list[SignRun]) -> State | None:
    """Return what a scan came to behind the first run, `undecided` where it came to nothing."""
    return scan[1].state if len(scan) > 1 else "undecided"


def _changed(found: list[SignRun]) -> bool:
    return len(found) > 1


def _with_ends(pair: Pair, mixed: SignRun, budget: Budget) -> SignRun:
    """Return a mixed box with the first and last place of each order, where scans come to them."""

    def both(found: list[SignRun]) -> bool:
        return {"above", "below"} <= {each.state for each in found}

    # Scans pass nothing over: up to where the second of the two orders is seen, all is known.
    forward = _scan(pair, mixed, budget, until=both)
    backward = _scan(pair, mixed, budget, reverse=True, until=both) if both(forward) else []
    if not both(backward) or any(each.state == "undecided" for each in forward + backward):
        return mixed
    orders = ("above",), ("below",), ("below", "equal"), ("above", "equal")
    ends = [
        (
            next(each.first for each in forward if each.state in wanted),
            next(each.last for each in backward if each.state in wanted),
        )
        for wanted in orders
    ]
    return mixed._replace(ends=Ends(*ends))


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


def without_short(items: list[SignRun]) -> list[SignRun]:
    """Put many short runs in a row together as one that is mixed.

    It begins with the first switch and ends before the last: what the whole range begins or ends
    with stands for itself.
    """

    def short(item: SignRun) -> bool:
        return item.state == "mixed" or (
            item.state != "undecided" and item.last - item.first < SHORT
        )

    def narrow(item: SignRun) -> bool:
        return item.state != "undecided" and item.last - item.first < item.last / _NARROW

    def together(row: list[SignRun], first: bool, last: bool) -> list[SignRun]:
        start, end = int(first), len(row) - last
        inner = row[start:end]
        if len(inner) >= MOST_SHORT_RUNS or any(each.state == "mixed" for each in inner):
            row[start:end] = _mixed(inner)
        return row

    def many(row: list[SignRun], first: bool, last: bool) -> list[SignRun]:
        start, end = int(first), len(row) - last
        if end - start >= _MOST_NARROW_RUNS:
            row[start:end] = _mixed(row[start:end])
        return row

    return _with_rows(_with_rows(items, short, together), narrow, many)


def _mixed(items: list[SignRun]) -> list[SignRun]:
    return [SignRun(items[0].first, items[-1].last, "mixed", Ends.of(items))]


def _with_rows(
    items: list[SignRun],
    belongs: Callable[[SignRun], bool],
    together: Callable[[list[SignRun], bool, bool], list[SignRun]],
) -> list[SignRun]:
    """Return items with each row of those that belong together put together.

    `together` is told whether the row begins, and whether it ends, the whole range.
    """
    result: list[SignRun] = []
    for small, row in groupby(items, belongs):
        whole = list(row)
        first, last = whole[0] is items[0], whole[-1] is items[-1]
        result += together(whole, first, last) if small else whole
    return result
