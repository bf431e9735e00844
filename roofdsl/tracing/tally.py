"""What was counted: operations at lines of a script, their flops, the memory that they touch."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from types import FrameType
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Places: TypeAlias = npt.NDArray[np.intp]
"""Which elements of a store an array has, in its shape."""


class Store:
    """The memory of one array and of all its views.

    `given` is memory that the function finds; `known` says that what it holds hangs on no data.
    """

    __slots__ = ("given", "itemsize", "known", "read", "written")

    def __init__(self, size: int, itemsize: int, *, given: bool, known: bool) -> None:
        self.itemsize = itemsize
        self.given = given
        self.known = known
        self.read = np.zeros(size, bool)
        """Elements that were read before the function wrote them."""
        self.written = np.zeros(size, bool)


class Region(NamedTuple):
    """Elements of a store, by their places in it."""

    store: Store
    places: Places


class Place(NamedTuple):
    """A line of the script, and what is done there."""

    line: int
    operation: str


class Transform(NamedTuple):
    """`flops`·log2(`length`) operations, of Fourier transforms along the axis `axis`."""

    axis: int
    length: int
    flops: Fraction


class Work(NamedTuple):
    """Floating-point operations of one kind of numbers, by the units that do them."""

    precision: str = "fp64"
    vector: int = 0
    special: int = 0
    matrix: int = 0
    transforms: tuple[Transform, ...] = ()


NOTHING = Work()


@dataclass(slots=True)
class Counts:
    """Of one place: flops by unit and precision, bytes, transforms by precision, axis, length."""

    flops: Counter[tuple[str, str]] = field(default_factory=Counter)
    memory: int = 0
    transforms: dict[tuple[str, int, int], Fraction] = field(default_factory=dict)


class Tally:
    """Counts while it is `active`: as the function runs, and not as its script is loaded."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.active = False
        self.counts: dict[Place, Counts] = {}
        self.given: list[Store] = []
        self.storages: dict[int, tuple[Store, object]] = {}
        """Memory by what PyTorch calls it, which is kept so that no other takes its place."""
        self.constants: dict[int, object] = {}
        """Arrays that were there before the call, by their identity: as they count."""
        self.loaded: list[Store] = []
        """Memory that the script made as it was loaded."""

    def begin(self) -> None:
        """Forget an earlier run."""
        self.counts = {}
        self.given = [*self.loaded]
        self.storages = {}
        for store in self.given:
            store.read[:] = store.written[:] = False

    def line(self) -> int:
        """Return the line of the script that is being run, 0 outside of it."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.path:
                return frame.f_lineno
            frame = frame.f_back
        return 0

    def new_store(self, size: int, itemsize: int, *, known: bool) -> Store:
        """Return memory for a result; while a script is loaded it is given to the function."""
        store = Store(size, itemsize, given=not self.active, known=known)
        if not self.active:
            self.loaded.append(store)
        return store

    def count(
        self, operation: str, work: Work, reads: Iterable[Region], writes: Iterable[Region]
    ) -> None:
        """Count an operation, which reads each element of its operands once, and writes results."""
        if not self.active:
            return
        here = self.counts.setdefault(Place(self.line(), operation), Counts())
        for unit in ("vector", "special", "matrix"):
            if flops := getattr(work, unit):
                here.flops[unit, work.precision] += flops
        for each in work.transforms:
            key = work.precision, each.axis, each.length
            here.transforms[key] = here.transforms.get(key, Fraction(0)) + each.flops
        here.memory += _bytes(reads, reading=True) + _bytes(writes, reading=False)

    def compulsory(self, results: Iterable[Region]) -> int:
        """Return the bytes that cannot be spared: what is given is read once, results written once.

        What the function leaves in memory that it was given is a result too.
        """
        total = 0
        for store in self.given:
            total += store.itemsize * int(store.read.sum() + store.written.sum())
        returned: dict[int, tuple[Store, npt.NDArray[np.bool_]]] = {}
        for store, places in results:
            if not places.ndim:
                store.written[:] = True  # a number, which leaves its register
            if not store.given:
                mask = returned.setdefault(id(store), (store, np.zeros(store.read.size, bool)))[1]
                mask[places.ravel()] = True
        return total + sum(
            store.itemsize * int((mask & store.written).sum()) for store, mask in returned.values()
        )


def _bytes(regions: Iterable[Region], *, reading: bool) -> int:
    """Return the bytes of regions, elements of several regions once, and note them as touched."""
    touched: dict[int, tuple[Store, npt.NDArray[np.bool_]]] = {}
    for store, places in regions:
        mask = touched.setdefault(id(store), (store, np.zeros(store.read.size, bool)))[1]
        mask[places.ravel()] = True
    total = 0
    for store, mask in touched.values():
        total += store.itemsize * int(mask.sum())
        if reading:
            store.read |= mask & ~store.written
        else:
            store.written |= mask
    return total
