"""Two formulas with dense `ceil` and `floor`: outside of their envelope, and exactly within.

Outside, one lies above the other whatever their roundings do. Within, they change order as often as
the roundings jump: where they do so for the first and for the last time is found by residues.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from roofdsl.expression.tree import Expression
from roofdsl.numeric.box import STATES, Axis, Ends, Place, SearchBox, State
from roofdsl.numeric.certify import without_sums
from roofdsl.numeric.envelope import Envelopes
from roofdsl.numeric.pair import BUILDING, Pair
from roofdsl.numeric.residues import Extreme, Residues, Wanted
from roofdsl.numeric.rounding import Opened, opened
from roofdsl.numeric.search import Search

# What is done about one range may take this part of what is left.
_PART = 1 / 2
# Normal forms of two formulas are made, twice, at the cost of so many pairs.
_OPENING = 3
# So few places are rather looked at one by one.
_FEW = 64
# What is so where an order is not.
_OTHER: dict[State, tuple[Wanted, ...]] = {
    "above": ("not above",), "below": ("not below",), "equal": ("above", "below"),
}  # fmt: skip
_WANTED: tuple[Wanted, ...] = ("above", "below", "not above", "not below")


def banded(
    pair: Pair, left: Expression, right: Expression, low: Place, high: Place, axis: Axis
) -> list[SearchBox]:
    """Return what is known of two formulas by their roundings, over x > 0 from `low` to `high`.

    A mixed box begins with a change and ends before one, and has `ends`; what cannot be decided so
    is undecided: of a real unknown, all that is not outside of the envelope.
    """
    nothing = [SearchBox(low, high, "undecided")]
    axis = Axis(integer=axis.integer, budget=axis.budget.share(_PART))
    if axis.budget.left < 2 * _OPENING * BUILDING * pair.cost:
        return nothing
    axis.budget.spend(_OPENING * BUILDING * pair.cost)
    left, right = (without_sums(side, pair.name) for side in (left, right))
    found = opened(left, right, pair.name, integer=axis.integer)
    if found is None or not found.roundings:
        return nothing
    try:
        envelopes = Envelopes(found, pair.name, low, high, integer=axis.integer)
    except ValueError:
        return nothing
    boxes: list[SearchBox] = []
    for item in _outside(envelopes, pair, nothing[0], axis):
        inside = item.state == "undecided" and axis.integer
        for part in _within(pair, found, envelopes, item, axis) if inside else [item]:
            axis.append(boxes, part)
    return boxes


def _outside(envelopes: Envelopes, pair: Pair, whole: SearchBox, axis: Axis) -> list[SearchBox]:
    """Return where two formulas lie apart whatever their roundings do; the rest is undecided."""
    envelope = envelopes.widest
    axis.budget.spend(2 * BUILDING * pair.cost)
    search = Search(integer=axis.integer, budget=axis.budget, dense=False)
    boxes: list[SearchBox] = []
    # Where the upper bound is below, both are; of what is left, where the lower bound is above.
    for item in _covering(search.run(envelope.most, whole.low, whole.high), axis):
        if item.state == "below":
            axis.append(boxes, item)
            continue
        for part in _covering(search.run(envelope.least, item.low, item.high), axis):
            state: State = "above" if part.state == "above" else "undecided"
            axis.append(boxes, SearchBox(part.low, part.high, state))
    return boxes


def _covering(boxes: list[SearchBox], axis: Axis) -> Iterator[SearchBox]:
    """Yield boxes, and between those of a real unknown the enclosures of roots of their bounds."""
    yield boxes[0]
    for one, other in pairwise(boxes):
        if not axis.integer and one.high < other.low:
            yield SearchBox(one.high, other.low, "undecided")
        yield other


def _within(
    pair: Pair, found: Opened, envelopes: Envelopes, gap: SearchBox, axis: Axis
) -> list[SearchBox]:
    """Return the orders of two formulas in a range where their jumps decide."""
    low, high = int(gap.low), int(gap.high)
    if high - low < _FEW or not axis.budget.left:
        return [gap]
    residues = Residues(pair, found, envelopes, low, high, axis.budget)
    begins, ends = (STATES[axis.order(pair, place)] for place in (low, high))
    if "undecided" in (begins, ends):
        return [gap]
    first = _change(residues, begins, low + 1, high, 1)
    if first.place is None:
        return [SearchBox(low, high, begins)]
    last = _change(residues, ends, low, high - 1, -1)
    if last.place is None:
        return [SearchBox(low, high, ends)]
    # Up to the first change there is one order, and from the last on, as far as they were found.
    boxes = [SearchBox(low, first.place - 1, begins)]
    if first.place <= last.place:
        middle = SearchBox(first.place, last.place, "undecided")
        proven = first.proven and last.proven and last.place - first.place >= _FEW
        boxes.append(_mixed(residues, middle) if proven else middle)
    boxes.append(SearchBox(max(last.place + 1, first.place), high, ends))
    return boxes


def _change(residues: Residues, state: State, low: int, high: int, direction: int) -> Extreme:
    """Return the first place where there is another order, in a direction."""
    if low > high:
        return Extreme(None, True)
    others = [residues.extreme(each, low, high, direction) for each in _OTHER[state]]
    found = [(direction * each.place, each) for each in others if each.place is not None]
    return min(found, default=(0, others[0]))[1]


def _mixed(residues: Residues, box: SearchBox) -> SearchBox:
    """Return a box with the ends of each order in it, or with the only one that it has."""
    low, high = int(box.low), int(box.high)
    found: dict[Wanted, tuple[Place, Place] | None] = {}
    for wanted in _WANTED:
        first, last = (residues.extreme(wanted, low, high, direction) for direction in (1, -1))
        if not (first.proven and last.proven):
            return box
        found[wanted] = None
        if first.place is not None and last.place is not None:
            found[wanted] = first.place, last.place
    if not found["not above"] or not found["not below"]:
        return box._replace(state="above" if not found["not above"] else "below")
    if not found["above"] and not found["below"]:
        return box._replace(state="equal")
    ends = Ends(*(found[wanted] for wanted in _WANTED))
    return box._replace(state="mixed", ends=ends)
