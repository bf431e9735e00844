"""What is told of others' work, by times of our own making."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.measure import busy
from roofdsl.measure.busy import Moment, busy_between, busy_now, others, waited
from roofdsl.measure.timing import Timed

IDLE, HALF = Moment(0.0, 0.0, 0.0), Moment(10.0, 20.0, 10.0)


def test_what_the_processors_did_beyond_our_own_is_others_work() -> None:
    assert others(IDLE, HALF) == 1.0
    assert others(IDLE, Moment(10.0, 10.0, 10.0)) == 0.0
    assert others(IDLE, Moment(10.0, 9.9, 10.0)) == 0.0, "clocks of ticks"
    assert others(IDLE, Moment(10.0, None, 10.0)) is None


def test_half_of_two_processors_is_told_and_a_little_is_not() -> None:
    told = busy_between(IDLE, HALF, 2)
    assert told == "other programs kept 1 of 2 processors busy"
    assert busy_between(IDLE, Moment(10.0, 12.0, 10.0), 2) is None
    assert busy_between(IDLE, Moment(10.0, 42.0, 10.0), 64) is None
    assert busy_between(IDLE, Moment(10.0, 180.0, 10.0), 64) is not None


def test_the_systems_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stat = tmp_path / "stat"
    monkeypatch.setattr(busy, "_STAT", stat)
    monkeypatch.setattr("os.sysconf", lambda _: 100)
    stat.write_text("cpu  100 200 300 99999 88888 10 20 70 5 5\ncpu0 1 2 3\n", encoding="ascii")
    assert busy.moment().work == 7.0, "user, nice, system, interrupts and what was stolen"
    for text in ("", "cpu\n", "cpu a b c d e\n"):
        stat.write_text(text, encoding="ascii")
        assert busy.moment().work is None


def test_work_while_this_process_waits_is_others(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([IDLE, Moment(0.5, 0.5, 0.0)])
    monkeypatch.setattr(busy, "moment", lambda: next(moments))
    monkeypatch.setattr(busy, "processors", lambda: 2)
    slept: list[float] = []
    assert busy_now(slept.append) == "other programs kept 1 of 2 processors busy"
    assert slept == [0.5]


def test_where_the_system_does_not_say_it_the_load_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy, "moment", lambda: Moment(0.0, None, 0.0))
    monkeypatch.setattr(busy, "processors", lambda: 4)
    monkeypatch.setattr("os.getloadavg", lambda: (3.14, 0.0, 0.0))
    assert busy_now() == "the load of the last minute is 3.1, on 4 processors"
    monkeypatch.setattr("os.getloadavg", lambda: (0.1, 0.0, 0.0))
    assert busy_now() is None


def test_who_waits_for_a_processor_is_told() -> None:
    half = Timed(1.0, 1.0, 1.0, 5, 0.5)
    assert waited(half) == "what was measured had its processor for 50 % of the time"
    assert waited(half._replace(share=1.0), 2) is not None
    assert waited(half._replace(share=1.95), 2) is None
