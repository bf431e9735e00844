"""Large files and long compositions: time against their size, and memory: `-m benchmarks.large`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from benchmarks.commands import IMPORT_SYMPY, ROOFDSL
from benchmarks.generated import library

ROUNDS = 3
MEGABYTE = 1024.0  # in the kilobytes that the operating system counts


class Measured(NamedTuple):
    seconds: float
    megabytes: float


def measured(command: tuple[str, ...], folder: Path) -> Measured:
    """Run a command; return its wall time and the memory it had at its peak."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = perf_counter()
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)} failed")
    return Measured(perf_counter() - start, usage.ru_maxrss / MEGABYTE)


def steps(count: int) -> str:
    """Return a model of many steps, and one repeated a billion times."""
    lines = ["model kernel { param N: integer; flops = 2*N; memory = 24 B*N }", "model long {"]
    lines += [f"    step s{n} = kernel(N = 1000 + {n})" for n in range(count)]
    lines += ["    repeat 1000000000 { step again = kernel(N = 1000) }", "}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        commands: dict[str, tuple[str, ...]] = {"sympy": IMPORT_SYMPY}
        for size in (1000, 10_000):
            (folder / f"lines{size}.roof").write_text(library(size), encoding="utf-8")
            (folder / f"steps{size}.roof").write_text(steps(size), encoding="utf-8")
            commands[f"lines{size}"] = (ROOFDSL, "check", f"lines{size}.roof")
            long = f"steps{size}.roof:long"
            commands[f"steps{size}"] = (ROOFDSL, "eval", long, "--machine", "karst")
        runs: dict[str, list[Measured]] = {key: [] for key in commands}
        for _ in range(ROUNDS):
            for key, command in commands.items():
                runs[key].append(measured(command, folder))
    time = {key: median(run.seconds for run in found) for key, found in runs.items()}
    peak = {key: max(run.megabytes for run in found) for key, found in runs.items()}
    rows = [
        ("check of 10,000 lines / import sympy", time["lines10000"] / time["sympy"], 8.0),
        ("check of 10,000 lines / of 1,000", time["lines10000"] / time["lines1000"], 12.0),
        ("check of 10,000 lines, peak memory [MB]", peak["lines10000"], 500.0),
        ("eval of 10,000 steps / of 1,000", time["steps10000"] / time["steps1000"], 12.0),
        ("eval of 10,000 steps, peak memory [MB]", peak["steps10000"], 300.0),
    ]
    for title, value, bar in rows:
        print(f"{title:<42} {value:8.2f}   bar {bar:g}   {'OVER' if value > bar else 'ok'}")
    sys.exit(any(value > bar for _, value, bar in rows))


if __name__ == "__main__":
    main()
