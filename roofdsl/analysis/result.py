"""A prediction in numbers: intensities, times, the bound, attainable performance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from roofdsl.analysis.binding import cannot_compute
from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.prediction import Prediction, rates_of
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.model.types import MachineDefinition
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Span
from roofdsl.units.dimension import Dimension
from roofdsl.units.quantity import show_number

NEARLY = 1e-12


@dataclass(frozen=True, slots=True)
class Ridge:
    """The ridge points of a machine: OI and CAI [flop/B], MI [B/B]; None where it has none."""

    OI: float | None
    CAI: float | None
    MI: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """A model on a machine in numbers, in SI base units (flop, B, s, flop/s, B/s).

    `OI`, `CAI`, `MI` are infinite where their denominator is 0 and NaN where both are.
    `named` holds parameters and `let`s, `dimensions` theirs. `bound` is the resource that takes
    longest; `ties` are all that take as long.
    """

    model: str
    machine: str
    parameters: dict[str, float]
    named: dict[str, float]
    dimensions: dict[str, Dimension]
    work: dict[str, float]
    rates: dict[str, float]
    times: dict[str, float]
    OI: float
    CAI: float
    MI: float
    time: float
    attainable: float
    bound: str | None
    ties: tuple[str, ...]
    ridge: Ridge

    @property
    def flops(self) -> float:
        return self.work.get("flops", 0.0)

    @property
    def memory(self) -> float:
        return self.work.get("memory", 0.0)

    @property
    def network(self) -> float:
        return self.work.get("network", 0.0)


def evaluated(prediction: Prediction) -> Result:
    """Return a prediction in numbers; every parameter must have a value.

    Raises RoofError where a parameter is free (R0406) or a formula has no value (R0407).
    """
    if prediction.free:
        names = ", ".join(parameter.name for parameter in prediction.free)
        raise RoofError(
            [
                Diagnostic(
                    "R0406",
                    f"'{prediction.model.name}' needs a value for {names}",
                    hint=f"give {prediction.free[0].name} a number",
                )
            ]
        )
    problems: list[Diagnostic] = []
    values = dict(prediction.binding.values)
    rates = {name: evaluate(tree, {}) for name, tree in prediction.rates.items()}
    values.update(rates)
    work: dict[str, float] = {}
    for load, stated in zip(prediction.loads, prediction.model.work, strict=True):
        try:
            amount = evaluate(load.work, values)
        except EvaluationError as error:
            problems.append(cannot_compute(load.key, stated.span, error))
            continue
        if amount < 0:
            problems.append(negative(load.key, amount, stated.span))
        work[load.key] = amount
    if problems:
        raise RoofError(problems)
    times = {
        name: math.fsum(work[load.key] / rates[load.rate.name] for load in loads if load.rate)
        for name, loads in prediction.groups().items()
    }
    time = max(times.values(), default=0.0)
    ties = tuple(name for name, value in times.items() if value >= time * (1 - NEARLY) and time)
    flops = work.get("flops", 0.0)
    intensities = {
        name: ratio(work.get(above, 0.0), work.get(below, 0.0))
        for name, (above, below) in INTENSITIES.items()
    }
    return Result(
        model=prediction.model.name,
        machine=prediction.machine.name,
        parameters={
            parameter.name: values[parameter.name] for parameter in prediction.model.parameters
        },
        named=dict(prediction.binding.values),
        dimensions=prediction.model.dimensions(),
        work=work,
        rates={name.split(".", 1)[1]: value for name, value in rates.items()},
        times=times,
        time=time,
        attainable=ratio(flops, time),
        bound=ties[0] if ties else None,
        ties=ties,
        ridge=_ridge(rates, prediction.machine.name),
        **intensities,
    )


def machine_ridge(machine: MachineDefinition) -> Ridge:
    """Return the ridge points of a machine with its parameters at their defaults."""
    rates = machine_rates(machine)
    return _ridge({f"{machine.name}.{key}": rate for key, rate in rates.items()}, machine.name)


def machine_rates(machine: MachineDefinition) -> dict[str, float]:
    """Return a machine's rates in numbers, by resource, its parameters at their defaults."""
    rates, problems = rates_of(machine)
    if problems:
        raise RoofError(problems)
    return {name.split(".", 1)[1]: evaluate(tree, {}) for name, tree in rates.items()}


def _ridge(rates: dict[str, float], machine: str) -> Ridge:
    found: dict[str, float | None] = {}
    for name, keys in INTENSITIES.items():
        above, below = (rates.get(f"{machine}.{key}") for key in keys)
        found[name] = above / below if above and below else None
    return Ridge(**found)


def ratio(above: float, below: float) -> float:
    """Return above / below, infinite where only `below` is 0 and NaN where both are.

    >>> ratio(3.0, 2.0), ratio(1.0, 0.0), ratio(0.0, 0.0)
    (1.5, inf, nan)
    """
    if below:
        return above / below
    return math.inf if above else math.nan


def negative(key: str, amount: float, span: Span) -> Diagnostic:
    """Return the diagnostic for work below 0."""
    return Diagnostic(
        "R0409",
        f"{key} is negative here: {show_number(amount)}",
        (Label(span),),
        "work cannot be negative; a `require` can keep such values out",
    )
