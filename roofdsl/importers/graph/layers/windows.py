"""Windows along the sides of an image: their places, and the elements that lie in one."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.importers.graph.size import product
from roofdsl.importers.graph.values import NoRule

_LONGEST = 4_000_000


class Windows(NamedTuple):
    """Windows on each side: elements of the kernel, steps, padding before and after, dilation."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    dilations: tuple[int, ...]

    @property
    def taps(self) -> int:
        """Elements of a window."""
        return product(self.kernel)

    @property
    def even(self) -> bool:
        """Whether steps, padding and dilation are the same on all sides, before and after."""
        alike = (self.strides, self.before + self.after, self.dilations)
        return all(len(set(each)) == 1 for each in alike)

    def read(self, lengths: tuple[int, ...], places: tuple[int, ...]) -> int:
        """Return the elements that lie in some window."""
        return product(map(_touched, lengths, places, *self))


def windows(
    kernel: tuple[int, ...],
    strides: tuple[int, ...] = (),
    before: tuple[int, ...] = (),
    after: tuple[int, ...] | None = None,
    dilations: tuple[int, ...] = (),
) -> Windows:
    """Return windows, with steps of one and no padding where these are not given."""
    sides = len(kernel)
    found = Windows(
        kernel,
        strides or (1,) * sides,
        before or (0,) * sides,
        (after if after is not None else before) or (0,) * sides,
        dilations or (1,) * sides,
    )
    if any(len(each) != sides for each in found):
        raise NoRule("its attributes do not fit its kernel")
    if min((*kernel, *found.strides, *found.dilations)) < 1 or min(found.before + found.after) < 0:
        raise NoRule("a kernel, step or padding that cannot be")
    return found


def same(
    lengths: tuple[int, ...],
    places: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    *,
    more_after: bool = True,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the padding, before and after, that makes as many places as there are."""
    whole = [
        max(0, (p - 1) * s + d * (k - 1) + 1 - n)
        for n, p, k, s, d in zip(lengths, places, kernel, strides, dilations, strict=True)
    ]
    less, more = tuple(each // 2 for each in whole), tuple(each - each // 2 for each in whole)
    return (less, more) if more_after else (more, less)


def _touched(
    length: int, places: int, kernel: int, stride: int, before: int, after: int, dilation: int
) -> int:
    """Return how many of the elements of a line lie in some window.

    >>> [_touched(9, 4, 2, 2, 0, 0, 1), _touched(31, 4, 4, 4, 0, 0, 6)]
    [8, 14]
    """
    del after  # it is in the number of places
    if max(length, kernel * places / 25) > _LONGEST:
        raise NoRule("its windows are too many to be counted")
    found = bytearray(length)
    for tap in range(kernel):
        offset = tap * dilation - before
        first = max(0, (stride - 1 - offset) // stride)
        last = min(places - 1, (length - 1 - offset) // stride)
        if last >= first:
            begin, end = first * stride + offset, last * stride + offset
            found[begin : end + 1 : stride] = b"\1" * (last - first + 1)
    return found.count(1)
