"""What PyTorch holds in memory while it trains a network, measured from outside.

Two questions are answered, each of a `run` that computes a loss:

* Which bytes does forward leave for backward? Autograd tells of each tensor it saves. They are
  counted by storage: views lie in the storage of their source, and a storage is held whole, once.
  Weights, and buffers such as running statistics, are held anyway and are not counted; inputs and
  targets are, where a layer saves them.
* How many bytes are live at most, in forward and in backward? Each storage that an operation
  returns is followed until it is freed. What a kernel allocates for itself and frees is not seen.

Both need shapes alone, so both work on tensors without memory (`faked`), for large networks.
"""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402, after the check above
from torch.autograd.graph import saved_tensors_hooks  # noqa: E402, the same
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402, the same
from torch.utils._pytree import tree_leaves  # noqa: E402, the same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from torch import Tensor, nn


class Saved(NamedTuple):
    """A storage that forward leaves for backward.

    Its shape is that of the largest tensor saved in it; the bytes are those of all of it.
    """

    shape: tuple[int, ...]
    dtype: str
    bytes: int
    by: str  #: each node of autograd that saved it, and as what

    def __str__(self) -> str:
        shape = "×".join(map(str, self.shape)) or "scalar"
        return f"{self.bytes:>12,} B  {self.dtype:<8} {shape:<20} {self.by}"


class Live(NamedTuple):
    """A storage that was live when the most bytes were."""

    shape: tuple[int, ...]
    bytes: int
    by: str  #: the operation that made it, or `base`


class Peak(NamedTuple):
    """When the most bytes were live: after which operation, and which storages."""

    bytes: int
    during: str
    live: list[Live]


class Peaks(NamedTuple):
    """Bytes that are live: weights, inputs, what is kept, what is at work, and gradients.

    The loss itself is live from the end of forward to the `end`; what it was computed from is only
    where something has saved it.
    """

    base: int  #: before forward
    forward: int  #: at most, in forward
    after_forward: int
    backward: int  #: at most, in backward
    end: int  #: after backward: the base, the gradients of the weights, the loss


class _Holder:
    """A tensor in the hands of autograd: it lives as long as the node that saved it.

    The tensor knows nothing of that node, which could be its own: they would hold one another.
    """

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor.detach()


def held(network: nn.Module) -> list[Tensor]:
    """Return the weights and the buffers of a network, which are held from step to step."""
    return [*network.parameters(), *network.buffers()]


@contextmanager
def faked() -> Iterator[None]:
    """Within, tensors have shapes but no memory, as if on a CPU without limits."""
    with FakeTensorMode():
        yield


def itemise(run: Callable[[], Tensor], weights: Iterable[Tensor] = ()) -> list[Saved]:
    """Return the storages that a run saves for the backward of its result, first saved first."""
    ours = {_key(tensor) for tensor in weights}
    holders: list[weakref.ref[_Holder]] = []
    names: dict[int, list[str]] = {}
    saver = ""

    def pack(tensor: Tensor) -> _Holder:
        holder = _Holder(tensor)
        holders.append(weakref.ref(holder))
        return holder

    def unpack(holder: _Holder) -> Tensor:
        if saver not in names.setdefault(_key(holder.tensor), []):
            names[_key(holder.tensor)].append(saver)
        return holder.tensor

    with saved_tensors_hooks(pack, unpack):
        result = run()
        for node in _nodes(result):
            for name in dir(node):
                if name.startswith("_saved_"):
                    saver = f"{node.name()}.{name.removeprefix('_saved_')}"
                    getattr(node, name)

    largest: dict[int, Tensor] = {}
    for reference in holders:
        holder = reference()
        if holder is None or _key(holder.tensor) in ours:
            continue
        before = largest.setdefault(_key(holder.tensor), holder.tensor)
        if holder.tensor.numel() > before.numel():
            largest[_key(holder.tensor)] = holder.tensor
    return [
        Saved(
            tuple(tensor.shape),
            str(tensor.dtype).removeprefix("torch."),
            tensor.untyped_storage().nbytes(),
            ", ".join(names.get(key, ["unknown"])),
        )
        for key, tensor in largest.items()
    ]


def kept_bytes(run: Callable[[], Tensor], weights: Iterable[Tensor] = ()) -> int:
    """Return the bytes that a run saves for the backward of its result, beside the weights."""
    return sum(saved.bytes for saved in itemise(run, weights))


