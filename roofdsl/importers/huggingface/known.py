"""The architectures that are known, by the field `model_type`."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.importers.huggingface.architecture import Architecture
from roofdsl.importers.huggingface.llama import LLAMA, MISTRAL, QWEN2, QWEN3

ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": LLAMA,
    "mistral": MISTRAL,
    "qwen2": QWEN2,
    "qwen3": QWEN3,
}
