"""A training step of a small network, data parallel; its model is `networks.mlp_training`.

784-50-10, rectifier and sigmoid, the mean of squares as loss, plain gradient descent, in fp32. Each
process has a batch of its own; their gradients are summed over a ring, after the backward pass.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofdsl.measure.collectives import reduce_ring
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.shares import distance, numbers
from roofdsl.measure.split_clock import SplitClock

Numbers = NDArray[np.float32]

INPUTS, HIDDEN, OUTPUTS = 784, 50, 10
RATE = 0.5
SHAPES = ((INPUTS, HIDDEN), (HIDDEN,), (HIDDEN, OUTPUTS), (OUTPUTS,))


class MlpTraining:
    """A step from the same weights each time, with a batch of `size` for each process."""

    def __init__(self, processes: Communicator, size: int) -> None:
        self.processes, self.size = processes, size
        self.x, self.wanted = batch(size, processes.rank)
        self.weights, self.gradients = np.empty_like(start()), np.empty_like(start())
        self.w1, self.b1, self.w2, self.b2 = parts(self.weights)
        self.g1, self.c1, self.g2, self.c2 = parts(self.gradients)
        self.hidden, self.above = (np.empty((size, HIDDEN), np.float32) for _ in range(2))
        self.y, self.difference = (np.empty((size, OUTPUTS), np.float32) for _ in range(2))
        self.loss = 0.0

    def ready(self) -> None:
        self.weights[:] = start()
        self.gradients.fill(np.nan)

    def run(self, clock: SplitClock) -> None:
        with clock.computing:
            self._forward()
            self._backward()
        if self.processes.size > 1:
            with clock.communicating:
                reduce_ring(self.processes, self.gradients)
        with clock.computing:
            self.gradients *= RATE / self.processes.size
            self.weights -= self.gradients

    def _forward(self) -> None:
        np.dot(self.x, self.w1, out=self.hidden)
        self.hidden += self.b1
        np.maximum(self.hidden, 0, out=self.hidden)
        np.dot(self.hidden, self.w2, out=self.y)
        self.y += self.b2
        np.negative(self.y, out=self.y)
        np.exp(self.y, out=self.y)
        self.y += 1
        np.reciprocal(self.y, out=self.y)
        np.subtract(self.y, self.wanted, out=self.difference)
        self.loss = float(np.vdot(self.difference, self.difference)) / self.difference.size

    def _backward(self) -> None:
        back = self.difference
        back *= 2 / back.size
        back *= self.y
        np.subtract(1, self.y, out=self.y)
        back *= self.y
        np.dot(self.hidden.T, back, out=self.g2)
        np.sum(back, axis=0, out=self.c2)
        np.dot(back, self.w2.T, out=self.above)
        self.above *= self.hidden > 0
        np.dot(self.x.T, self.above, out=self.g1)
        np.sum(self.above, axis=0, out=self.c1)

    def error(self) -> float:
        """Compare how far the weights went with a step in fp64 on all batches together."""
        if self.processes.rank:
            return 0.0
        batches = [batch(self.size, rank) for rank in range(self.processes.size)]
        x, wanted = (np.vstack(each).astype(np.float64) for each in zip(*batches, strict=True))
        went = RATE * gradients(start().astype(np.float64), x, wanted)
        return max(distance(self.gradients, went), distance(self.weights, start() - went))


def batch(size: int, rank: int) -> tuple[Numbers, Numbers]:
    """Return the inputs of a process, and what is wanted of them."""
    x, wanted = numbers((size, INPUTS), 1, rank), numbers((size, OUTPUTS), 2, rank)
    return x.astype(np.float32), wanted.astype(np.float32)


def start() -> Numbers:
    """Return the weights from which a step is made, all in a row."""
    weights = 0.1 * (numbers(sum(int(np.prod(shape)) for shape in SHAPES), 3) - 0.5)
    return weights.astype(np.float32)


def parts(row: NDArray[np.floating]) -> list[NDArray[np.floating]]:
    """Return the weights and biases of the two layers, or their gradients, within a row of all."""
    ends = np.cumsum([int(np.prod(shape)) for shape in SHAPES])
    return [part.reshape(shape) for part, shape in zip(np.split(row, ends), SHAPES, strict=False)]


def gradients(
    weights: NDArray[np.float64], x: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the gradient of the loss with respect to all weights, by the chain rule."""
    w1, b1, w2, b2 = parts(weights)
    hidden = np.maximum(x @ w1 + b1, 0)
    y = 1 / (1 + np.exp(-(hidden @ w2 + b2)))
    at_outputs = 2 * (y - wanted) / y.size * y * (1 - y)
    at_hidden = np.where(hidden > 0, at_outputs @ w2.T, 0)
    by_layer = (x.T @ at_hidden, at_hidden.sum(0), hidden.T @ at_outputs, at_outputs.sum(0))
    return np.concatenate([each.ravel() for each in by_layer])
