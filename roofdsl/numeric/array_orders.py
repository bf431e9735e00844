"""The order of two formulas at many whole numbers at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from roofdsl.numeric.array_interval import ArrayEnclosure


def orders(
    left: ArrayEnclosure, right: ArrayEnclosure, first: int, last: int
) -> Iterator[tuple[int, int, int | None]]:
    """Yield runs of whole numbers with the order of two formulas there, None where bounds overlap.

    >>> from fractions import Fraction
    >>> from roofdsl.expression import tree as trees
    >>> n = trees.Symbol("N")
    >>> square, double = trees.Multiply((n, n)), trees.Multiply((trees.Number(Fraction(2)), n))
    >>> list(orders(ArrayEnclosure(square, "N"), ArrayEnclosure(double, "N"), 1, 9))
    [(1, 1, -1), (2, 2, 0), (3, 9, 1)]
    """
    one, other = left.over(first, last), right.over(first, last)
    above, below = one.low > other.high, one.high < other.low
    equal = (one.low == one.high) & (other.low == other.high) & (one.low == other.low)
    # The bounds are of numbers: where both ends are infinite nothing is known.
    equal &= np.isfinite(one.low)
    codes = np.select([above, below, equal], [1, -1, 0], default=2)
    ends = np.append(np.flatnonzero(np.diff(codes)), len(codes) - 1)
    begin = 0
    for end in ends.tolist():
        code = int(codes[begin])
        yield first + begin, first + end, None if code == 2 else code
        begin = end + 1
