"""Runs of kernels as a table: what is run, what is said of it, and when nothing is written."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError
from roofdsl.importers.runs_csv import read_runs
from roofdsl.measure import busy, kernel_runs, mpi, worker
from roofdsl.measure.alone import alone
from roofdsl.measure.communicator import Alone
from roofdsl.measure.hardware import Cache, Hardware
from roofdsl.measure.job import Watch
from roofdsl.measure.kernel_runs import Asked, Measured, Row, measure, named, planned
from roofdsl.measure.kernels.registry import KERNELS
from roofdsl.measure.requested import Ran, Request
from roofdsl.measure.runs_text import runs_text
from roofdsl.measure.split_clock import SplitClock

needs_blas = pytest.mark.skipif(
    find_spec("threadpoolctl") is None, reason="threads of BLAS: pip install 'roofdsl[measure]'"
)
TODAY = datetime.date(2026, 1, 2)
MACHINE = Hardware("A processor", (Cache(1, 1024),), 2**33, 2**32, "A system 1.0")


def ran(kernel: str, size: int, **more: float) -> Ran:
    known = {"time": 3.0, "compute": 2.0, "communication": 1.0, "low": 2.5, "high": 3.5}
    values = {**known, "share": 1.0, "error": 0.0, **more}
    return Ran(kernel, size, repeats=5, sent=8, messages=1, **values)


class Runs:
    """Stands in for `mpi.run`: notes what it is asked for, and says what `of` makes of a task."""

    def __init__(self, **more: float) -> None:
        self.requests: list[Request] = []
        self.more = more

    def __call__(
        self, module: str, request: dict[str, object], processes: int, heard, *, seconds: float
    ) -> None:
        asked = Request._make(request[name] for name in Request._fields)
        assert (module, asked.processes) == ("roofdsl.measure.worker", processes)
        assert seconds > 0
        self.requests.append(asked)
        for kernel, size in asked.tasks:
            heard(ran(kernel, size, **self.more)._asdict())


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Watches a machine on which nobody else works."""
    for module in (busy, kernel_runs):
        monkeypatch.setattr(module, "processors", lambda: 2)
    monkeypatch.setattr("roofdsl.measure.job.busy_now", lambda _: None)
    monkeypatch.setattr(mpi, "launcher", lambda: mpi.Launcher("mpirun", "mpirun (An MPI) 1.0"))
    return Watch(look=lambda: busy.Moment(0.0, 0.0, 0.0), wait=lambda _: None)


def quiet(_count: int) -> nullcontext[Callable[[str], None]]:
    return nullcontext(lambda _: None)


