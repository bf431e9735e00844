"""Two formulas to compare over a range, and the search of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.box import Axis, Place, SearchBox
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.dense import scanned
from roofdsl.numeric.pair import BUILDING, Pair
from roofdsl.numeric.search import Search

# What the search for boxes may take of the budget; the rest is for what it leaves open.
_SEARCH_PART = 1 / 2


class Sides(NamedTuple):
    """Two formulas to compare, their name, and what the search spends."""

    left: Expression
    right: Expression
    name: str
    integer: bool
    budget: Budget

    def pair(self) -> Pair:
        """Return the two as a pair, at the price of one."""
        pair = Pair(self.left, self.right, self.name, integer=self.integer)
        self.budget.spend(BUILDING * pair.cost)
        return pair

    def of(self, change: Callable[[Symbol], Expression]) -> Sides:
        """Return both sides with an expression substituted for the name."""
        left, right = (
            substitute(tree, {s.name: change(s) for s in free_symbols(tree) if s.name == self.name})
            for tree in (self.left, self.right)
        )
        return self._replace(left=left, right=right)


def searched(
    sides: Sides, pair: Pair, low: Place, high: Place, jumps: set[Place]
) -> list[SearchBox]:
    """Search a range for boxes in each of which the order is one; scan what is dense with jumps.

    To `jumps` the last place before each change of a real unknown by a jump is added.
    """
    axis = Axis(integer=sides.integer, budget=sides.budget)
    search = Search(integer=sides.integer, budget=sides.budget.share(_SEARCH_PART))
    found: list[SearchBox] = []
    for item in search.run(pair, low, high):
        for part in scanned(pair, item, axis) if item.state == "mixed" else [item]:
            axis.append(found, part)
    jumps |= search.jumps
    return found
