"""What is said where a machine has nothing for the default of a model's parameter."""

from __future__ import annotations

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.tree import Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter


def no_default(
    parameter: Parameter, model: ModelDefinition, machine: MachineDefinition
) -> Diagnostic:
    """Return what is said where a machine has nothing fit for the default of a parameter (R0503).

    A machine without a name is none.
    """
    default = parameter.default.name if isinstance(parameter.default, Symbol) else ""
    name = default.removeprefix("machine.")
    start = f"'{parameter.name}' of '{model.name}' is by default {default}, but"
    if not machine.name:
        hint = f"name a machine, as in --machine karst, or give {parameter.name} a value"
        return Diagnostic("R0503", f"{start} no machine is named", (Label(parameter.span),), hint)
    dimensions, truths = machine.dimensions(), machine.truths()
    unit, boolean = dimensions.get(name), parameter.kind == "boolean"
    reason = f"machine '{machine.name}' has no '{name}'"
    if unit is not None:
        wanted = "true or false" if boolean else parameter.dimension.describe()
        this = "true or false" if name in truths else unit.describe()
        reason = f"that is {this} on '{machine.name}', not {wanted}"
    labels = (Label(parameter.span), Label(machine.span, "the machine"))
    known = ", ".join(dimensions) or "no values at all"
    hint = f"give {parameter.name} a value; '{machine.name}' has {known}"
    return Diagnostic("R0503", f"{start} {reason}", labels, hint)
