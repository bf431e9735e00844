"""Processes are started, alone and under MPI, and all end, however that is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from roofdsl.diagnostic import RoofError
from roofdsl.measure import mpi
from roofdsl.measure.kernels.registry import KERNELS
from roofdsl.measure.ping_pong import ping_pong
from roofdsl.measure.requested import Ran, Request
from roofdsl.measure.timing import Effort
from tests.measure.signals import heed_interrupts
from tests.measure.test_kernels import SIZES as DENSE_SIZES
from tests.measure.test_kernels import run_twice
from tests.measure.threads import on_threads

ROOT = Path(__file__).resolve().parents[2]
WORKER = "roofdsl.measure.worker"
SIZES = {
    **DENSE_SIZES,
    "mst": (64, 6400),
    "dijkstra": (40, 400),  # each vertex is a message: slow where all wait for a processor
    "cg": (4, 20),
    "mlp_training": (4, 400),
}
PATIENCE = 20.0


def _missing() -> str | None:
    try:
        mpi.launcher()
    except RoofError as error:
        return str(error)
    return None


MISSING = _missing()
needs_mpi = pytest.mark.skipif(MISSING is not None, reason=f"there is no MPI: {MISSING}")
EACH = [1, pytest.param(2, marks=needs_mpi), pytest.param(4, marks=needs_mpi)]


@pytest.mark.parametrize("processes", EACH)
def test_all_kernels_are_right_over_sizes(processes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if processes > 1:
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # small loops end before they are compiled
    tasks = tuple(
        (model, size)
        for model, sizes in SIZES.items()
        for size in sizes
        if KERNELS[model].refuses(size, processes) is None
    )
    assert set(SIZES) == set(KERNELS)
    found: list[Ran] = []
    request = Request(processes, tasks, least=1, most=1, seconds=0.0)
    mpi.run(
        WORKER,
        request._asdict(),
        processes,
        lambda said: found.append(Ran._make(said[name] for name in Ran._fields)),
        seconds=300,
    )
    assert tuple((ran.kernel, ran.size) for ran in found) == tasks
    for ran in found:
        assert ran.error <= KERNELS[ran.kernel].tolerance, ran
        assert 0 <= ran.compute <= ran.compute + ran.communication <= ran.time
        assert ran.low <= ran.time <= ran.high
        assert (ran.sent > 0) == (processes > 1), ran
        if ran.kernel in DENSE_SIZES and processes > 1:
            work = partial(run_twice, KERNELS[ran.kernel], ran.size)
            by_threads = on_threads(processes, work)
            assert ran.sent == max(each.sent for each in by_threads)
            assert ran.messages == max(each.messages for each in by_threads)


def running(mark: str) -> set[int]:
    """Return the processes in whose command line there is a mark, by what the system lists."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes()
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark.encode() in words and state != "Z" and int(folder.name) != os.getpid():
            found.add(int(folder.name))
    return found


