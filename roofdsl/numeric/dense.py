"""Stretches of many jumps: where the first and the last change of order lies among them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from roofdsl.numeric.box import Axis, Ends, SearchBox, State
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.search import Search

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


def scanned(pair: Pair, dense: SearchBox, axis: Axis) -> list[SearchBox]:
    """Find the first and the last change of order in a box left as `mixed`.

    What is left as `mixed` then begins with the first change, ends before the last, and has two
    orders in it.
    """
    # From both ends inwards, each up to the first change: what lies outside is proven to have one
    # order, and only what lies between is left as `mixed`.
    forward = _scan(pair, dense, axis, until=_changed)
    if len(forward) == 1 and forward[0].state != "undecided":
        return forward
    backward = _scan(pair, dense, axis, reverse=True, until=_changed)
    # A scan that begins with what is undecided says nothing of its end of the box.
    head = [each for each in forward[:1] if each.state != "undecided"]
    tail = [each for each in backward[:1] if each.state != "undecided"]
    low = axis.after(head[0].high) if head else dense.low
    high = axis.before(tail[0].low) if tail else dense.high
    if low > high:
        # Places that both have reached have one order, and so have all others then.
        overlap = head and tail and head[0].state == tail[0].state
        return [dense._replace(state=head[0].state)] if overlap else [*head, *tail]
    middle = SearchBox(low, high, "mixed")
    after = _second(forward) if head else "undecided"
    before = _second(backward) if tail else "undecided"
    if "undecided" in (after, before):
        # Where a scan came to no change, the stretch may as well have one order from there on. What
        # the other comes to behind its change is told as far as it is decided.
        if after == before:
            return [*head, middle._replace(state="undecided"), *tail]
        inner = _scan(pair, middle, axis, reverse=after == "undecided")
        return [*head, *(inner if before == "undecided" else inner[::-1]), *tail]
    # Two orders have been seen in it: the first at one end, the second at the other, or between.
    seen = {after, before}
    few = high - low <= _FEW
    if few or len(seen) < 2:
        inner = _scan(pair, middle, axis)
        seen |= {each.state for each in inner} - {"undecided"}
        if len(seen) < 2 or (few and inner[-1].state != "undecided"):
            return [*head, *inner, *tail]
    return [*head, _with_ends(pair, middle, axis), *tail]


def _second(scan: list[SearchBox]) -> State | None:
    """Return what a scan came to behind the first run, `undecided` where it came to nothing."""
    return scan[1].state if len(scan) > 1 else "undecided"


def _changed(found: list[SearchBox]) -> bool:
    return len(found) > 1


def _with_ends(pair: Pair, mixed: SearchBox, axis: Axis) -> SearchBox:
    """Return a mixed box with the first and last place of each order, where scans come to them."""

    def both(found: list[SearchBox]) -> bool:
        return {"above", "below"} <= {each.state for each in found}

    # Scans pass nothing over: up to where the second of the two orders is seen, all is known.
    forward = _scan(pair, mixed, axis, until=both)
    backward = _scan(pair, mixed, axis, reverse=True, until=both) if both(forward) else []
    if not both(backward) or any(each.state == "undecided" for each in forward + backward):
        return mixed
    orders = ("above",), ("below",), ("below", "equal"), ("above", "equal")
    ends = [
        (
            next(each.low for each in forward if each.state in wanted),
            next(each.high for each in backward if each.state in wanted),
        )
        for wanted in orders
    ]
    return mixed._replace(ends=Ends(*ends))


def _scan(
    pair: Pair,
    box: SearchBox,
    axis: Axis,
    *,
    reverse: bool = False,
    until: Callable[[list[SearchBox]], bool] | None = None,
) -> list[SearchBox]:
    """Search a box down to single places, with a part of the budget."""
    share = axis.budget.share(_SCAN_PART)
    scan = Search(integer=axis.integer, budget=share, dense=False)
    return scan.run(pair, box.low, box.high, reverse=reverse, until=until)


def without_short(items: list[SearchBox]) -> list[SearchBox]:
    """Put many short runs in a row together as one that is mixed.

    It begins with the first switch and ends before the last: what the whole range begins or ends
    with stands for itself.
    """

    def short(item: SearchBox) -> bool:
        return item.state == "mixed" or (item.state != "undecided" and item.high - item.low < SHORT)

    def narrow(item: SearchBox) -> bool:
        return item.state != "undecided" and item.high - item.low < item.high / _NARROW

    def together(row: list[SearchBox], first: bool, last: bool) -> list[SearchBox]:
        start, end = int(first), len(row) - last
        inner = row[start:end]
        if len(inner) >= MOST_SHORT_RUNS or any(each.state == "mixed" for each in inner):
            row[start:end] = _mixed(inner)
        return row

    def many(row: list[SearchBox], first: bool, last: bool) -> list[SearchBox]:
        start, end = int(first), len(row) - last
        if end - start >= _MOST_NARROW_RUNS:
            row[start:end] = _mixed(row[start:end])
        return row

    return _with_rows(_with_rows(items, short, together), narrow, many)


def _mixed(items: list[SearchBox]) -> list[SearchBox]:
    ends = Ends.of((each.low, each.high, each.state, each.ends) for each in items)
    return [SearchBox(items[0].low, items[-1].high, "mixed", ends=ends)]


def _with_rows(
    items: list[SearchBox],
    belongs: Callable[[SearchBox], bool],
    together: Callable[[list[SearchBox], bool, bool], list[SearchBox]],
) -> list[SearchBox]:
    """Return items with each row of those that belong together put together.

    `together` is told whether the row begins, and whether it ends, the whole range.
    """
    result: list[SearchBox] = []
    for small, row in groupby(items, belongs):
        whole = list(row)
        first, last = whole[0] is items[0], whole[-1] is items[-1]
        result += together(whole, first, last) if small else whole
    return result
