"""What binds in the enclosure of a change, whichever way each choice is made that is open there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from roofdsl.allowance import Budget
from roofdsl.analysis.branches import Branched, Branching, Candidates
from roofdsl.numeric.place import Place

_FOLD = 10.0
"""What one choice and the sums that hang on it count for."""


def bounds_in_every_case(
    rivals: Callable[[Branching], Mapping[str, Branched]],
    algebra: Branching,
    first: Place,
    last: Place,
    budget: Budget,
) -> tuple[str, ...]:
    """Return all that may bind from `first` to `last`, () where there are too many cases.

    At each place every choice is made in one of the ways that bounds of its values leave open. So
    what binds there binds in one of the cases, in each of which the charges are plain formulas.
    """
    found: dict[str, None] = {}
    waiting: list[tuple[int, ...]] = [()]
    while waiting and budget.left:
        made = waiting.pop()
        case = _Case(algebra, first, last, made)
        charged = rivals(case)
        trees = [branches[0].tree for branches in charged.values()]
        labels = case.across(trees, first, last).labels
        found |= dict.fromkeys([*charged][int(label)] for label in labels)
        for at in range(len(made), len(case.ways)):
            before = made + (0,) * (at - len(made))
            waiting += [(*before, way) for way in range(1, case.ways[at])]
        budget.spend(_FOLD * (1 + len(case.ways)))
    return () if waiting else tuple(found)


class _Case(Branching):
    """The algebra of one stretch that is hardly wider than a point, each choice in it made.

    `made`: the ways in which the first open choices are made; the others are in the first way.
    `ways`: how many ways each of them leaves, in the order in which they come.
    """

    def __init__(self, algebra: Branching, first: Place, last: Place, made: Sequence[int]) -> None:
        super().__init__(algebra.unknown, {}, first, last, iter(()))
        self.known = algebra.known
        self.made = made
        self.ways: list[int] = []

    def _candidates(self, values: Sequence[Branched]) -> Iterator[Candidates]:
        for first, last, trees in self.overlaid(values):
            labels = self.across(trees, first, last).labels
            way = self.made[len(self.ways)] if len(self.ways) < len(self.made) else 0
            self.ways.append(len(labels))
            yield Candidates(first, last, (int(labels[way]),), trees)
