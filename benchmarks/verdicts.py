"""Verdicts over 1..10^18: of random kernels against SymPy's `solve`, and of every network.

Where SymPy has no answer, or none within a second, it is not compared with.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from statistics import median
from typing import NamedTuple

from benchmarks.ratios import Figure, import_sympy, ratio, seconds
from benchmarks.solver import Case, answered_by_sympy, certified
from roofdsl.analysis.crossover import find_crossovers
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.model.library import check_text, find_machine, load_module
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.resources import folder
from roofdsl.source import Source
from tests.oracle.families import case

KERNELS = 60
ROUNDS = 3
MACHINE = "h100_sxm"


def kernels() -> Iterator[Case]:
    """Yield pairs of times of random kernels of a whole number."""
    for number in range(KERNELS):
        written = case("smooth kernels", "benchmark", number)
        module, problems = check_text(Source(f"kernel {number}", written.text()))
        assert not [problem for problem in problems if problem.severity == "error"], problems
        prediction, wrong = predict(module.models["m"], module.machines["box"], {}, frozenset("N"))
        assert not wrong, wrong
        times = {n: substitute(t, prediction.rates) for n, t in prediction.times().items()}
        for left, right in combinations(times, 2):
            if any(free_symbols(times[name]) for name in (left, right)):
                yield Case(f"kernel {number}: {left}, {right}", "N", times[left], times[right])


class Network(NamedTuple):
    """A model of a network, and the first number among its parameters."""

    model: ModelDefinition
    machine: MachineDefinition
    unknown: str

    def complete(self) -> bool:
        """Return whether the verdict over all values of the parameter is proven."""
        asked = ModelOnMachine(self.model, self.machine)
        prediction = asked.bound({}, [self.unknown])
        unknown = unknown_named(self.unknown, self.model, self.machine)
        return find_crossovers(
            prediction, unknown, *domain_of(prediction, unknown).range()
        ).complete


def networks() -> Iterator[Network]:
    machine = find_machine(MACHINE)[0]
    for path in sorted((folder("stdlib") / "networks").glob("*.roof")):
        for model in load_module(path).models.values():
            first = next(each.name for each in model.parameters if each.is_number)
            yield Network(model, machine, first)


def _longest(every: list[Network]) -> float:
    return max(seconds(network.complete) for network in every)


def figures() -> Iterator[Figure]:
    pairs = [*kernels()]
    for pair in pairs:
        certified(pair)
    spent = [(answered_by_sympy(pair), seconds(partial(certified, pair))) for pair in pairs]
    both = [(theirs, ours) for theirs, ours in spent if theirs is not None]
    title = f"random kernels, median of the {len(both)} of {len(pairs)} that SymPy solves"
    yield Figure(title, median(ours for _, ours in both) / median(x for x, _ in both), 0.1)
    every = [*networks()]
    undecided = sum(not network.complete() for network in every)
    yield Figure(f"verdicts of {len(every)} networks that are not complete", undecided, 0)
    # 0.5 s where SymPy takes 0.31 s to import.
    longest = ratio(partial(_longest, every), import_sympy, ROUNDS)
    yield Figure("the longest verdict of a network / import sympy", longest, 0.5 / 0.31)
