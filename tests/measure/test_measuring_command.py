"""`roofdsl measure machine` as a program: its files, two at once, and an interrupt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from roofdsl.diagnostic import RoofError
from roofdsl.measure.alone import alone
from tests.fuzz.commands.unmeasured import stand_in
from tests.measure.signals import heed_interrupts
from tests.messages.case import run_command

pytest.importorskip("threadpoolctl", reason="of the extra `measure`")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    from roofdsl.measure import kernel_runs, machine

    # What the fuzzer puts in their places, until the end of this test.
    for module in (machine, kernel_runs):
        monkeypatch.setattr(module, "measure", module.measure)
    stand_in()
    return tmp_path


def test_the_machine_and_its_tables_are_written_together(made_up: Path) -> None:
    ending, said = run_command(["measure", "machine", "-o", "my-node.roof", "--busy"])
    assert ending == "exit 0"
    assert "warning: the machine was busy: others" in said
    assert "note: a note" in said
    names = {path.name for path in made_up.iterdir()} - {"cache"}
    assert names == {"my-node.roof", "my-node_gemm_fp64.csv", "my-node_gemm_fp32.csv"}
    text = (made_up / "my-node.roof").read_text(encoding="utf-8")
    assert "machine my_node {" in text
    assert 'from "my-node_gemm_fp64.csv" interpolate' in text


def test_without_tables_there_is_one_file(made_up: Path) -> None:
    assert run_command(["measure", "machine", "-o", "n.roof", "--no-gemm"])[0] == "exit 0"
    assert {path.name for path in made_up.iterdir()} == {"n.roof", "cache"}
    assert run_command(["check", "n.roof"]) == ("exit 0", "")


def test_a_file_that_cannot_be_written_leaves_the_others_as_they_were(made_up: Path) -> None:
    (made_up / "n_gemm_fp32.csv").mkdir()
    (made_up / "n.roof").write_text("machine n { flops = 1 flop/s }\n", encoding="utf-8")
    assert run_command(["measure", "machine", "-o", "n.roof"])[0] == "exit 1"
    assert (made_up / "n.roof").read_text(encoding="utf-8").startswith("machine n { flops = 1")
    assert not (made_up / "n_gemm_fp64.csv").exists()


def test_another_process_of_ours_is_waited_for(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    code = (
        "import sys, pathlib; from roofdsl.measure.alone import alone\n"
        "with alone(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()\n"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(lock)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(RoofError, match="R1523"), alone(lock):
            pass
        other.kill()
        other.wait()
        with alone(lock):
            pass


def test_where_nothing_can_be_locked_nothing_is_held(tmp_path: Path) -> None:
    with alone(tmp_path / "nowhere" / "lock"), alone(tmp_path / "nowhere" / "lock"):
        pass


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    for name in ("here", "temporary", "cache"):
        (tmp_path / name).mkdir()
    program = subprocess.Popen(
        [sys.executable, "-m", "roofdsl", "measure", "machine", "-o", "n.roof", "--busy"],
        cwd=tmp_path / "here",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TMPDIR": str(tmp_path / "temporary"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        },
        preexec_fn=heed_interrupts,
    )
    with program:
        _until(lambda: (tmp_path / "cache" / "roofdsl" / "measuring.lock").exists())
        time.sleep(1.5)  # into what is measured, wherever that is
        program.send_signal(number)
        said = program.communicate(timeout=60)[1]
    assert program.returncode == 128 + number, said
    assert b"Traceback" not in said
    assert [*(tmp_path / "here").iterdir()] == []
    assert [*(tmp_path / "temporary").iterdir()] == []


def _until(true: Callable[[], bool]) -> None:
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("it did not begin")
