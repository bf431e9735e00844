"""What a file says beyond the fields that its architecture has: refused, noted, or of no matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from roofdsl.diagnostic import listing
from roofdsl.importers.huggingface.fields import Fields
from roofdsl.located_json import Located

_OTHER_NETWORKS = {
    "add_cross_attention": "attention to another network is not known",
    "pruned_heads": "heads that were taken out are not known",
    "text_config": "a network of several parts is not known",
    "vision_config": "a network of several parts is not known",
    "audio_config": "a network of several parts is not known",
}
"""Fields that make another network of it, unless they are false, 0 or empty."""
_SIZES = re.compile(
    r"(^|_)(n|num|size|rank|dim|heads|layers|experts?|freq|step|width|depth|inner|channels|kernel|"
    r"bias|norm|layernorm|intermediate|window|dense|sparse|shared|routed|moe|lora|residual|adapters?|"
    r"prefix|mtp|nextn|conv|memory|mixer)(_|$)"
)
"""What the name of a size has in it, or of a part that is there or not."""
_NO_MATTER = re.compile(
    r".*_token_id|num_beam.*|num_return_sequences|.*no_repeat_ngram_size|n_ctx|ep_size|"
    r"chunk_size_feed_forward|max_window_layers|num_key_value_heads|topk_group|n_group|n_positions|"
    r"norm_topk_prob|.*_norm_eps|.*_norm_epsilon|layernorm_epsilon|.*_weights?|num_labels|"
    r"num_logits_to_keep|tie_.*|.*attention_max_distance|pretraining_tp|encoder_stride|.*_pdrop|"
    r"pooler_.*|use_sliding_window|sliding_window(_size)?|sliding_window_pattern|head_dim|"
    r"initializer_.*|num_attention_heads|layer_types|query_pre_attn_scalar|rope_.*|aux_loss_alpha|"
    r"scale_attn_.*|reorder_and_upcast_attn|summary_.*|decoder_sparse_step|id2label|label2id"
)
"""Fields that say nothing about how large the network is, where its architecture does not ask."""


def refuse_foreign(fields: Fields) -> None:
    """Refuse a file of which a field makes another network (R1206)."""
    for name, message in _OTHER_NETWORKS.items():
        found = fields.at(name)
        if found is not None and found.value not in (False, 0, "") and _filled(found.value):
            fields.refuse(name, f"'{name}': {message}")


def _filled(value: object) -> bool:
    return not isinstance(value, tuple | Mapping) or bool(value)


def notes_on(fields: Fields) -> Iterator[str]:
    """Yield what is to be said of fields that were not read."""
    quantised = fields.at("quantization_config")
    if quantised is not None:
        method = _member(quantised, "quant_method")
        how = f" ({method[:40]})" if method else ""
        yield (
            f"weights are stored in fewer bits{how}: counted are those of the network before that,"
            " without the scales beside them"
        )
    if fields.at("auto_map") is not None:
        yield "code of its own (auto_map) is not read: it is counted as its class in transformers"
    unknown = [name for name, found in fields.unread().items() if _may_matter(name, found)]
    if unknown:
        yield f"what may change the network, and was not read: {listing(unknown)}"


def _may_matter(name: str, found: Located) -> bool:
    small = isinstance(found.value, bool | int | tuple | Mapping)
    empty = not found.value
    return small and not empty and bool(_SIZES.search(name)) and not re.fullmatch(_NO_MATTER, name)


def _member(found: Located, name: str) -> str:
    if isinstance(found.value, Mapping) and name in found.value:
        value = found.value[name].value
        return value if isinstance(value, str) else ""
    return ""
