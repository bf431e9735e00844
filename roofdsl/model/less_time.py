"""Rates by the work at which more work takes less time: legal, and most often a slip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.construct import divide
from roofdsl.expression.order import bottom_up
from roofdsl.expression.sign import known_bounds
from roofdsl.expression.substitute import constant, free_symbols, substitute
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.model.types import MachineDefinition, Rate
from roofdsl.model.varying import MeasuredTable, argument
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_exact, show_quantity

_SMALLEST, _LARGEST = Fraction(1), Fraction(10**18)
_MANTISSAS = (Fraction(1), Fraction(178, 100), Fraction(316, 100), Fraction(562, 100))
_BESIDE = Fraction(1001, 1000)
"""Where a formula has a number it may jump: the work a little above it is looked at as well."""
_OTHERS = (0, 1, 1000)
"""What a kernel's work on other resources is taken to be."""


def more_in_less(machine: MachineDefinition) -> Iterator[Diagnostic]:
    """Yield a warning for each rate at which some work provably takes longer than more work."""
    defaults = {p.name: p.default for p in machine.parameters if p.default is not None}
    defaults |= machine.numbers
    for rate in machine.rates:
        if rate.parameters and rate.value is not None:
            yield from _of_rate(rate, machine, defaults)
    for table in machine.tables.values():
        if table.key and not table.operation and len(table.parameters) == 1:
            yield from _of_table(table, machine)


def _of_rate(
    rate: Rate, machine: MachineDefinition, defaults: Mapping[str, Expression]
) -> Iterator[Diagnostic]:
    assert rate.value is not None
    tree = rate.value
    for _ in defaults:
        tree = substitute(tree, defaults)
    work = Symbol(argument(0))
    sizes = sorted({*_sizes(tree)})
    for others in _OTHERS if rate.besides else _OTHERS[:1]:
        besides = [argument(place) for place in range(1, len(rate.parameters))]
        amount = Number(Fraction(others))
        time = substitute(divide(work, tree), dict.fromkeys(besides, amount))
        if [symbol.name for symbol in free_symbols(time)] != [work.name]:
            continue
        longest: tuple[Fraction, Fraction, Fraction] | None = None
        for size in sizes:
            found = _bounds(substitute(time, {work.name: Number(size)}))
            if found is None or found[0] < 0:
                continue
            if longest is not None and found[1] < longest[1]:
                ends = [(*longest[:1], longest[1]), (size, found[1])]
                yield _warning(rate.name, ends, rate, machine)
                return
            if longest is None or found[0] > longest[1]:
                longest = (size, *found)


def _sizes(tree: Expression) -> Iterator[Fraction]:
    """Yield amounts of work: some of each order of magnitude, and those that a formula names."""
    whole = Fraction(1)
    while whole <= _LARGEST:
        yield from (whole * each for each in _MANTISSAS)
        whole *= 10
    for node in bottom_up(tree):
        if isinstance(node, Number) and _SMALLEST <= node.value <= _LARGEST:
            yield from (node.value, node.value * _BESIDE)


def _bounds(tree: Expression) -> tuple[Fraction, Fraction] | None:
    """Return bounds of a time, exact where it is rational; None where it has no value."""
    try:
        exact = constant(tree)
    except ArithmeticError:
        return None
    return (exact, exact) if exact is not None else known_bounds(tree)


def _of_table(table: MeasuredTable, machine: MachineDefinition) -> Iterator[Diagnostic]:
    rows = sorted((key[0], value) for key, value in table.values.items())
    times = [(size, size / value if table.of_rates else value) for size, value in rows]
    for one, other in pairwise(times):
        if other[1] < one[1]:
            yield _warning(table.name, [one, other], table, machine)
            return


def _warning(
    name: str,
    ends: list[tuple[Fraction, Fraction]],
    stated: Rate | MeasuredTable,
    machine: MachineDefinition,
) -> Diagnostic:
    unit = stated.resource.dimension if isinstance(stated, Rate) else stated.unit(0)
    shown = [f"{show_exact(work, unit)} in {show_quantity(time, SECOND)}" for work, time in ends]
    message = f"at the rate of {name} of '{machine.name}' more work takes less time"
    hint = f"{shown[0]}, but {shown[1]}; a rate grows at most as the work does"
    label = Label(stated.span, "time is work / rate")
    return Diagnostic("R0315", message, (label,), hint, severity="warning")
