"""Tensors of PyTorch: each operator that it runs is counted, with the memory it touches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from roofdsl.tracing.refusal import DependsOnData, Uncounted
from roofdsl.tracing.tally import Places, Region, Store, Tally
from roofdsl.tracing.torch_costs import CREATED, HANGING, UNREAD, WRITTEN_ONLY, work_of

if TYPE_CHECKING:
    from roofdsl.tracing.traced import Array


def tensor(data: Array, dtype: str, tally: Tally) -> torch.Tensor:
    """Return an argument: a tensor with these numbers, in memory that the function finds."""
    found = torch.from_numpy(data).to(getattr(torch, dtype))
    _Memory(tally).given(found)
    return found


class _Memory:
    """The stores of the storages that a tally has seen in a run; they are kept until its end."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.stores: dict[int, tuple[Store, object]] = tally.storages

    def given(self, value: torch.Tensor) -> Store:
        """Return memory that was there before, such as an argument, or a weight of a module."""
        return self._store(value, new=False)

    def _store(self, value: torch.Tensor, *, new: bool) -> Store:
        storage = value.untyped_storage()
        key = storage._cdata
        if key not in self.stores:
            size = storage.nbytes() // value.element_size()
            store = Store(size, value.element_size(), given=not new, known=False)
            if not new:
                self.tally.given.append(store)
            self.stores[key] = store, storage
        store = self.stores[key][0]
        if store.itemsize != value.element_size():
            raise Uncounted("the bytes of a tensor are taken for other numbers")
        return store

    def has(self, value: torch.Tensor) -> bool:
        return value.untyped_storage()._cdata in self.stores

    def region(self, value: torch.Tensor, *, new: bool = False) -> Region:
        """Return the elements of a tensor in its storage."""
        store = self._store(value, new=new)
        return Region(store, _places(value, store.read.size))


def _places(value: torch.Tensor, size: int) -> Places:
    every = np.arange(size, dtype=np.intp)[value.storage_offset() :]
    strides = tuple(each * every.itemsize for each in value.stride())
    return np.lib.stride_tricks.as_strided(every, tuple(value.shape), strides, writeable=False)


def results(value: object, tally: Tally) -> Iterator[Region]:
    """Return the memory of a result that is a tensor."""
    if isinstance(value, torch.Tensor):
        yield _Memory(tally).region(value)


class _Counting(TorchDispatchMode):  # type: ignore[misc]  # PyTorch is not looked at
    def __init__(self, tally: Tally) -> None:
        super().__init__()
        self.tally = tally
        self.memory = _Memory(tally)

    def __torch_dispatch__(
        self,
        func: torch._ops.OpOverload,
        types: object,
        args: tuple[object, ...] = (),
        kwargs: Mapping[str, object] | None = None,
    ) -> object:
        more = dict(kwargs or {})
        space, _, name = str(func._schema.name).rpartition("::")
        plain = name if name.startswith("_") or not name.endswith("_") else name[:-1]
        if plain in HANGING or space != "aten":
            if space != "aten":
                raise Uncounted(f"'{space}::{name}' is no operation that is counted")
            what = HANGING[plain]
            raise DependsOnData(what, "what is counted must not hang on data")
        given = [*_tensors([*args, *more.values()])]
        known = {id(each) for each in given}
        regions = [self.memory.region(each) for each in given if each.numel()]
        if plain == "index":
            regions[0] = _gathered(regions[0], args[1])
        before = set(self.memory.stores)
        result = func(*args, **more)
        made = [each for each in _tensors([result]) if each.numel()]
        changed = func._schema.is_mutable
        if plain in UNREAD or (made and not changed and all(
            each.untyped_storage()._cdata in before for each in made
        )):  # fmt: skip
            for each in made:
                self.memory.region(each, new=True)
            return result  # a view, or memory that nothing is written to
        if plain not in CREATED:
            work = work_of(plain, args, more, given, made)
        else:
            work = work_of("zeros", args, more, given, made)
        reads = [
            region
            for each, region in zip([x for x in given if x.numel()], regions, strict=True)
            if each.ndim and not (plain in WRITTEN_ONLY and each is args[0])
        ]
        writes = [self.memory.region(each, new=True) for each in made if each.ndim]
        for each in made:
            if not each.ndim:
                self.memory.region(each, new=id(each) not in known)
        self.tally.count(plain, work, reads, writes)
        return result


def _gathered(region: Region, places: object) -> Region:
    """Return the elements that tensors of whole numbers, one for each axis, take of a region."""
    assert isinstance(places, (list, tuple))
    key: list[object] = []
    for each in places:
        if isinstance(each, torch.Tensor) and each.dtype in (torch.bool, torch.uint8):
            raise DependsOnData(
                "how many elements a mask selects hangs on the data",
                "compute with all of them: torch.where(mask, x, 0)",
            )
        key.append(each.numpy() if isinstance(each, torch.Tensor) else slice(None))
    take: Callable[..., Places] = region.places.__getitem__
    return Region(region.store, take(tuple(key)))


def _tensors(values: object) -> Iterator[torch.Tensor]:
    if isinstance(values, torch.Tensor):
        yield values
    elif isinstance(values, (list, tuple)):
        for each in values:
            yield from _tensors(each)


@contextmanager
def counting(tally: Tally) -> Iterator[None]:
    """Count what PyTorch runs."""
    with _Counting(tally):
        yield
