"""What decoders have in common: their phases, heads, windows and experts."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.importers.huggingface.architecture import Arguments, More
from roofdsl.importers.huggingface.fields import Fields
from roofdsl.importers.instance import Argument

PHASES = {
    "": "scores of the next word at each token",
    "_training": "one step of training",
    "_prefill": "generation, the prompt is read",
    "_decode": "generation, one more word",
}


def heads(prefix: str) -> Mapping[str, Mapping[str, Argument]]:
    """Return the classes of a decoder: one that scores the next word, and the body alone."""
    return {f"{prefix}ForCausalLM": {}, f"{prefix}Model": {"head": False}}


def every_layer(absent: int = 0) -> More:
    """Return what reads a window of all layers, `absent` where no field says how long it is."""
    return lambda fields, found, _: _windows(fields, found, absent, found["layers"])


def every_second(absent: int) -> More:
    """Return what reads a window of the first of every two layers."""
    return lambda fields, found, _: _windows(fields, found, absent, (found["layers"] + 1) // 2)


def later_layers(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Read a window of the layers from `max_window_layers` on, where one is used at all."""
    if fields.flag("use_sliding_window", False):
        first = fields.size("max_window_layers", 28, 0)
        _windows(fields, found, 4096, max(0, found["layers"] - first))


def _windows(fields: Fields, found: Arguments, absent: int, layers: int) -> None:
    size = 0 if fields.is_null("sliding_window") else fields.size("sliding_window", absent)
    kinds = fields.words("layer_types")
    for kind in kinds:
        if kind not in ("full_attention", "sliding_attention"):
            fields.refuse("layer_types", f"layers of the type '{kind[:40]}' are not known")
            return
    if kinds and len(kinds) != found["layers"]:
        message = f"'layer_types' has {len(kinds)} types for {found['layers']} layers"
        fields.refuse("layer_types", message, code="R1205")
    local = kinds.count("sliding_attention") if kinds else layers
    if size and local:
        found["window"], found["local_layers"] = size, local
