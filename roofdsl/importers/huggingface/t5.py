"""T5."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import (
    FORWARD_AND_TRAINING,
    Architecture,
    Arguments,
    Field,
)
from roofdsl.importers.huggingface.fields import Fields


def _gated(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Read whether a gate multiplies, as T5 1.1 has it."""
    found["gated"] = fields.word("feed_forward_proj", "relu").startswith("gated-")


T5 = Architecture(
    family="t5",
    phases=FORWARD_AND_TRAINING,
    fixed=("decoder_layers", "head_size", "gated", "buckets", "language_head", "tied"),
    fields=(
        Field("layers", "num_layers"),
        Field("decoder_layers", "num_decoder_layers", absent=None),
        Field("hidden", "d_model"),
        Field("heads", "num_heads"),
        Field("head_size", "d_kv"),
        Field("inner", "d_ff"),
        Field("vocabulary", "vocab_size"),
        Field("buckets", "relative_attention_num_buckets", absent=32),
        Field("tied", "tie_word_embeddings", absent=True),
    ),
    heads={
        "T5ForConditionalGeneration": {},
        "T5WithLMHeadModel": {},
        "T5Model": {"language_head": False},
    },
    more=(_gated,),
    source="Raffel et al. 2020 (T5), §2.1",
)
