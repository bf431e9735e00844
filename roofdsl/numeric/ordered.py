"""The boxes in which one formula with jumps lies above another: by a search, and by the jumps.

A short search comes first. What it leaves open among jumps is cut where a choice changes, told by
the envelope and the residues of `ceil` and `floor`, cut at the values of those that take few, and
at last searched with all that is left of the budget.
"""

from __future__ import annotations

from roofdsl.expression.tree import Expression
from roofdsl.numeric.band import banded
from roofdsl.numeric.box import Axis, Place, SearchBox
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.search import Search
from roofdsl.numeric.sides import Sides, searched
from roofdsl.numeric.sliver import is_narrow
from roofdsl.numeric.steps import pieces

# A search among jumps ends by finding nothing, or soon.
_QUICK = 400.0
# What one change of a function of few values may take of what is left.
_STEP_PART = 1 / 8


def ordered(
    sides: Sides, pair: Pair, low: Place, high: Place, jumps: set[Place], *, cut: bool = True
) -> list[SearchBox]:
    """Return boxes from `low` to `high` > 0 in each of which the order is one, or not known.

    Between those of a real unknown lie enclosures of changes; to `jumps` the last place before each
    change by a jump is added. `cut`: whether it may be cut into pieces in which a function has one
    value.
    """
    axis = Axis(integer=sides.integer, budget=sides.budget)
    quick = Search(integer=sides.integer, budget=sides.budget.limited(_QUICK))
    items = quick.run(pair, low, high)
    jumps |= quick.jumps
    doubtful = [item for item in items if item.state in ("mixed", "undecided")]
    envelope: list[SearchBox] = []
    if doubtful and not sides.integer:
        # One for all: what floats could not tell beside single jumps may lie outside, too.
        ends = doubtful[0].low, doubtful[-1].high
        envelope = banded(pair, sides.left, sides.right, *ends, axis)
    found: list[SearchBox] = []
    for item in items:
        parts = [item]
        if item in doubtful and sides.budget.left:
            if not sides.integer:
                parts = _enveloped(sides, pair, item, envelope, jumps)
            else:
                # Without its choices a formula has a simpler envelope; and the envelope decides
                # most of what would else be cut at every value of a rounding.
                parts = _piecewise(sides, item, roundings=False) if cut else []
                parts = parts or _banded(sides, pair, item, jumps, cut=cut)
        for part in parts:
            axis.append(found, part)
    return found


def _enveloped(
    sides: Sides, pair: Pair, item: SearchBox, envelope: list[SearchBox], jumps: set[Place]
) -> list[SearchBox]:
    """Compare over a stretch of a real unknown by an envelope; what lies within it is searched."""
    found: list[SearchBox] = []
    for box in envelope:
        low, high = max(box.low, item.low), min(box.high, item.high)
        if low > high or (low == high and item.low < item.high):
            continue
        if box.state == "undecided" and not is_narrow(low, high):
            found += searched(sides, pair, low, high, jumps)
        else:
            found.append(box._replace(low=low, high=high))
    return found


def _piecewise(sides: Sides, whole: SearchBox, *, roundings: bool) -> list[SearchBox]:
    """Compare piece by piece where a function takes few values; nothing where none does."""
    # The changes of whole numbers are told by exact signs, and not by where a search saw a jump.
    jumps = set[Place]()

    def compared(left: Expression, right: Expression, low: int, high: int) -> list[SearchBox]:
        part = sides._replace(left=left, right=right, budget=sides.budget.share(_STEP_PART))
        return ordered(part, part.pair(), low, high, jumps, cut=False)

    found: list[SearchBox] = []
    ends = int(whole.low), int(whole.high)
    parts = pieces(sides.left, sides.right, sides.name, *ends, compared, roundings=roundings)
    for part, share in zip(parts, sides.budget.shares(len(parts)), strict=True):
        inner = sides._replace(left=part.left, right=part.right, budget=share)
        for item in ordered(inner, inner.pair(), part.first, part.last, jumps):
            Axis(integer=True, budget=share).append(found, item)
    return found


def _banded(
    sides: Sides, pair: Pair, whole: SearchBox, jumps: set[Place], *, cut: bool
) -> list[SearchBox]:
    """Compare by envelope and residues; what they leave undecided is cut, or searched."""
    axis = Axis(integer=sides.integer, budget=sides.budget)
    found: list[SearchBox] = []
    for item in banded(pair, sides.left, sides.right, whole.low, whole.high, axis):
        rest = [item]
        if item.state == "undecided":
            rest = _piecewise(sides, item, roundings=True) if cut else []
            rest = rest or searched(sides, pair, item.low, item.high, jumps)
        for each in rest:
            axis.append(found, each)
    return found
