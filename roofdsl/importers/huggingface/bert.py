"""BERT."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import (
    FORWARD_AND_TRAINING,
    LABELS,
    Architecture,
    Arguments,
    Field,
)
from roofdsl.importers.huggingface.fields import Fields


def _absolute(fields: Fields, _found: Arguments, _notes: list[str]) -> None:
    """Refuse what makes another network of it."""
    kind = fields.word("position_embedding_type", "absolute")
    if kind != "absolute":
        message = f"places as '{kind[:40]}' are not known"
        fields.refuse("position_embedding_type", message, "known are 'absolute' ones")
    if fields.flag("is_decoder", False):
        fields.refuse("is_decoder", "BERT as a decoder is not known")


BERT = Architecture(
    family="bert",
    phases=FORWARD_AND_TRAINING,
    fixed=("context", "inner", "segments", "pooled", "classes", "language_head", "tied"),
    fields=(
        Field("layers", "num_hidden_layers"),
        Field("hidden", "hidden_size"),
        Field("heads", "num_attention_heads"),
        Field("inner", "intermediate_size"),
        Field("vocabulary", "vocab_size"),
        Field("context", "max_position_embeddings", absent=512),
        Field("segments", "type_vocab_size", absent=2),
        Field("tied", "tie_word_embeddings", absent=True),
    ),
    heads={
        "BertModel": {},
        "BertForMaskedLM": {"pooled": False, "language_head": True},
        "BertForPreTraining": {"language_head": True, "classes": 2},
        "BertForNextSentencePrediction": {"classes": 2},
        "BertForSequenceClassification": {"classes": LABELS},
    },
    more=(_absolute,),
    source="Devlin et al. 2019 (BERT), §3",
)