def kept_bytes_fake(
    build: Callable[[], tuple[Callable[[], Tensor], Iterable[Tensor]]],
) -> int:
    """Return the same of a run and weights that `build` makes, all of it without memory."""
    with faked():
        return kept_bytes(*build())


def peaks(forward: Callable[[], Tensor], base: Iterable[Tensor]) -> Peaks:
    """Return the bytes live in a step of training that begins with `base` and no gradients."""
    return watched(forward, base)[0]


def watched(
    forward: Callable[[], Tensor], base: Iterable[Tensor], *, list_live: bool = False
) -> tuple[Peaks, Peak, Peak]:
    """Return the bytes live, and where forward and backward have their peaks, for explanations.

    The storages at the peaks are listed on demand: a copy at every new maximum takes time.
    """
    watch = _Watch(list_live=list_live)
    for tensor in base:
        watch.follow(tensor, "base")
    before = watch.bytes
    watch.restart()
    with watch:
        loss = forward()
    watch.settle()
    first, after = watch.peak, watch.bytes
    watch.restart(backward=True)
    with watch:
        loss.backward()
    watch.settle()
    return Peaks(before, first.bytes, after, watch.peak.bytes, watch.bytes), first, watch.peak


class _Watch(TorchDispatchMode):
    """Follows each storage that an operation returns, until it is freed.

    Under a watch autograd does two things out of place that it else does in place: where gradients
    meet it adds to the first of them, if nobody else holds that and it is no view; and it puts the
    gradient of elements taken by index into zeros. The zeros, or the first gradient, are then freed
    at once, which tells that they would have been written over: they are taken off.
    """

    def __init__(self, *, list_live: bool) -> None:
        super().__init__()
        self.bytes = 0
        self.list_live = list_live
        self.live: dict[int, Live] = {}
        self.references: dict[int, weakref.ref[Any]] = {}
        self.restart()

    def restart(self, *, backward: bool = False) -> None:
        """Forget the peak; what is live now is the new one."""
        self.backward = backward
        self.peak = Peak(self.bytes, "", list(self.live.values()))
        self.written_over: int | None = None
        self.unsettled: Peak | None = None

    def follow(self, tensor: Tensor, by: str) -> None:
        """Count the storage of a tensor until it is freed; a sparse one has two."""
        if tensor.layout == torch.sparse_coo:
            self.follow(tensor._indices(), by)
            self.follow(tensor._values(), by)
            return
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self.live:
            return
        size = storage.nbytes()
        self.live[key] = Live(tuple(tensor.shape), size, by)
        self.references[key] = weakref.ref(storage, partial(self._freed, key))
        self.bytes += size

    def _freed(self, key: int, _: object) -> None:
        freed = self.live.pop(key)
        self.bytes -= freed.bytes
        del self.references[key]
        if self.unsettled is not None and key == self.written_over:
            size, during, live = self.unsettled
            self.unsettled = Peak(
                size - freed.bytes, during, [one for one in live if one is not freed]
            )
            self.written_over = None

    def settle(self) -> None:
        """Take what was live after the last operation, now that it is known."""
        if self.unsettled is not None and self.unsettled.bytes > self.peak.bytes:
            self.peak = self.unsettled
        self.unsettled = None

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.settle()
        result = function(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self.follow(leaf, str(function))
        self.written_over = _written_over(function, args) if self.backward else None
        if self.written_over is not None or self.bytes > self.peak.bytes:
            live = list(self.live.values()) if self.list_live else []
            self.unsettled = Peak(self.bytes, str(function), live)
        return result


def _written_over(function: Any, args: Any) -> int | None:
    """Return the storage that an operation of backward writes over if nobody else holds it."""
    aten = torch.ops.aten
    if function is aten.index_put.default or (
        function is aten.add.Tensor and args[0].layout == torch.strided and not args[0]._is_view()
    ):
        return _key(args[0])
    return None


def _key(tensor: Tensor) -> int:
    """Return what tells the storage of a tensor from all others that are live."""
    return tensor.untyped_storage()._cdata


def _nodes(result: Tensor) -> list[Any]:
    """Return the nodes of autograd behind a result, each once."""
    found: dict[Any, None] = {}
    waiting = [result.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found[node] = None
            waiting += [before for before, _ in node.next_functions]
    return list(found)
