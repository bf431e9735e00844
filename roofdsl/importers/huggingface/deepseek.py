"""DeepSeek V2 and V3: keys and values of few features, many experts."""

from __future__ import annotations

from functools import partial

from roofdsl.importers.huggingface.architecture import Arguments, Field
from roofdsl.importers.huggingface.decoders import DECODER, heads
from roofdsl.importers.huggingface.fields import Fields
from roofdsl.importers.huggingface.llama import SILU


def _latent(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Read the features of a head: those of its own, and those that are turned."""
    found["rope_size"] = found["rotary_size"] = fields.size("qk_rope_head_dim")
    found["head_size"] = fields.size("qk_nope_head_dim") + found["rope_size"]
    if fields.flag("attention_bias", False):
        fields.refuse("attention_bias", "latent attention with biases is not known")


def _experts(fields: Fields, found: Arguments, notes: list[str], dense: int, shared: int) -> None:
    """Read the experts: which layers have some, and those that all tokens go to.

    `dense` and `shared` are how many of the first layers have none, and how many tokens share,
    where the file does not say it.
    """
    if not fields.has("n_routed_experts"):
        return
    first, every = fields.size("first_k_dense_replace", dense, 0), fields.size("moe_layer_freq", 1)
    shared = 0 if fields.is_null("n_shared_experts") else shared
    sparse = range(first + -first % every, found["layers"], every)
    found["experts"] = fields.size("n_routed_experts")
    found["top"] = fields.size("num_experts_per_tok")
    fields.note_place("top", "num_experts_per_tok")
    fields.note_place("experts", "n_routed_experts")
    found["expert_inner"] = fields.size("moe_intermediate_size")
    found["shared_inner"] = fields.size("n_shared_experts", shared, 0) * found["expert_inner"]
    found["dense_layers"] = found["layers"] - len(sparse)
    further = fields.size("num_nextn_predict_layers", 0, 0)
    if further:
        left_out = f"num_nextn_predict_layers = {further}"
        notes.append(f"layers that predict words further on are left out: {left_out}")


DEEPSEEK_V2 = DECODER.but(
    Field("key_rank", "kv_lora_rank"),
    Field("query_rank", "q_lora_rank", absent=1536, null=0),
    Field("value_size", "v_head_dim"),
    always={"gated": True, "rms": True},
    heads=heads("DeepseekV2"),
    more=(SILU, _latent, partial(_experts, dense=0, shared=2)),
    source="DeepSeek-AI 2024 (DeepSeek-V2), §2.1 and 2.2",
)


def _corrected(_fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Add the number of each expert that balances how often it is taken."""
    found["router_bias"] = "experts" in found


DEEPSEEK_V3 = DEEPSEEK_V2.but(
    Field("context", "max_position_embeddings", absent=4096),
    heads=heads("DeepseekV3"),
    more=(SILU, _latent, partial(_experts, dense=3, shared=1), _corrected),
    source="DeepSeek-AI 2024 (DeepSeek-V3), §2.1",
)
