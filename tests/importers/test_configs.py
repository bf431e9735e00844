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
from roofdsl.model.library import check_module
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
    """A network that was imported: its file, which has no problems, and one of its models."""

    def __init__(self, folder: Path, given: Mapping[str, object], suffix: str = "") -> None:
        source, target = folder / "config.json", folder / "net.roof"
        source.write_text(json.dumps(given), encoding="utf-8")
        imported, problems = read_file(source, "config.json", name="net")
        assert imported is not None, problems
        self.text, self.notes = imported.text, imported.notes
        target.write_text(self.text, encoding="utf-8")
        module, found = check_module(target)
        assert (module is not None, found) == (True, ())
        self.model = rd.load_model(f"{target}:net{suffix}")
        head = re.search(rf"^model net{suffix} = \w+ with {{(.*?)^}}", self.text, re.M | re.S)
        assert head is not None
        lets = re.findall(r"^    let (\w+) = (\w+)$", head[1].partition("    #")[0], re.M)
        self.arguments = {name: _value(text) for name, text in lets}

    def result(self, **more: int) -> rd.Result:
        return self.model.on(rd.load_machine("dgx_a100")).evaluate(**more)


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


GENERATED = ("gpt2", "Mistral 7B v0.1", "mixtral-8x7b-v0.1", "deepseek-v3", "Gemma 2 9B")
TRAINED = (*GENERATED, "bert-base-uncased", "vit-base-patch16-224-in21k", "t5-small")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        *((name, "_training") for name in TRAINED),
        *((name, suffix) for name in GENERATED for suffix in ("_prefill", "_decode")),
    ],
)
def test_every_phase_has_the_same_parameters(name: str, suffix: str, tmp_path: Path) -> None:
    found = Imported(tmp_path, ALL[name], suffix)
    assert found.result(batch=1).tallies["parameters"] == count(ALL[name])


def test_notes_say_what_is_left_out(tmp_path: Path) -> None:
    notes = Imported(tmp_path, ALL["deepseek-v3"]).notes
    assert [note.partition(" ")[0] for note in notes] == [
        "layers",
        "weights",
        "code",
    ]


@pytest.mark.parametrize("name", [name for name in ALL if "deepseek" not in name])
def test_nothing_is_noted_of_a_usual_file(name: str, tmp_path: Path) -> None:
    assert Imported(tmp_path, ALL[name]).notes == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_experts", 8),
        ("num_memory_tokens", 16),
        ("qk_layernorm", True),
        ("ffn_sub_norm", True),
        ("first_k_dense_replace", 2),
        ("use_moe", True),
        ("use_residual_gate", True),
        ("mtp_layers", [1, 2]),
    ],
)
def test_a_field_that_may_matter_is_noted(field: str, value: object, tmp_path: Path) -> None:
    (note,) = Imported(tmp_path, {**LLAMA2, field: value}).notes
    assert f"'{field}'" in note


@pytest.mark.parametrize(
    ("field", "value"),
    [("num_experts", 0), ("ffn_sub_norm", False), ("mtp_layers", []), ("resid_drop_rate", 1)],
)
def test_a_field_that_says_nothing_is_not(field: str, value: object, tmp_path: Path) -> None:
    assert Imported(tmp_path, {**LLAMA2, field: value}).notes == ()


WINDOW = {"use_sliding_window": True, "sliding_window": 4096}


def test_layers_with_a_window(tmp_path: Path) -> None:
    windows = {
        name: Imported(tmp_path, given).arguments.get("local_layers")
        for name, given in {
            "all": MISTRAL,
            "none": {**MISTRAL, "sliding_window": None},
            "as long as an input": {**MISTRAL, "sliding_window": 32768},
            "every second": GEMMA2,
            "named": {**GEMMA2, "layer_types": ["sliding_attention"] * 5 + ["full_attention"] * 37},
            "off": settings("qwen3-8b"),
            "later": {
                **settings("qwen3-8b"),
                **WINDOW,
                "max_window_layers": 30,
            },
            "every second of the first": {
                **QWEN_MOE,
                "use_sliding_window": True,
                "max_window_layers": 7,
            },
            "all, of experts": {**settings("qwen3-30b-a3b"), **WINDOW},
        }.items()
    }
    assert windows == {
        "all": 32,
        "none": None,
        "as long as an input": None,
        "every second": 21,
        "named": 5,
        "off": None,
        "later": 6,
        "every second of the first": 4,
        "all, of experts": 48,
    }


def test_layers_without_experts(tmp_path: Path) -> None:
    given = {**QWEN_MOE, "decoder_sparse_step": 2}
    assert Imported(tmp_path, given).arguments["dense_layers"] == 12
    assert Imported(tmp_path, given).result(batch=1).tallies["parameters"] == count(given)
    named = {**QWEN_MOE, "mlp_only_layers": [0, 5]}
    assert Imported(tmp_path, named).arguments["dense_layers"] == 2


