"""Machines and kernels made up, with times by a law written here by hand, each off by 5 %.

Nothing of the package computes them: `times` is NumPy on the exponents that a text is made of. A
design counts as determinable where the bound of Cramér and Rao allows it: of the linear law at the
true constants, each has a standard error of at most so much.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Law = Literal["written", "apart", "sum"]
NOISE = 0.05
_DETERMINED = 0.0115
"""So large a standard error at the most: 5 % are then beyond four of them."""
UNITS = {
    "flops": ("flop/s", 9.0, 11.0),
    "memory": ("B/s", 8.5, 10.5),
    "network": ("B/s", 8.0, 9.5),
    "messages": ("message/s", 5.0, 6.5),
}
"""The unit of each rate, and the powers of ten that its values lie between."""


@dataclass(frozen=True)
class Kernel:
    """Work c·a^p·b^q on each resource, (c, p, q), for settings (a, b)."""

    name: str
    work: dict[str, tuple[float, int, int]]
    settings: tuple[tuple[int, int], ...]

    def text(self) -> str:
        units = {"flops": "", "memory": " B", "network": " B", "messages": " message"}
        lines = [
            f"    {name} = {c:g}{units[name]} * a^{p} * b^{q}"
            for name, (c, p, q) in self.work.items()
        ]
        body = "\n".join(["    param a: integer", "    param b: integer", *lines])
        return f"model {self.name} {{\n{body}\n}}\n"


@dataclass(frozen=True)
class Made:
    """Kernels on a machine, with the true constants: 1/rate by resource, and a start-up."""

    law: Law
    kernels: tuple[Kernel, ...]
    true: dict[str, float]
    stated: dict[str, float]
    runs: tuple[tuple[str, int, int, float], ...]

    def text(self) -> str:
        rates = [f"    {name} = {1 / x:.17g} {UNITS[name][0]}" for name, x in self.stated.items()]
        machine = "machine box {\n" + "\n".join(rates) + "\n}\n"
        return "\n".join([*(kernel.text() for kernel in self.kernels), machine])

    def csv(self) -> str:
        rows = [f"{name},{a},{b},{time!r}" for name, a, b, time in self.runs]
        return "\n".join(["kernel,a,b,time [s]", *rows]) + "\n"


def times(law: Law, work: NDArray[np.float64], true: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return times of rows of work on flops, memory, network, messages and a start-up, in order."""
    flops, memory, network, messages, start = (work * true).T
    sent = network + messages
    computed = np.maximum(flops, memory)
    both = {"sum": flops + memory + sent, "apart": computed + sent}
    found: NDArray[np.float64] = both.get(law, np.maximum(computed, sent)) + start
    return found


def _slopes(law: Law, work: NDArray[np.float64], true: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the derivatives of the times by each constant, by differences: they are linear."""
    here = times(law, work, true)
    steps = np.diag(true * 1e-7)
    return np.stack([(times(law, work, true + step) - here) / step.max() for step in steps], axis=1)


def errors(law: Law, work: NDArray[np.float64], true: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least standard error that each constant can have, relative to it."""
    used = true > 0
    slopes = _slopes(law, work, np.where(used, true, 1.0))[:, used] * true[used]
    scaled = slopes / times(law, work, true)[:, None]
    information = scaled.T @ scaled
    if np.linalg.cond(information) > 1e12:
        return np.full(int(used.sum()), np.inf)
    found: NDArray[np.float64] = NOISE * np.sqrt(np.diag(np.linalg.inv(information)))
    return found


def made(law: Law, seed: int) -> Made:
    """Return the first determinable design of a seed, with its noise."""
    generator = np.random.default_rng([seed, len(law)])
    for kernels, true in _designs(generator):
        order = [*UNITS, "startup"]
        constants = np.array([true.get(name, 0.0) for name in order])
        rows = [(kernel, a, b) for kernel in kernels for a, b in kernel.settings]
        work = np.array([_work(kernel, a, b) for kernel, a, b in rows])
        if np.max(errors(law, work, constants)) <= _DETERMINED:
            noise = np.exp(NOISE * generator.standard_normal(len(rows)))
            measured = times(law, work, constants) * noise
            pairs = zip(rows, measured, strict=True)
            runs = tuple((kernel.name, a, b, float(time)) for (kernel, a, b), time in pairs)
            factors = 3.0 ** generator.uniform(-1, 1, len(true))
            stated = dict(zip(true, np.array([*true.values()]) * factors, strict=True))
            stated.pop("startup", None)
            return Made(law, kernels, true, stated, runs)
    raise AssertionError


def _work(kernel: Kernel, a: int, b: int) -> list[float]:
    found = []
    for name in UNITS:
        c, p, q = kernel.work.get(name, (0.0, 0, 0))
        found.append(c * float(a) ** p * float(b) ** q)
    return [*found, 1.0]


def _designs(
    generator: np.random.Generator,
) -> Iterator[tuple[tuple[Kernel, ...], dict[str, float]]]:
    """Yield kernels on machines of 3 to 5 constants."""
    names = [*UNITS]
    while True:
        count = int(generator.integers(3, 5))
        resources = names[:count] if generator.random() < 0.7 else ["flops", "memory", "network"]
        true = {}
        for name in resources:
            _, low, high = UNITS[name]
            true[name] = 10 ** -generator.uniform(low, high)
        if generator.random() < 0.6 or len(true) < 3:
            true["startup"] = 10 ** generator.uniform(-5.5, -4)
        kernels = tuple(
            _kernel(f"kernel{place}", generator, resources, true)
            for place in range(int(generator.integers(2, 5)))
        )
        yield kernels, true


def _kernel(
    name: str, generator: np.random.Generator, resources: list[str], true: dict[str, float]
) -> Kernel:
    """Return a kernel whose resources take about as long as one another somewhere."""
    work: dict[str, tuple[float, int, int]] = {}
    for resource in resources:
        if generator.random() < 0.8:
            p, q = int(generator.integers(0, 4)), int(generator.integers(0, 3))
            typical = 10 ** generator.uniform(-4, -1.5)
            c = typical / true[resource] / 100.0**p / 30.0**q
            work[resource] = (float(f"{c:.3g}"), p, q)
    if not work:
        work["flops"] = (2.0, 2, 1)
    some = generator.integers(5, 2000, size=(40, 2)) ** generator.uniform(0.5, 1.0, (40, 2))
    settings = tuple(dict.fromkeys((int(a) + 1, int(b) + 1) for a, b in some))
    return Kernel(name, work, settings)
