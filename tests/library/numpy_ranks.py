"""Ranks that exchange arrays, with what each of them sends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.floating[Any]]  # of whichever precision is sent


class Ranks:
    """Bytes that each of P ranks sends, in how many messages; and what they do together."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.sent = [0] * count
        self.messages = [0] * count

    def send(self, sender: int, receiver: int, what: Numbers) -> Numbers:
        assert sender != receiver
        self.sent[sender] += what.nbytes
        self.messages[sender] += 1
        return what.copy()

    def exchange(self, parts: list[list[Numbers]]) -> list[list[Numbers]]:
        """Bring `parts[sender][receiver]` to its receiver: by receiver and sender."""
        return [
            [parts[i][j] if i == j else self.send(i, j, parts[i][j]) for i in range(self.count)]
            for j in range(self.count)
        ]

    def hand_on(self, values: Sequence[Numbers]) -> list[Numbers]:
        """Each gives what it has to the next one, and gets that of the one before."""
        P = self.count
        moved = [self.send(i, (i + 1) % P, value) for i, value in enumerate(values)]
        return [moved[i - 1] for i in range(P)]

    def reduce_scatter(self, vectors: Sequence[Numbers]) -> list[Numbers]:
        """Add up vectors in a ring; each rank gets its part of the sum."""
        P = self.count
        held = [np.array_split(vector.copy(), P) for vector in vectors]
        for step in range(1, P):
            arrived = self.hand_on([held[i][(i - step) % P] for i in range(P)])
            for i, part in enumerate(arrived):
                held[i][(i - 1 - step) % P] = held[i][(i - 1 - step) % P] + part
        return [held[i][i] for i in range(P)]

    def all_gather(self, parts: Sequence[Numbers]) -> list[Numbers]:
        """Bring all parts to each rank, in a ring."""
        P = self.count
        held = [{i: part} for i, part in enumerate(parts)]
        for step in range(P - 1):
            arrived = self.hand_on([held[i][(i - step) % P] for i in range(P)])
            for i, part in enumerate(arrived):
                held[i][(i - 1 - step) % P] = part
        return [np.concatenate([own[i] for i in range(P)]) for own in held]

    def all_reduce(self, vectors: Sequence[Numbers]) -> list[Numbers]:
        return self.all_gather(self.reduce_scatter(vectors))
