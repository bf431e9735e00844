"""What decoders have in common: their phases, heads, activations and windows."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import (
    Architecture,
    Arguments,
    Field,
    Heads,
    More,
)
from roofdsl.importers.huggingface.fields import Fields

PHASES = {
    "": "scores of the next word at each token",
    "_training": "one step of training",
    "_prefill": "generation, the prompt is read",
    "_decode": "generation, one more word",
}
FIXED = (
    "inner", "kv_heads", "head_size", "gated", "gelu", "rms", "bias", "qkv_bias", "output_bias",
    "inner_bias", "norm_bias", "rotary", "rotary_size", "learned_positions", "position_rows",
    "qk_norm", "post_norms", "parallel", "one_norm", "tied", "head_bias", "window", "local_layers",
    "experts", "top", "expert_inner", "shared_inner", "shared_gate", "router_bias", "dense_layers",
    "key_rank", "query_rank", "rope_size", "value_size", "head",
)  # fmt: skip
"""The parameters of the family that are a network's own."""
IDLE = {"experts": ("capacity_factor", "e")}
"""Those that are about experts, and say nothing where there are none."""
DECODER = Architecture(
    family="decoder",
    phases=PHASES,
    fixed=FIXED,
    idle=IDLE,
    fields=(
        Field("layers", "num_hidden_layers"),
        Field("hidden", "hidden_size"),
        Field("heads", "num_attention_heads"),
        Field("inner", "intermediate_size"),
        Field("vocabulary", "vocab_size"),
        Field("context", "max_position_embeddings", absent=2048),
        Field("tied", "tie_word_embeddings", absent=False),
    ),
    heads={},
    source="",
)
"""What most of them call alike; each has classes and a source of its own."""


def heads(prefix: str) -> Heads:
    """Return the classes of a decoder: one that scores the next word, and what is before that."""
    return {f"{prefix}ForCausalLM": {}, f"{prefix}Model": {"head": False}}


def activation(field: str, absent: str) -> More:
    """Return what reads the activation, GELU or SiLU; another is counted as the usual one."""

    def read(fields: Fields, found: Arguments, notes: list[str]) -> None:
        name = fields.word(field, absent)
        kind = "gelu" if "gelu" in name else "silu" if name in ("silu", "swish") else absent
        if kind not in name and name != "swish":
            notes.append(f"the activation '{name[:40]}' is counted as {absent}")
        found["gelu"] = "gelu" in kind

    return read


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


def earlier_layers(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Read a window of every second layer before `max_window_layers`, where one is used at all."""
    if fields.flag("use_sliding_window", False):
        last = min(fields.size("max_window_layers", 28, 0), found["layers"])
        _windows(fields, found, 4096, (last + 1) // 2)


def every_layer_if_asked(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Read a window of all layers, where one is used at all."""
    if fields.flag("use_sliding_window", False):
        _windows(fields, found, 4096, found["layers"])


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
    if size and local and size < found["context"]:
        found["window"], found["local_layers"] = size, local
