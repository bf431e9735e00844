"""What is the largest where: the parts of a range, the changes between them, and their proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.numeric.place import Place, place_after
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.sliver import is_narrow
from roofdsl.numeric.turns import Extent
from roofdsl.unchanging import Unchanging

# `tie`: all of the labels are the largest; `band`: now one of them, now another, by jumps too
# dense to be listed; `undecided`: one of them, but the work did not suffice to say which.
# `shared`: the first of its labels is the largest everywhere, at some places others as much.
# `refused`: there is no value to compare; `idle`: all are 0.
RegimeKind: TypeAlias = Literal["largest", "tie", "shared", "band", "undecided", "refused", "idle"]
# `tie`: at one place, or a whole regime, they are exactly equal; `touch`: equal at one place, with
# the same order on both sides; `jump`: by a `ceil`, `floor` or `if`, without being equal.
CrossingKind: TypeAlias = Literal["switch", "tie", "touch", "jump", "band"]


CERTAIN = ("largest", "tie", "shared")
"""The kinds in which the first label is the largest everywhere."""


class Regime(NamedTuple):
    """All places from `first` to `last`, and what is largest there, in the order it was given.

    Of a real unknown, the two ends are proven, and between two regimes lies an enclosure. Of a
    band each label has an extent: where it is the largest, of equals the first. `some_refused`: at
    some of its places there is no value; what is said holds at all others.
    """

    first: Place
    last: Place
    labels: tuple[str, ...]
    kind: RegimeKind = "largest"
    extents: tuple[Extent, ...] = ()
    some_refused: bool = False

    @property
    def certain(self) -> bool:
        """Whether its first label is known to be the largest at all of its places."""
        return self.kind in CERTAIN

    @property
    def leading(self) -> tuple[str, ...]:
        """The labels without those that are as much at some of its places alone."""
        return self.labels[:1] if self.kind == "shared" else self.labels

    def joined(self, following: Regime) -> Regime:
        """Return it with the one that follows, which is of the same labels and kind."""
        pairs = zip(self.extents, following.extents, strict=True)
        extents = tuple(one.joined(other) for one, other in pairs)
        some = self.some_refused or following.some_refused
        return self._replace(last=following.last, extents=extents, some_refused=some)


@dataclass(frozen=True, slots=True)
class Crossing(Unchanging):
    """A change of what is largest, from `before` to `after`.

    `enclosure`: floats between which it lies; of a `band`, from the first switch to the last.
    `first_integer`: of a whole unknown, the first number from which `after` holds; of a `touch`,
    the number where they are equal. A band at the end of the range has nothing before or after it.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    enclosure: tuple[float, float]
    first_integer: int | None
    kind: CrossingKind


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Regimes(Proven):
    """The whole range as regimes, and every crossing, proven as far as said."""

    regimes: tuple[Regime, ...]
    crossings: tuple[Crossing, ...]
    proof: Proof

    @classmethod
    def of(cls, regimes: Sequence[Regime], crossings: Iterable[Crossing]) -> Regimes:
        """Return regimes with the changes between them, and how far they are proven."""
        proof = Proof.of((each.last, each.kind != "undecided") for each in regimes)
        return cls(tuple(regimes), tuple(crossings), proof)


def is_point(tie: Regime) -> bool:
    """Whether times are equal at one place, which for a real unknown may be an enclosure of it."""
    return tie.first == tie.last or (isinstance(tie.last, float) and is_narrow(tie.first, tie.last))


def joined_regimes(regimes: Sequence[Regime], *, integer: bool) -> Iterator[Regime]:
    """Join neighbours that are alike."""
    current = regimes[0]
    for each in regimes[1:]:
        # Places of a real unknown are floats: between two neighbours there is none.
        following = integer or each.first <= place_after(current.last)
        if (each.labels, each.kind) == (current.labels, current.kind):
            if following:
                current = current.joined(each)
                continue
            # The enclosure of a change after which all is as before: it is not known what is in it.
            yield current
            yield Regime(current.last, each.first, current.labels, "undecided")
            current = each
        elif following and _led_by_one(current, each):
            labels = tuple(dict.fromkeys((*current.labels, *each.labels)))
            some = current.some_refused or each.some_refused
            current = Regime(current.first, each.last, labels, "shared", (), some)
        else:
            yield current
            current = each
    yield current


def _led_by_one(one: Regime, other: Regime) -> bool:
    """Whether one label is the largest all over two regimes, and others as much at some places."""
    both = (one, other)
    if "shared" not in (one.kind, other.kind) or not all(each.certain for each in both):
        return False
    long = any(each.kind == "tie" and each.first != each.last for each in both)
    return one.labels[0] == other.labels[0] and not long
