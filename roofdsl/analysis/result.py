"""A prediction in numbers: intensities, times, the bound, attainable performance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from roofdsl.analysis.binding import Binding, cannot_compute, settings
from roofdsl.analysis.breakdown import Composing, Measured, measure, overlapped_entirely
from roofdsl.analysis.convention import check_counted, convention_named, count
from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.prediction import Prediction, default_rate
from roofdsl.analysis.rates import bind_machine, rate_values
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.precision import named
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Span
from roofdsl.units.dimension import Dimension
from roofdsl.units.quantity import show_number

Setting: TypeAlias = float | bool | str


@dataclass(frozen=True, slots=True)
class Ridge:
    """The ridge points of a machine: OI and CAI [flop/B], MI [B/B]; None where it has none."""

    OI: float | None
    CAI: float | None
    MI: float | None


@dataclass(frozen=True, slots=True)
class Result:
    """A model on a machine in numbers, in SI base units (flop, B, s, flop/s, B/s).

    Work and times are those of one process; `processes` says how many there are. `work` is by
    resource and level, `times` by what overlaps. `OI`, `CAI`, `MI` are infinite where their
    denominator is 0 and NaN where both are. `bound` is the resource that takes longest, `ties` are
    all that take as long; of a composition, what the largest `shares` of the time are charged to.
    `breakdown` is the tree of its steps. `fits` says of each tally whether it fits the machine's
    capacity.
    """

    model: str
    machine: str
    parameters: dict[str, Setting]
    named: dict[str, float]
    dimensions: dict[str, Dimension]
    work: dict[str, float]
    rates: dict[str, float]
    times: dict[str, float]
    flops: float
    memory: float
    network: float
    OI: float
    CAI: float
    MI: float
    time: float
    attainable: float
    bound: str | None
    ties: tuple[str, ...]
    shares: dict[str, float]
    breakdown: Measured
    ridge: Ridge
    processes: float
    tallies: dict[str, float]
    fits: dict[str, bool]
    notes: tuple[str, ...]

    def count(self, convention: str) -> float:
        """Return the operations of one process by a convention: flop, product, mac or fma.

        weight × flops + weight × `multiply_adds` (see `CONVENTIONS`). Raises RoofError for an
        unknown convention (R0710), or where the model tallies no multiply-adds (R0709).
        """
        chosen = convention_named(convention)
        check_counted(chosen, self.model, self.dimensions)
        return count(chosen, self.flops, self.tallies)

    def _repr_html_(self) -> str:
        from roofdsl.analysis.result_card import result_card
        from roofdsl.typeset.card import card_html

        return card_html(result_card(self))

    def _repr_latex_(self) -> str:
        from roofdsl.analysis.result_card import result_card
        from roofdsl.typeset.card import card_latex

        return card_latex(result_card(self))


def evaluated(prediction: Prediction, composing: Composing = "written") -> Result:
    """Return a prediction in numbers; every parameter must have a value.

    `composing` is "max" to overlap everything, "sum" to overlap nothing. Raises RoofError where a
    parameter is free (R0406) or a formula has no value (R0407).
    """
    if prediction.free:
        raise RoofError([_needs_values(prediction)])
    binding, problems = prediction.binding, list[Diagnostic]()
    rates = {name: evaluate(tree, {}) for name, tree in prediction.rates.items()}

    def amount(name: str, tree: Expression, span: Span) -> float:
        value = _amount(name, tree, span, problems)
        if value < 0:
            problems.append(_negative(name, value, span))
        return value

    def tally(name: str, tree: Expression, span: Span) -> float:
        return _amount(name, tree, span, problems)

    try:
        measured = measure(prediction.root, rates, amount, composing, tally)
        totals = {name: prediction.total(name, measured) for name in ("flops", "memory", "network")}
    except OverflowError as error:
        whole = f"the sum over the steps of '{prediction.model.name}'"
        raise RoofError([cannot_compute(whole, prediction.root.span, error)]) from None
    if composing == "max":
        measured = overlapped_entirely(measured)
    work = measured.work
    tallies = measured.tallies
    fits = _fits(prediction, tallies, problems)
    if problems:
        values = settings(prediction.model.parameters, binding)
        notes = (f"here {values}",) if values else ()
        raise RoofError(replace(problem, notes=notes) for problem in dict.fromkeys(problems))
    intensities = {
        name: ratio(totals[above], totals[below]) for name, (above, below) in INTENSITIES.items()
    }
    time, ties = measured.time, measured.ties
    return Result(
        model=prediction.model.name,
        machine=prediction.machine.name,
        parameters={
            parameter.name: setting(parameter, binding.values[parameter.name])
            for parameter in prediction.model.parameters
        },
        named={**tallies, **_named(prediction.model, binding)},
        dimensions={
            **{item.name: item.dimension for item in prediction.tallies()},
            **prediction.model.dimensions(),
        },
        work=work,
        rates={name.split(".", 1)[1]: value for name, value in rates.items()},
        times=measured.busy,
        time=time,
        attainable=ratio(totals["flops"], time),
        bound=ties[0] if ties else None,
        ties=ties,
        shares={name: ratio(spent, time) for name, spent in measured.charged.items()},
        breakdown=measured,
        ridge=_ridge(rates, prediction.roof),
        processes=math.prod(
            binding.values[parameter.name]
            for parameter in prediction.model.parameters
            if parameter.kind == "processes"
        ),
        tallies=tallies,
        fits=fits,
        notes=prediction.notes,
        **totals,
        **intensities,
    )


def machine_ridge(machine: MachineDefinition) -> Ridge:
    """Return the ridge points of a machine with its parameters at their defaults."""
    rates = machine_rates(machine)
    named = {f"{machine.name}.{key}": rate for key, rate in rates.items()}
    return _ridge(named, partial(default_rate, machine))


def machine_rates(machine: MachineDefinition) -> dict[str, float]:
    """Return a machine's rates in numbers, by resource, its parameters at their defaults.

    Raises RoofError where one has no value, or none above 0.
    """
    rates, problems = rate_values(machine, machine_binding(machine))
    if problems:
        raise RoofError(problems)
    return rates


def machine_binding(machine: MachineDefinition) -> Binding:
    """Return a machine's parameters at their defaults; raise RoofError if they do not fit."""
    binding, problems = bind_machine(machine)
    if problems:
        raise RoofError(problems)
    return binding


