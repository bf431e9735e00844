"""Maps over two parameters: of the models of thesis ch. 2 on its machines, and with jumps."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from benchmarks.ratios import Figure, import_sympy, seconds
from benchmarks.solver import CASES, MACHINES
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.mapping import map_of
from roofdsl.answer.regime_map import RegimeMap
from roofdsl.model.library import check_text, find_machine, find_model
from roofdsl.source import Source

JUMPS = """
model blocks {
    param N: integer
    param P: integer
    flops = 2*(64*ceil(N/64/P))^3
    memory = 24 B * N^2 / P
}
model stages {
    param N: integer
    param P: integer
    flops = 5 * N * log2(N) / P
    memory = 48 B * N / P
    network = 32 B * N / P * ceil(log2(P))
}
"""


class Asked(NamedTuple):
    """A model on a machine, its two unknowns with their ranges, and its other parameters."""

    asked: ModelOnMachine
    across: tuple[str, int, int]
    up: tuple[str, int, int]
    given: dict[str, str]

    def map(self) -> RegimeMap:
        return map_of(self.asked, self.across, self.up, self.given)


def thesis() -> Iterator[Asked]:
    for name, (unknown, texts) in CASES.items():
        given = {key: text for key, text in texts.items() if key != "P"}
        for machine in MACHINES:
            asked = ModelOnMachine(find_model(name)[0], find_machine(machine)[0])
            yield Asked(asked, ("P", 1, 10**6), (unknown, 9, 10**9), given)


def jumping() -> Iterator[Asked]:
    module, problems = check_text(Source("jumps", JUMPS))
    assert not [problem for problem in problems if problem.severity == "error"], problems
    for model in module.models.values():
        for machine in MACHINES:
            asked = ModelOnMachine(model, find_machine(machine)[0])
            yield Asked(asked, ("P", 1, 10**6), ("N", 9, 10**9), {})


def figures() -> Iterator[Figure]:
    for title, every, least in (
        ("thesis", [*thesis()], 0.9999),
        ("jumps", [*jumping()], 0.999),
    ):
        found: list[RegimeMap] = []

        def spent(each: Asked, found: list[RegimeMap] = found) -> float:
            return seconds(lambda: found.append(each.map()))

        ratios = [spent(each) / import_sympy() for each in every]
        share = min(each.share or 0.0 for each in found)
        yield Figure(f"{title}: the least share of a plane proven", share, least, at_least=True)
        yield Figure(f"{title}: a map, median / import sympy", median(ratios), 5)
