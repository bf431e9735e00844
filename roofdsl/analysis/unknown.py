"""What a question solves for: a parameter of the model, or a rate of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.expression.substitute import constant, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.numeric.search import Place
from roofdsl.units.dimension import SECOND, Dimension
from roofdsl.units.quantity import show_quantity

LARGEST = 10**18
NEAR_ZERO = 10**9
"""A range of a real number that would begin at 0 begins this far below its end."""
FAR = 10**6
"""A rate's range goes this far below and above what the machine has, unless another is given."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name to solve for; `parameter` is None for a machine's rate."""

    symbol: Symbol
    dimension: Dimension
    integer: bool
    parameter: Parameter | None
    rate: Fraction | None = None

    @property
    def name(self) -> str:
        return self.symbol.name

    @property
    def free(self) -> tuple[str, ...]:
        """The parameter that a prediction leaves open for it, none for a machine's rate."""
        return () if self.parameter is None else (self.name,)

    def known(self, trees: Mapping[str, Expression]) -> dict[str, Expression]:
        """Return these formulas without that of the unknown itself."""
        return {name: tree for name, tree in trees.items() if name != self.symbol.name}

    def put_in(
        self, values: Mapping[str, Expression], trees: Mapping[str, Expression]
    ) -> dict[str, Expression]:
        """Return formulas with values put in for all names but this one."""
        known = self.known(values)
        return {name: substitute(tree, known) for name, tree in trees.items()}


def unknown_named(name: str, model: ModelDefinition, machine: MachineDefinition) -> Unknown:
    """Return the unknown of a name: `N`, or a rate such as `karst.network` or `network`.

    Raises RoofError where there is neither (R0701), or it is not a number (R0705).
    """
    for parameter in model.parameters:
        if parameter.name == name:
            if not parameter.is_number:
                message = f"'{name}' is no number, so it cannot be solved for"
                hint = "give it a value with -p, and compare the answers"
                raise RoofError([Diagnostic("R0705", message, (Label(parameter.span),), hint)])
            return Unknown(
                parameter.symbol, parameter.dimension, parameter.symbol.integer, parameter
            )
    key = name.removeprefix(f"{machine.name}.")
    first, _, rest = key.partition(".")
    device = machine.devices.get(first)
    holder, level = (machine, key) if device is None else (device, rest)
    rate = holder.rate(level) or holder.rate(holder.defaults.get(level, ""))
    if rate is not None and rate.value is not None:
        prefix = machine.name if device is None else f"{machine.name}.{first}"
        unit = rate.resource.dimension / SECOND
        value = constant(rate.value)
        return Unknown(Symbol(f"{prefix}.{rate.key}"), unit, False, None, value)
    names = [parameter.name for parameter in model.parameters if parameter.is_number]
    names += [f"{machine.name}.{rate.key}" for rate in machine.rates]
    hint = did_you_mean(name, names) or f"it is one of {', '.join(names)}"
    message = f"neither '{model.name}' nor '{machine.name}' has a number named '{name}'"
    raise RoofError([Diagnostic("R0701", message, (), hint)])


def default_range(unknown: Unknown) -> tuple[Place, Place]:
    """Return the range of an unknown: a parameter's bounds within 1 … 10^18, or about a rate."""
    if unknown.parameter is None:
        value = float(unknown.rate or 1)
        return value / FAR, value * FAR
    low, high = bounds(unknown)
    bottom = max(Fraction(1), low) if low is not None else Fraction(1)
    top = min(Fraction(LARGEST), high) if high is not None else Fraction(LARGEST)
    if bottom >= top and not unknown.integer:
        bottom = max(top / NEAR_ZERO, low or Fraction(0))  # a share, say, of 0 to 1
    return place(bottom, unknown, up=True), place(top, unknown, up=False)


def bounds(unknown: Unknown) -> tuple[Fraction | None, Fraction | None]:
    """Return an unknown's fixed bounds, None where there is none."""
    if unknown.parameter is None:
        return Fraction(0), None
    low = constant(unknown.parameter.low) if unknown.parameter.low is not None else None
    high = constant(unknown.parameter.high) if unknown.parameter.high is not None else None
    return low, high


def check_range(unknown: Unknown, low: Fraction, high: Fraction) -> tuple[Place, Place]:
    """Return a range as places; raise RoofError if it is empty or leaves the bounds (R0702)."""
    least, most = bounds(unknown)
    shown = [show_quantity(float(end), unknown.dimension, 6) for end in (low, high)]
    problem = None
    if low > high:
        problem = f"the range {shown[0]} .. {shown[1]} is empty"
    elif least is not None and low < least:
        problem = f"the range begins at {shown[0]}, below the least {unknown.name} may be"
    elif most is not None and high > most:
        problem = f"the range ends at {shown[1]}, above the most {unknown.name} may be"
    elif low == 0 and not unknown.integer and unknown.parameter is not None:
        low = high / NEAR_ZERO
    elif low <= 0:
        problem = f"the range begins at {shown[0]}; it must begin above 0"
    if problem:
        limits = [
            show_quantity(float(end), unknown.dimension, 6) if end is not None else "…"
            for end in (least, most)
        ]
        labels = (Label(unknown.parameter.span),) if unknown.parameter else ()
        hint = f"{unknown.name} ranges over {limits[0]} .. {limits[1]}"
        raise RoofError([Diagnostic("R0702", problem, labels, hint)])
    return place(low, unknown, up=True), place(high, unknown, up=False)


def place(value: Fraction, unknown: Unknown, *, up: bool) -> Place:
    """Return a number as the search takes it: whole for a whole unknown, else a float."""
    if unknown.integer:
        return ceil(value) if up else floor(value)
    return float(value)
