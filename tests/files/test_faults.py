"""Whatever stops a command, files are old or new and whole, and what it left goes at the next run.

`ROOFDSL_FAULTS` says at how many random moments each signal comes to each command; by itself
at one. Signals also come at each step of writing, where random moments hardly ever are.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from typing import NamedTuple

import pytest

from roofdsl.diagnostic import RoofError
from roofdsl.writing import write_together
from tests.files.program import Ended, ended, environment, shell, started, wait_until_ready

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(),
    reason="a process whose signals can be seen, as on Linux",
)
MOMENTS = int(os.environ.get("ROOFDSL_FAULTS", "1"))
ASKED = ("--machine", "karst", "-p", "N=64", "-p", "P=4")
OLD = b"what was there before\n"
SETTINGS = Path(__file__).resolve().parents[1] / "importers" / "configs" / "gpt2.json"
COMMANDS: dict[str, tuple[str, ...]] = {
    "plot": ("plot", "pair", "summa", *ASKED, "-o", "a.svg", "--data", "a.csv"),
    "report": ("report", "summa", *ASKED, "-o", "a.md", "--bib", "a.bib"),
    "explore": ("explore", "summa", *ASKED, "-o", "a.html"),
    "table": ("table", "summa", *ASKED, "-o", "a.txt"),
    "import": ("import", str(SETTINGS), "-o", "a.roof"),
    "sweep": ("eval", "summa", "--machine", "karst", "-p", "N=2..3000", "-p", "P=1"),
}
FIGURE = "a-figures/summa-roofline.svg"
OUTPUTS: dict[str, tuple[str, ...]] = {
    "plot": ("a.svg", "a.csv"),
    "report": ("a.md", "a.bib", FIGURE),
    "explore": ("a.html",),
    "table": ("a.txt",),
    "import": ("a.roof",),
    "sweep": (),
}
QUIETLY = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


class Place(NamedTuple):
    """Where a command runs: its folder, home and folder for what is temporary."""

    here: Path
    home: Path
    scratch: Path

    def environment(self) -> dict[str, str]:
        return environment(self.home, TMPDIR=str(self.scratch), SOURCE_DATE_EPOCH="0")

    def left(self) -> list[str]:
        """Return what lies about that no command is asked for."""
        found = [*self.here.rglob(".*"), *self.scratch.iterdir(), *self.home.rglob(".roofdsl-*")]
        return sorted(path.name for path in found)


def place(folder: Path, used: Path | None = None) -> Place:
    """Make the folders; of a home that was used, what commands keep there comes along."""
    found = Place(folder / "here", folder / "home", folder / "scratch")
    for each in found:
        each.mkdir()
    if used:
        copytree(used / ".cache", found.home / ".cache")
    return found


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home in which each command ran: what they keep there is made once."""
    at = place(tmp_path_factory.mktemp("used"))
    for command in COMMANDS:
        whole(command, at)
    return at.home


def whole(command: str, at: Place) -> dict[str, bytes]:
    """Run a command to its end; return what it writes."""
    found = ended(started(COMMANDS[command], at.here, at.environment()))
    assert (found.code, found.told) == (0, "")
    return {name: (at.here / name).read_bytes() for name in OUTPUTS[command]}


def stopped(command: str, at: Place, how: signal.Signals, after: float) -> Ended:
    for name in OUTPUTS[command]:
        (at.here / name).write_bytes(OLD)
    process = started(COMMANDS[command], at.here, at.environment())
    if wait_until_ready(process):
        time.sleep(after)
    if how in (signal.SIGINT, signal.SIGHUP):  # a terminal's, which goes to all that run in it
        with suppress(ProcessLookupError):
            os.killpg(process.pid, how)
    else:
        process.send_signal(how)
    return ended(process)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_signal_at_any_moment(command: str, tmp_path: Path, used: Path) -> None:
    at = place(tmp_path, used)
    started_at = time.monotonic()
    new = whole(command, at)
    takes = time.monotonic() - started_at
    for how in (*QUIETLY, signal.SIGKILL):
        moments = random.Random(f"{command} {how}")
        for _ in range(MOMENTS):
            found = stopped(command, at, how, moments.uniform(0, takes))
            assert found.told == ""
            assert found.code in (0, QUIETLY.get(how, -how))
            for name, data in new.items():
                assert (at.here / name).read_bytes() in (OLD, data)
            if how != signal.SIGKILL:
                assert at.left() == []
    for each in at.scratch.iterdir():  # of a killed process, which nobody else may know
        each.rename(tmp_path / each.name)
    assert whole(command, at) == new
    assert at.left() == []


