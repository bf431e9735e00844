"""GPT-2, and GPT-NeoX as Pythia has it."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import Arguments, Field
from roofdsl.importers.huggingface.decoders import DECODER, activation, heads
from roofdsl.importers.huggingface.fields import Fields

GPT2 = DECODER.but(
    Field("layers", "n_layer"),
    Field("hidden", "n_embd"),
    Field("heads", "n_head"),
    Field("inner", "n_inner", absent=None),
    Field("context", "n_positions", absent=1024, other="n_ctx"),
    Field("tied", "tie_word_embeddings", absent=True),
    heads={"GPT2LMHeadModel": {}, "GPT2Model": {"head": False}},
    more=(activation("activation_function", "gelu"),),
    source="Radford et al. 2019 (GPT-2), §2.3",
)


def _turned(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Read which part of a head is turned."""
    share = fields.share("partial_rotary_factor", 0.25)
    share = fields.share("rotary_pct", share)
    found["rotary_size"] = int(found["hidden"] // found["heads"] * share)


GPT_NEOX = DECODER.but(
    Field("qkv_bias", "attention_bias", absent=True),
    Field("output_bias", "attention_bias", absent=True),
    Field("parallel", "use_parallel_residual", absent=True),
    always={"rotary": True},
    heads=heads("GPTNeoX"),
    more=(activation("hidden_act", "gelu"), _turned),
    source="Black et al. 2022 (GPT-NeoX-20B), §2.1",
)
