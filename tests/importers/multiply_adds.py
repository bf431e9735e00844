"""The multiply-adds of published networks by the usual formula: weights met, and attention.

One for each weight of a product and each token that meets it (Kaplan et al. 2020, §2.1; of experts
those that it goes to), and two for each feature of a head and each pair of a query and a key that
it sees. It shares nothing with what it is compared with.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.importers.weights import products

Settings = Mapping[str, object]


def multiply_adds(settings: Settings, batch: int, seq: int) -> float:
    """Return the multiply-adds of inputs of so many tokens; images have as many as patches."""
    kind = settings["model_type"]
    if kind == "t5":
        return batch * _of_t5(settings, seq)
    if kind == "vit":
        size, patch = _number(settings, "image_size"), _number(settings, "patch_size")
        hidden, patches = _number(settings, "hidden_size"), (size // patch) ** 2
        projection = patches * hidden * 3 * patch**2
        return batch * (projection + _of_tokens(settings, patches + 1, causal=False) + hidden**2)
    if kind == "bert":
        return batch * _of_tokens(settings, seq, causal=False)
    return batch * _of_tokens(settings, seq, causal=True)


def _of_tokens(settings: Settings, tokens: int, *, causal: bool) -> float:
    layers = _number(settings, "num_hidden_layers", "n_layer")
    heads = _number(settings, "num_attention_heads", "n_head")
    hidden = _number(settings, "hidden_size", "n_embd")
    size = _number(settings, "head_dim") or hidden // heads
    if settings["model_type"] == "qwen3":
        size = 128
    features = 2 * size
    if "kv_lora_rank" in settings:
        features = sum(
            _number(settings, each)
            for each in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
        )
    pairs = sum(range(1, tokens + 1)) if causal else tokens**2
    return tokens * products(settings) + layers * heads * pairs * features


def _of_t5(settings: Settings, seq: int) -> float:
    """An output is as long as the input; what attends to the encoder reads all of it."""
    inner = _number(settings, "num_heads") * _number(settings, "d_kv")
    layers, decoders = _number(settings, "num_layers"), _number(settings, "num_decoder_layers")
    both = seq * products(settings)
    causal = seq * (seq + 1) // 2
    return both + 2 * inner * (layers * seq**2 + decoders * (causal + seq**2))


def _number(settings: Settings, *names: str) -> int:
    found = next((settings[name] for name in names if name in settings), 0)
    assert isinstance(found, int)
    return found
