"""A machine that is measured: its text, what it says of others' work, and whom it does not name."""

from __future__ import annotations

import datetime
import getpass
import os
import platform
import socket
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.diagnostic import RoofError
from roofdsl.measure import busy, job, machine, messages
from roofdsl.measure.busy import Moment
from roofdsl.measure.found import Card, Found, Measured, plateau, rates_of
from roofdsl.measure.hardware import Cache, Hardware
from roofdsl.measure.job import Done, Job, Watch, all_of
from roofdsl.measure.machine import Asked, measure, threads_of
from roofdsl.measure.machine_text import machine_text, table_text
from roofdsl.measure.messages import Links, link, links
from roofdsl.measure.ping_pong import Echoed
from roofdsl.measure.plan import FULL, QUICK, Plan
from roofdsl.measure.timing import Effort, Rate, Timed
from tests.messages.case import run_command

pytest.importorskip("threadpoolctl", reason="of the extra `measure`")
DAY = datetime.date(2026, 5, 4)
LITTLE = Effort(0.0, 3, 3)
TINY = Plan((32, 64), (1, 16), ("fp64", "fp32"), LITTLE, LITTLE, LITTLE, 2, 1 << 20, False, False)
HARDWARE = Hardware('A "fast"\\one', (Cache(1, 32768), Cache(2, 1 << 20, 2)), 2**34, 2**33, "Linux")


def even(seconds: float, share: float = 1.0) -> Timed:
    return Timed(seconds, seconds, seconds, 5, share)


def found() -> Measured:
    rates = (
        Found("flops.matrix.fp64", Rate(22e9, 0.4e9), "of order 2048"),
        Found("flops.matrix.fp32", Rate(44e9, 0.4e9)),
        Found("flops.vector.fp64", Rate(20e9, 0.2e9)),
        Found("flops.special.fp64", Rate(1e9, 0.1e9)),
        Found("memory.L1", Rate(230e9, 2e9)),
        Found("memory.DRAM", Rate(13.9e9, 0.2e9)),
        Found("network", Rate(1.2e9, 0.02e9)),
        Found("messages", Rate(5e-7, 1e-8)),
    )
    return Measured(HARDWARE, 1, rates, ('with "quotes"',))


def written(measured: Measured, folder: Path, tables: dict[str, str] | None = None) -> str:
    text = machine_text(measured, "mine", tables or {}, DAY)
    (folder / "mine.roof").write_text(text, encoding="utf-8")
    with chdir(folder):
        assert run_command(["check", "mine.roof"]) == ("exit 0", "")
    return text


@contextmanager
def silent(_count: int) -> Iterator[Callable[[str], None]]:
    yield lambda _: None


# The text


def test_the_text_is_a_machine_that_models_run_on(tmp_path: Path) -> None:
    table = [Done((m, n, k), 2.0 * m * n * k, even(1e-6 * m * n * k))
             for m in (1, 10) for n in (1, 10) for k in (1, 10)]  # fmt: skip
    (tmp_path / "mine_gemm.csv").write_text(table_text(table, "made up"), encoding="utf-8")
    text = written(found(), tmp_path, {"fp64": "mine_gemm.csv"})
    assert "matrix.fp64 = 22 ± 0.4 GFLOP/s" in text
    assert "messages = 500 ± 10 ns/message" in text
    mine = rd.load_machine(tmp_path / "mine.roof")
    assert rd.load_model("summa").on(mine).evaluate(N=400, P=4).bound == "flops"
    assert rd.load_model("stream_triad").on(mine).evaluate(n=10**6).bound == "memory"
    entry = rd.load_model("dgemm").on(mine).evaluate(n=10)
    assert entry.time == pytest.approx(1e-6 * 10**3)


def test_what_was_left_out_and_that_it_was_busy_stands_in_the_text(tmp_path: Path) -> None:
    text = written(found()._replace(busy="others, while x", notes=("no card: none",)), tmp_path)
    assert "## Note: no card: none." in text
    assert 'source "the machine was busy: others, while x"' in text
    assert "busy" not in written(found(), tmp_path)


