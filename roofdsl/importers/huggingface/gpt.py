"""GPT-2, and GPT-NeoX as Pythia has it."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import Architecture, Arguments, Field
from roofdsl.importers.huggingface.decoders import FIXED, IDLE, PHASES, activation, heads
from roofdsl.importers.huggingface.fields import Fields

GPT2 = Architecture(
    family="decoder",
    phases=PHASES,
    fixed=FIXED,
    idle=IDLE,
    fields=(
        Field("layers", "n_layer"),
        Field("hidden", "n_embd"),
        Field("heads", "n_head"),
        Field("inner", "n_inner", absent=None),
        Field("vocabulary", "vocab_size"),
        Field("context", "n_positions", absent=1024, other="n_ctx"),
        Field("tied", "tie_word_embeddings", absent=True),
    ),
    heads={"GPT2LMHeadModel": {}, "GPT2Model": {"head": False}},
    more=(activation("activation_function", "gelu"),),
    source="Radford et al. 2019 (GPT-2), §2.3",
)


def _turned(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Read which part of a head is turned."""
    share = fields.share("partial_rotary_factor", 0.25)
    share = fields.share("rotary_pct", share)
    found["rotary_size"] = int(found["hidden"] // found["heads"] * share)


GPT_NEOX = Architecture(
    family="decoder",
    phases=PHASES,
    fixed=FIXED,
    idle=IDLE,
    always={"rotary": True},
    fields=(
        Field("layers", "num_hidden_layers"),
        Field("hidden", "hidden_size"),
        Field("heads", "num_attention_heads"),
        Field("inner", "intermediate_size"),
        Field("vocabulary", "vocab_size"),
        Field("context", "max_position_embeddings", absent=2048),
        Field("qkv_bias", "attention_bias", absent=True),
        Field("output_bias", "attention_bias", absent=True),
        Field("parallel", "use_parallel_residual", absent=True),
        Field("tied", "tie_word_embeddings", absent=False),
    ),
    heads=heads("GPTNeoX"),
    more=(activation("hidden_act", "gelu"), _turned),
    source="Black et al. 2022 (GPT-NeoX-20B), §2.1",
)
