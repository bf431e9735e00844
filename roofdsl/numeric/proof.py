"""How far an answer over a range is proven: a value that goes with the answer to its reader."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.allowance import ran_out
from roofdsl.numeric.place import Place


class Proof(NamedTuple):
    """How far an answer over a range is proven.

    `complete`: nothing in the range is undecided. `up_to`: the last place before the first that is
    undecided, None where the range begins with it; the end of the range where all is proven.
    `ran_out`: the budget did not do for all that was tried, so that more work may decide the rest.

    >>> Proof.of([(9, True), (10, False), (100, True)])
    Proof(complete=False, up_to=9, ran_out=False)
    """

    complete: bool
    up_to: Place | None
    ran_out: bool = False

    @classmethod
    def of(cls, parts: Iterable[tuple[Place, bool]]) -> Proof:
        """Return the proof of adjacent parts of a range: where each ends, whether it is decided.

        It is made while the question is asked that they answer.
        """
        up_to: Place | None = None
        for last, decided in parts:
            if not decided:
                return cls(False, up_to, ran_out())
            up_to = last
        return cls(True, up_to)

    def joined(self, other: Proof) -> Proof:
        """Return the proof of an answer to two questions over one range.

        >>> Proof(True, 100).joined(Proof(False, 9))
        Proof(complete=False, up_to=9, ran_out=False)
        """
        ends = [each.up_to for each in (self, other) if each.up_to is not None]
        up_to = min(ends) if len(ends) == 2 else None
        return Proof(self.complete and other.complete, up_to, self.ran_out or other.ran_out)


class Proven:
    """What holds a proof, and says of itself how far it is proven."""

    __slots__ = ()

    if TYPE_CHECKING:  # a field of most, which follows from others in some

        @property
        def proof(self) -> Proof: ...

    @property
    def complete(self) -> bool:
        """Whether nothing in the range is undecided."""
        return self.proof.complete

    @property
    def proven_up_to(self) -> Place | None:
        """The last place before the first that is undecided, None where the range begins so."""
        return self.proof.up_to
