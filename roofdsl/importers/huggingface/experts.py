"""Decoders with experts: Mixtral, and those of Qwen."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import Arguments, Field
from roofdsl.importers.huggingface.decoders import (
    earlier_layers,
    every_layer,
    every_layer_if_asked,
    heads,
)
from roofdsl.importers.huggingface.fields import Fields
from roofdsl.importers.huggingface.llama import MISTRAL, QWEN2, QWEN3, SILU

MIXTRAL = MISTRAL.but(
    Field("experts", "num_local_experts", other="num_experts"),
    Field("top", "num_experts_per_tok"),
    heads=heads("Mixtral"),
    more=(SILU, every_layer()),
    source="Jiang et al. 2024 (Mixtral of Experts), §2",
)


def _sparse(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Count the layers without experts: those named, and those between every n-th."""
    step = fields.size("decoder_sparse_step", 1)
    sparse = range(step - 1, found["layers"], step)
    named = sum(layer in sparse for layer in fields.numbers("mlp_only_layers"))
    found["dense_layers"] = found["layers"] - len(sparse) + named


_FIELDS = (
    Field("experts", "num_experts", other="num_local_experts"),
    Field("top", "num_experts_per_tok"),
    Field("expert_inner", "moe_intermediate_size"),
)

QWEN2_MOE = QWEN2.but(
    *_FIELDS,
    Field("qkv_bias", "qkv_bias", absent=True),
    Field("shared_inner", "shared_expert_intermediate_size"),
    Field("kv_heads", "num_key_value_heads", absent=16),
    always={"shared_gate": True},
    heads=heads("Qwen2Moe"),
    more=(SILU, earlier_layers, _sparse),
    source="Qwen team 2024 (Qwen2), §2.2.2",
)

QWEN3_MOE = QWEN3.but(
    *_FIELDS,
    Field("kv_heads", "num_key_value_heads", absent=4),
    Field("head_size", "head_dim", absent=None),
    heads=heads("Qwen3Moe"),
    more=(SILU, every_layer_if_asked, _sparse),
    source="Qwen team 2025 (Qwen3), §2",
)
