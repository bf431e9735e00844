"""The weights of published networks, one by one, as their classes make them: shapes by names.

Written from the papers and the published lists of weights, in plain Python, from the settings as
`json` reads them. It shares nothing with what it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import NamedTuple

Settings = Mapping[str, object]


class Weight(NamedTuple):
    """A weight: how often a token meets it in a product, 0 for tables and vectors."""

    name: str
    shape: tuple[int, ...]
    used: float = 0.0

    @property
    def numbers(self) -> int:
        return prod(self.shape)


def weights(settings: Settings) -> list[Weight]:
    """Return the weights of a network, those that it shares once."""
    return list(NETWORKS[str(settings["model_type"])](_Numbers(settings)))


def count(settings: Settings) -> int:
    """Return how many parameters a network has."""
    return sum(weight.numbers for weight in weights(settings))


def products(settings: Settings) -> float:
    """Return the multiply-adds of a token with the weights: 1 for each that it meets."""
    return sum(weight.used * weight.numbers for weight in weights(settings))


class _Numbers:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        (self.head,) = _texts(settings["architectures"])

    def __call__(self, name: str, absent: int | None = None) -> int:
        value = self._settings.get(name)
        if value is None:
            assert absent is not None, name
            return absent
        assert isinstance(value, int), name
        return int(value)

    def text(self, name: str) -> str:
        return str(self._settings[name])

    def size(self, name: str) -> int:
        value = self._settings.get(name)
        return len(value) if isinstance(value, Mapping | list) else 0


def _texts(value: object) -> list[str]:
    assert isinstance(value, list)
    return [str(each) for each in value]


def _linear(name: str, out: int, into: int, bias: bool, used: float = 1) -> Iterator[Weight]:
    yield Weight(f"{name}.weight", (out, into), used)
    if bias:
        yield Weight(f"{name}.bias", (out,))


def _layer_norm(name: str, features: int) -> Iterator[Weight]:
    yield Weight(f"{name}.weight", (features,))
    yield Weight(f"{name}.bias", (features,))


def _rms_norm(name: str, features: int) -> Iterator[Weight]:
    yield Weight(f"{name}.weight", (features,))


def _gated(name: str, hidden: int, inner: int, used: float = 1) -> Iterator[Weight]:
    yield from _linear(f"{name}.gate_proj", inner, hidden, False, used)
    yield from _linear(f"{name}.up_proj", inner, hidden, False, used)
    yield from _linear(f"{name}.down_proj", hidden, inner, False, used)


def _words(c: _Numbers, name: str, *, scored: bool, tied: bool) -> Iterator[Weight]:
    """Yield the table of words; where it makes the scores too, a token meets all of it."""
    shape = c("vocab_size"), c("hidden_size")
    yield Weight(name, shape, 1 if scored and tied else 0)
    if scored and not tied:
        yield Weight("lm_head.weight", shape, 1)


def _attention(c: _Numbers, at: str, d: int, qkv_bias: bool, out_bias: bool) -> Iterator[Weight]:
    h, a = c("hidden_size"), c("num_attention_heads")
    kv = c("num_key_value_heads", a)
    yield from _linear(f"{at}.q_proj", a * d, h, qkv_bias)
    yield from _linear(f"{at}.k_proj", kv * d, h, qkv_bias)
    yield from _linear(f"{at}.v_proj", kv * d, h, qkv_bias)
    yield from _linear(f"{at}.o_proj", h, a * d, out_bias)


def _llama_like(
    c: _Numbers,
    *,
    head_size: int | None = None,
    qkv_bias: bool = False,
    out_bias: bool = False,
    qk_norm: bool = False,
    norms: int = 2,
    tied: int = 0,
    products_of: Callable[[_Numbers, int, str], Iterator[Weight]] | None = None,
) -> Iterator[Weight]:
    h = c("hidden_size")
    d = c("head_dim", head_size or h // c("num_attention_heads"))
    yield from _words(c, "embed_tokens", scored=True, tied=bool(c("tie_word_embeddings", tied)))
    for layer in range(c("num_hidden_layers")):
        at = f"model.layers.{layer}"
        yield from _attention(c, f"{at}.self_attn", d, qkv_bias, out_bias)
        if qk_norm:
            yield from _rms_norm(f"{at}.self_attn.q_norm", d)
            yield from _rms_norm(f"{at}.self_attn.k_norm", d)
        if products_of is None:
            yield from _gated(f"{at}.mlp", h, c("intermediate_size"))
        else:
            yield from products_of(c, layer, f"{at}.mlp")
        for norm in range(norms):
            yield from _rms_norm(f"{at}.norm_{norm}", h)
    yield from _rms_norm("model.norm", h)


def _llama(c: _Numbers) -> Iterator[Weight]:
    bias = bool(c("attention_bias", 0))
    return _llama_like(c, qkv_bias=bias, out_bias=bias)


def _mixtral(c: _Numbers) -> Iterator[Weight]:
    def experts(c: _Numbers, _layer: int, at: str) -> Iterator[Weight]:
        n, h, f = c("num_local_experts"), c("hidden_size"), c("intermediate_size")
        yield from _linear(f"{at}.gate", n, h, False)
        for expert in range(n):
            yield from _gated(f"{at}.experts.{expert}", h, f, c("num_experts_per_tok") / n)

    return _llama_like(c, products_of=experts)


def _qwen_experts(c: _Numbers, layer: int, at: str) -> Iterator[Weight]:
    n, h, f = c("num_experts"), c("hidden_size"), c("moe_intermediate_size")
    if (layer + 1) % c("decoder_sparse_step", 1):
        yield from _gated(at, h, c("intermediate_size"))
        return
    yield from _linear(f"{at}.gate", n, h, False)
    for expert in range(n):
        yield from _gated(f"{at}.experts.{expert}", h, f, c("num_experts_per_tok") / n)
    if c.text("model_type") == "qwen2_moe":
        yield from _gated(f"{at}.shared_expert", h, c("shared_expert_intermediate_size"))
        yield from _linear(f"{at}.shared_expert_gate", 1, h, False)


def _gpt2(c: _Numbers) -> Iterator[Weight]:
    h = c("n_embd")
    inner = c("n_inner", 4 * h)
    yield Weight("wte.weight", (c("vocab_size"), h), used=1)  # it makes the scores too
    yield Weight("wpe.weight", (c("n_positions"), h))
    for layer in range(c("n_layer")):
        yield from _layer_norm(f"h.{layer}.ln_1", h)
        yield from _linear(f"h.{layer}.attn.c_attn", 3 * h, h, True)
        yield from _linear(f"h.{layer}.attn.c_proj", h, h, True)
        yield from _layer_norm(f"h.{layer}.ln_2", h)
        yield from _linear(f"h.{layer}.mlp.c_fc", inner, h, True)
        yield from _linear(f"h.{layer}.mlp.c_proj", h, inner, True)
    yield from _layer_norm("ln_f", h)


def _gpt_neox(c: _Numbers) -> Iterator[Weight]:
    h, f = c("hidden_size"), c("intermediate_size")
    yield from _words(c, "embed_in", scored=True, tied=False)
    for layer in range(c("num_hidden_layers")):
        yield from _layer_norm(f"{layer}.input_layernorm", h)
        yield from _layer_norm(f"{layer}.post_attention_layernorm", h)
        yield from _linear(f"{layer}.attention.query_key_value", 3 * h, h, True)
        yield from _linear(f"{layer}.attention.dense", h, h, True)
        yield from _linear(f"{layer}.mlp.dense_h_to_4h", f, h, True)
        yield from _linear(f"{layer}.mlp.dense_4h_to_h", h, f, True)
    yield from _layer_norm("final_layer_norm", h)


def _latent_attention(c: _Numbers, at: str) -> Iterator[Weight]:
    """DeepSeek-V2 (2024), §2.1: queries, keys and values from few features."""
    h, a = c("hidden_size"), c("num_attention_heads")
    nope, rope, v = c("qk_nope_head_dim"), c("qk_rope_head_dim"), c("v_head_dim")
    if query_rank := c("q_lora_rank", 0):
        yield from _linear(f"{at}.q_a_proj", query_rank, h, False)
        yield from _rms_norm(f"{at}.q_a_layernorm", query_rank)
        yield from _linear(f"{at}.q_b_proj", a * (nope + rope), query_rank, False)
    else:
        yield from _linear(f"{at}.q_proj", a * (nope + rope), h, False)
    rank = c("kv_lora_rank")
    yield from _linear(f"{at}.kv_a_proj_with_mqa", rank + rope, h, False)
    yield from _rms_norm(f"{at}.kv_a_layernorm", rank)
    yield from _linear(f"{at}.kv_b_proj", a * (nope + v), rank, False)
    yield from _linear(f"{at}.o_proj", h, a * v, False)


def _deepseek(c: _Numbers) -> Iterator[Weight]:
    h, n, f = c("hidden_size"), c("n_routed_experts"), c("moe_intermediate_size")
    yield from _words(c, "embed_tokens", scored=True, tied=False)
    for layer in range(c("num_hidden_layers")):
        at = f"model.layers.{layer}"
        yield from _latent_attention(c, f"{at}.self_attn")
        if layer < c("first_k_dense_replace"):
            yield from _gated(f"{at}.mlp", h, c("intermediate_size"))
        else:
            yield from _linear(f"{at}.mlp.gate", n, h, False)
            if c.text("model_type") == "deepseek_v3":
                yield Weight(f"{at}.mlp.gate.e_score_correction_bias", (n,))
            for expert in range(n):
                yield from _gated(f"{at}.mlp.experts.{expert}", h, f, c("num_experts_per_tok") / n)
            yield from _gated(f"{at}.mlp.shared_experts", h, f * c("n_shared_experts"))
        yield from _rms_norm(f"{at}.input_layernorm", h)
        yield from _rms_norm(f"{at}.post_attention_layernorm", h)
    yield from _rms_norm("model.norm", h)


def _encoder_block(c: _Numbers, at: str, qkv_bias: bool = True) -> Iterator[Weight]:
    h, f = c("hidden_size"), c("intermediate_size")
    for name in ("query", "key", "value"):
        yield from _linear(f"{at}.{name}", h, h, qkv_bias)
    yield from _linear(f"{at}.attention.output", h, h, True)
    yield from _layer_norm(f"{at}.norm_1", h)
    yield from _linear(f"{at}.intermediate", f, h, True)
    yield from _linear(f"{at}.output", h, f, True)
    yield from _layer_norm(f"{at}.norm_2", h)


def _bert(c: _Numbers) -> Iterator[Weight]:
    h = c("hidden_size")
    yield from _words(c, "embeddings.word", scored=c.head == "BertForMaskedLM", tied=True)
    yield Weight("embeddings.position", (c("max_position_embeddings"), h))
    yield Weight("embeddings.token_type", (c("type_vocab_size"), h))
    yield from _layer_norm("embeddings.norm", h)
    for layer in range(c("num_hidden_layers")):
        yield from _encoder_block(c, f"encoder.{layer}")
    if c.head == "BertModel":
        yield Weight("pooler.weight", (h, h))
        yield Weight("pooler.bias", (h,))
    else:
        assert c.head == "BertForMaskedLM"
        yield from _linear("cls.transform", h, h, True)
        yield from _layer_norm("cls.transform.norm", h)
        yield Weight("cls.bias", (c("vocab_size"),))


def _vit(c: _Numbers) -> Iterator[Weight]:
    h, patch = c("hidden_size"), c("patch_size")
    patches = (c("image_size") // patch) ** 2
    yield Weight("cls_token", (1, 1, h))
    yield Weight("position_embeddings", (1, patches + 1, h))
    yield Weight("projection.weight", (h, c("num_channels"), patch, patch))
    yield Weight("projection.bias", (h,))
    for layer in range(c("num_hidden_layers")):
        yield from _encoder_block(c, f"encoder.{layer}", bool(c("qkv_bias")))
    yield from _layer_norm("layernorm", h)
    if c.head == "ViTModel":
        yield Weight("pooler.weight", (h, h))
        yield Weight("pooler.bias", (h,))
    else:
        classes = c.size("id2label")
        yield Weight("classifier.weight", (classes, h))
        yield Weight("classifier.bias", (classes,))


def _t5(c: _Numbers) -> Iterator[Weight]:
    h, f, inner = c("d_model"), c("d_ff"), c("num_heads") * c("d_kv")
    gated = c.text("feed_forward_proj").startswith("gated")
    tied = bool(c("tie_word_embeddings", 1))
    yield Weight("shared.weight", (c("vocab_size"), h), used=int(tied))
    if not tied:
        yield Weight("lm_head.weight", (c("vocab_size"), h), 1)
    for stack, layers in (("encoder", c("num_layers")), ("decoder", c("num_decoder_layers"))):
        yield Weight(f"{stack}.bias", (c("relative_attention_num_buckets"), c("num_heads")))
        attentions = ("self", "cross") if stack == "decoder" else ("self",)
        for layer in range(layers):
            for attention in attentions:
                for name in ("q", "k", "v"):
                    yield from _linear(f"{stack}.{layer}.{attention}.{name}", inner, h, False)
                yield from _linear(f"{stack}.{layer}.{attention}.o", h, inner, False)
                yield from _rms_norm(f"{stack}.{layer}.{attention}.norm", h)
            for name in ("wi_0", "wi_1") if gated else ("wi",):
                yield from _linear(f"{stack}.{layer}.{name}", f, h, False)
            yield from _linear(f"{stack}.{layer}.wo", h, f, False)
            yield from _rms_norm(f"{stack}.{layer}.norm", h)
        yield from _rms_norm(f"{stack}.final", h)


NETWORKS: Mapping[str, Callable[[_Numbers], Iterator[Weight]]] = {
    "llama": _llama,
    "mistral": _llama_like,
    "mixtral": _mixtral,
    "qwen2": lambda c: _llama_like(c, qkv_bias=True),
    "qwen3": lambda c: _llama_like(c, head_size=128, qk_norm=True),
    "qwen2_moe": lambda c: _llama_like(c, qkv_bias=True, products_of=_qwen_experts),
    "qwen3_moe": lambda c: _llama_like(c, qk_norm=True, products_of=_qwen_experts),
    "gemma": lambda c: _llama_like(c, head_size=256, tied=1),
    "gemma2": lambda c: _llama_like(c, head_size=256, tied=1, norms=4),
    "gpt2": _gpt2,
    "gpt_neox": _gpt_neox,
    "deepseek_v2": _deepseek,
    "deepseek_v3": _deepseek,
    "bert": _bert,
    "vit": _vit,
    "t5": _t5,
}
