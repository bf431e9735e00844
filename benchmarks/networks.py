"""Neural networks, warm, against `import sympy`.

Each is loaded once: in numbers, and as SymPy expressions that stay symbolic in batch and sequence
length. Nothing derived is kept from one time to the next.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import roofdsl as rd
from benchmarks.ratios import Figure, import_sympy, ratio, seconds
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model
from tests.library.verdicts import verdicts

ROUNDS = 5
BAR = 1.0
VERDICT_BAR = 1.5


class Case(NamedTuple):
    """A network on a machine, a batch, and the names that its time must keep."""

    model: Model
    machine: Machine
    batch: int
    free: frozenset[str]

    def numbers(self) -> None:
        self.model.on(self.machine).evaluate(batch=self.batch)

    def formulas(self) -> None:
        time = self.model.on(self.machine).time
        missing = self.free - {str(symbol) for symbol in time.free_symbols}
        if missing:
            sys.exit(f"the time of {self.model.name} does not depend on {missing}")


def figures() -> Iterator[Figure]:
    machine = rd.load_machine("a100_sxm_80gb")
    gpt3 = Case(rd.load_model("gpt3_training"), machine, 8, frozenset({"batch", "seq"}))
    resnet = Case(rd.load_model("resnet152"), machine, 64, frozenset({"batch"}))
    training = Case(rd.load_model("resnet152_training"), machine, 64, frozenset({"batch"}))
    for title, call in (
        ("a training step of GPT-3, numbers", gpt3.numbers),
        ("a training step of GPT-3, formulas", gpt3.formulas),
        ("ResNet-152, numbers", resnet.numbers),
        ("ResNet-152, formulas", resnet.formulas),
        ("a training step of ResNet-152, numbers", training.numbers),
    ):
        found = ratio(partial(seconds, call), import_sympy, ROUNDS)
        yield Figure(f"{title} / import sympy", found, BAR)
    # The slowest of all networks: a hundred kernels forwards, and two for each backwards.
    (verdict,) = verdicts("h100_sxm", ["resnet152_training"])
    found = ratio(partial(seconds, verdict.find), import_sympy, ROUNDS)
    yield Figure("its verdict over 1 … 10^18 / import sympy", found, VERDICT_BAR)