LOST = """
import os, signal, time
from roofdsl import __main__ as program
from roofdsl.cli import main

class Lost:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)

    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)

def run():
    {what}
    while True:
        time.sleep(0.01)

main.main = run
program.main()
"""


@pytest.mark.parametrize(
    "what",
    ["Lost()", "type('Owner', (), {'name': Lost()})", "os.kill(os.getpid(), signal.SIGTERM)"],
)
def test_an_end_that_python_loses_or_turns_into_an_error_comes_all_the_same(
    what: str, tmp_path: Path
) -> None:
    found = subprocess.run(
        [sys.executable, "-c", LOST.replace("{what}", what)],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (found.returncode, found.stdout, found.stderr) == (143, "", "")


# Each step of writing

STEPS = ("open", "fsync", "fstat", "replace", "unlink")
PROGRAM = """
import os, signal, sys
from pathlib import Path
from roofdsl import __main__ as program, writing

how, before = int(sys.argv[1]), sys.argv[2] == "before"
steps = 0
# A process for each step, which has all that it needs when it begins.
for number in range(1, 100):
    process = os.fork()
    if not process:
        os.chdir(str(number))
        break
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    print(code, flush=True)
    if code == 99:
        sys.exit()

def counted(call, before):
    def step(*given, **more):
        global steps
        steps += 1
        if before and steps == number:
            os.kill(os.getpid(), how)
        found = call(*given, **more)
        if not before and steps == number:
            os.kill(os.getpid(), how)
        return found
    return step

for sort in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(sort, program._end)
for name in ("open", "fsync", "fstat"):
    setattr(os, name, counted(getattr(os, name), before))
for name in ("replace", "unlink"):
    setattr(Path, name, counted(getattr(Path, name), before))
files = {Path("a"): b"new", Path("f/b"): b"new", Path("c"): b"new"}
writing.write_together(files, Path("f"))
sys.exit(99 if steps < number else 0)
"""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_at_each_step_of_writing(how: signal.Signals, when: str, tmp_path: Path) -> None:
    for number in range(1, 100):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "a").write_bytes(OLD)
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(int(how)), when],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stderr == ""
    *codes, last = map(int, found.stdout.split())
    assert last == 99
    assert 15 < len(codes) + 1 < 99
    for number, code in enumerate(codes, start=1):
        here = tmp_path / str(number)
        assert code == QUIETLY.get(how, -how)
        parts = list(here.rglob(".roofdsl-*"))
        if how != signal.SIGKILL:
            assert parts == []
        assert (here / "a").read_bytes() in (OLD, b"new")
        for name in ("f/b", "c"):
            assert not (here / name).exists() or (here / name).read_bytes() == b"new"
        if not (here / "f" / "b").exists() and how != signal.SIGKILL:
            assert not (here / "f").exists()
        write_together({here / "a": b"next", here / "f" / "b": b"next"}, here / "f")
        assert list(here.rglob(".roofdsl-*")) == []


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("why", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS])
def test_a_failure_at_each_step_of_writing(
    why: int, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first file takes its place, a failure changes nothing."""
    owner = Path if step in ("replace", "unlink") else os
    call = getattr(owner, step)
    for number in range(1, 20):
        here = tmp_path / str(number)
        here.mkdir()
        for name in ("a", "b"):
            (here / name).write_bytes(OLD)
        left = [OSError(why, os.strerror(why)), *[None] * (number - 1)]

        def failing(*given: object, left: list[OSError | None] = left, **more: object) -> object:
            if left and (failure := left.pop()) is not None:
                raise failure
            return call(*given, **more)

        with monkeypatch.context() as patched, suppress(RoofError):
            patched.setattr(owner, step, failing)
            write_together({here / "a": b"new", here / "b": b"new"})
        if left:
            break
        changed = [name for name in ("a", "b") if (here / name).read_bytes() != OLD]
        assert all((here / name).read_bytes() == b"new" for name in changed)
        assert changed in ([], ["a", "b"]) or step == "replace"
        write_together({here / "a": b"next"})
        assert sorted(path.name for path in here.iterdir()) == ["a", "b"]
    assert 2 < number < 20


# Disks, folders, and others at once


@pytest.mark.parametrize("command", ["plot", "report", "explore", "table", "import"])
def test_a_disk_that_is_full(command: str, tmp_path: Path) -> None:
    """A limit of 0 for the size of files stands for it: no byte can be written."""
    at = place(tmp_path)
    (at.here / "a-figures").mkdir()
    for name in OUTPUTS[command]:
        (at.here / name).write_bytes(OLD)
    line = " ".join(f"'{part}'" for part in COMMANDS[command])
    found = shell(f"ulimit -f 0; roofdsl {line}", at.here, HOME=str(at.home))
    assert (found.code, found.shown) == (1, "")
    assert found.told.startswith("error[R0802]: 'a")
    assert found.told.endswith("cannot be written: file too large\n")
    assert {(at.here / name).read_bytes() for name in OUTPUTS[command]} == {OLD}
    assert at.left() == []


@pytest.mark.parametrize("command", ["plot", "report", "explore", "table", "import"])
@pytest.mark.parametrize("target", ["/proc/a", "nowhere/a", "file/a", "closed/a"])
def test_a_target_that_cannot_be_written(
    command: str, target: str, tmp_path: Path, used: Path
) -> None:
    at = place(tmp_path, used)
    (at.here / "file").write_bytes(OLD)
    (at.here / "closed").mkdir(mode=0o500)
    if target == "closed/a" and os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    arguments = [
        target + part[1:] if before in ("-o", "--data", "--bib") else part
        for before, part in zip(("", *COMMANDS[command]), COMMANDS[command], strict=False)
    ]
    found = ended(started(arguments, at.here, at.environment()))
    assert (found.code, found.shown) == (1, "")
    assert found.told.startswith(f"error[R0802]: '{target}")
    assert "Traceback" not in found.told
    assert sorted(path.name for path in at.here.rglob("*")) == ["closed", "file"]


@pytest.mark.parametrize("command", ["plot", "report", "explore", "table", "import"])
def test_two_at_once_on_one_target(command: str, tmp_path: Path, used: Path) -> None:
    at = place(tmp_path, used)
    new = whole(command, at)
    both = [started(COMMANDS[command], at.here, at.environment()) for _ in range(2)]
    assert [ended(process)[::2] for process in both] == [(0, ""), (0, "")]
    assert {name: (at.here / name).read_bytes() for name in new} == new
    assert at.left() == []


def test_what_draws_for_a_killed_report_ends(tmp_path: Path) -> None:
    """It has more to send than a pipe holds, and nobody to send it to."""
    at = place(tmp_path)
    texts = [f"model m{n} {{ flops = {n + 1} flop; memory = 1 B }}" for n in range(16)]
    (at.here / "m.roof").write_text("\n".join(texts), encoding="utf-8")
    models = [f"m.roof:m{n}" for n in range(16)]
    arguments = ("report", *models, "--machine", "karst", "-o", "a.html")
    process = started(arguments, at.here, at.environment())
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not (found := children.read_text(encoding="utf-8").split()):
        time.sleep(0.01)
        assert process.poll() is None
    process.kill()
    status = Path(f"/proc/{found[0]}/stat")
    for _ in range(300):
        if not status.exists() or ") Z " in status.read_text(encoding="utf-8"):
            assert "Traceback" not in ended(process).told
            return
        time.sleep(0.1)
    os.kill(int(found[0]), signal.SIGKILL)
    ended(process)
    pytest.fail("it is still there")


def test_many_build_the_grammar_at_once(tmp_path: Path) -> None:
    at = place(tmp_path)
    many = [started(("check", "karst.roof"), at.here, at.environment()) for _ in range(6)]
    found = {ended(process) for process in many}
    assert found == {Ended(0, "machines/karst.roof: no problems\n", "")}
    (tables,) = (at.home / ".cache" / "roofdsl").iterdir()
    assert tables.name.startswith("grammar-")
