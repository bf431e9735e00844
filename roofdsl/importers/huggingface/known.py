"""The architectures that are known, by the field `model_type`."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.importers.huggingface.architecture import Architecture
from roofdsl.importers.huggingface.bert import BERT
from roofdsl.importers.huggingface.deepseek import DEEPSEEK_V2, DEEPSEEK_V3
from roofdsl.importers.huggingface.experts import MIXTRAL, QWEN2_MOE, QWEN3_MOE
from roofdsl.importers.huggingface.gemma import GEMMA, GEMMA2
from roofdsl.importers.huggingface.gpt import GPT2, GPT_NEOX
from roofdsl.importers.huggingface.llama import LLAMA, MISTRAL, QWEN2, QWEN3
from roofdsl.importers.huggingface.t5 import T5
from roofdsl.importers.huggingface.vit import VIT

ARCHITECTURES: Mapping[str, Architecture] = {
    "llama": LLAMA,
    "mistral": MISTRAL,
    "mixtral": MIXTRAL,
    "qwen2": QWEN2,
    "qwen2_moe": QWEN2_MOE,
    "qwen3": QWEN3,
    "qwen3_moe": QWEN3_MOE,
    "gemma": GEMMA,
    "gemma2": GEMMA2,
    "gpt2": GPT2,
    "gpt_neox": GPT_NEOX,
    "deepseek_v2": DEEPSEEK_V2,
    "deepseek_v3": DEEPSEEK_V3,
    "bert": BERT,
    "vit": VIT,
    "t5": T5,
}