def wait_until(count: int, mark: str) -> set[int]:
    """Wait until so many processes with a mark run, at least; for 0, until none does."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = running(mark)
        if (not found) if count == 0 else len(found) >= count:
            return found
        time.sleep(0.05)
    pytest.fail(f"{len(running(mark))} processes run, not {count}")


def endless(processes: int, size: int) -> dict[str, object]:
    tasks = [["ddot", size]]
    return {"processes": processes, "tasks": tasks, "most": 10**9, "seconds": 1e9}


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")


@on_linux
@pytest.mark.parametrize("processes", EACH[:2])
def test_an_interrupt_ends_all_processes(processes: int) -> None:
    size = 100_003 + processes
    tasks = [["ddot", 7], ["ddot", size]]
    request = {"processes": processes, "tasks": tasks, "least": 1, "seconds": 0.0}

    def heard(_: mpi.Said) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mpi.run(WORKER, request, processes, heard, seconds=60)
    wait_until(0, str(size))


@on_linux
@pytest.mark.parametrize("processes", EACH[:2])
def test_what_takes_too_long_is_ended(processes: int) -> None:
    size = 110_003 + processes
    request = endless(processes, size)
    with pytest.raises(RoofError, match=r"R1533.*took longer than 2 s"):
        mpi.run(WORKER, request, processes, print, seconds=2)
    wait_until(0, str(size))


@on_linux
@pytest.mark.parametrize("processes", EACH[:2])
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL])
def test_processes_end_with_what_started_them(processes: int, way: signal.Signals) -> None:
    """Even where it is killed, and can end nothing itself."""
    size = 120_003 + processes + 100 * way
    request = endless(processes, size)
    run = f"mpi.run({WORKER!r}, {request!r}, {processes}, print, seconds=60)"
    code = f"from roofdsl.measure import mpi; {run}"
    starter = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
        preexec_fn=heed_interrupts,
    )
    wait_until(1 + processes, str(size))
    starter.send_signal(way)
    starter.wait(PATIENCE)
    wait_until(0, str(size))


@needs_mpi
@on_linux
def test_where_mpirun_is_killed_its_processes_end() -> None:
    size = 140_003
    request = endless(2, size)
    failed: list[RoofError] = []

    def run() -> None:
        try:
            mpi.run(WORKER, request, 2, print, seconds=60)
        except RoofError as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    started = wait_until(3, str(size))
    os.kill(min(started), signal.SIGKILL)  # the first of them, which started the others
    thread.join(PATIENCE)
    wait_until(0, str(size))
    assert [each.code for error in failed for each in error.diagnostics] == ["R1532"]


@needs_mpi
def test_messages_are_timed_by_size() -> None:
    sizes = (1, 1024, 100_000)
    found = ping_pong(sizes, Effort(0.0, 3, 3))
    assert tuple(each.size for each in found) == sizes
    for each in found:
        for times in (each.trip, each.stream):
            assert 0 < times.low <= times.median <= times.high
            assert times.repeats == 3


def test_what_else_is_said_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "print('a banner'); print('[1]'); print('{\"a\": 1}'); print('{')"
    (tmp_path / "speaking.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    heard: list[mpi.Said] = []
    mpi.run("speaking", {}, 1, heard.append, seconds=60)
    assert heard == [{"a": 1}]


def test_a_kernel_without_its_package_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "raise ModuleNotFoundError('it is not there', name='scipy')"
    (tmp_path / "scipy.py").write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    request = {"processes": 1, "tasks": [["summa", 8]]}
    with pytest.raises(RoofError, match=r"R1532(.|\n)*summa needs the package scipy: pip install"):
        mpi.run(WORKER, request, 1, print, seconds=60)


@pytest.mark.parametrize("processes", EACH[:2])
def test_what_a_process_says_as_it_fails_is_told(processes: int) -> None:
    request = {"processes": processes, "tasks": [["ddot", 10**14]]}
    with pytest.raises(RoofError) as raised:
        mpi.run(WORKER, request, processes, print, seconds=60)
    (found,) = raised.value.diagnostics
    assert found.code == "R1532"
    said = "it said: there is not enough memory for ddot of size 100,000,000,000,000"
    assert (found.notes, found.hint) == ((said,), None)


@needs_mpi
def test_what_mpirun_says_as_it_fails_is_told(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("no_such_host.invalid\n", encoding="utf-8")
    with pytest.raises(RoofError) as raised:
        ping_pong((8,), Effort(0.0, 3, 3), hosts=hosts)
    (found,) = raised.value.diagnostics
    assert found.code == "R1532"
    assert len(found.notes) == 1


@needs_mpi
def test_between_hosts_they_are_started_by_a_file_of_them(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("localhost\nlocalhost\n", encoding="utf-8")
    (found,) = ping_pong((8,), Effort(0.0, 3, 3), hosts=hosts)
    assert found.trip.median > 0


def test_a_module_where_one_stands_is_not_taken_for_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit(7)", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    heard: list[mpi.Said] = []
    request = {"processes": 1, "tasks": [["ddot", 10]], "least": 1, "most": 1}
    mpi.run(WORKER, request, 1, heard.append, seconds=60)
    assert len(heard) == 1
