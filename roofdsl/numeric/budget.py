"""How much may still be worked on a question: counted, never timed.

A unit is about what it takes to enclose two short formulas over one interval. Seconds would give
another answer on another machine, or on a busy one; a count gives the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

WORK = 40_000.0
"""What one question may use where nothing else is said: some tenths of a second."""
_LEAST_SHARE = 1 / 4
"""Each of many questions may use so much of what those before it left."""


class Budget:
    """Work for one question, handed to all who help to answer it.

    `spent`: the work done so far, which may end a little above the budget: whoever works asks
    `left` before each step, and is charged for the step afterwards.

    >>> whole = Budget(100)
    >>> half = whole.share(1 / 2)
    >>> half.spend(60)
    >>> half.left, whole.left, whole.spent
    (0.0, 40.0, 60.0)
    """

    __slots__ = ("_limit", "_parent", "spent")

    def __init__(self, work: float = WORK, parent: Budget | None = None) -> None:
        self._limit = work
        self._parent = parent
        self.spent = 0.0

    @property
    def left(self) -> float:
        """The work that may still be done; 0 once it is used up, here or above."""
        own = max(0.0, self._limit - self.spent)
        return own if self._parent is None else min(own, self._parent.left)

    def spend(self, work: float) -> None:
        """Charge some work, here and above."""
        self.spent += work
        if self._parent is not None:
            self._parent.spend(work)

    def share(self, part: float) -> Budget:
        """Return a budget for a part of what is left; what it does not use stays here.

        >>> Budget(100).share(1 / 4).left
        25.0
        """
        return Budget(part * self.left, self)

    def limited(self, work: float) -> Budget:
        """Return a budget for some work, as far as it is left; what it does not use stays here.

        >>> Budget(100).limited(30).left
        30.0
        """
        return Budget(min(work, self.left), self)

    def shares(self, count: int) -> Iterator[Budget]:
        """Yield a budget for each of some questions that follow each other.

        Each may use its fair part of what those before it left, or a quarter of it where there are
        many: a hard one leaves something to the others, and what is not used serves them.

        >>> [share.left for share in Budget(100).shares(2)]
        [50.0, 100.0]
        """
        for following in range(count, 0, -1):
            yield self.share(max(_LEAST_SHARE, 1 / following))

    def shares_without_end(self, count: int) -> Iterator[Budget]:
        """Yield a budget for each of about so many questions, and for as many more as there are."""
        yield from self.shares(count)
        while True:
            yield self.share(_LEAST_SHARE)
