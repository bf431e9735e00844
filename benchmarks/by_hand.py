"""SUMMA and ResNet-50 on machines in NumPy, as people write it: what sweeps are held against.

Everything is in one thread. Nothing is checked, and every number stands where it is used. What a
sweep keeps is computed, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
KARST = {"flops": 22e9, "memory": 13.9e9, "network": 1.2e9}
A100 = {"flops": 19.5e12, "memory": 2039e9}


class Summa(NamedTuple):
    """Work, busy times, time, and which resource binds: 0 flops, 1 memory, 2 network."""

    flops: Array
    memory: Array
    network: Array
    times: Sequence[Array] | Array
    time: Array
    bound: NDArray[np.integer]


def summa_plain(N: Array, P: Array, word: float = 8.0) -> Summa:
    """SUMMA on Karst as one would type it, formula by formula."""
    B = 64 / word
    M = 16 * 1024 / word
    flops = (2 * N**3 + 2 * N**2) / P
    memory = word * B * (1 + N**2 / B + N**3 / (B * np.sqrt(M))) / P
    network = 2 * np.sqrt(P) * word * (N / np.sqrt(P)) ** 2 * np.log2(np.sqrt(P))
    times = np.stack([flops / KARST["flops"], memory / KARST["memory"], network / KARST["network"]])
    return Summa(flops, memory, network, times, times.max(axis=0), times.argmax(axis=0))


def summa_good(N: Array, P: Array, word: float = 8.0) -> Summa:
    """SUMMA on Karst with care: products for powers, no stack, nothing computed twice."""
    B = 64 / word
    M = 16 * 1024 / word
    square = N * N
    cube = square * N
    root = np.sqrt(P)
    flops = 2 * (cube + square) / P
    memory = word * (B + square + cube / np.sqrt(M)) / P
    network = 2 * word * square / root * np.log2(root)
    compute = flops / KARST["flops"]
    traffic = memory / KARST["memory"]
    sending = network / KARST["network"]
    local = np.maximum(compute, traffic)
    bound = (traffic > compute).astype(np.int8)
    bound[sending > local] = 2
    time = np.maximum(local, sending)
    return Summa(flops, memory, network, (compute, traffic, sending), time, bound)


class Network(NamedTuple):
    """Work, busy times, time, what of it is charged to flops and to memory, which binds, tallies.

    The bound is 0 for flops, 1 for memory.
    """

    flops: Array
    memory: Array
    times: dict[str, Array]
    time: Array
    charged: dict[str, Array]
    bound: NDArray[np.int8]
    tallies: dict[str, Array]


class Kernel(NamedTuple):
    """How often it runs, its flops and bytes in one run, its weights, and its multiply-adds."""

    runs: int
    flops: Array
    memory: Array
    weights: int = 0
    multiply_adds: Array | None = None


def resnet50(batch: Array) -> Network:
    """ResNet-50 in single precision on an A100: a loop over its kernels."""
    flops, memory, time, multiply_adds = (np.zeros(batch.shape) for _ in range(4))
    charged = {name: np.zeros(batch.shape) for name in A100}
    weights = 0
    for kernel in _kernels(batch):
        count = kernel.runs
        compute = kernel.flops / A100["flops"]
        traffic = kernel.memory / A100["memory"]
        spent = np.maximum(compute, traffic)
        flops += count * kernel.flops
        memory += count * kernel.memory
        time += count * spent
        charged["flops"] += count * np.where(compute >= traffic, spent, 0)
        charged["memory"] += count * np.where(compute < traffic, spent, 0)
        weights += count * kernel.weights
        if kernel.multiply_adds is not None:
            multiply_adds += count * kernel.multiply_adds
    times = {"flops": flops / A100["flops"], "memory": memory / A100["memory"]}
    bound = (charged["memory"] > charged["flops"]).astype(np.int8)
    tallies = {
        "parameters": np.full(batch.shape, float(weights)),
        "multiply_adds": multiply_adds,
        "footprint": np.full(batch.shape, 4.0 * weights),
    }
    return Network(flops, memory, times, time, charged, bound, tallies)


def _kernels(batch: Array) -> Iterator[Kernel]:
    yield _convolution(1, batch, 3, 224, 64, 7, 2)
    yield _norm(1, batch, 64, 112)
    yield _elementwise(1, batch * 64 * 112**2, 2)
    yield _pool(batch, 64, 112, 3, 56)
    inputs, size = 64, 56
    for blocks, width, stride in ((3, 64, 1), (4, 128, 2), (6, 256, 2), (3, 512, 2)):
        yield from _block(1, batch, inputs, size, width, stride, projected=True)
        size = ceil(size / stride)
        yield from _block(blocks - 1, batch, 4 * width, size, width, 1, projected=False)
        inputs = 4 * width
    yield _pool(batch, 2048, 7, 7, 1)
    weights = 2048 * 1000 + 1000
    products = batch * 2048 * 1000
    moved = 4 * (batch * 3048 + weights)
    yield Kernel(1, 2 * products + batch * 1000, moved, weights, products)


def _block(
    count: int, batch: Array, inputs: int, size: int, width: int, stride: int, *, projected: bool
) -> Iterator[Kernel]:
    after, outputs = ceil(size / stride), 4 * width
    yield _convolution(count, batch, inputs, size, width, 1)
    yield _norm(count, batch, width, size)
    yield _elementwise(count, batch * width * size**2, 2)
    yield _convolution(count, batch, width, size, width, 3, stride)
    yield _norm(count, batch, width, after)
    yield _elementwise(count, batch * width * after**2, 2)
    yield _convolution(count, batch, width, after, outputs, 1)
    yield _norm(count, batch, outputs, after)
    if projected:
        yield _convolution(count, batch, inputs, size, outputs, 1, stride)
        yield _norm(count, batch, outputs, after)
    yield _elementwise(count, batch * outputs * after**2, 3)
    yield _elementwise(count, batch * outputs * after**2, 2)


def _convolution(
    count: int, batch: Array, inputs: int, size: int, outputs: int, kernel: int, stride: int = 1
) -> Kernel:
    after = ceil(size / stride)
    weights = outputs * inputs * kernel**2
    products = batch * weights * after**2
    moved = 4 * (batch * inputs * size**2 + weights + batch * outputs * after**2)
    return Kernel(count, 2 * products, moved, weights, products)


def _norm(count: int, batch: Array, channels: int, size: int) -> Kernel:
    elements = batch * channels * size**2
    return Kernel(count, 9 * elements, 4 * (2 * elements + 2 * channels), 2 * channels)


def _elementwise(count: int, elements: Array, moved: int) -> Kernel:
    return Kernel(count, elements, 4 * moved * elements)


def _pool(batch: Array, channels: int, size: int, window: int, after: int) -> Kernel:
    outputs = batch * channels * after**2
    # Of the largest of k² one compares k² - 1 times; of their mean one divides as well.
    operations = window**2 if after == 1 else window**2 - 1
    return Kernel(1, operations * outputs, 4 * (batch * channels * size**2 + outputs))