def setting(parameter: Parameter, value: float) -> Setting:
    """Return a parameter's value as Python and JSON show it: a number, truth value or precision."""
    if parameter.kind == "boolean":
        return bool(value)
    return named(value) if parameter.kind == "precision" else value


def ratio(above: float, below: float) -> float:
    """Return above / below, infinite where only `below` is 0 and NaN where both are.

    >>> ratio(3.0, 2.0), ratio(1.0, 0.0), ratio(0.0, 0.0)
    (1.5, inf, nan)
    """
    if below:
        return above / below
    return math.inf if above else math.nan


def _ridge(rates: Mapping[str, float], roof: Callable[[str], Symbol | None]) -> Ridge:
    found: dict[str, float | None] = {}
    for name, keys in INTENSITIES.items():
        symbols = [roof(key) for key in keys]
        above, below = (rates.get(symbol.name) if symbol else None for symbol in symbols)
        found[name] = above / below if above and below else None
    return Ridge(**found)


def _named(model: ModelDefinition, binding: Binding) -> dict[str, float]:
    """Return the values of parameters and intermediates, conditions as True and False."""
    truths = {parameter.name for parameter in model.parameters if parameter.kind == "boolean"}
    truths.update(item.name for item in model.intermediates if item.formula.truth)
    return {n: bool(value) if n in truths else value for n, value in binding.values.items()}


def _fits(
    prediction: Prediction, tallies: Mapping[str, float], problems: list[Diagnostic]
) -> dict[str, bool]:
    """Return whether the tally `footprint` fits the machine's memory, where both are known."""
    capacities = {capacity.key: capacity for capacity in prediction.machine.capacities}
    memory = capacities.get("memory") or capacities.get(
        prediction.machine.defaults.get("memory", "")
    )
    if memory is None or "footprint" not in tallies:
        return {}
    tree = prediction.machine_binding.expand(memory.formula.tree)
    limit = _amount(f"the capacity of {memory.key}", tree, memory.span, problems)
    return {"footprint": tallies["footprint"] <= limit}


def _amount(key: str, tree: Expression, span: Span, problems: list[Diagnostic]) -> float:
    try:
        return evaluate(tree, {})
    except EvaluationError as error:
        problems.append(cannot_compute(key, span, error))
        return 0.0


def _needs_values(prediction: Prediction) -> Diagnostic:
    names = [parameter.name for parameter in prediction.free]
    return Diagnostic(
        "R0406",
        f"'{prediction.model.name}' needs a value for {', '.join(names)}",
        tuple(Label(parameter.span) for parameter in prediction.free[:3]),
        f"give {names[0]} a number",
    )


def _negative(key: str, amount: float, span: Span) -> Diagnostic:
    return Diagnostic(
        "R0409",
        f"{key} is negative: {show_number(amount)}",
        (Label(span),),
        "work is 0 or more; a bound or `require` can keep such values out",
    )
