"""Whether a machine does other work than what is measured: its numbers would then be wrong.

Two signs are looked at. Of what the processors did, all that this process and those it started did
not do is others' work. And what is computed has its processor the whole time, or waits for it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from roofdsl.measure.timing import Timed
from roofdsl.units.quantity import show_number, show_percent

LEAST_SHARE = 0.9
"""Of its processor, that what computes all the time must have had."""
_LEAST_OF_SEVERAL = 0.8
"""Of its processors, where several threads wait for one another now and then."""
_OTHERS = 0.3
"""Processors that others may keep busy on a small machine."""
_OTHERS_PART = 0.1
"""Of all processors, that others may keep busy on a larger one."""
_LOOK = 0.5  # seconds
_STAT = Path("/proc/stat")


class Moment(NamedTuple):
    """Seconds that have passed: of the clock, of all processors at work, of our own work.

    `work` is None where the system does not say it.
    """

    wall: float
    work: float | None
    own: float


def moment() -> Moment:
    """Return the seconds until now. Work of programs that were started counts once they ended."""
    times = os.times()
    own = times.user + times.system + times.children_user + times.children_system
    return Moment(time.perf_counter(), _work(), own)


def _work() -> float | None:
    """Return the seconds that all processors worked, or were taken away by a hypervisor."""
    try:
        _name, *ticks = _STAT.read_text(encoding="ascii").partition("\n")[0].split()
        user, nice, system, _idle, _waiting, *more = map(int, ticks[:8])
        return (user + nice + system + sum(more)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):  # there is no such file but on Linux
        return None


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def others(before: Moment, after: Moment) -> float | None:
    """Return how many processors others kept busy between two moments; None where none knows.

    >>> others(Moment(0.0, 100.0, 5.0), Moment(10.0, 125.0, 15.0))
    1.5
    """
    if before.work is None or after.work is None or after.wall <= before.wall:
        return None
    used = after.work - before.work - (after.own - before.own)
    return max(0.0, used / (after.wall - before.wall))


def too_many(busy: float, count: int) -> bool:
    """Whether others keep so many of the processors busy that a measurement would show it.

    >>> too_many(0.2, 2), too_many(1.0, 2), too_many(3.0, 64)
    (False, True, False)
    """
    return busy > max(_OTHERS, _OTHERS_PART * count)


def busy_between(before: Moment, after: Moment, count: int) -> str | None:
    """Return what was seen of others' work between two moments, None where it was little."""
    busy = others(before, after)
    if busy is None or not too_many(busy, count):
        return None
    return f"other programs kept {show_number(busy, 2)} of {count} processors busy"


def busy_now(wait: Callable[[float], None] = time.sleep) -> str | None:
    """Return what is seen of others' work while this process waits, None where it is little."""
    before = moment()
    if before.work is not None:
        wait(_LOOK)
        return busy_between(before, moment(), processors())
    try:
        load = os.getloadavg()[0]  # of the last minute, its own work too
    except (OSError, AttributeError):
        return None
    if not too_many(load, processors()):
        return None
    return f"the load of the last minute is {show_number(load, 2)}, on {processors()} processors"


def waited(times: Timed, threads: int = 1) -> str | None:
    """Return what is seen of waiting while threads computed all the time, None where it is little.

    >>> waited(Timed(1.0, 1.0, 1.0, 5, share=0.5))
    'what was measured had its processor for 50 % of the time'
    >>> waited(Timed(1.0, 1.0, 1.0, 5, share=0.99))
    """
    share = times.share / threads
    if share >= (LEAST_SHARE if threads == 1 else _LEAST_OF_SEVERAL):
        return None
    its = "its processor" if threads == 1 else f"its {threads} processors"
    return f"what was measured had {its} for {show_percent(share, 2)} of the time"