def test_a_card_is_a_device_and_links_between_nodes_are_told_apart(tmp_path: Path) -> None:
    card = Card("Card 9", "PyTorch 9", (Found("flops.matrix.bf16", Rate(3e14, 1e12)),
                Found("memory", Rate(2e12, 1e9)), Found("network", Rate(25e9, 1e8))))  # fmt: skip
    text = written(found()._replace(card=card), tmp_path)
    assert "device gpu {" in text
    assert 'source "gpu: Card 9, PyTorch 9"' in text
    nodes = [each for each in found().found if each.resource.startswith(("flops", "memory"))]
    for kind, rate in (("network", 1e9), ("messages", 1e-6)):
        nodes += [Found(f"{kind}.{where}", Rate(rate, rate / 9)) for where in ("intra", "inter")]
    text = written(found()._replace(found=tuple(nodes)), tmp_path)
    assert "intra = 1 ± 0.11 GB/s" in text
    assert "inter = 1 ± 0.11 us/message" in text


# What is made of the times


def test_the_best_of_the_orders_and_the_middle_of_a_plateau() -> None:
    groups = {
        "flops.matrix.fp64": [Done((n, n, n), 2.0 * n**3, even(t)) for n, t in ((2, 4), (4, 16))],
        "memory.L1": [Done((size,), 100.0, even(t)) for size, t in ((1, 1.0), (2, 2.0), (3, 4.0))],
        "stream.triad": [Done((9,), 30.0, even(3.0))],
    }
    rates = {each.resource: each.rate for each in rates_of(groups)}
    assert rates["flops.matrix.fp64"].value == 8.0
    assert rates["memory.L1"] == Rate(50.0, (75.0 - 37.5) / 2)
    assert rates["memory.DRAM"] == Rate(10.0, 0.0)
    scattered = Done((1,), 12.0, Timed(2.0, 1.0, 3.0, 5, 1.0))
    assert plateau([scattered] * 3) == Rate(6.0, 4.0), "as far as each of them"


def test_a_link_is_the_fastest_message_and_the_time_of_a_small_one() -> None:
    echoed = [Echoed(size, Timed(t, 0.9 * t, 1.2 * t, 9, 1.0), even(t / 4))
              for size, t in ((1, 1e-6), (8, 2e-6), (1000, 4e-6), (10000, 100e-6))]  # fmt: skip
    one = link(echoed)
    assert one.bandwidth.value == pytest.approx(1000 / 4e-6)
    assert (one.latency.value, one.latency.spread) == pytest.approx((2e-6, 0.3e-6))


def test_without_mpi_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofdsl.measure.mpi.find_spec", lambda _: None)
    said: list[str] = []
    assert links(None, Watch(accept=True), said.append) == Links()
    assert "pip install 'roofdsl[measure]'" in said[0]
    with pytest.raises(RoofError, match="R1531"):
        links(Path("hosts"), Watch(accept=True), said.append)


def test_with_hosts_there_are_two_links(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofdsl.measure import mpi

    monkeypatch.setattr(mpi, "launcher", lambda: mpi.Launcher("mpirun", "mpirun (Open MPI) 5"))
    monkeypatch.setattr(messages, "ping_pong", lambda hosts=None: (
        Echoed(8, even(1e-5 if hosts else 1e-6), even(1.0)),))  # fmt: skip
    names = [each.resource for each in links(Path("hosts"), Watch(accept=True), print).found]
    assert names == ["network.intra", "messages.intra", "network.inter", "messages.inter"]
    assert [each.resource for each in links(None, Watch(accept=True), print).found] == [
        "network",
        "messages",
    ]


# Others' work


class Machine:
    """One with two processors, of which others keep one busy at times."""

    def __init__(self, busy_looks: int) -> None:
        self.now = self.work = self.own = 0.0
        self.left = busy_looks
        self.waits: list[float] = []

    def look(self) -> Moment:
        return Moment(self.now, self.work, self.own)

    def pass_by(self, seconds: float) -> None:
        self.now += seconds
        self.own += seconds
        self.work += seconds * (2 if self.left > 0 else 1)
        self.left -= 1

    def job(self) -> Job:
        def work() -> Timed:
            self.pass_by(1.0)
            return even(1.0)

        return Job("memory.L1", (1,), 1.0, work)


def watched(machine_: Machine, *, accept: bool = False) -> Watch:
    return Watch(accept=accept, look=machine_.look, wait=machine_.waits.append)


def test_a_moments_disturbance_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "processors", lambda: 2)
    here = Machine(busy_looks=2)
    done = all_of([here.job()], watched(here), lambda _: None)
    assert done["memory.L1"][0].times == even(1.0)
    assert here.waits == [job.PAUSE] * 2