def test_what_is_asked_for_is_run_once_and_in_order(
    idle: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs()
    monkeypatch.setattr(mpi, "run", runs)
    counted: list[object] = []

    @contextmanager
    def progress(count: int) -> Iterator[Callable[[str], None]]:
        counted.append(count)
        yield counted.append

    asked = Asked(named(("ddot", "summa", "ddot")), (1, 2, 4), (64, 128))
    found = measure(asked, progress, idle)
    order = [("ddot", 1), ("ddot", 2), ("ddot", 4), ("summa", 1), ("summa", 4)]
    assert [(each.tasks[0][0], each.processes) for each in runs.requests] == order
    assert [row.ran.size for row in found.rows] == [64, 128] * 5
    assert counted == [10, *(["ddot"] * 6), *(["summa"] * 4)]
    why = "its processes stand on a square grid: 1, 4, 9, …"
    assert found.notes == (f"summa is not run on 2 processes: {why}",)
    assert found.busy is None


def test_sizes_that_do_not_fit_are_named() -> None:
    powers = "N and its processes are powers of two"
    _, notes = planned(Asked(named(("summa", "fft_transpose")), (4,), (63, 64, 100)))
    assert notes == (
        "summa of size 63 is not run on 4 processes: N is no multiple of 2",
        f"fft_transpose of size 63, 100 is not run on 4 processes: {powers}",
    )


@pytest.mark.parametrize("quick", [False, True])
def test_sizes_go_over_two_decades(quick: bool) -> None:
    batches, _ = planned(Asked(named(()), (1, 2, 4), quick=quick))
    assert {batch.kernel.model for batch in batches} == set(KERNELS)
    for kernel, processes, sizes in batches:
        assert len(sizes) >= (3 if quick else 6), kernel.model
        decades = 100 if not quick and kernel.model not in ("cg",) else 6
        assert max(sizes) >= decades * min(sizes), (kernel.model, processes)


def test_every_kernel_is_called_like_its_model_and_has_its_parameters() -> None:
    karst = rd.load_machine("karst").changed(messages="2 us/message")
    for kernel in KERNELS.values():
        model = rd.load_model(kernel.model)
        for processes in (1, 4):
            for size in kernel.sizes:
                if kernel.refuses(size, processes) is None:
                    values = kernel.parameters(size, processes)
                    assert set(values) <= set(model.parameters)
                    assert model.on(karst).evaluate(values=values).time > 0


@pytest.mark.parametrize("wrong", [2e-12, float("inf"), float("nan")])
def test_a_wrong_answer_ends_it(wrong: float, idle: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpi, "run", Runs(error=wrong))
    with pytest.raises(RoofError, match="R1534"):
        measure(Asked(named(("summa",)), (1,), (64,)), quiet, idle)


def test_several_processes_without_mpi_end_it_before_anything_is_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = Runs()
    monkeypatch.setattr(mpi, "run", runs)
    monkeypatch.setattr(mpi, "find_spec", lambda _: None)
    with pytest.raises(RoofError, match="R1531"):
        measure(Asked(named(("ddot",)), (1, 2)), quiet)
    assert runs.requests == []


def test_a_run_that_waited_for_its_processor_is_run_again_then_refused(
    idle: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(share=0.5)
    monkeypatch.setattr(mpi, "run", runs)
    with pytest.raises(RoofError, match="R1522"):
        measure(Asked(named(("ddot",)), (1,), (64, 128)), quiet, idle)
    assert len(runs.requests) == 3


def test_where_processes_share_processors_waiting_is_part_of_it(
    idle: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mpi, "run", Runs(share=0.5))
    found = measure(Asked(named(("ddot",)), (4,), (64,)), quiet, idle)
    assert [row.processes for row in found.rows] == [4]
    text = runs_text(found, MACHINE, "A BLAS 1", "An MPI 1", TODAY)
    assert re.search(r"(?m)^# P = 4: more processes than the \d+ processors", text)


@pytest.mark.usefixtures("idle")
def test_others_work_is_named_in_the_file_if_it_is_accepted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = Runs(share=0.5)
    monkeypatch.setattr(mpi, "run", runs)
    accepting = Watch(accept=True, look=lambda: busy.Moment(0.0, 0.0, 0.0), wait=lambda _: None)
    found = measure(Asked(named(("ddot",)), (1,), (64,)), quiet, accepting)
    assert len(runs.requests) == 1
    said = "# the machine was busy: what was measured had its processor for 50 % of the time"
    assert said in runs_text(found, MACHINE, "A BLAS 1", None, TODAY)


def test_the_table_is_read_back(tmp_path: Path) -> None:
    rows = (
        Row(KERNELS["summa"], 4, ran("summa", 64)),
        Row(KERNELS["stream_triad"], 1, ran("stream_triad", 100, communication=0.0)),
        Row(KERNELS["mst"], 2, ran("mst", 64, time=1.25e-5)),
    )
    text = runs_text(Measured(rows, ("a note",), None, 1 << 20), MACHINE, "A BLAS 1", None, TODAY)
    path = tmp_path / "runs.csv"
    path.write_text(text, encoding="utf-8")
    found, problems = read_runs(path)
    assert problems == ()
    assert found is not None
    given = [(run.kernel, set(run.arguments), run.time, run.repeats) for run in found.runs]
    assert given == [
        ("summa", {"N", "P"}, 3.0, 5),
        ("stream_triad", {"n"}, 3.0, 5),
        ("mst", {"V", "E", "P"}, 1.25e-5, 5),
    ]
    first = found.runs[0]
    assert (first.compute, first.communication, first.low, first.high) == (2.0, 1.0, 2.5, 3.5)
    comments = [line for line in text.splitlines() if line.startswith("#")]
    for said in ("2026-01-02", "A processor", "8 GiB", "A system 1.0", "A BLAS 1", "a note"):
        assert any(said in line for line in comments), said


def test_no_host_user_or_path_is_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "somehost")
    monkeypatch.setenv("USER", "somebody")
    measured = Measured((Row(KERNELS["ddot"], 1, ran("ddot", 64)),), (), None, 1)
    text = runs_text(measured, MACHINE, "A BLAS 1", "mpirun (An MPI) 1.0", TODAY)
    assert not re.search(r"somehost|somebody|/home|/root|/tmp|/work", text)


def call(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, ["measure", "kernels", *words])
    if isinstance(done.exception, RoofError):
        return 1, done.stdout, str(done.exception)
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock and a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@needs_blas
@pytest.mark.usefixtures("kept")
def test_the_command_measures_and_writes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpi, "find_spec", lambda _: None)  # one process needs no MPI
    code, said, told = call("ddot", "--sizes", "10,1000", "-P", "1", "--busy", "-o", "runs.csv")
    assert (code, said) == (0, "runs.csv\n"), told
    found, problems = read_runs(Path("runs.csv"))
    assert problems == ()
    assert found is not None
    assert [run.kernel for run in found.runs] == ["ddot", "ddot"]
    assert all(run.time and run.time > 0 for run in found.runs)


