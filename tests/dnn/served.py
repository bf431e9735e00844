"""What engines that serve Llama measured, in `serving.csv` and `serving_steady.csv`, and what the
models of serving predict of it."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import roofdsl as rd
from roofdsl.expression.substitute import constant

SIZES: dict[str, dict[str, int]] = {
    "llama2-7b": {"layers": 32, "hidden": 4096, "heads": 32, "inner": 11008},
    "llama2-13b": {"layers": 40, "hidden": 5120, "heads": 40, "inner": 13824},
    "llama2-70b": {"layers": 80, "hidden": 8192, "heads": 64, "kv_heads": 8, "inner": 28672},
    "llama-3.1-8b": {"layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "inner": 14336},
    "llama-3.1-405b": {"layers": 126, "hidden": 16384, "heads": 128, "kv_heads": 8, "inner": 53248},
}
SIZES |= {
    "llama-7b": SIZES["llama2-7b"],
    "llama-70b": SIZES["llama2-70b"],
    "llama-3.3-70b": SIZES["llama2-70b"],
}
LLAMA: dict[str, bool | int] = {"gated": True, "rms": True, "context": 4096}
STORED: dict[str, dict[str, str | int]] = {
    "bf16": {"dtype": "bf16"},
    "fp16": {"dtype": "fp16"},
    "fp8": {"dtype": "fp8"},
    "int8": {"dtype": "bf16", "weight_dtype": "int8"},
    "int4/32": {"dtype": "bf16", "weight_dtype": "int4", "group": 32},
}
PLAIN = {
    "A100": rd.load_machine("dgx_a100"),
    "H100": rd.load_machine("dgx_h100"),
    "H200": rd.load_machine("dgx_h100").changed({
        "memory": "4.8 TB/s",
        "capacity memory": "143771 MiB",
    }),
}  # fmt: skip
USABLE = {card: f"{0.9 * size!r} MiB" for card, size in (("H100", 81559), ("H200", 143771))}
REACHED = {"memory": 0.80, "network.intra": 0.77}
"""The part of each rate that kernels reach; of all products PRODUCTS."""
PRODUCTS = 0.70
IN_SECONDS = ("first_token", "per_token")
METRICS = {"rate": "tokens_per_s", "rate_of_a_rank": "tokens_per_s_rank", "decoding": "per_token"}


class Measured(NamedTuple):
    """One number of an engine: words a second, or seconds."""

    engine: str
    model: str
    card: str
    ranks: int
    weights: str
    batch: int
    prompt: int
    output: int
    measure: str
    value: float

    @property
    def setting(self) -> tuple[str, int, str, int, int, int]:
        return self.model, self.ranks, self.weights, self.batch, self.prompt, self.output

    @property
    def arguments(self) -> dict[str, Any]:
        run = {"batch": self.batch, "prompt": self.prompt, "output": max(2, self.output)}
        stored = {**LLAMA, "vocabulary": 32000, "t": self.ranks, **STORED[self.weights]}
        return {**SIZES[self.model], **stored, **run}


class Steady(NamedTuple):
    """Words a second of all ranks in a steady state."""

    model: str
    card: str
    ranks: int
    prompt: int
    output: int
    rate: float

    @property
    def arguments(self) -> dict[str, Any]:
        stored = {"vocabulary": 128256, "context": 131072, "t": self.ranks, "dtype": "fp8"}
        run = {"prompt": self.prompt, "output": self.output, "usable": USABLE[self.card]}
        return {**SIZES[self.model], **stored, **run}


def _rows(name: str) -> list[dict[str, str]]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [*csv.DictReader(line for line in text.splitlines() if line[0] != "#")]


@cache
def measured() -> tuple[Measured, ...]:
    return tuple(
        Measured(
            row["engine"],
            row["model"],
            row["card"],
            int(row["ranks"]),
            row["weights"],
            int(row["batch"]),
            int(row["prompt"]),
            int(row["output"]),
            row["measure"],
            float(row["value"]),
        )
        for row in _rows("serving.csv")
    )


@cache
def steady() -> tuple[Steady, ...]:
    return tuple(
        Steady(
            row["model"],
            row["card"],
            int(row["ranks"]),
            int(row["prompt"]),
            int(row["output"]),
            float(row["rate"]),
        )
        for row in _rows("serving_steady.csv")
    )


@cache
def reached(card: str) -> rd.Machine:
    """Return a card as kernels reach it: others as much of their rates as the A100."""
    fitted = rd.load_machine("a100_serving")
    return fitted if card == "A100" else at(card, *latencies(fitted))


def latencies(card: rd.Machine) -> tuple[float, float]:
    """Return what the start of a kernel and a message on a link inside a node take [s]."""
    (startup,) = card.definition.startups
    time = constant(startup.value)
    assert time is not None
    return float(time), 1 / card.rates["messages.intra"]


def at(card: str, startup: float, message: float, memory: float = 0.80) -> rd.Machine:
    """Return a card as kernels reach it whose start-ups and messages take some seconds."""
    products = [name for name in PLAIN[card].rates if name.startswith("flops.matrix.")]
    parts = {**REACHED, "memory": memory, **dict.fromkeys(products, PRODUCTS)}
    changed = PLAIN[card].changed({name: f"{part}x" for name, part in parts.items()})
    return changed.changed({
        "startup": f"{startup!r} s",
        "messages.intra": f"{message!r} s/message",
    })  # fmt: skip


@cache
def peaks(card: str) -> rd.Machine:
    """Return a card at its peaks, whose kernels start and whose messages arrive at once."""
    return PLAIN[card].changed({"messages.intra": "unlimited"})


@cache
def _run(card: rd.Machine, arguments: tuple[tuple[str, Any], ...]) -> Mapping[str, float]:
    return rd.load_model("decoder_serving").on(card).evaluate(**dict(arguments)).metrics


def predicted(row: Measured, card: rd.Machine) -> float:
    """Return what an engine measured, as it is predicted; prompts are read one after another."""
    metrics = _run(card, tuple(row.arguments.items()))
    found = float(metrics[METRICS.get(row.measure, row.measure)])
    return row.batch / found if row.measure == "decoding" else found


def error(row: Measured) -> float:
    """Return the signed error of what was measured: predicted over measured, less one."""
    return predicted(row, reached(row.card)) / row.value - 1


@cache
def steady_state(row: Steady, card: rd.Machine) -> tuple[int, float]:
    """Return how many sequences are at work, and words a second, as they are predicted."""
    result = rd.load_model("llama_steady").on(card).evaluate(**row.arguments)
    return int(result.parameters["running"]), float(result.metrics["tokens_per_s"])
