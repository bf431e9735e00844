"""Start programs of several processes, under MPI, and read what the first of them says."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import IO, NamedTuple, NoReturn, TypeAlias

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.inert import in_a_line
from roofdsl.units.quantity import show_number

_INSTALL = "pip install 'roofdsl[measure]'"
_PATIENCE = 5.0
_MOST_TOLD = 1_000_000
_FAILED = "failed"
_POSIX = os.name == "posix"
_AT_PARENTS_END = 1  # PR_SET_PDEATHSIG
_ENDING = (
    "import ctypes, os, signal, sys;"
    f"ctypes.CDLL(None).prctl({_AT_PARENTS_END}, signal.SIGTERM);"
    "os.getppid() == int(sys.argv[1]) or sys.exit(1);"  # else it is gone already
    "os.execv(sys.argv[2], sys.argv[2:])"
)
"""Has the system end a program when what started it is gone, killed even, then becomes it."""
_ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}

Said: TypeAlias = Mapping[str, object]
"""A line that a program says: an object of JSON."""


class Launcher(NamedTuple):
    """A program that starts the processes, and which MPI it is of."""

    path: str
    version: str

    @property
    def is_open_mpi(self) -> bool:
        return "Open MPI" in self.version or "PRRTE" in self.version


def launcher() -> Launcher:
    """Find `mpirun`, beside the interpreter or on the path; raise RoofError without MPI (R1531)."""
    if find_spec("mpi4py") is None:
        message = "several processes need the package 'mpi4py', which is not installed"
        raise RoofError([Diagnostic("R1531", message, hint=_INSTALL)])
    beside = os.pathsep.join({str(Path(sys.executable).parent), str(Path(sys.prefix) / "bin")})
    for folders in (beside, None):
        for name in ("mpirun", "mpiexec"):
            if found := which(name, path=folders):
                return Launcher(found, _version(found))
    message = "several processes are started by 'mpirun', which is not found"
    hint = f"{_INSTALL}, or put that of an MPI which mpi4py finds on the PATH"
    raise RoofError([Diagnostic("R1531", message, hint=hint)])


@cache
def _version(path: str) -> str:
    """Return the first line that a launcher says of itself, empty where it says none."""
    asked = subprocess.run([path, "--version"], capture_output=True, check=False)
    lines = asked.stdout.decode(errors="replace").splitlines()
    return in_a_line(lines[0].strip()) if lines else ""


def run(
    module: str,
    request: object,
    processes: int,
    heard: Callable[[Said], None],
    *,
    seconds: float,
    hosts: Path | None = None,
) -> None:
    """Run a module of this package on so many processes, and give each line it says to `heard`.

    `request` reaches it as JSON, its one argument. It says lines of JSON on standard output; what
    else is said there is passed over. One process alone needs no MPI. With `hosts`, a file that
    names one a line, the processes go to different ones in turn.

    Whatever ends this, an interrupt among it, ends the processes. Raises RoofError where there is
    no MPI (R1531), where they fail (R1532) and where they take longer than `seconds` (R1533).
    """
    words = [sys.executable, "-P", "-m", module, json.dumps(request)]
    if processes > 1 or hosts is not None:
        words = [*_starting(launcher(), processes, seconds, hosts), *words]
    if sys.platform == "linux":
        words = [sys.executable, "-I", "-S", "-c", _ENDING, str(os.getpid()), *words]
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=told,
            env=_environment(),
            start_new_session=_POSIX,  # an interrupt at the terminal comes to us, and not to them
        )
        late = threading.Event()
        timer = threading.Timer(seconds, _stop_late, [process, late])
        timer.daemon = True
        timer.start()
        try:
            assert process.stdout is not None  # it is a pipe
            said = _listen(process.stdout, heard)
            code = process.wait()
        finally:
            timer.cancel()
            _end(process)
        if late.is_set():
            raise RoofError([_too_late(processes, seconds)])
        if code:
            raise RoofError([_failed(processes, code, said, told)])


def _starting(start: Launcher, processes: int, seconds: float, hosts: Path | None) -> list[str]:
    words = [start.path, "-n", str(processes)]
    if not start.is_open_mpi:
        return [*words, *(["-f", str(hosts), "-ppn", "1"] if hosts else [])]
    words += ["--oversubscribe", "--bind-to", "none"]
    words += ["--timeout", str(int(seconds) + 60)]  # it ends even where we are killed before it
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        words.append("--allow-run-as-root")
    if processes > (os.cpu_count() or 1):
        words += ["--mca", "mpi_yield_when_idle", "1"]
    if hosts is not None:
        words += ["--hostfile", str(hosts), "--map-by", "node"]
        for name in (*_ONE_THREAD, "PYTHONPATH"):
            words += ["-x", name]
    return words


def _environment() -> dict[str, str]:
    """Return our environment, with one thread for each process, and this package to be found."""
    here = str(Path(__file__).resolve().parents[2])
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), here]))
    return {**os.environ, **_ONE_THREAD, "PYTHONPATH": paths}


def _listen(lines: IO[bytes], heard: Callable[[Said], None]) -> str | None:
    """Give what is said to `heard`; return what the first process that fails says of it."""
    failed: str | None = None
    for line in lines:
        try:
            said = json.loads(line)
        except ValueError:  # what MPI itself says
            continue
        if not isinstance(said, dict):
            continue
        if _FAILED in said:
            failed = failed or str(said[_FAILED])
        else:
            heard(said)
    return failed


def _stop_late(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with its processes: it is asked to, and killed where it does not obey."""
    if process.poll() is None:
        process.terminate()  # mpirun ends the processes that it has started
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()  # what it has started ends then, too (`end_with_parent`)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _too_late(processes: int, seconds: float) -> Diagnostic:
    have = "has" if processes == 1 else "have"
    taken = f"took longer than {show_number(seconds)} s"
    message = f"{_counted(processes)} {taken}, and {have} been ended"
    return Diagnostic("R1533", message, hint="ask for smaller sizes, or for fewer processes")


def _failed(processes: int, code: int, said: str | None, told: IO[bytes]) -> Diagnostic:
    hint = None
    if said is None:
        told.seek(0)
        lines = told.read(_MOST_TOLD).decode(errors="replace").splitlines()
        spoken = [line.strip() for line in lines if line.strip().strip("-")]
        said = spoken[-1] if processes == 1 and spoken else " ".join(spoken[:3])
        hint = "is the MPI that mpi4py finds the one of this 'mpirun'?" if processes > 1 else None
    notes = (f"it said: {in_a_line(said)[:300]}",) if said else ()
    message = f"{_counted(processes)} ended with the code {code} before all was measured"
    return Diagnostic("R1532", message, notes=notes, hint=hint)


def _counted(processes: int) -> str:
    return "the process" if processes == 1 else f"the {processes} processes"


def end_with_parent() -> None:
    """Have the system kill this process, which `run` started, when mpirun is gone, where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_AT_PARENTS_END, signal.SIGKILL)


def fail(why: str) -> NoReturn:
    """End this process, which `run` has started, and say why."""
    print(json.dumps({_FAILED: why}), flush=True)  # noqa: T201 - it is read by `run`
    raise SystemExit(1)
