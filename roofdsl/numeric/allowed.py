"""The nearest number that some conditions allow."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

N = TypeVar("N", bound=float, covariant=True)


class Allowed(NamedTuple, Generic[N]):
    """A number that is allowed, and whether it is proven that none comes before it.

    With None for the number: whether it is proven that there is none; where it is not, each was
    `looked` at up to this one, if that is known.
    """

    value: N | None
    proven: bool
    looked: N | None = None
