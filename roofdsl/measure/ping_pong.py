"""Messages between two processes and back: a network's latency, and its bandwidth by size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, cast

from roofdsl.measure import mpi
from roofdsl.measure.timing import Effort, Timed, summary

SIZES = (1, *(2**power for power in range(3, 23)))
"""Bytes of a message: from 1 B, then 8 B to 4 MiB."""
WINDOW = 64
"""Messages of one direction that are on their way at once, as in `osu_bw`."""
_SECONDS = 600


class Echoed(NamedTuple):
    """The times of messages of one size [B].

    `trip` is half of the way to the other process and back, as in `osu_latency` and in the
    library's model `ping_pong`. `stream` is the time of one of many messages that follow one
    another in one direction, as in `osu_bw`.
    """

    size: int
    trip: Timed
    stream: Timed


class Request(NamedTuple):
    """What the two processes are asked for; as JSON, their argument."""

    sizes: Sequence[int]
    seconds: float
    least: int
    most: int


def ping_pong(
    sizes: Sequence[int] = SIZES,
    effort: Effort = Effort(0.05, 11, 1000),  # noqa: B008 - a named tuple, which nothing changes
    *,
    hosts: Path | None = None,
) -> tuple[Echoed, ...]:
    """Return the times of messages between two processes, one entry for each size.

    They are on this machine; with `hosts`, a file that names a host a line, on the first two of it.
    Raises RoofError where there is no MPI (R1531), or it fails (R1532, R1533).
    """
    found: list[Echoed] = []

    def heard(said: mpi.Said) -> None:
        trips, streams, share = (said[name] for name in ("trips", "streams", "share"))
        found.append(
            Echoed(
                cast(int, said["size"]),
                summary(cast(list[float], trips), share=cast(float, share)),
                summary(cast(list[float], streams), share=cast(float, share)),
            )
        )

    request = Request(sizes, effort.seconds, effort.least, effort.most)
    module = "roofdsl.measure.ping_pong_worker"
    mpi.run(module, request._asdict(), 2, heard, seconds=_SECONDS, hosts=hosts)
    return tuple(found)
