"""The loops in C, built by the compiler that is there, in a folder that is then removed."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

_SOURCE = Path(__file__).with_name("loops.c")
COMPILERS = ("cc", "gcc", "clang")
FLAGS = (("-O3", "-march=native"), ("-O3", "-mcpu=native"), ("-O3",))
"""From the best to what every compiler takes."""
_LONGEST = 120  # seconds


class Built(NamedTuple):
    """A library, the compiler with its version, and the flags it was built with."""

    library: ctypes.CDLL
    compiler: str
    flags: str


@contextmanager
def built(source: Path = _SOURCE) -> Iterator[Built | None]:
    """Build a source of C and load it, None where no compiler does that."""
    with TemporaryDirectory(prefix="roofdsl-") as folder:
        yield _built(source, Path(folder))


def _built(source: Path, folder: Path) -> Built | None:
    for name in COMPILERS:
        compiler = shutil.which(name)
        for flags in FLAGS if compiler else ():
            assert compiler is not None
            target = folder / "loops.so"
            built_in = ["-shared", "-fPIC", "-o", str(target), str(source)]
            if _ran([compiler, *flags, *built_in], folder) is None:
                continue
            try:
                library = ctypes.CDLL(str(target))
            except OSError:
                continue
            return Built(library, _version(name, compiler), " ".join(flags))
    return None


def _ran(command: list[str], folder: Path | None = None) -> str | None:
    """Return what a program printed, None where it failed.

    Its own temporary files go to the folder: one that is ended does not remove them.
    """
    own = {name: str(folder) for name in ("TMPDIR", "TMP", "TEMP")} if folder is not None else {}
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST,
            check=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **own},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return run.stdout


def _version(name: str, compiler: str) -> str:
    """Return a compiler's name and version, without what its maker wrote around them.

    A program called `cc` is another one by name, which its first line tells.
    """
    first = ((_ran([compiler, "--version"]) or "").splitlines() or [""])[0]
    number = re.search(r"\d+(?:\.\d+){1,3}", re.sub(r"\([^)]*\)", " ", first))
    if "clang" in first.lower():
        kind = "clang"
    elif name == "cc" and ("GCC" in first or first.startswith("cc ")):
        kind = "gcc"
    else:
        kind = name
    return f"{kind} {number[0]}" if number else kind
