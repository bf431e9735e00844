"""The time of pipelines, what they keep and what they send: as their schedules are carried out."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import NamedTuple

import pytest

import roofdsl as rd
from tests.library.pipeline_simulation import (
    Schedule,
    Simulated,
    Times,
    gpipe,
    interleaved,
    interleaved_all_forward,
    one_forward_one_backward,
    simulate,
)

PIPELINE = rd.load("collectives.pipeline").models
MACHINE = rd.load_machine("dgx_a100")
RANKS = range(1, 8)
MICRO_BATCHES = (1, 2, 3, 4, 5, 7, 8, 12, 19)
# Forward, backward [s]; the head, forward and backward: none, small, large, all in one of them.
STAGES: list[tuple[int | Fraction, ...]] = [
    (1, 2, 0, 0),
    (1, 1, 0, 0),
    (3, 1, 0, 0),
    (1, 2, Fraction(1, 7), Fraction(2, 7)),
    (2, 4, 1, 2),
    (1, 3, 0, 5),
    (1, 2, 40, 1),
]


class Case(NamedTuple):
    p: int
    n: int
    v: int
    forward: Fraction  # through all parts of a rank
    backward: Fraction
    heads: tuple[Fraction, Fraction]

    def times(self) -> tuple[Times, Times]:
        """Return what each part takes: all the same, but the last one with the head."""
        parts = self.p * self.v
        ways = zip((self.forward, self.backward), self.heads, strict=True)
        forward, backward = (
            [each / self.v] * (parts - 1) + [each / self.v + head] for each, head in ways
        )
        return forward, backward

    def closed(self) -> Fraction:
        """All the work of the last rank, and (p − 1)/v stages that it waits for."""
        stage = self.forward + self.backward
        return self.n * (stage + sum(self.heads)) + Fraction(self.p - 1, self.v) * stage


def cases(p: int, chunks: range) -> Iterator[Case]:
    for v in chunks:
        for n in MICRO_BATCHES if v == 1 else range(p, 6 * p, p):
            for forward, backward, *heads in STAGES:
                first, second = (Fraction(head) for head in heads)
                yield Case(p, n, v, Fraction(forward), Fraction(backward), (first, second))


def said(name: str, case: Case) -> rd.Result:
    chunks = {"chunks": case.v} if name == "interleaved_pipeline" else {}
    return (
        PIPELINE[name]
        .on(MACHINE)
        .evaluate(
            microbatches=case.n,
            stages=case.p,
            forward=case.forward,
            backward=case.backward,
            head=sum(case.heads),
            kept=case.v,
            **chunks,
        )
    )


@pytest.mark.parametrize("p", RANKS)
@pytest.mark.parametrize(
    ("name", "schedule", "chunks"),
    [
        ("gpipe", gpipe, range(1, 2)),
        ("one_forward_one_backward", one_forward_one_backward, range(1, 2)),
        ("interleaved_pipeline", interleaved, range(2, 5)),
        ("interleaved_pipeline", interleaved_all_forward, range(2, 5)),
    ],
)
def test_a_schedule_takes_what_the_model_says(
    name: str, schedule: Schedule, chunks: range, p: int
) -> None:
    """Exactly: bubble, head, and what the rank keeps that keeps most, the first."""
    for case in cases(p, chunks):
        found = simulate(schedule, p, case.n, case.v, *case.times())
        assert found.time == case.closed(), case
        assert found.kept[0] == max(found.kept)
        result = said(name, case)
        assert result.time == pytest.approx(float(found.time), rel=1e-12), case
        assert result.tallies["footprint"] == pytest.approx(found.kept[0], rel=1e-12), case
        # What is no work of the last rank is its bubble.
        idle = float((found.time - found.busy[-1]) / found.time)
        assert result.metrics["idle"] == pytest.approx(idle, rel=1e-9, abs=1e-15), case


@pytest.mark.parametrize("p", RANKS)
def test_ranks_keep_fewer_the_nearer_they_are_to_the_last(p: int) -> None:
    for case in cases(p, range(1, 2)):
        found = simulate(one_forward_one_backward, p, case.n, 1, *case.times())
        assert found.kept == [min(case.n, p - rank) for rank in range(p)]


def random_times(random: Random, parts: int) -> tuple[list[Fraction], list[Fraction]]:
    forward, backward = ([Fraction(random.randint(1, 9)) for _ in range(parts)] for _ in range(2))
    return forward, backward


def every(p: int, random: Random) -> Iterator[tuple[Schedule, int, int]]:
    yield gpipe, random.randint(1, 20), 1
    yield one_forward_one_backward, random.randint(1, 20), 1
    yield interleaved, p * random.randint(1, 5), random.randint(2, 4)


@pytest.mark.parametrize("p", RANKS)
def test_with_the_times_of_the_longest_part_it_is_a_bound(p: int) -> None:
    random = Random(p)
    for _ in range(20):
        for schedule, n, v in every(p, random):
            forward, backward = random_times(random, p * v)
            heads = (Fraction(random.randint(0, 9)), Fraction(random.randint(0, 9)))
            longest = Case(p, n, v, max(forward) * v, max(backward) * v, heads)
            forward[-1] += heads[0]
            backward[-1] += heads[1]
            assert simulate(schedule, p, n, v, forward, backward).time <= longest.closed()


@pytest.mark.parametrize("p", RANKS)
def test_unequal_stages(p: int) -> None:
    """One pass, and the longest stage for all others: where the last one is the longest."""
    random = Random(p)
    for _ in range(50):
        n = random.randint(1, 20)
        forward, backward = random_times(random, p)
        one_pass = sum(forward) + sum(backward)
        found = simulate(gpipe, p, n, 1, forward, backward)
        assert found.time == one_pass + (n - 1) * (max(forward) + max(backward))
        both = [sum(times) for times in zip(forward, backward, strict=True)]
        backward[-1] += max(both) - both[-1]
        found = simulate(one_forward_one_backward, p, n, 1, forward, backward)
        assert found.time == sum(forward) + sum(backward) + (n - 1) * max(both)


def with_first(case: Case, first: Fraction) -> Simulated:
    """Simulate a first part that takes longer, forward: it looks up words."""
    forward, backward = case.times()
    schedule = one_forward_one_backward if case.v == 1 else interleaved
    return simulate(schedule, case.p, case.n, case.v, [forward[0] + first, *forward[1:]], backward)


@pytest.mark.parametrize("p", RANKS)
def test_words_looked_up_by_the_first_rank(p: int) -> None:
    """Once more where the head takes as long, for v = 1; else at most for each micro-batch."""
    for case in cases(p, range(1, 4)):
        for part in (Fraction(1, 3), Fraction(1)):
            words = case.heads[0] * part
            found = with_first(case, words)
            assert case.closed() + words <= found.time <= case.closed() + case.n * words
            if case.v == 1 and p > 1:
                assert found.time == case.closed() + words


@pytest.mark.parametrize("p", RANKS)
def test_gradients_of_later_ranks_are_there_earlier(p: int) -> None:
    for case in cases(p, range(1, 4)):
        schedule = one_forward_one_backward if case.v == 1 else interleaved
        found = simulate(schedule, p, case.n, case.v, *case.times())
        part = case.backward / case.v
        assert found.ended == [found.time - rank * part for rank in range(p)]


@pytest.mark.parametrize("across", [True, False])
@pytest.mark.parametrize("p", RANKS)
def test_sends_and_their_time(p: int, across: bool) -> None:
    """Sending keeps the sender: as if all ranks sent as often as those in between."""
    level, other = ("inter", "intra") if across else ("intra", "inter")
    size = 25_000_000 if across else 300_000_000  # a millisecond, and the latency
    send = Fraction(1, 1000) + Fraction(14 if across else 34, 10**6 if across else 10**7)
    for case in cases(p, range(1, 4)):
        parts = p * case.v
        forward, backward = case.times()
        forward = [x + send * (s < parts - 1) * (p > 1) for s, x in enumerate(forward)]
        backward = [x + send * (s > 0) * (p > 1) for s, x in enumerate(backward)]
        schedule = one_forward_one_backward if case.v == 1 else interleaved
        found = simulate(schedule, p, case.n, case.v, forward, backward)
        result = (
            PIPELINE["pipeline_parallel"]
            .on(MACHINE)
            .evaluate(
                B=1,
                s=size // 4,
                h=1,
                stages=p,
                microbatches=case.n,
                chunks=case.v,
                busy=case.forward + case.backward,
                across=across,
            )
        )
        counted = max(found.sent) if p != 2 else 2 * case.n * case.v
        assert min(found.sent) == (2 * case.v - 1) * case.n * (p > 1)
        assert result.work[f"network.{level}"] == counted * size
        assert result.work[f"network.{other}"] == 0
        assert sum(result.work[f"messages.{each}"] for each in (level, other)) == counted
        whole = result.time + case.n * float(case.forward + case.backward + sum(case.heads))
        least = float(found.time) * (1 - 1e-12)
        assert least <= whole <= float(found.time + (case.n + 1) * send) * (1 + 1e-12)


@pytest.mark.parametrize(("p", "v"), [(2, 1), (4, 1), (2, 3), (4, 2), (4, 6)])
def test_training_of_decoders_takes_what_its_pipeline_takes(p: int, v: int) -> None:
    """A stage as long as the one that is waited for, and more on the last rank: its scores."""
    training = rd.load_model("decoder_training").on(MACHINE)
    sizes = {"layers": 24, "hidden": 1024, "heads": 16, "vocabulary": 32000, "microbatch": 2}
    for n in (p, 3 * p):
        for more in ({"t": 1}, {"t": 4, "sequence_parallel": True}, {"t": 4, "full": True}):
            given: dict[str, int | bool] = {
                **sizes,
                "batch": 2 * n,
                "p": p,
                "interleave": v,
                **more,
            }
            result = training.evaluate(**given)
            steps = {name: Fraction(each.time) for name, each in result.steps.items()}
            stage = steps["idle"]
            gathers = 2 * v if "full" in more else 0  # of rows that were sent by parts
            last = (
                steps["forward"]
                + steps["backward"]
                + 2 * v * steps["send"]
                + gathers * steps["gathered"]
            )
            head = last - stage
            assert 0 < head < last / 2
            case = Case(p, n, v, stage / 3, stage * 2 / 3, (head / 3, head * 2 / 3))
            schedule = one_forward_one_backward if v == 1 else interleaved
            found = simulate(schedule, p, n, v, *case.times())
            whole = float(found.time + steps["update"])
            assert result.time == pytest.approx(whole, rel=1e-12)
