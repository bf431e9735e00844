"""The program in a process of its own, as a shell runs it: with a home, a folder and streams."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SUMMA = ("summa", "--machine", "karst", "-p", "N=4096", "-p", "P=121")
EVAL = ("eval", *SUMMA)
_WAITED = 120


class Ended(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    shown: str
    told: str


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment with a home of its own; an empty text leaves a name out."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    found = {**kept, "PYTHONPATH": str(ROOT), "HOME": str(home), "NO_COLOR": "1", **more}
    return {name: value for name, value in found.items() if value}


def started(
    arguments: Sequence[str], folder: Path, surroundings: Mapping[str, str]
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "roofdsl", *arguments],
        cwd=folder,
        env=surroundings,
        text=True,
        encoding="utf-8",
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ended(process: subprocess.Popen[str]) -> Ended:
    shown, told = process.communicate(timeout=_WAITED)
    return Ended(process.returncode, shown, told)


def run(arguments: Sequence[str], folder: Path, **more: str) -> Ended:
    """Run a command in a folder, with its home beside it."""
    return ended(started(arguments, folder, environment(home_of(folder), **more)))


def home_of(folder: Path) -> Path:
    home = folder.parent / f"home of {folder.name}"
    home.mkdir(exist_ok=True)
    return home


def shell(line: str, folder: Path, **more: str) -> Ended:
    """Run a line of a shell, in which `roofdsl` is the program."""
    program = f'roofdsl() {{ "{sys.executable}" -m roofdsl "$@"; }}; '
    process = subprocess.Popen(
        ["/bin/bash", "-c", program + line],
        cwd=folder,
        env=environment(home_of(folder), **more),
        text=True,
        encoding="utf-8",
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    return ended(process)


def wait_until_ready(process: subprocess.Popen[str]) -> bool:
    """Wait until the program minds signals; return False if it ended, or that cannot be seen."""
    status = Path(f"/proc/{process.pid}/status")
    for _ in range(10_000):
        try:
            text = status.read_text(encoding="utf-8")
        except OSError:
            return False
        caught = int(text.partition("SigCgt:")[2].split()[0], 16)
        if caught >> (signal.SIGTERM - 1) & 1:
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.001)
    return False
