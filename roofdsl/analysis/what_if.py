"""What if a machine were different: `karst.network=2x`, `karst.memory=20 GB/s`, `node.cores=8`."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic, Label, Reporter, did_you_mean
from roofdsl.expression.construct import divide, multiply
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.model.arguments import argument
from roofdsl.model.rate import with_uncertainty
from roofdsl.model.scope import Scope
from roofdsl.model.types import MachineDefinition, Parameter, Rate
from roofdsl.source import Source, Span
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.dimension import SECOND

_FACTOR = re.compile(r"\s*(\d+(?:\.\d+)?(?:[eE][+-]?0*\d{1,2})?|\d+/0*[1-9]\d*)\s*x\s*")
_TOO_FAR = re.compile(r"\s*\d+(?:\.\d+)?[eE][+-]?0*[1-9]\d{2,}\s*x\s*")
_NO_FACTOR = re.compile(r"\s*(-[\d./eE+-]+|\d+/0+)\s*x\s*")


def changed(
    machine: MachineDefinition, key: str, text: Source, report: Reporter
) -> MachineDefinition:
    """Return a machine with one rate or parameter set; report what does not fit.

    `key` is a rate (`memory.L2`), a parameter (`cores`) or either of a device (`gpu.flops`); `text`
    is a factor such as `2x` or a value with its unit.
    """
    place = Span(text, text.begin, len(text.text))
    if _NO_FACTOR.fullmatch(text.body):
        report(Diagnostic.at("R0408", "a rate or parameter is changed by a factor above 0", place))
        return machine
    if _TOO_FAR.fullmatch(text.body):
        report(Diagnostic.at("R0109", "the exponent of this factor is beyond ±99", place))
        return machine
    first, dot, rest = key.partition(".")
    if dot and first in machine.devices:
        device = changed(machine.devices[first], rest, text, report)
        return replace(machine, devices={**machine.devices, first: device})
    parameters = {parameter.name: parameter for parameter in machine.parameters}
    if key in parameters:
        default = _parameter_value(parameters[key], text, report)
        if default is not None:
            written = text.body.strip()
            parameters[key] = parameters[key]._replace(default=default, written=written)
        return replace(machine, parameters=tuple(parameters.values()))
    rate = machine.rate(key) or machine.rate(machine.defaults.get(key, ""))
    if rate is None:
        names = [*(rate.key for rate in machine.rates), *parameters]
        names += [f"{device}.…" for device in machine.devices]
        start = max(0, text.text.find(key, 0, text.begin))
        message = f"machine '{machine.name}' has nothing named '{key}' to set"
        hint = did_you_mean(key, names) or f"it has {', '.join(names)}"
        place = Span(text, start, start + len(key))
        report(Diagnostic.at("R0502", message, place, hint=hint))
        return machine
    new = _changed_rate(rate, text, report)
    if new is None:
        return machine
    return replace(
        machine, rates=tuple(new if each.key == rate.key else each for each in machine.rates)
    )


def _factor(text: Source) -> Fraction | None:
    match = _FACTOR.fullmatch(text.body)
    return Fraction(match[1]) if match else None


def _parameter_value(parameter: Parameter, text: Source, report: Reporter) -> Expression | None:
    factor = _factor(text)
    if factor is not None and parameter.default is not None:
        return multiply(Number(factor), parameter.default)
    node = parse_expression(text)
    if isinstance(node, Diagnostic):
        report(node)
        return None
    found = argument(parameter, node, Scope(report, parameter.dimension.bases(), {}))
    return None if found is None else found[0]


def _changed_rate(rate: Rate, text: Source, report: Reporter) -> Rate | None:
    factor = _factor(text)
    place = Label(Span(text, text.begin, len(text.text)))
    if factor is not None:
        if rate.value is None or not factor:
            why = "is unlimited, and stays so" if rate.value is None else "cannot be 0"
            report(Diagnostic("R0408", f"the rate of {rate.key} {why}", (place,)))
            return None
        return rate._replace(value=multiply(Number(factor), rate.value))
    node = parse_expression(text)
    if isinstance(node, Diagnostic):
        report(node)
        return None
    found = with_uncertainty(rate.key, node, Scope(report, rate.resource.dimension.bases(), {}))
    if found is None:
        return None
    formula, uncertainty = found
    unit = rate.resource.dimension / SECOND
    inverse = formula.dimension == SECOND / rate.resource.dimension
    if not inverse and formula.dimension != unit:
        given = formula.dimension.describe()
        message = f"the rate of {rate.key} is given in {given}, but it must be {unit.describe()}"
        hint = "write a factor such as `2x`, or a value with its unit"
        labels = (place, Label(rate.span, "declared here"))
        report(Diagnostic("R0405", message, labels, hint))
        return None
    value = divide(ONE, formula.tree) if inverse else formula.tree
    return rate._replace(value=value, uncertainty=uncertainty, inverse=inverse)
