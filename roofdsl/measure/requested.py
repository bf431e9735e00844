"""What a worker is asked for, and what it answers: both go from process to process as JSON."""

from __future__ import annotations

from typing import NamedTuple


class Request(NamedTuple):
    """The kernels that are run, by the names of their models, with their sizes; and how often.

    Each is run `least` times, then until `seconds` have passed, `most` times at the most. Before
    each run as many bytes as `emptied` are read, so that its data are in no cache.
    """

    processes: int
    tasks: tuple[tuple[str, int], ...]
    least: int = 5
    most: int = 25
    seconds: float = 0.5
    emptied: int = 0


class Ran(NamedTuple):
    """A kernel that was run: times are medians in seconds, of the process that took the longest.

    `low` and `high` are the quartiles of the time. `share` is what of a processor that process had
    while it ran. `sent` bytes in `messages` are those of the process that sent the most. `error` is
    how far the answer is off a serial reference.
    """

    kernel: str
    size: int
    time: float
    compute: float
    communication: float
    low: float
    high: float
    repeats: int
    share: float
    sent: int
    messages: int
    error: float
