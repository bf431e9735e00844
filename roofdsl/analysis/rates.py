"""A machine's rates in numbers."""

from __future__ import annotations

from roofdsl.analysis.binding import Binding, bind, computed
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.model.types import MachineDefinition, Rate
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_quantity


def bind_machine(machine: MachineDefinition) -> tuple[Binding, tuple[Diagnostic, ...]]:
    """Bind a machine's parameters to their defaults; return every problem with them."""
    binding, problems = bind(machine, {})
    missing = tuple(
        Diagnostic(
            "R0406",
            f"machine '{machine.name}' needs a value for {parameter.name}",
            (Label(parameter.span),),
            "give the parameter a default",
        )
        for parameter in binding.free
    )
    return binding, (*problems, *missing)


def rate_values(
    machine: MachineDefinition, binding: Binding
) -> tuple[dict[str, float], tuple[Diagnostic, ...]]:
    """Return each limited rate in its unit per second [flop/s, B/s, …], and every problem."""
    values: dict[str, float] = {}
    problems: list[Diagnostic] = []
    for rate in machine.rates:
        if rate.value is None:
            continue
        tree = binding.expand(rate.value)
        value = computed(tree, f"the rate of {rate.key}", rate.span, problems)
        if value is not None and value > 0:
            values[rate.key] = value
        elif value is not None:
            problems.append(_not_above_zero(rate, value))
    return values, tuple(problems)


def _not_above_zero(rate: Rate, value: float) -> Diagnostic:
    shown = show_quantity(value, rate.resource.dimension / SECOND)
    return Diagnostic(
        "R0408",
        f"the rate of {rate.key} must be more than 0, and is {shown} here",
        (Label(rate.span),),
        "leave out what the machine does not have; `unlimited` is a rate too",
    )
