"""Neural networks, warm: processor time against that of `import sympy`: `-m benchmarks.networks`.

Each is loaded once, and evaluated once before it is measured: in numbers, and as SymPy expressions
that stay symbolic in batch and sequence length. Nothing derived is kept from one time to the next.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import NamedTuple

import roofdsl as rd
from benchmarks.commands import IMPORT_SYMPY
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model

ROUNDS = 5
BAR = 1.0


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


def cases() -> list[tuple[str, Callable[[], None]]]:
    machine = rd.load_machine("a100_sxm_80gb")
    gpt3 = Case(rd.load_model("gpt3_training"), machine, 8, frozenset({"batch", "seq"}))
    resnet = Case(rd.load_model("resnet152"), machine, 64, frozenset({"batch"}))
    training = Case(rd.load_model("resnet152_training"), machine, 64, frozenset({"batch"}))
    return [
        ("a training step of GPT-3, numbers", gpt3.numbers),
        ("a training step of GPT-3, formulas", gpt3.formulas),
        ("ResNet-152, numbers", resnet.numbers),
        ("ResNet-152, formulas", resnet.formulas),
        ("a training step of ResNet-152, numbers", training.numbers),
    ]


def import_sympy() -> float:
    """Return the processor time of a process that imports SymPy and nothing else."""
    with subprocess.Popen(IMPORT_SYMPY) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    rows = cases()
    for _, call in rows:
        call()
    ratios: dict[str, list[float]] = {name: [] for name, _ in rows}
    for _ in range(ROUNDS):
        reference = import_sympy()
        for name, call in rows:
            start = process_time()
            call()
            ratios[name].append((process_time() - start) / reference)
    over = False
    for name, found in ratios.items():
        ratio = median(found)
        over = over or ratio > BAR
        print(f"{name:<42} {ratio:8.2f}   bar {BAR:g}   {'OVER' if ratio > BAR else 'ok'}")
    sys.exit(over)


if __name__ == "__main__":
    main()
