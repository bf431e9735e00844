"""ZeRO: what ranks hold as its paper prints it, and what they send as a step carried out does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import roofdsl as rd
from tests.library.numpy_ranks import Numbers, Ranks

ZERO = rd.load("collectives.zero").models["zero"]

# Rajbhandari et al. 2020, Table 1 [GB]: ranks; then stages 1, 2 and 3 for models of 7.5 billion,
# 128 billion and a trillion weights.
TABLE = {
    1: ("120 120 120", "2048 2048 2048", "16000 16000 16000"),
    4: ("52.5 41.3 30", "896 704 512", "7000 5500 4000"),
    16: ("35.6 21.6 7.5", "608 368 128", "4750 2875 1000"),
    64: ("31.4 16.6 1.88", "536 284 32", "4187 2218 250"),
    256: ("30.4 15.4 0.47", "518 263 8", "4046 2054 62.5"),
    1024: ("30.1 15.1 0.12", "513 257 2", "4011 2013 15.6"),
}


@pytest.mark.parametrize("ranks", TABLE)
@pytest.mark.parametrize(("column", "weights"), [(0, 7_500_000_000), (1, 128 * 10**9), (2, 10**12)])
def test_ranks_hold_what_the_paper_prints(ranks: int, column: int, weights: int) -> None:
    """To the last digit printed, which is rounded for the small model, and cut for the others."""
    for stage, printed in enumerate(TABLE[ranks][column].split(), 1):
        said = ZERO.evaluate(parameters=weights, stage=stage, inside=ranks)["footprint"]
        assert isinstance(said, float)
        digits = len(printed.partition(".")[2])
        unit = 10.0**-digits
        assert abs(said / 1e9 - float(printed)) < unit
        if column == 0:
            assert abs(said / 1e9 - float(printed)) <= unit / 2 + 1e-9


class Training:
    """A step of Adam by P ranks, whose weights, gradients and state are shared out by a stage."""

    def __init__(self, P: int, stage: int, size: int) -> None:
        self.P, self.stage, self.size = P, stage, size
        self.ranks = Ranks(P)
        self.held = [0] * P  # bytes, between forward and backward of the last micro-batch
        random = np.random.default_rng(size)
        self.weights = random.integers(-8, 9, size).astype(np.float16)

    def share(self, vector: NDArray[Any], shared: bool) -> list[NDArray[Any]]:
        """Return what each rank has: its part, or all."""
        whole = [vector.copy() for _ in range(self.P)]
        return [whole[i][self.part(i)] for i in range(self.P)] if shared else whole

    def part(self, rank: int) -> slice:
        each = self.size // self.P
        return slice(each * rank, each * (rank + 1))

    def step(self, gradients: list[list[Numbers]]) -> Numbers:
        """Return the weights after a step, by micro-batch and rank of the gradients."""
        stage, P = self.stage, self.P
        weights = self.share(self.weights, stage == 3)
        state = self.share(np.zeros((3, self.size), np.float32).T, stage >= 1)
        for own in state:
            own[:, 0] = 1  # there, whatever it is
        summed = self.share(np.zeros(self.size, np.float16), stage >= 2)
        for micro in gradients:
            if stage == 3:
                for _ in ("forward", "backward"):
                    for gathered in self.ranks.all_gather(weights):
                        assert np.array_equal(gathered, self.weights)
            made = self.ranks.reduce_scatter(micro) if stage >= 2 else micro
            for own, added in zip(summed, made, strict=True):
                own += added
        self.held = [sum(each[i].nbytes for each in (weights, summed, state)) for i in range(P)]
        return self.updated(weights, summed, state)

    def updated(
        self, weights: list[Numbers], summed: list[Numbers], state: list[Numbers]
    ) -> Numbers:
        """Sum the gradients of ranks, update, and bring each rank the weights that it holds."""
        if self.stage == 0:
            summed = self.ranks.all_reduce(summed)
        elif self.stage == 1:
            summed = self.ranks.reduce_scatter(summed)
        made = []
        for i, (gradient, own) in enumerate(zip(summed, state, strict=True)):
            whole = self.stage in (0, 3)
            old = weights[i] if whole else weights[i][self.part(i)]
            made.append(adam(old, gradient, own))
        found = self.ranks.all_gather(made) if self.stage in (1, 2) else made
        if self.stage == 3:
            return np.concatenate(found)
        assert all(np.array_equal(each, found[0]) for each in found)
        return found[0]


def adam(weights: Numbers, gradient: Numbers, state: Numbers) -> Numbers:
    """The first step; state has a copy of the weights, the mean and the mean square."""
    wide = gradient.astype(np.float32)
    state[:, 0] = weights
    state[:, 1] = 0.1 * wide
    state[:, 2] = 0.001 * wide**2
    state[:, 0] -= 0.5 * state[:, 1] / (np.sqrt(state[:, 2]) + 1)
    return state[:, 0].astype(np.float16)


@pytest.mark.parametrize("microbatches", [1, 3])
@pytest.mark.parametrize("stage", range(4))
@pytest.mark.parametrize("P", [1, 2, 3, 4, 8])
def test_a_step_holds_and_sends_what_the_model_says(P: int, stage: int, microbatches: int) -> None:
    size = 240
    random = np.random.default_rng(P)
    gradients: list[list[Numbers]] = [
        [random.integers(-4, 5, size).astype(np.float16) for _ in range(P)]
        for _ in range(microbatches)
    ]
    alone = Training(1, 0, size).step([[np.sum(gradients, (0, 1), np.float16)]])
    training = Training(P, stage, size)
    assert np.array_equal(training.step(gradients), alone)

    said = ZERO.evaluate(parameters=size, stage=stage, inside=P, microbatches=microbatches)
    assert {*training.held} == {said["footprint"]}
    assert {*training.ranks.sent} == {said["network.intra"]}
    assert {*training.ranks.messages} == {said["messages"]}
