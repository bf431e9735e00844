"""Llama, and the decoders that are like it: Mistral, Qwen2, Qwen3."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import Field
from roofdsl.importers.huggingface.decoders import (
    DECODER,
    activation,
    every_layer,
    heads,
    later_layers,
)

SILU = activation("hidden_act", "silu")

LLAMA = DECODER.but(
    Field("kv_heads", "num_key_value_heads", absent=None),
    Field("head_size", "head_dim", absent=None),
    Field("qkv_bias", "attention_bias", absent=False),
    Field("output_bias", "attention_bias", absent=False),
    Field("inner_bias", "mlp_bias", absent=False),
    always={"gated": True, "rms": True},
    heads=heads("Llama"),
    more=(SILU,),
    source="Touvron et al. 2023 (Llama 2), §2.2",
)

MISTRAL = LLAMA.but(
    Field("kv_heads", "num_key_value_heads", absent=8),
    Field("context", "max_position_embeddings", absent=131072),
    without=("qkv_bias", "output_bias", "inner_bias"),
    heads=heads("Mistral"),
    more=(SILU, every_layer(absent=4096)),
    source="Jiang et al. 2023 (Mistral 7B), §2",
)

QWEN2 = LLAMA.but(
    Field("kv_heads", "num_key_value_heads", absent=32),
    Field("context", "max_position_embeddings", absent=32768),
    without=("qkv_bias", "output_bias", "inner_bias"),
    always={"qkv_bias": True},
    heads=heads("Qwen2"),
    more=(SILU, later_layers),
    source="Qwen team 2024 (Qwen2), §2.2",
)

QWEN3 = LLAMA.but(
    Field("kv_heads", "num_key_value_heads", absent=32),
    Field("head_size", "head_dim", absent=128),
    Field("context", "max_position_embeddings", absent=32768),
    without=("inner_bias",),
    always={"qk_norm": True},
    heads=heads("Qwen3"),
    more=(SILU, later_layers),
    source="Qwen team 2025 (Qwen3), §2",
)
