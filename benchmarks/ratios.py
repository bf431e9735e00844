"""What all benchmarks share: figures with their bars, processor times, and their ratios.

A ratio of processor times measured in turn holds on another machine, and on a busy one; a time does
not. So everything is compared with a reference in the same run, most of it with `import sympy`.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple

ROOFDSL = str(Path(sys.executable).with_name("roofdsl"))
IMPORT_SYMPY = (sys.executable, "-c", "import sympy")
MEGABYTE = 1024.0  # in the kilobytes that the operating system counts


class Figure(NamedTuple):
    """What was measured, and the bar it must not be above, or not below."""

    title: str
    value: float
    bar: float
    at_least: bool = False

    @property
    def missed(self) -> bool:
        return self.value < self.bar if self.at_least else self.value > self.bar

    def __str__(self) -> str:
        sense = "at least" if self.at_least else "at most"
        verdict = "MISSED" if self.missed else "ok"
        return f"{self.title:<56} {self.value:9.3g}   {sense:>8} {self.bar:<6g} {verdict}"


class Spent(NamedTuple):
    """What a process took: seconds of the processor, and memory at its peak [MB]."""

    seconds: float
    megabytes: float


def run(command: Sequence[str], folder: Path | None = None) -> Spent:
    """Run a command that must succeed, by default in the folder of temporary files."""
    place = folder or Path(tempfile.gettempdir())
    with subprocess.Popen(
        command, cwd=place, env=_as_a_user(place), stdout=subprocess.DEVNULL
    ) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)} failed")
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / MEGABYTE)


def _as_a_user(place: Path) -> dict[str, str]:
    """Return the environment that users have, with all that is written below a folder."""
    own = place / "roofdsl-benchmarks"
    # Users do not have interegular, which our tests need, and which Lark loads where it is.
    hidden = own / "hidden"
    hidden.mkdir(parents=True, exist_ok=True)
    (hidden / "interegular.py").write_text("raise ImportError\n", encoding="utf-8")
    path = os.pathsep.join(filter(None, [str(hidden), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "XDG_CACHE_HOME": str(own), "PYTHONPATH": path}
    # Without its bytecode, which a user has, a command would measure Python's compiler.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def import_sympy() -> float:
    """Return the processor time of a process that imports SymPy and nothing else."""
    return run(IMPORT_SYMPY).seconds


def seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    gc.collect()
    gc.freeze()  # what was there before is not looked through for garbage
    start = process_time()
    call()
    spent = process_time() - start
    gc.unfreeze()
    return spent


def ratio(ours: Callable[[], float], reference: Callable[[], float], rounds: int) -> float:
    """Return the median of ours / reference, measured in turn, after one round to warm up."""
    ours()
    reference()
    return median(ours() / reference() for _ in range(rounds))
