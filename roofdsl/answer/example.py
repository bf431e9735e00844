"""The point a report gives numbers at: the values asked for, or an example where some are open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from roofdsl.analysis.binding import Arguments, show_value
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.diagnostic import RoofError
from roofdsl.expression.constant import constant
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter

_SIZES = (1024, 4096, 256, 64, 16, 4, 2, 1)
_PROCESSES = (16, 4, 64, 1, 8)
_TRIES = 24


@dataclass(frozen=True, slots=True)
class Point:
    """A value for every parameter; `example` names those that nobody asked for, with theirs.

    `growing` are the parameters that formulas and regimes are given over, the first one first.
    """

    arguments: dict[str, Argument]
    example: str
    growing: tuple[str, ...]


def point_of(
    model: ModelDefinition, machines: Sequence[MachineDefinition], given: Arguments
) -> Point | None:
    """Return the point for a model, None where no example was found that it allows."""
    open_ones = [p for p in model.parameters if p.default is None and p.name not in given]
    growing = growing_parameters(model, given)
    arguments = dict(given)
    if not open_ones:
        return Point(arguments, "", growing)
    tried = 0
    for processes in _PROCESSES:
        for size in _SIZES:
            tried += 1
            values = {p.name: _example(p, size, processes) for p in open_ones}
            chosen: dict[str, Argument] = {
                **arguments,
                **{name: (Number(value), None) for name, value in values.items()},
            }
            if any(_allowed(model, machine, chosen) for machine in machines):
                shown = ", ".join(
                    f"{p.name} = {show_value(float(values[p.name]), p)}" for p in open_ones
                )
                return Point(chosen, shown, growing)
            if tried == _TRIES:
                return None
    return None


def growing_parameters(model: ModelDefinition, given: Arguments) -> tuple[str, ...]:
    """Return the parameters that are numbers and have no default; else those given; else one."""
    numbers = [p for p in model.parameters if p.kind not in ("boolean", "precision")]
    found = [p.name for p in numbers if p.default is None]
    if not found:
        found = [p.name for p in numbers if p.name in given]
    if not found:
        found = [p.name for p in numbers if p.kind == "integer"][:1]
    return tuple(found)


def _example(parameter: Parameter, size: int, processes: int) -> Fraction:
    if parameter.kind == "boolean":
        return Fraction(0)
    if parameter.kind == "precision":
        return Fraction(8)
    value = Fraction(processes if parameter.kind == "processes" else size)
    low = constant(parameter.low) if parameter.low is not None else None
    high = constant(parameter.high) if parameter.high is not None else None
    if high is not None and value > high:
        value = (high + (low or 0)) / 2 if parameter.kind == "real" else high
    if low is not None and value < low:
        value = low
    return value


def _allowed(
    model: ModelDefinition, machine: MachineDefinition, arguments: dict[str, Argument]
) -> bool:
    prediction, problems = predict(model, machine, arguments)
    if problems or prediction.free:
        return False
    try:
        return evaluated(prediction).time > 0
    except RoofError:
        return False
