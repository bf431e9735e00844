"""What is measured, one job after the other, while it is looked whether the machine is busy."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.measure.busy import Moment, busy_between, busy_now, moment, processors, waited
from roofdsl.measure.timing import Rate, Timed, rate

ATTEMPTS = 3
"""So often is something measured where others' work disturbs it."""
PAUSE = 2.0
"""Before it is measured again [s]."""
_LEAST = 0.3
"""Of less than these seconds, the system's ticks do not tell who worked."""
HINT = "end what else runs and measure again, or say --busy: the file then says what was seen"


class Job(NamedTuple):
    """One thing to measure: its `amount` [SI] is done in the time that `work` returns.

    It belongs to a group of jobs, in which `detail` says which it is. `threads` compute all the
    time: that one waits tells of a busy machine; 0 where waiting is part of it.
    """

    group: str
    detail: tuple[int, ...]
    amount: float
    work: Callable[[], Timed]
    threads: int = 1


class Done(NamedTuple):
    """A job, and the times that it took."""

    detail: tuple[int, ...]
    amount: float
    times: Timed

    @property
    def rate(self) -> Rate:
        """How much was done in a second."""
        return rate(self.amount, self.times)


Groups: TypeAlias = Mapping[str, list[Done]]
"""What was measured, by the names of the groups."""


class Watch:
    """Whether others work while something is measured: refuses that, or notes what was seen."""

    def __init__(
        self,
        *,
        accept: bool = False,
        look: Callable[[], Moment] = moment,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._seen: dict[str, str] = {}
        """What was seen first, by when it was seen."""
        self._accept = accept
        self._look = look
        self._wait = wait
        self._count = processors()

    def begin(self) -> None:
        """Look at the machine before all else; raise RoofError (R1522) if it is busy."""
        for attempt in range(ATTEMPTS):
            seen = busy_now(self._wait)
            if seen is None:
                return
            if attempt + 1 < ATTEMPTS and not self._accept:
                self._wait(PAUSE)
            else:
                self.note(seen, "before anything was measured")
                return

    def measured(self, job: Job) -> Timed:
        """Return the times of a job, measured again where others disturbed it (R1522)."""
        for attempt in range(ATTEMPTS):
            before = self._look()
            times = job.work()
            after = self._look()
            seen = busy_between(before, after, self._count) if long_enough(before, after) else None
            if seen is None and job.threads:
                seen = waited(times, job.threads)
            if seen is None:
                break
            if attempt + 1 < ATTEMPTS and not self._accept:
                self._wait(PAUSE)
            else:
                self.note(seen, f"while {job.group} was measured")
                break
        return times

    def note(self, seen: str, when: str) -> None:
        """Note what was seen; raise RoofError (R1522) where a busy machine is not accepted."""
        if not self._accept:
            message = f"this machine is busy: {seen}, {when}"
            raise RoofError([Diagnostic("R1522", message, hint=HINT)])
        self._seen.setdefault(when, seen)

    def told(self) -> str | None:
        """Return what was seen, in one sentence: at first, and how often after that."""
        if not self._seen:
            return None
        (when, seen), *others = self._seen.items()
        more = f"; and something like it {', '.join(when for when, _ in others)}" if others else ""
        return f"{seen}, {when}{more}"


def long_enough(before: Moment, after: Moment) -> bool:
    """Whether the system's ticks tell what was done between two moments."""
    return after.wall - before.wall >= _LEAST


def all_of(jobs: Iterable[Job], watch: Watch, tick: Callable[[str], None]) -> Groups:
    """Do jobs one after the other; `tick` is called after each with the name of its group."""
    groups: dict[str, list[Done]] = {}
    for job in jobs:
        times = watch.measured(job)
        groups.setdefault(job.group, []).append(Done(job.detail, job.amount, times))
        tick(job.group)
    return groups
