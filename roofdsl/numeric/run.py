"""Runs of places in which two formulas lie to each other in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.expression.condition import compare
from roofdsl.expression.tree import Relation
from roofdsl.numeric.place import Place, place_before

# How `left` lies to `right`: above it, below, equal; `mixed`: now this, now that, by jumps too
# dense to be listed.
State: TypeAlias = Literal["above", "below", "equal", "mixed", "undecided"]
STATES: dict[int | None, State] = {1: "above", -1: "below", 0: "equal", None: "undecided"}
ORDERS: dict[State, int] = {"above": 1, "below": -1, "equal": 0}


class Ends(NamedTuple):
    """The first and the last place of each order among dense jumps; None where it holds nowhere.

    `not_above`: below or equal; `not_below`: above or equal.
    """

    above: tuple[Place, Place] | None
    below: tuple[Place, Place] | None
    not_above: tuple[Place, Place] | None
    not_below: tuple[Place, Place] | None

    @classmethod
    def of(cls, runs: Iterable[SignRun]) -> Ends | None:
        """Return the ends in several runs, from left to right; None where one has none known.

        >>> Ends.of([SignRun(1, 4, "above"), SignRun(5, 7, "equal"), SignRun(8, 9, "above")]).above
        (1, 9)
        """
        found: list[list[tuple[Place, Place]]] = [[], [], [], []]
        for first, last, state, ends in runs:
            if state in _HOLD:
                own = [(first, last) if each else None for each in _HOLD[state]]
            elif ends is None:
                return None
            else:
                own = [*ends]
            for row, each in zip(found, own, strict=True):
                row.extend([each] if each else [])
        return cls(*((row[0][0], row[-1][1]) if row else None for row in found))

    def turned(self, change: Callable[[Place], Place]) -> Ends:
        """Return them for another unknown, which falls where this one grows."""
        return Ends(*(each and (change(each[1]), change(each[0])) for each in self))


# Which of `Ends` hold in a run.
_HOLD: dict[State, tuple[bool, bool, bool, bool]] = {
    "above": (True, False, False, True),
    "below": (False, True, True, False),
    "equal": (False, False, True, True),
}


class SignRun(NamedTuple):
    """All places from `first` to `last`, and how `left` lies to `right` there.

    `mixed`: it is above at some places, below or equal at others, with jumps between them that are
    too many to be listed, and has `ends` where those are proven; `undecided`: nothing was found
    out. An `equal` run of a real unknown that is no wider than an enclosure holds one place where
    the two are equal.
    """

    first: Place
    last: Place
    state: State
    ends: Ends | None = None

    def joined(self, other: SignRun) -> SignRun:
        """Return this run and the next one, of the same state, as one."""
        ends = Ends.of((self, other)) if self.state == "mixed" else None
        return SignRun(self.first, other.last, self.state, ends)


def append(found: list[SignRun], run: SignRun, *, reverse: bool = False) -> None:
    """Append a run; where it continues the last, with its state, the two become one.

    `reverse`: the runs come from right to left.

    >>> found = [SignRun(1, 4, "above")]
    >>> append(found, SignRun(5, 7, "above"))
    >>> found
    [SignRun(first=1, last=7, state='above', ends=None)]
    """
    if found and found[-1].state == run.state:
        left, right = (run, found[-1]) if reverse else (found[-1], run)
        if left.last in (right.first, place_before(right.first)):
            found[-1] = left.joined(right)
            return
    found.append(run)


# Which of `Ends` a relation holds from and to.
_HOLD_FROM: dict[Relation, int] = {">": 0, "<": 1, "<=": 2, ">=": 3}


def holding_in(run: SignRun, relation: Relation) -> bool | tuple[Place, Place] | None:
    """Return whether a relation of the two formulas holds in a run: all over it, or nowhere.

    Where it holds at some of its places, these are the first and the last of them; None: that is
    not known.

    >>> holding_in(SignRun(1, 4, "above"), ">="), holding_in(SignRun(1, 4, "mixed"), ">=")
    (True, None)
    """
    if run.state in ORDERS:
        return compare(relation, ORDERS[run.state], 0)
    if run.ends is None or relation not in _HOLD_FROM:
        return None
    return run.ends[_HOLD_FROM[relation]] or False
