"""What a kernel is: an algorithm whose runs are measured, and the model that predicts them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from roofdsl.measure.communicator import Communicator
    from roofdsl.measure.split_clock import SplitClock


class Prepared(Protocol):
    """A kernel with its data, of one process; all processes call each method together."""

    def ready(self) -> None:
        """Put the data as they are before a run, and what it is to find out of reach; not timed."""

    def run(self, clock: SplitClock) -> None:
        """Run it once. It is called many times, each time after `ready`.

        All that takes time is within `clock.computing` or `clock.communicating`.
        """

    def error(self) -> float:
        """Return how far the last run is off a serial reference, relative, on process 0.

        Others return 0. It may be slow and hold the whole problem.
        """


class Kernel(NamedTuple):
    """A kernel: `model` is the name of the model in the library that its runs are scored by.

    A size is one whole number. `parameters` gives the model's parameters for a size on so many
    processes; `refuses` says why it does not run so, None where it does. Modules that need NumPy
    are imported by `prepare`.
    """

    model: str
    sizes: tuple[int, ...]
    quick: tuple[int, ...]
    parameters: Callable[[int, int], Mapping[str, int]]
    refuses: Callable[[int, int], str | None]
    prepare: Callable[[Communicator, int], Prepared]
    tolerance: float
    method: str
