"""Whether an operator that copies only where it must does so, told from how elements lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

COPY_IF_NEEDED = ("contiguous", "flatten", "reshape")


def moves(node: torch.fx.Node, kind: str) -> bool:
    """Whether one of `COPY_IF_NEEDED` moves elements here."""
    first = node.args[0] if node.args else None
    given = getattr(first, "meta", {}).get("val")
    if kind not in COPY_IF_NEEDED or given is None:
        return False
    if kind == "contiguous":
        return not given.is_contiguous()
    return not _can_view(given, node.meta["val"])


def _can_view(given: torch.Tensor, made: torch.Tensor) -> bool:
    import torch

    sizes, strides = map(_example, given.shape), map(_example, given.stride())
    lying = torch.empty_strided(tuple(sizes), tuple(strides), device="meta", dtype=given.dtype)
    try:
        lying.view(tuple(map(_example, made.shape)))
    except RuntimeError:
        return False
    return True


def _example(size: object) -> int:
    """Return a size, of an open one that of the inputs it was traced with."""
    node = getattr(size, "node", None)
    return int(node.hint) if node is not None else int(str(size))
