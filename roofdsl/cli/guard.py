"""The last guard of a command: time and memory that no counted work should come near.

Work is counted (`roofdsl.allowance`), and ends alike on every machine. This is for what was not
counted right: it ends the command with a message before that takes the machine from its user.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from roofdsl.diagnostic import Diagnostic, RoofError

SECONDS = 600
"""Of the processor, for one command: hundreds of times what counted work takes."""
_PART_OF_MEMORY = 1 / 2
_LONGEST = 1e9  # that a timer takes


class OutOfTime(BaseException):
    """Raised when the time is up; no part of a command takes it for an error of its own."""


@contextmanager
def guarded(factor: float = 1) -> Iterator[None]:
    """Stop what takes `SECONDS`, times a `factor` above 1, or half of the memory (R0412)."""
    seconds = min(SECONDS * max(1, factor), _LONGEST)
    try:
        with _timed(seconds), _bounded():
            yield
    except OutOfTime:
        raise _stopped(f"after {seconds:,.0f} seconds of work") from None
    except MemoryError:
        raise _stopped("as it needs more memory than half of the machine's") from None


def _stopped(when: str) -> RoofError:
    hint = "it works more than was counted: please report the command and its files"
    return RoofError([Diagnostic("R0412", f"the command was stopped {when}", hint=hint)])


@contextmanager
def _timed(seconds: float) -> Iterator[None]:
    """Raise OutOfTime after so many seconds of the processor, where a timer is to be had."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTime

    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return
    handler = signal.signal(signal.SIGPROF, stop)
    before, _ = signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, before)
        signal.signal(signal.SIGPROF, handler)


@contextmanager
def _bounded() -> Iterator[None]:
    """Have Python raise MemoryError beyond a part of the machine's memory, where it can be told."""
    try:
        import resource
    except ImportError:  # Windows has none
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = int(_PART_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    if soft == resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
