"""Large files and long compositions: time against their size, and memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.generated import library
from benchmarks.ratios import IMPORT_SYMPY, ROOFDSL, Figure, Spent, run

ROUNDS = 3


def steps(count: int) -> str:
    """Return a model of many steps, and one repeated a billion times."""
    lines = ["model kernel { param N: integer; flops = 2*N; memory = 24 B*N }", "model long {"]
    lines += [f"    step s{n} = kernel(N = 1000 + {n})" for n in range(count)]
    lines += ["    repeat 1000000000 { step again = kernel(N = 1000) }", "}"]
    return "\n".join(lines) + "\n"


def figures() -> Iterator[Figure]:
    with TemporaryDirectory(prefix="roofdsl-bench-") as name:
        folder = Path(name)
        commands: dict[str, tuple[str, ...]] = {"sympy": IMPORT_SYMPY}
        for size in (1000, 10_000):
            (folder / f"lines{size}.roof").write_text(library(size), encoding="utf-8")
            (folder / f"steps{size}.roof").write_text(steps(size), encoding="utf-8")
            commands[f"lines{size}"] = (ROOFDSL, "check", f"lines{size}.roof")
            long = f"steps{size}.roof:long"
            commands[f"steps{size}"] = (ROOFDSL, "eval", long, "--machine", "karst")
        runs: list[dict[str, Spent]] = [
            {key: run(command, folder) for key, command in commands.items()} for _ in range(ROUNDS)
        ]

    def over(above: str, below: str) -> float:
        return median(each[above].seconds / each[below].seconds for each in runs)

    def peak(key: str) -> float:
        return max(each[key].megabytes for each in runs)

    yield Figure("check of 10,000 lines / import sympy", over("lines10000", "sympy"), 8)
    yield Figure("check of 10,000 lines / of 1,000", over("lines10000", "lines1000"), 12)
    yield Figure("check of 10,000 lines: MB at the peak", peak("lines10000"), 500)
    yield Figure("eval of 10,000 steps / of 1,000", over("steps10000", "steps1000"), 12)
    yield Figure("eval of 10,000 steps: MB at the peak", peak("steps10000"), 300)
