"""Measure commands as ratios of wall times: a command and its reference in turn, medians.

A ratio measured side by side holds on another machine, and on a busy one; a time does not.
Ends with 1 when a ratio is over its bar.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.commands import BENCHMARKS, Benchmark

WARM_UP_ROUNDS = 2  # bytecode, the saved grammar, the disk's cache


@dataclass(frozen=True, slots=True)
class Measurement:
    """Wall times in seconds; the k-th of both lists were taken one right after the other."""

    benchmark: Benchmark
    times: Sequence[float]
    reference_times: Sequence[float]

    @property
    def ratio(self) -> float:
        """Return the median over the rounds of time / reference time."""
        pairs = zip(self.times, self.reference_times, strict=True)
        return median(ours / theirs for ours, theirs in pairs)

    @property
    def over(self) -> bool:
        """Whether the ratio is above the bar."""
        return self.ratio > self.benchmark.bar


def measure(benchmark: Benchmark, rounds: int, folder: Path) -> Measurement:
    """Run a command and its reference in turn, A B A B …, in a folder of its own."""
    times: list[float] = []
    reference_times: list[float] = []
    for number in range(WARM_UP_ROUNDS + rounds):
        ours = _wall_time(benchmark.command, folder)
        theirs = _wall_time(benchmark.reference, folder)
        if number >= WARM_UP_ROUNDS:
            times.append(ours)
            reference_times.append(theirs)
    return Measurement(benchmark, times, reference_times)


def table(measurements: Sequence[Measurement]) -> str:
    """Return the measurements as text, one a line."""
    width = max(len("benchmark"), *(len(each.benchmark.name) for each in measurements))
    lines = [f"{'benchmark':{width}}  {'ratio':>6}  {'bar':>5}  {'time':>8}  {'reference':>9}"]
    for each in measurements:
        lines.append(
            f"{each.benchmark.name:{width}}  {each.ratio:6.3f}  {each.benchmark.bar:5.2f}"
            f"  {median(each.times) * 1e3:5.0f} ms  {median(each.reference_times) * 1e3:6.0f} ms"
            f"  {'over' if each.over else 'ok'}"
        )
    return "\n".join(lines)


def _wall_time(command: Sequence[str], folder: Path) -> float:
    # Without its bytecode, which a user has, a command would measure Python's compiler.
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    elapsed = time.perf_counter() - start
    if result.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr.decode(errors='replace')}")
    return elapsed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", help="only benchmarks whose name contains one of these")
    parser.add_argument("--rounds", type=int, default=15, help="runs of each command (15)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    chosen = [
        each
        for each in BENCHMARKS
        if not options.names or any(name in each.name for name in options.names)
    ]
    if not chosen:
        there_are = ", ".join(f"'{each.name}'" for each in BENCHMARKS)
        parser.error(f"no benchmark has such a name; there are {there_are}")
    with tempfile.TemporaryDirectory(prefix="roofdsl-bench-") as folder:
        measurements = [measure(each, options.rounds, Path(folder)) for each in chosen]
    print(table(measurements))
    return int(any(each.over for each in measurements))


if __name__ == "__main__":
    sys.exit(main())
