"""A clock of a run that is split: what is computed, and what is sent, apart."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from types import TracebackType


class Part:
    """The time within `with` blocks, added up."""

    __slots__ = ("_begin", "_now", "seconds")

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._begin = 0.0
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._begin = self._now()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds += self._now() - self._begin


class SplitClock:
    """The seconds that a run computes and communicates; waiting for others is communication.

    >>> ticks = iter([0.0, 3.0, 3.0, 4.0])
    >>> clock = SplitClock(lambda: next(ticks))
    >>> with clock.computing: pass
    >>> with clock.communicating: pass
    >>> clock.computing.seconds, clock.communicating.seconds
    (3.0, 1.0)
    """

    __slots__ = ("communicating", "computing")

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self.computing = Part(now)
        self.communicating = Part(now)
