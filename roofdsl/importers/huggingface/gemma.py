"""Gemma, whose heads are wider than a token has features, and Gemma 2, with four norms a block."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import Field
from roofdsl.importers.huggingface.decoders import activation, every_second, heads
from roofdsl.importers.huggingface.llama import LLAMA

_GELU = activation("hidden_activation", "gelu")

GEMMA = LLAMA.but(
    Field("kv_heads", "num_key_value_heads", absent=16),
    Field("head_size", "head_dim", absent=256),
    Field("context", "max_position_embeddings", absent=8192),
    Field("tied", "tie_word_embeddings", absent=True),
    without=("inner_bias",),
    heads=heads("Gemma"),
    more=(_GELU,),
    source="Gemma team 2024 (Gemma), §2",
)

GEMMA2 = GEMMA.but(
    Field("kv_heads", "num_key_value_heads", absent=4),
    always={"post_norms": True},
    heads=heads("Gemma2"),
    more=(_GELU, every_second(absent=4096)),
    source="Gemma team 2024 (Gemma 2), §2",
)
