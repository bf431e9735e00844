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
from roofdsl.tracing.torch_costs import HANGING, UNREAD, WRITTEN_ONLY, work_of

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
        name = _named(str(func._schema.name))
        given = [each for each in _tensors([*args, *more.values()]) if each.numel()]
        regions = [self.memory.region(each) for each in given]
        if name == "index":
            regions[0] = _gathered(regions[0], args[1])
        before = set(self.memory.stores)
        result = func(*args, **more)
        every = [*_tensors([result])]
        if not every:
            raise Uncounted(f"'torch.{name}' is no operation that is counted")
        made = [each for each in every if each.numel()]
        new = any(each.untyped_storage()._cdata not in before for each in made)
        written = [self.memory.region(each, new=True) for each in made]
        if name in UNREAD or (made and not new and not func._schema.is_mutable):
            return result  # a view, or memory that nothing is written to
        reads = [
            region
            for each, region in zip(given, regions, strict=True)
            if each.ndim and not (name in WRITTEN_ONLY and each is args[0])
        ]
        writes = [region for each, region in zip(made, written, strict=True) if each.ndim]
        self.tally.count(name, work_of(name, args, more, given, made), reads, writes)
        return result


def _named(name: str) -> str:
    """Return an operator's name, without what says that it works in place."""
    space, _, plain = name.rpartition("::")
    if not plain.startswith("_") and plain.endswith("_"):
        plain = plain[:-1]
    if space != "aten":
        raise Uncounted(f"'{name}' is no operation that is counted")
    if plain in HANGING:
        raise DependsOnData(HANGING[plain], "what is counted must not hang on data")
    return plain


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
