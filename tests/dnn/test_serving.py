"""Serving in closed form against what a server does, step by step and page by page."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

import roofdsl as rd

SMALL: dict[str, Any] = {"layers": 2, "hidden": 64, "heads": 4, "inner": 128, "vocabulary": 100}
OTHER: dict[str, Any] = {"layers": 3, "hidden": 256, "heads": 8, "kv_heads": 2, "inner": 512}
LLAMA_7B: dict[str, Any] = {
    "layers": 32,
    "hidden": 4096,
    "heads": 32,
    "inner": 11008,
    "vocabulary": 32000,
}
LLAMA: dict[str, Any] = {"gated": True, "rms": True}
CARD = rd.load_machine("a100_serving")


@cache
def model(name: str) -> Any:
    return rd.load_model(name).on(CARD)


def found(name: str, **arguments: Any) -> Any:
    return _found(name, tuple({**SMALL, **arguments}.items()))


@cache
def _found(name: str, arguments: tuple[tuple[str, Any], ...]) -> Any:
    return model(name).evaluate(**dict(arguments))


def run_of(**arguments: Any) -> Any:
    return found("decoder_serving", **{**LLAMA, **arguments})


def word(batch: int, kept: int, **more: Any) -> Any:
    return found("decoder_decode", **{**LLAMA, "batch": batch, "kept": kept, **more})


def read(batch: int, prompt: int, **more: Any) -> Any:
    return found("decoder_prefill", **{**LLAMA, "batch": batch, "prompt": prompt, **more})


# A whole run.


@pytest.mark.parametrize("output", [2, 3, 24])
def test_a_run_is_its_prompts_and_each_word_at_the_tokens_that_are_kept_then(output: int) -> None:
    run = run_of(batch=6, prompt=33, output=output, at_once=2)
    prompts = 3 * read(2, 33).time
    words = sum(word(6, 33 + before).time for before in range(output - 1))
    late = word(6, 34).time - word(6, 33).time  # an odd number of words is taken half a token late
    half = late * (output - 1) / 2 if output % 2 else 0
    assert run.time == pytest.approx(prompts + words + half, rel=1e-12)
    assert run.metrics["first_token"] == pytest.approx(prompts / 3, rel=1e-12)
    assert run.metrics["tokens_per_s"] == pytest.approx(6 * output / run.time, rel=1e-12)


@pytest.mark.parametrize("page", [1, 16, 24])
def test_a_run_holds_its_weights_once_and_the_pages_of_its_last_tokens(page: int) -> None:
    run = run_of(batch=3, prompt=20, output=30, page=page)
    alone = word(3, 0)
    pages = 3 * len(filled(20 + 30 - 1, page))
    token = 2 * 2 * 64 * 2  # keys and values of two blocks, in 2 bytes
    assert run.tallies["cache"] == pages * page * token
    assert run.tallies["weights"] == alone.tallies["weights"]
    assert run.tallies["parameters"] == alone.tallies["parameters"]


def filled(tokens: int, page: int) -> Counter[int]:
    """Return how full each page is, one token put in after another."""
    full: Counter[int] = Counter()
    for _ in range(tokens):
        if not full or full[len(full) - 1] == page:
            full[len(full)] = 0
        full[len(full) - 1] += 1
    return full


# A steady state, of five sequences whose ages are equally far apart.

PROMPT, OUTPUT, RUNNING = 20, 46, 5
STEPS = OUTPUT - 1
APART = STEPS // RUNNING


def ages(step: int) -> list[int]:
    """Return how many words each sequence had before a step, and 0 where it has just begun."""
    return [(step + APART * place) % STEPS for place in range(RUNNING)]


def test_a_steady_state_is_what_sequences_that_follow_one_another_take() -> None:
    time, ended, words = 0.0, 0, 0
    prefill = read(1, PROMPT).time
    for step in range(STEPS):
        for age in ages(step):
            if age == 0:
                time, ended, words = time + prefill, ended + 1, words + 1
        kept = Fraction(sum(PROMPT + age for age in ages(step)), RUNNING)
        assert kept.denominator == 1
        time, words = time + word(RUNNING, int(kept)).time, words + RUNNING
    state = found("llama_steady", prompt=PROMPT, output=OUTPUT, running=RUNNING)
    assert (ended, words) == (RUNNING, RUNNING * OUTPUT)
    assert state.time == pytest.approx(time, rel=1e-12)
    assert state.metrics["tokens_per_s"] == pytest.approx(words / time, rel=1e-12)
    assert state.metrics["sequences_per_s"] == pytest.approx(ended / time, rel=1e-12)
    between = (time - prefill) / STEPS  # a sequence waits for the prompts of all others
    assert state.metrics["per_token"] == pytest.approx(between, rel=1e-12)


@pytest.mark.parametrize("page", [1, 16, 7])
def test_pages_in_a_steady_state(page: int) -> None:
    """At a step a sequence has pages for the token that it makes, too."""
    total = sum(len(filled(PROMPT + age + 1, page)) for s in range(STEPS) for age in ages(s))
    mean = Fraction(total, STEPS * RUNNING)
    state = found("llama_steady", prompt=PROMPT, output=OUTPUT, running=RUNNING, page=page)
    assert state.tallies["cache"] == RUNNING * -(-mean // 1) * page * 2 * 2 * 64 * 2
    whole = found(
        "llama_steady", prompt=PROMPT, output=OUTPUT, running=RUNNING, page=page, reserved=True
    )
    pages = len(filled(PROMPT + OUTPUT - 1, page))
    assert whole.tallies["cache"] == RUNNING * pages * page * 2 * 2 * 64 * 2


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"t": 2},
        {"weight_dtype": "int8"},
        {"weight_dtype": "int4", "group": 32},
        {"heads": 8, "kv_heads": 2, "t": 4},
    ],
)
def test_as_many_are_at_work_as_their_pages_fit(more: dict[str, Any]) -> None:
    usable, page, prompt, output = 40 * 2**30, 16, 100, 301
    at = {**LLAMA_7B, **more, "usable": usable, "prompt": prompt, "output": output, "page": page}
    state = model("llama_steady").evaluate(**at, reserved=True)
    each = state.tallies["cache"] / state.parameters["running"]
    left = usable - state.tallies["weights"]
    assert state.parameters["running"] == left // each
    ranks = more.get("t", 1)
    of_a_rank = max(1, more.get("kv_heads", LLAMA_7B["heads"]) // ranks)
    features = LLAMA_7B["hidden"] // more.get("heads", LLAMA_7B["heads"])
    assert each == len(filled(prompt + output - 1, page)) * page * 2 * 32 * of_a_rank * features * 2


# Prompts in chunks.


def test_a_step_without_a_chunk_is_a_word_and_a_chunk_alone_is_a_prompt() -> None:
    for t in (1, 2):
        step = found("llama_step", batch=3, kept=17, t=t)
        same(step, word(3, 17, t=t, room=18), 3)
        step = found("llama_step", batch=0, chunk=17, t=t)
        same(step, read(1, 17, t=t, room=17), 1)
        step = found("llama_step", batch=0, chunk=17, seen=30, t=t)
        same(step, read(1, 17, kept=13, t=t, room=30), 1)


def same(step: Any, other: Any, alike: int) -> None:
    """The sines of `alike` tokens at the same place are read once where a batch is as long."""
    sines = 2 * 2 * 16 * (alike - 1)  # of two blocks, for 16 features of a head, in 2 bytes
    assert step.memory == pytest.approx(other.memory + sines, rel=1e-12)
    assert step.time == pytest.approx(other.time + sines / CARD.rates["memory"], rel=1e-12)
    for name, amount in other.work.items():
        if amount and name != "memory":
            assert step.work[name] == pytest.approx(amount, rel=1e-12)
    for name in ("weights", "cache", "parameters", "multiply_adds", "peak_memory"):
        assert step.tallies[name] == pytest.approx(other.tallies[name], rel=1e-12)


def test_chunks_and_words_share_the_products_and_so_the_weights() -> None:
    step = found("llama_step", batch=3, kept=17, chunk=8, seen=24)
    words = found("llama_step", batch=3, kept=17)
    chunk = found("llama_step", batch=0, chunk=8, seen=24)
    assert step.tallies["multiply_adds"] == (
        words.tallies["multiply_adds"] + chunk.tallies["multiply_adds"]
    )
    table = 100 * 64  # words that are looked up are read as rows, not as a table
    read_once = 2 * (words.tallies["parameters"] - table)
    assert words.memory + chunk.memory - step.memory == pytest.approx(read_once)


@pytest.mark.parametrize("chunk", [4, 10, 20])
def test_a_steady_state_in_chunks_is_what_its_steps_take(chunk: int) -> None:
    """Five prompts of 20 tokens are read in a row, each in equal parts, beside the words."""
    time, turn = 0.0, 0
    for step in range(STEPS):
        kept = sum(PROMPT + age for age in ages(step)) // RUNNING
        if turn < RUNNING * PROMPT // chunk:
            beside = {"chunk": chunk, "seen": turn * chunk % PROMPT + chunk}
            turn += 1
            time += found("llama_step", batch=RUNNING, kept=kept, **beside).time
        else:
            time += word(RUNNING, kept).time
    state = found("llama_chunked", prompt=PROMPT, output=OUTPUT, running=RUNNING, chunk=chunk)
    assert turn == RUNNING * PROMPT // chunk
    assert state.time == pytest.approx(time, rel=1e-12)
    assert state.metrics["tokens_per_s"] == pytest.approx(RUNNING * OUTPUT / time, rel=1e-12)
    alone = found("llama_step", batch=RUNNING, kept=PROMPT + 22, room=80)
    assert state.tallies["weights"] == alone.tallies["weights"]


# Words that are drafted.


@pytest.mark.parametrize("drafted", [1, 2, 5])
@pytest.mark.parametrize("accepted", [Fraction(0), Fraction(1, 3), Fraction(4, 5), Fraction(1)])
def test_words_of_a_round_are_those_of_all_outcomes(drafted: int, accepted: Fraction) -> None:
    expected = Fraction(0)
    for outcome in product((True, False), repeat=drafted):
        chance = Fraction(1)
        for taken in outcome:
            chance *= accepted if taken else 1 - accepted
        first = outcome.index(False) if False in outcome else drafted
        expected += chance * (first + 1)
    round_ = speculative(drafted, accepted)
    assert 4 * expected / round_.time == pytest.approx(round_.metrics["tokens_per_s"], rel=1e-12)


def speculative(drafted: int, accepted: Fraction) -> Any:
    draft = {f"draft_{name}": value for name, value in SMALL.items() if name != "vocabulary"}
    return model("llama_speculative").evaluate(
        **{**OTHER, **draft, "vocabulary": 100},
        batch=4,
        kept=30,
        drafted=drafted,
        accepted=float(accepted),
    )


@pytest.mark.parametrize("drafted", [1, 3, 5])
def test_a_round_is_the_drafted_words_one_after_another_and_a_step_of_all(drafted: int) -> None:
    round_ = speculative(drafted, Fraction(4, 5))
    drafts = sum(word(4, 30 + before).time for before in range(drafted))
    sizes = {**OTHER, "vocabulary": 100}
    verify = model("llama_step").evaluate(**sizes, batch=4, words=drafted + 1, kept=30)
    assert round_.time == pytest.approx(drafts + verify.time, rel=1e-12)
    alone = model("decoder_decode").evaluate(**sizes, **LLAMA, batch=4, kept=30)
    speed = alone.time / round_.metrics["per_token"]
    assert round_.metrics["speedup"] == pytest.approx(speed, rel=1e-12)
    cost = drafts / drafted / verify.time  # Leviathan et al. 2023, Theorem 3.8, of c = cost
    theorem = (1 - 0.8 ** (drafted + 1)) / ((1 - 0.8) * (drafted * cost + 1))
    assert round_.metrics["speedup"] * verify.time / alone.time == pytest.approx(theorem, rel=1e-9)
