"""What a question solves for: a parameter of the model, or a rate of the machine."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from roofdsl.analysis.rates import large
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.expression.substitute import constant, substitute
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter
from roofdsl.units.dimension import SECOND, Dimension
from roofdsl.units.unit import NO_UNITS, Unit


class Unknown(NamedTuple):
    """A name to solve for; `parameter` is None for a machine's rate.

    `rate` is the value that the machine states for it, where that is a number.
    `units` are those of the files of both, which its values may be written in.
    """

    symbol: Symbol
    dimension: Dimension
    integer: bool
    parameter: Parameter | None
    rate: Fraction | None = None
    units: Mapping[str, Unit] = NO_UNITS

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

    Raises RoofError where there is neither (R0701), it has a value in the machine's file (R0712),
    or it is not a number (R0705).
    """
    units = {**machine.own_units, **model.own_units}
    for parameter in model.parameters:
        if parameter.name == name:
            if not parameter.is_number:
                message = f"'{name}' is no number, so it cannot be solved for"
                hint = "give it one value after another, and compare the answers"
                raise RoofError([Diagnostic("R0705", message, (Label(parameter.span),), hint)])
            symbol, unit = parameter.symbol, parameter.dimension
            return Unknown(symbol, unit, symbol.integer, parameter, None, units)
    key = name.removeprefix(f"{machine.name}.")
    first, _, rest = key.partition(".")
    device = machine.devices.get(first)
    holder, level = (machine, key) if device is None else (device, rest)
    rate = holder.rate(level) or holder.rate(holder.defaults.get(level, ""))
    if rate is not None and rate.value is not None:
        prefix = machine.name if device is None else f"{machine.name}.{first}"
        unit = rate.resource.dimension / SECOND
        value = constant(large(rate))
        return Unknown(Symbol(f"{prefix}.{rate.key}"), unit, False, None, value, units)
    for parameter in machine.parameters:
        if parameter.name == key and parameter.default is not None:
            message = f"{machine.name}.{key} has a value, so it is not solved for"
            hint = "leave its default out, or solve for a rate"
            raise RoofError([Diagnostic("R0712", message, (Label(parameter.span),), hint)])
    if key in {each.name for each in machine.intermediates} and name == f"{machine.name}.{key}":
        message = f"{name} is a `let`, so it is not solved for"
        hint = f"ask at several of its values, --set {name}=…, or solve for a rate"
        raise RoofError([Diagnostic("R0712", message, (), hint)])
    names = [parameter.name for parameter in model.parameters if parameter.is_number]
    names += [f"{machine.name}.{rate.key}" for rate in machine.rates]
    alone = name.removeprefix(f"{model.name}.")
    near = f"did you mean '{alone}'?" if alone in names else did_you_mean(name, names)
    if "," in name or " " in name:
        near = "one name is solved for; another may be left open"
    hint = near or f"it is one of {', '.join(names)}"
    message = f"neither '{model.name}' nor '{machine.name}' has a number named '{name}'"
    raise RoofError([Diagnostic("R0701", message, (), hint)])