def test_what_is_the_default_of_the_family_is_left_out(tmp_path: Path) -> None:
    found = Imported(tmp_path, ALL["gpt2"]).arguments
    assert found == {"layers": 12, "hidden": 768, "heads": 12, "vocabulary": 50257, "context": 1024}


@pytest.mark.parametrize(
    ("head", "parameters"),
    # The table of words, its places and parts; 12 layers; a pooler; what words are scored by.
    [
        ("BertModel", 109_482_240),
        ("BertForMaskedLM", 109_514_298),
        ("BertForPreTraining", 109_482_240 + 622_650 + 2 * 769),
        ("BertForSequenceClassification", 109_482_240 + 3 * 769),
    ],
)
def test_the_class_says_the_last_layer(head: str, parameters: int, tmp_path: Path) -> None:
    labels = {"0": "a", "1": "b", "2": "c"}
    given = {**BERT, "architectures": [head], "id2label": labels}
    assert Imported(tmp_path, given).result(batch=1).tallies["parameters"] == parameters


def test_t5_without_scores_shares_its_table_all_the_same(tmp_path: Path) -> None:
    given = {**T5, "architectures": ["T5Model"]}
    with_scores = Imported(tmp_path, T5).result(batch=1, seq=64).tallies
    without = Imported(tmp_path, given).result(batch=1, seq=64).tallies
    assert without["parameters"] == with_scores["parameters"]
    assert with_scores["multiply_adds"] - without["multiply_adds"] == 64 * 512 * 32128


@pytest.mark.parametrize(
    ("first", "every", "dense"), [(1, 1, 1), (3, 2, 15), (0, 1, 0), (4, 4, 21), (99, 1, 27)]
)
def test_layers_of_deepseek_without_experts(
    first: int, every: int, dense: int, tmp_path: Path
) -> None:
    given = {
        **settings("deepseek-v2-lite-chat"),
        "first_k_dense_replace": first,
        "moe_layer_freq": every,
    }
    # Layers 0 to 26: those before the first, and those that are no multiple.
    assert dense == sum(layer < first or layer % every > 0 for layer in range(27))
    assert Imported(tmp_path, given).arguments.get("dense_layers", 0) == dense


def test_very_many_layers_take_no_longer(tmp_path: Path) -> None:
    for name in ("deepseek-v3", "qwen3-30b-a3b", "Gemma 2 9B"):
        given = {**ALL[name], "num_hidden_layers": 10**9}
        assert Imported(tmp_path, given).arguments["layers"] == 10**9


@pytest.mark.parametrize(
    ("name", "head"),
    [("Llama 3 8B", "LlamaModel"), ("gpt2", "GPT2Model"), ("deepseek-v3", "DeepseekV3Model")],
)
def test_what_is_before_the_scores_alone(name: str, head: str, tmp_path: Path) -> None:
    given = ALL[name]
    words, hidden = (
        next(size for field, size in given.items() if field in fields and isinstance(size, int))
        for fields in (("vocab_size",), ("hidden_size", "n_embd"))
    )
    matrix = 0 if name == "gpt2" else words * hidden  # of GPT-2 the table of words makes the scores
    found = Imported(tmp_path, {**given, "architectures": [head]})
    with_scores = Imported(tmp_path, given).result(batch=1, seq=64).tallies
    without = found.result(batch=1, seq=64).tallies
    assert found.text.count("\nmodel ") == 1
    assert with_scores["parameters"] - without["parameters"] == matrix
    assert with_scores["multiply_adds"] - without["multiply_adds"] == 64 * words * hidden


@pytest.mark.parametrize(("name", "dense", "shared"), [("v2-lite-chat", 0, 2), ("v3", 3, 1)])
def test_what_deepseek_takes_where_a_field_is_absent(
    name: str, dense: int, shared: int, tmp_path: Path
) -> None:
    whole = settings(f"deepseek-{name}")
    given = {
        field: value
        for field, value in whole.items()
        if field not in ("first_k_dense_replace", "n_shared_experts")
    }
    as_if = {**whole, "first_k_dense_replace": dense, "n_shared_experts": shared}
    assert Imported(tmp_path, given).arguments == Imported(tmp_path, as_if).arguments
    none = Imported(tmp_path, {**whole, "n_shared_experts": None}).arguments
    assert "shared_inner" not in none


@pytest.mark.parametrize("suffix", ["", "_training", "_prefill", "_decode"])
def test_llama_2_is_the_one_of_the_library(suffix: str, tmp_path: Path) -> None:
    found = Imported(tmp_path, {**LLAMA2, "max_position_embeddings": 4096}, suffix)
    bundled = rd.load_model(f"llama2_7b{suffix}")
    assert [*found.model.parameters] == [name for name in bundled.parameters if name != "head"]
    there = bundled.on(rd.load_machine("dgx_a100")).evaluate(batch=1)
    result = found.result(batch=1)
    assert (result.time, result.tallies) == (there.time, there.tallies)
