"""What processes send one another, with the bytes and messages of each counted.

Only point-to-point messages are here: `collectives` makes all else of them, so that what a process
sends is what the algorithm says, whichever MPI there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

Array: TypeAlias = NDArray[np.generic]
"""Any array; what is sent lies in one piece in memory."""


class Communicator(Protocol):
    """The processes, and this one's place among them."""

    rank: int
    size: int
    sent: int  # bytes that this process has sent
    messages: int  # in so many messages

    def send(self, values: Array, to: int, /) -> None:
        """Send an array; it may wait until it is received."""

    def receive(self, into: Array, sender: int, /) -> None:
        """Receive an array of the same size."""

    def exchange(self, values: Array, to: int, into: Array, sender: int, /) -> None:
        """Send and receive at once, so that neither waits for the other."""

    def barrier(self) -> None:
        """Wait for all."""


class Alone:
    """One process: nobody to send to."""

    rank = 0
    size = 1
    sent = 0
    messages = 0

    def send(self, *_: object) -> None:
        raise ValueError("there is no other process")

    receive = exchange = send

    def barrier(self) -> None:
        pass


class OverMpi:
    """The processes of MPI."""

    def __init__(self, communicator: Intracomm) -> None:
        self._mpi = communicator
        self.rank: int = communicator.rank
        self.size: int = communicator.size
        self.sent = 0
        self.messages = 0

    def send(self, values: Array, to: int) -> None:
        self._count(values)
        self._mpi.Send(_bytes(values), to)

    def receive(self, into: Array, sender: int) -> None:
        self._mpi.Recv(_bytes(into), sender)

    def exchange(self, values: Array, to: int, into: Array, sender: int) -> None:
        self._count(values)
        self._mpi.Sendrecv(_bytes(values), to, recvbuf=_bytes(into), source=sender)

    def barrier(self) -> None:
        self._mpi.Barrier()

    def _count(self, values: Array) -> None:
        self.sent += values.nbytes
        self.messages += 1


def _bytes(values: Array) -> NDArray[np.uint8]:
    """Return the bytes of an array, without a copy; raise ValueError where they do not adjoin."""
    if not values.flags.c_contiguous:
        raise ValueError("what is sent lies in one piece in memory")
    return values.reshape(-1).view(np.uint8)


def world(processes: int) -> Communicator:
    """Return the processes that were started; raise RuntimeError where they are not together."""
    if processes == 1:
        return Alone()
    from mpi4py import MPI

    if processes != MPI.COMM_WORLD.size:
        together = MPI.COMM_WORLD.size
        raise RuntimeError(f"of {processes} processes, {together} found together: two MPIs?")
    return OverMpi(MPI.COMM_WORLD)