def test_half_of_the_machine_is_refused_or_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "processors", lambda: 2)
    here = Machine(busy_looks=9)
    with pytest.raises(RoofError, match="other programs kept 1 of 2 processors busy") as raised:
        all_of([here.job()], watched(here), lambda _: None)
    assert raised.value.diagnostics[0].code == "R1522"
    here = Machine(busy_looks=9)
    watch = watched(here, accept=True)
    all_of([here.job(), here.job()], watch, lambda _: None)
    assert watch.told() == (
        "other programs kept 1 of 2 processors busy, while memory.L1 was measured"
    )
    assert here.waits == [], "nothing is gained by waiting"


def test_who_waits_for_its_processor_is_refused() -> None:
    here = Machine(busy_looks=0)
    slow = Job("flops", (), 1.0, lambda: even(1.0, 0.5))
    with pytest.raises(RoofError, match="had its processor for 50 %"):
        watched(here).measured(slow)
    assert watched(here).measured(slow._replace(threads=0)).share == 0.5


def test_it_is_looked_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "busy_now", lambda _: "all is busy")
    here = Machine(busy_looks=0)
    with pytest.raises(RoofError, match="all is busy, before anything was measured"):
        watched(here).begin()
    assert len(here.waits) == job.ATTEMPTS - 1
    watch = watched(here, accept=True)
    watch.begin()
    assert watch.told() == "all is busy, before anything was measured"


# The real one, in the small


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Measured:
    monkeypatch.setattr(busy, "_LOOK", 0.01)
    return measure(Asked(TINY, busy=True), silent)


def test_a_small_measurement_is_a_machine_and_gives_nobody_away(
    tiny: Measured, tmp_path: Path
) -> None:
    text = written(tiny, tmp_path)
    assert [name for name, _ in tiny.tables] == ["fp64", "fp32"]
    assert [done.detail for done in tiny.tables[0][1]] == [
        (m, n, k) for m in (1, 16) for n in (1, 16) for k in (1, 16)
    ]
    assert all(each.rate.value > 0 for each in tiny.found)
    tables = "".join(table_text(done, "of this") for _, done in tiny.tables)
    named = [socket.gethostname(), getpass.getuser(), platform.node(), str(Path.home())]
    for secret in (*named, str(Path.cwd()), str(tmp_path), os.sep + "tmp"):
        known = secret in ("root", "/", "localhost", "linux")  # words that stand for others too
        assert known or secret.lower() not in (text + tables).lower(), secret
    assert "/" not in "".join(
        line for line in text.splitlines() if "source" in line and "GB/s" not in line
    )


def test_a_host_and_a_user_of_any_name_are_not_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for where in ("socket.gethostname", "platform.node", "getpass.getuser"):
        monkeypatch.setattr(where, lambda: "qz7secret")
    for name in ("HOME", "USER", "LOGNAME", "HOSTNAME"):
        monkeypatch.setenv(name, str(tmp_path / "qz7secret"))
    (tmp_path / "qz7secret").mkdir()
    monkeypatch.chdir(tmp_path / "qz7secret")
    monkeypatch.setattr(busy, "_LOOK", 0.01)
    measured = measure(Asked(TINY, busy=True, gemm=False), silent)
    assert measured.tables == ()
    assert "qz7secret" not in machine_text(measured, "mine", {}, DAY) + repr(measured)


def test_a_machine_of_several_threads_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy, "_LOOK", 0.01)
    measured = measure(Asked(TINY, threads=2, gemm=False, busy=True), silent)
    text = machine_text(measured, "mine", {}, DAY)
    assert "of one process with 2 threads" in text
    assert "param cores: integer = 2 " in text


def test_progress_has_as_many_steps_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy, "_LOOK", 0.01)
    said: list[int] = []
    done: list[str] = []

    @contextmanager
    def counting(count: int) -> Iterator[Callable[[str], None]]:
        said.append(count)
        yield done.append

    monkeypatch.setattr(machine, "links", lambda *_: Links())
    monkeypatch.setattr(machine, "card", lambda: "no card")
    measured = measure(Asked(TINY._replace(messages=True, cards=True), busy=True), counting)
    assert said == [len(done)]
    assert "no card" in measured.notes


def test_the_plans_hold_what_they_say() -> None:
    for plan in (FULL, QUICK):
        assert [*plan.orders] == sorted({*plan.orders})
        assert all(size & (size - 1) == 0 for size in plan.table), "powers of two"
        assert len(plan.table) ** 3 <= 1000, "so many pieces a formula may have"
    assert threads_of("all") == busy.processors()
