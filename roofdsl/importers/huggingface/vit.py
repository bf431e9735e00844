"""ViT."""

from __future__ import annotations

from roofdsl.importers.huggingface.architecture import (
    FORWARD_AND_TRAINING,
    LABELS,
    Architecture,
    Arguments,
    Field,
)
from roofdsl.importers.huggingface.fields import Fields


def _pooler(fields: Fields, found: Arguments, _notes: list[str]) -> None:
    """Refuse a last layer with other features than a token has."""
    size = fields.size("pooler_output_size", found["hidden"])
    if found.get("pooled") and size != found["hidden"]:
        message = f"a pooler of {size} features, other than those of a token, is not known"
        fields.refuse("pooler_output_size", message)


VIT = Architecture(
    family="vit",
    phases=FORWARD_AND_TRAINING,
    fixed=("image_width", "inner", "class_token", "averaged", "qkv_bias", "pooled", "classes"),
    fields=(
        Field("layers", "num_hidden_layers"),
        Field("hidden", "hidden_size"),
        Field("heads", "num_attention_heads"),
        Field("inner", "intermediate_size"),
        Field("image", "image_size"),
        Field("patch", "patch_size"),
        Field("channels", "num_channels", absent=3),
        Field("qkv_bias", "qkv_bias", absent=True),
    ),
    heads={
        "ViTModel": {"pooled": True, "classes": 0},
        "ViTForImageClassification": {"classes": LABELS},
    },
    more=(_pooler,),
    source="Dosovitskiy et al. 2021 (ViT), §3.1",
)
