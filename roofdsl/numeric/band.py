"""Two formulas with dense `ceil` and `floor`: outside of their envelope, and exactly within.

Outside, one lies above the other whatever their roundings do. Within, they change order as often as
the roundings jump: where they do so for the first and for the last time is found by residues.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from roofdsl.allowance import Budget
from roofdsl.numeric.envelope import Envelopes
from roofdsl.numeric.pair import BUILDING, Pair
from roofdsl.numeric.place import Place
from roofdsl.numeric.residues import Extreme, Residues, Wanted
from roofdsl.numeric.rounding import Opened, opened
from roofdsl.numeric.run import STATES, Ends, SignRun, State, append
from roofdsl.numeric.search import search
from roofdsl.numeric.sums import added_up

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


def banded(pair: Pair, low: Place, high: Place, budget: Budget) -> list[SignRun]:
    """Return what is known of two formulas by their roundings, over x > 0 from `low` to `high`.

    A mixed run begins with a change and ends before one, and has `ends`; what cannot be decided so
    is undecided: of a real unknown, all that is not outside of the envelope.
    """
    nothing = [SignRun(low, high, "undecided")]
    budget = budget.share(_PART)
    if not budget.affords(2 * _OPENING * BUILDING * pair.cost):
        return nothing
    budget.spend(_OPENING * BUILDING * pair.cost)
    left, right = (added_up(side, pair.name) for side in pair.written)
    found = opened(left, right, pair.name, (low, high), integer=pair.integer)
    if found is None or not found.roundings:
        return nothing
    try:
        envelopes = Envelopes(found, pair.name, low, high, integer=pair.integer)
    except ValueError:
        return nothing
    runs: list[SignRun] = []
    for run in _outside(envelopes, pair, nothing[0], budget):
        inside = run.state == "undecided" and pair.integer
        for part in _within(pair, found, envelopes, run, budget) if inside else [run]:
            append(runs, part)
    return runs


def _outside(envelopes: Envelopes, pair: Pair, whole: SignRun, budget: Budget) -> list[SignRun]:
    """Return where two formulas lie apart whatever their roundings do; the rest is undecided."""
    envelope = envelopes.widest
    budget.spend(2 * BUILDING * pair.cost)
    runs: list[SignRun] = []
    # Where the upper bound is below, both are; of what is left, where the lower bound is above.
    for run in _covering(search(envelope.most, whole.first, whole.last, budget)):
        if run.state == "below":
            append(runs, run)
            continue
        for part in _covering(search(envelope.least, run.first, run.last, budget)):
            state: State = "above" if part.state == "above" else "undecided"
            append(runs, SignRun(part.first, part.last, state))
    return runs


def _covering(runs: list[SignRun]) -> Iterator[SignRun]:
    """Yield runs, and between those of a real unknown the enclosures of roots of their bounds."""
    yield runs[0]
    for one, other in pairwise(runs):
        if isinstance(one.last, float) and one.last < other.first:
            yield SignRun(one.last, other.first, "undecided")
        yield other


def _within(
    pair: Pair, found: Opened, envelopes: Envelopes, gap: SignRun, budget: Budget
) -> list[SignRun]:
    """Return the orders of two formulas in a range where their jumps decide."""
    low, high = int(gap.first), int(gap.last)
    if high - low < _FEW or not budget.left:
        return [gap]
    residues = Residues(pair, found, envelopes, low, high, budget)
    begins, ends = (STATES[pair.order_at(place, budget)] for place in (low, high))
    if "undecided" in (begins, ends):
        return [gap]
    first = _change(residues, begins, low + 1, high, 1)
    if first.place is None:
        return [SignRun(low, high, begins)]
    last = _change(residues, ends, low, high - 1, -1)
    if last.place is None:
        return [SignRun(low, high, ends)]
    # Up to the first change there is one order, and from the last on, as far as they were found.
    boxes = [SignRun(low, first.place - 1, begins)]
    if first.place <= last.place:
        middle = SignRun(first.place, last.place, "undecided")
        proven = first.proven and last.proven and last.place - first.place >= _FEW
        boxes.append(_mixed(residues, middle) if proven else middle)
    boxes.append(SignRun(max(last.place + 1, first.place), high, ends))
    return boxes


def _change(residues: Residues, state: State, low: int, high: int, direction: int) -> Extreme:
    """Return the first place where there is another order, in a direction."""
    if low > high:
        return Extreme(None, True)
    others = [residues.extreme(each, low, high, direction) for each in _OTHER[state]]
    found = [(direction * each.place, each) for each in others if each.place is not None]
    return min(found, default=(0, others[0]))[1]


def _mixed(residues: Residues, box: SignRun) -> SignRun:
    """Return a box with the ends of each order in it, or with the only one that it has."""
    low, high = int(box.first), int(box.last)
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