@pytest.mark.usefixtures("kept", "idle")
def test_an_interrupt_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(mpi, "run", interrupted)
    monkeypatch.setattr("roofdsl.measure.job.busy_between", lambda *_: None)
    Path("runs.csv").write_text("what was there\n", encoding="utf-8")
    code, _, _ = call("ddot", "-P", "1", "-o", "runs.csv")
    assert code == 1
    assert Path("runs.csv").read_text(encoding="utf-8") == "what was there\n"
    assert [path.name for path in Path().glob("*.part")] == []


@needs_blas
@pytest.mark.usefixtures("kept")
def test_two_at_once_are_refused() -> None:
    with alone():
        code, _, told = call("ddot", "-P", "1", "--sizes", "10", "-o", "runs.csv")
    assert code == 1
    assert "R1523" in told
    assert not Path("runs.csv").exists()


class Sleeping:
    """A kernel whose runs take times that a clock says."""

    def __init__(self, times: list[float]) -> None:
        self.times, self.now, self.ready_first = times, 0.0, False

    def ready(self) -> None:
        self.ready_first = True

    def run(self, clock: SplitClock) -> None:
        assert self.ready_first
        self.ready_first = False
        with clock.communicating:
            self.now += self.times[0] / 4
        with clock.computing:
            self.now += self.times.pop(0) * 3 / 4

    def error(self) -> float:
        return 0.5


def test_medians_and_quartiles_are_of_the_runs_after_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sleeping = Sleeping([100.0, 50.0, 4.0, 1.0, 2.0, 3.0, 5.0, 1000.0])
    twins = [sleeping, Sleeping([0.0] * 5)]
    fake = KERNELS["ddot"]._replace(prepare=lambda *_: twins.pop(0))
    monkeypatch.setitem(KERNELS, "ddot", fake)
    monkeypatch.setattr(worker, "perf_counter", lambda: sleeping.now)
    monkeypatch.setattr(worker, "process_time", lambda: sleeping.now / 2)
    monkeypatch.setattr(worker, "SplitClock", lambda: SplitClock(lambda: sleeping.now))
    request = Request(1, (), least=3, most=25, seconds=10.5)
    found = worker.measured(Alone(), "ddot", 64, request)
    # 4, 1, 2, 3 are not odd in number though they take long enough: one more is run.
    assert found == Ran("ddot", 64, 3.0, 2.25, 0.75, 2.0, 4.0, 5, 0.5, 0, 0, 0.5)
