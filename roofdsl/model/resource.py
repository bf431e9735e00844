"""The resources every machine may have."""

from __future__ import annotations

from roofdsl.model.types import Resource
from roofdsl.units.dimension import BYTE, FLOP, MESSAGE

BUILT_IN: dict[str, Resource] = {
    "flops": Resource("flops", FLOP),
    "memory": Resource("memory", BYTE),
    "network": Resource("network", BYTE),
    "messages": Resource("messages", MESSAGE, shares="network"),
}
