"""Times by clocks of our own: how often something is done, its median and its quartiles."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

import numpy as np
import pytest

from roofdsl.measure.timing import Clock, Effort, Rate, Timed, rate, summary, timed


class Hours:
    """A clock that moves only when work is done, by so many seconds each time."""

    def __init__(self, steps: Iterator[float], share: float = 1.0) -> None:
        self.now = 0.0
        self.done = 0
        self.steps = steps
        self.clock = Clock(lambda: self.now, lambda: self.now * share)

    def work(self) -> None:
        self.done += 1
        self.now += next(self.steps)


def test_the_median_is_not_moved_by_a_few_that_were_disturbed() -> None:
    hours = Hours(cycle([1.0, 1.0, 1.0, 9.0]))
    found = timed(hours.work, Effort(seconds=0.0, least=11), clock=hours.clock)
    assert (found.median, found.low, found.repeats) == (1.0, 1.0, 11)


def test_it_is_done_so_long_and_so_often_at_least_and_so_often_at_the_most() -> None:
    for effort, repeats in ((Effort(7.0, 2), 7), (Effort(2.0, 5), 5), (Effort(99.0, 2, 3), 3)):
        hours = Hours(cycle([1.0]))
        assert timed(hours.work, effort, clock=hours.clock).repeats == repeats
        assert hours.done == repeats + 2, "one to warm up, one to see how long it takes"


def test_what_is_short_is_done_several_times_between_two_looks() -> None:
    hours = Hours(cycle([1e-5]))
    found = timed(hours.work, Effort(seconds=0.01), clock=hours.clock)
    assert found.median == pytest.approx(1e-5)
    assert hours.done / found.repeats > 100


def test_the_share_is_the_processors_time_over_the_clocks() -> None:
    hours = Hours(cycle([1.0]), share=0.4)
    assert timed(hours.work, clock=hours.clock).share == pytest.approx(0.4)


@pytest.mark.parametrize("count", [2, 3, 4, 5, 9, 100])
def test_quartiles_are_those_of_numpy(count: int) -> None:
    times = np.random.default_rng(count).lognormal(size=count)
    found = summary([*map(float, times)])
    expected = np.quantile(times, [0.25, 0.5, 0.75])
    assert (found.low, found.median, found.high) == pytest.approx(tuple(expected))
    assert summary([2.0]) == Timed(2.0, 2.0, 2.0, 1, 1.0)


def test_a_rate_is_the_amount_over_the_median() -> None:
    assert rate(10.0, Timed(2.0, 1.0, 4.0, 9, 1.0)) == Rate(5.0, (10.0 - 2.5) / 2)
