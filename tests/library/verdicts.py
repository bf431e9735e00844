"""What binds each bundled network on some machines, over the whole range of its first parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from roofdsl.analysis.crossover import Crossovers, find_crossovers
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown, unknown_named
from roofdsl.embedding.machine import load_machine
from roofdsl.embedding.model import load_model
from roofdsl.model.library import bundled
from tests.agreement.points import models_of

MACHINES = ("h100_sxm", "karst", "a100_sxm_80gb")


class Verdict(NamedTuple):
    """A network on a machine, with its first parameter open and its other sizes 64."""

    prediction: Prediction
    unknown: Unknown

    def find(self) -> Crossovers:
        low, high = domain_of(self.prediction, self.unknown).range()
        return find_crossovers(self.prediction, self.unknown, low, high)


def networks() -> list[str]:
    """Return the names of all networks, `backward` and `training` among them, with a batch alone.

    Families of networks are asked in these: alone they have no sizes.
    """
    found: list[str] = []
    for file in bundled("model"):
        for model in models_of(file) if file.startswith("networks.") else ():
            sizes = [p.name for p in model.parameters if p.is_number and p.default is None]
            if sizes == ["batch"]:
                found.append(f"{file.partition('.')[2]}:{model.name}")
    return found


def verdicts(machine: str, names: list[str]) -> Iterator[Verdict]:
    """Yield each network, its first number open."""
    for name in names:
        asked = load_model(name).on(load_machine(machine)).asked
        sizes = [p for p in asked.model.parameters if p.is_number and p.default is None]
        unknown = unknown_named(sizes[0].name, asked.model, asked.machine)
        values = {p.name: 64.0 for p in sizes[1:]}
        yield Verdict(asked.bound(values, [unknown.name]), unknown)
