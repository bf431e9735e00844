"""Rows of runs over one range, cut against each other: their common refinement.

A run is a first and a last place, and a value that holds from the one to the other. The runs of a
row are in order and do not overlap; those of a real unknown may share an end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

P = TypeVar("P", bound=float)
V = TypeVar("V")


def refined(rows: Sequence[Sequence[tuple[P, P, V]]]) -> Iterator[tuple[P, P, tuple[V, ...]]]:
    """Yield the parts in which no row changes, each with the values of all rows there.

    What lies in no run of some row is left out. There must be a row.

    >>> [*refined([[(1, 4, "a"), (5, 9, "b")], [(1, 6, "x"), (8, 9, "y")]])]
    [(1, 4, ('a', 'x')), (5, 6, ('b', 'x')), (8, 9, ('b', 'y'))]
    """
    places = [0] * len(rows)
    while all(place < len(row) for place, row in zip(places, rows, strict=True)):
        runs = [row[place] for place, row in zip(places, rows, strict=True)]
        first, last = max(run[0] for run in runs), min(run[1] for run in runs)
        if first <= last:
            yield first, last, tuple(run[2] for run in runs)
        places = [place + (run[1] == last) for place, run in zip(places, runs, strict=True)]


def merged(runs: Iterable[tuple[P, P, V]]) -> Iterator[tuple[P, P, V]]:
    """Yield runs, neighbours of one value as one.

    >>> [*merged([(1, 4, "a"), (5, 7, "a"), (8, 9, "b")])]
    [(1, 7, 'a'), (8, 9, 'b')]
    """
    for value, alike in groupby(runs, itemgetter(2)):
        together = [*alike]
        yield together[0][0], together[-1][1], value
