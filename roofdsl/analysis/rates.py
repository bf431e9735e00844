"""A machine's rates in numbers."""

from __future__ import annotations

from roofdsl.analysis.binding import Binding, bind, computed
from roofdsl.analysis.load import rate_symbol
from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ONE, Expression
from roofdsl.model.types import MachineDefinition, Rate
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_quantity


def bind_machine(machine: MachineDefinition) -> tuple[Binding, tuple[Diagnostic, ...]]:
    """Bind a machine's parameters to their defaults; return every problem with them."""
    binding, problems = bind(machine, {})
    for parameter in binding.free:
        message = f"machine '{machine.name}' needs a value for {parameter.name}"
        hint = "give the parameter a default"
        problems = (*problems, Diagnostic.at("R0406", message, parameter.span, hint=hint))
    return binding, problems


def has_limit(rate: Rate) -> bool:
    """Whether large work is served at one rate: so is all work where a rate does not vary."""
    return not rate.parameters or rate.most is not None or _limit(rate) is not None


def varies(rate: Rate) -> bool:
    """Whether a rate depends on the work: one that has no limit does not, once that is set."""
    return bool(rate.parameters) and (rate.most is None or _limit(rate) is not None)


def _limit(rate: Rate) -> Expression | None:
    from roofdsl.analysis.work_rates import limit  # few machines have one

    return limit(rate)


def without_limit(machine: MachineDefinition) -> frozenset[str]:
    """Return the names of the symbols of rates without one of large work; they stand for 1/s."""
    places: list[tuple[str | None, MachineDefinition]] = [(None, machine), *machine.devices.items()]
    return frozenset(
        rate_symbol(machine, rate.key, device).name
        for device, part in places
        for rate in part.rates
        if not has_limit(rate)
    )


def large(rate: Rate) -> Expression:
    """Return the rate of large work, in units per second; one unit where there is no such rate.

    The rate is not an unlimited one.
    """
    return stated(rate) if rate.most is None else rate.most


def stated(rate: Rate) -> Expression:
    """Return the rate of large work before it is set otherwise: less work is slower than that."""
    assert rate.value is not None
    return (_limit(rate) or ONE) if rate.parameters else rate.value


def rate_values(
    machine: MachineDefinition, binding: Binding
) -> tuple[dict[str, float], tuple[Diagnostic, ...]]:
    """Return each limited rate in its unit per second [flop/s, B/s, …], and every problem."""
    values: dict[str, float] = {}
    problems: list[Diagnostic] = []
    for rate in machine.rates:
        if rate.value is None or not has_limit(rate):
            continue
        tree = binding.expand(large(rate))
        if free_symbols(tree):
            continue  # a parameter of the machine is left open
        value = computed(tree, f"the rate of {rate.key}", rate.span, problems)
        if value is not None and value > 0:
            values[rate.key] = value
        elif value is not None:
            shown = show_quantity(value, rate.resource.dimension / SECOND)
            message = f"the rate of {rate.key} must be more than 0, and is {shown} here"
            hint = "leave out what the machine does not have; `unlimited` is a rate too"
            problems.append(Diagnostic.at("R0408", message, rate.span, hint=hint))
    return values, tuple(problems)


def machine_rates(machine: MachineDefinition) -> dict[str, float]:
    """Return a machine's rates in numbers, by resource, its parameters at their defaults.

    Raises RoofError where one has no value, or none above 0.
    """
    rates, problems = rate_values(machine, machine_binding(machine))
    raise_if_any(problems)
    return rates


def machine_binding(machine: MachineDefinition) -> Binding:
    """Return a machine's parameters at their defaults; raise RoofError if they do not fit."""
    binding, problems = bind_machine(machine)
    raise_if_any(problems)
    return binding
