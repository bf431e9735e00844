"""Commands against a reference: one entry a line. Add yours to BENCHMARKS."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.ratios import IMPORT_SYMPY, ROOFDSL, Figure, ratio, run

ROUNDS = 9
IMPORT_FIGURES = (sys.executable, "-c", "import matplotlib.figure, numpy, sympy")
EVAL_ON_A100 = (ROOFDSL, "eval", "--machine", "a100_sxm_80gb")
SUMMA_ON_KARST = (ROOFDSL, "eval", "summa.roof", "--machine", "karst")


class Benchmark(NamedTuple):
    """A command, what it is measured against, and the ratio that it must stay under."""

    name: str
    command: tuple[str, ...]
    bar: float
    reference: tuple[str, ...] = IMPORT_SYMPY


BENCHMARKS = (
    Benchmark("--help", (ROOFDSL, "--help"), bar=0.25),
    Benchmark("eval, numbers", (*SUMMA_ON_KARST, "-p", "N=4096", "-p", "P=121"), bar=0.45),
    Benchmark("eval, GPT-3 trained", (*EVAL_ON_A100, "gpt3_training", "-p", "batch=8"), bar=0.8),
    Benchmark("eval, ResNet-152", (*EVAL_ON_A100, "resnet152", "-p", "batch=8"), bar=0.8),
    Benchmark("eval, formulas", SUMMA_ON_KARST, bar=0.8),
    Benchmark(
        "eval, ResNet-50 trained, formulas",
        (ROOFDSL, "eval", "resnet50_training", "--machine", "h100_sxm"),
        bar=3.0,
    ),
    Benchmark(
        "solve",
        (ROOFDSL, "solve", "summa", "--crossover", "--for", "N", "-m", "karst", "-p", "P=121"),
        bar=0.5,
    ),
    Benchmark(
        "figure",
        (ROOFDSL, "plot", "pair", *"summa -m karst -p N=242..61952:x2 -p P=121 -o f.svg".split()),
        bar=1.6,
        reference=IMPORT_FIGURES,
    ),
    Benchmark(
        "map of regimes",
        (ROOFDSL, "plot", "regime", *"summa -m karst -p P=4..10000 -p N=2..1e6 -o f.svg".split()),
        bar=3.0,
        reference=IMPORT_FIGURES,
    ),
    Benchmark(
        "report of one model",
        (ROOFDSL, "report", *"summa -m karst -p N=4096 -p P=121 -o r.html".split()),
        bar=4.0,
    ),
)


def figures() -> Iterator[Figure]:
    with TemporaryDirectory(prefix="roofdsl-bench-") as name:
        for each in BENCHMARKS:
            ours, reference = (
                partial(_seconds, command, Path(name)) for command in (each.command, each.reference)
            )
            against = "import sympy" if each.reference is IMPORT_SYMPY else "importing Matplotlib"
            yield Figure(f"{each.name} / {against}", ratio(ours, reference, ROUNDS), each.bar)


def _seconds(command: tuple[str, ...], folder: Path) -> float:
    return run(command, folder).seconds
