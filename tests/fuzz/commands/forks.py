"""Runs a pair in a process of its own, forked from this one, which has imported everything."""

from __future__ import annotations

import gc
import os
import pkgutil
import resource
import runpy
import signal
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import roofdsl
from roofdsl.__main__ import main
from roofdsl.diagnostic import RoofError
from roofdsl.model.library import bundled, find_machine, find_model, load_module
from tests.fuzz.commands.pairs import SCRIPT, Pair
from tests.fuzz.commands.unmeasured import stand_in

LONGEST = 20
"""Seconds of the processor after which a pair is ended, and six times as many on the clock."""
ROOM = 3 * 2**30
"""Bytes that a pair may ask for beyond what this process has: the machine must stand it."""
FAILED = 70


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a pair."""

    code: int
    """As a shell has it; less than 0 is a signal."""
    output: str
    errors: str
    seconds: float
    """Of the processor."""
    growth: int
    """Bytes of memory beyond those of the parent."""
    made: tuple[str, ...]
    """Files and folders that are there now."""
    changed: tuple[str, ...]
    """Files of the pair that are gone or not what they were."""


@cache
def warm() -> None:
    """Import what commands import, and read what all of them read, before the first fork."""
    for found in pkgutil.walk_packages(roofdsl.__path__, "roofdsl."):
        if not found.name.endswith("__main__"):
            import_module(found.name)
    for name in ("svg", "pdf", "agg"):
        import_module(f"matplotlib.backends.backend_{name}")
    for sort in ("model", "machine"):
        for path in bundled("model" if sort == "model" else "machine").values():
            load_module(path)
    find_model("summa")
    find_machine("karst")
    gc.collect()
    gc.freeze()


def run(pair: Pair) -> Outcome:
    """Run a pair in a new folder, and return what came of it."""
    warm()
    with TemporaryDirectory(prefix="roofdsl-fuzz-") as name:
        folder, said = Path(name, "here"), Path(name)
        _put(pair, folder)
        before = _contents(folder)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        own = _memory()
        child = os.fork()
        if child == 0:
            _act(pair, folder, said)
        _, status, used = os.wait4(child, 0)
        after = _contents(folder)
        return Outcome(
            os.waitstatus_to_exitcode(status),
            _text(said / "stdout"),
            _text(said / "stderr"),
            used.ru_utime + used.ru_stime,
            max(0, used.ru_maxrss * 1024 - own),
            tuple(sorted(after.keys() - before.keys())),
            tuple(sorted(name for name in before if before[name] != after.get(name))),
        )


def _put(pair: Pair, folder: Path) -> None:
    (folder / "folder").mkdir(parents=True)
    for name, data in pair.files.items():
        (folder / name).write_bytes(data)


def _contents(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in folder.rglob("*"):
        found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else b""
    return found


def _text(path: Path) -> str:
    if not path.exists():
        return ""
    return path.read_bytes().decode("utf-8", "replace")


def _memory() -> int:
    """Return the bytes of this process that a forked one has from the beginning: no file's."""
    _, present, of_files, *_ = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return (int(present) - int(of_files)) * resource.getpagesize()


def _act(pair: Pair, folder: Path, said: Path) -> NoReturn:
    """Be the command: in its folder, with nothing to read, and what it says in two files."""
    code = FAILED
    try:
        os.chdir(folder)
        stand_in()
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
        signal.setitimer(signal.ITIMER_REAL, 6 * LONGEST)
        for number in (signal.SIGALRM, signal.SIGXCPU, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        most = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = most * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        output = Path("/dev/full") if pair.stream == "full" else said / "stdout"
        for place, name in enumerate((Path(os.devnull), output, said / "stderr")):
            handle = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
            os.dup2(handle, place)
            os.close(handle)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 (to the end)
        encoding = "latin-1" if pair.stream == "latin-1" else "utf-8"
        sys.stdout = open(1, "w", encoding=encoding, closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        if pair.stream == "closed":  # Python has no stream then
            os.close(1)
            sys.stdout = None
        code = _called(pair)
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except BaseException:  # noqa: BLE001 (nothing may come back from here: this is a copy)
        code = FAILED
        os.write(2, traceback.format_exc().encode("utf-8", "backslashreplace"))
    os._exit(code)


def _called(pair: Pair) -> int:
    """Call the command or the program, and return the exit code that Python would end with."""
    try:
        if pair.is_script:
            sys.path.insert(0, os.getcwd())  # noqa: PTH109
            runpy.run_path(SCRIPT)
        else:
            sys.argv = ["roofdsl", pair.sort, *pair.line]
            main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)  # noqa: T201 (as Python does)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except RoofError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except Exception as error:  # noqa: BLE001 (any is to be judged)
        if pair.is_script and isinstance(error, TypeError | AttributeError) and _is_told(error):
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            return 1
        traceback.print_exc()
        return FAILED
    return 0


def _is_told(error: TypeError | AttributeError) -> bool:
    """Whether an error was raised for the caller: by its own line, or by a `raise` of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    if last.filename == SCRIPT or Path(last.filename).name == SCRIPT:
        return True
    ours = "roofdsl" in Path(last.filename).parts
    return isinstance(error, TypeError) and ours and (last.line or "").startswith("raise ")
