"""Networks that are imported, against their published parameters and counts of our own.

`configs/sources.csv` says where each file is from; sizes of networks whose licence does not let
their files be copied stand here.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.importers.formats import read_file
from tests.importers.multiply_adds import multiply_adds
from tests.importers.weights import count

FOLDER = Path(__file__).parent / "configs"
SOURCES = [*csv.DictReader((FOLDER / "sources.csv").read_text(encoding="utf-8").splitlines())]
FILES = {row["file"].removesuffix(".json"): row for row in SOURCES}
LLAMA2: dict[str, object] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "vocab_size": 32000,
}
LLAMA3 = {**LLAMA2, "intermediate_size": 14336, "num_key_value_heads": 8, "vocab_size": 128256}
GEMMA: dict[str, object] = {
    "model_type": "gemma",
    "architectures": ["GemmaForCausalLM"],
    "hidden_size": 3072,
    "intermediate_size": 24576,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "head_dim": 256,
    "vocab_size": 256000,
}
GEMMA2 = {
    **GEMMA,
    "model_type": "gemma2",
    "architectures": ["Gemma2ForCausalLM"],
    "hidden_size": 3584,
    "intermediate_size": 14336,
    "num_hidden_layers": 42,
    "num_key_value_heads": 8,
}
QWEN_MOE: dict[str, object] = {
    "model_type": "qwen2_moe",
    "architectures": ["Qwen2MoeForCausalLM"],
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "moe_intermediate_size": 1408,
    "shared_expert_intermediate_size": 5632,
    "num_experts": 60,
    "num_experts_per_tok": 4,
    "vocab_size": 151936,
}


def settings(name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


BERT = settings("bert-base-uncased")
VIT = settings("vit-base-patch16-224-in21k")
T5 = settings("t5-small")
MISTRAL = {**settings("mistral-7b-instruct-v0.3"), "vocab_size": 32000, "sliding_window": 4096}
LABELS = {str(number): f"label {number}" for number in range(1000)}
WRITTEN: Mapping[str, tuple[dict[str, object], int]] = {
    "Llama 2 7B": (LLAMA2, 6_738_415_616),
    "Llama 3 8B": (LLAMA3, 8_030_261_248),
    "Mistral 7B v0.1": (MISTRAL, 7_241_732_096),
    "Gemma 7B": (GEMMA, 8_537_680_896),
    "Gemma 2 9B": (GEMMA2, 9_241_705_984),
    "Qwen1.5 MoE A2.7B": (QWEN_MOE, 14_315_784_192),
    "bert-base-uncased, body": ({**BERT, "architectures": ["BertModel"]}, 109_482_240),
    "vit-base-patch16-224": (
        {**VIT, "architectures": ["ViTForImageClassification"], "id2label": LABELS},
        86_567_656,
    ),
}
"""What was published of each, as the number of its weights."""


class Imported:
    """A network that was imported: one model of its text, evaluated."""

    def __init__(self, folder: Path, given: Mapping[str, object], suffix: str = "") -> None:
        path = folder / "config.json"
        path.write_text(json.dumps(given), encoding="utf-8")
        imported, problems = read_file(path, "config.json")
        assert imported is not None, problems
        self.text, self.notes = imported.text, imported.notes
        head = re.search(rf"^model \w+{suffix} = (\w+) with {{(.*?)^}}", self.text, re.M | re.S)
        assert head is not None
        lets = re.findall(r"let (\w+) = (\w+)", head[2])
        self.arguments = {name: _value(text) for name, text in lets}
        self.model = rd.load_model(head[1])

    def result(self, **more: int) -> rd.Result:
        on = self.model.on(rd.load_machine("dgx_a100"))
        return on.evaluate(**{**self.arguments, **more})


def _value(text: str) -> int | bool:
    return text == "true" if text in ("true", "false") else int(text)


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_the_one_that_is_named(name: str) -> None:
    row = FILES[name]
    data = (FOLDER / row["file"]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == row["sha256"]
    assert all(row.values())


def test_every_file_is_named() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_our_own_count_is_what_was_published(name: str) -> None:
    assert count(settings(name)) == int(FILES[name]["parameters"])


@pytest.mark.parametrize("name", WRITTEN)
def test_our_own_count_of_sizes_is_what_was_published(name: str) -> None:
    given, published = WRITTEN[name]
    assert count(given) == published


ALL = {
    **{name: settings(name) for name in FILES},
    **{name: each for name, (each, _) in WRITTEN.items()},
}


@pytest.mark.parametrize("name", ALL)
def test_parameters_and_multiply_adds(name: str, tmp_path: Path) -> None:
    given = ALL[name]
    tokens = {} if given["model_type"] == "vit" else {"seq": 512}
    result = Imported(tmp_path, given).result(batch=2, **tokens)
    assert result.tallies["parameters"] == count(given)
    by_hand = multiply_adds(given, 2, 512)
    assert result.tallies["multiply_adds"] == pytest.approx(by_hand, rel=0.005)


@pytest.mark.parametrize("name", ["Mistral 7B v0.1", "gpt2", "bert-base-uncased", "t5-small"])
def test_training_has_the_same_parameters(name: str, tmp_path: Path) -> None:
    found = Imported(tmp_path, ALL[name], "_training")
    assert found.result(batch=1).tallies["parameters"] == count(ALL[name])
