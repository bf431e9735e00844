"""Look up what a machine has measured: times of operations, times and rates by the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.analysis.serving import other_arguments
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.condition import truth
from roofdsl.expression.order import weight
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.measured import nearest
from roofdsl.model.types import MachineDefinition
from roofdsl.model.varying import MeasuredTable, Operation
from roofdsl.source import Span
from roofdsl.typeset.text import text
from roofdsl.units.quantity import show_exact, show_percent

if TYPE_CHECKING:
    from roofdsl.analysis.table_formula import TableFormula

_LONGEST = 30
"""A condition with more nodes is not written out."""
_MOST_SHOWN = 12
"""More values of an argument are not written out."""
_KEPT = 64
"""Of so many tables it is remembered how far interpolation is off."""


class Found(NamedTuple):
    """What was measured [s, or what is made of it]; None where the table cannot serve.

    `notes` say why; `where` says in words and as conditions for what open arguments it has values.
    """

    value: Expression | None
    notes: tuple[str, ...] = ()
    where: Mapping[str, Expression] = MappingProxyType({})


def look_up(
    operation: Operation, arguments: Mapping[str, Expression], machine: MachineDefinition
) -> Found | Diagnostic:
    """Return the measured time of an operation with these arguments.

    A machine that has not measured it, or arguments that are not numbers yet, leave the work to the
    machine's roof, with a note. A missing entry is an error that names the nearest ones, unless the
    table allows interpolation.
    """
    entries = machine.tables.get(operation.name)
    if entries is None:
        own = [*machine.tables.values()], machine.operation_rates
        if any(each.operation == operation.name for some in own for each in some):
            return Found(None)
        note = f"'{machine.name}' has not measured {operation.name}: its roof is used"
        return Found(None, (note,))
    return by_arguments(entries, operation, arguments, machine)


def by_arguments(
    entries: MeasuredTable,
    operation: Operation,
    arguments: Mapping[str, Expression],
    machine: MachineDefinition,
) -> Found | Diagnostic:
    """Return what was measured of an operation, by its arguments."""
    if {*arguments} != {*entries.parameters}:
        return other_arguments(operation, entries, machine)
    values = [arguments[name] for name in entries.parameters]
    return measured(entries, values, machine, operation.span)


def measured(
    entries: MeasuredTable,
    values: Sequence[Expression],
    machine: MachineDefinition,
    asked: Span,
    made: Callable[[Expression], Expression] = lambda value: value,
) -> Found | Diagnostic:
    """Return what is made of what a table has for some arguments: a formula, if they are open."""
    key = tuple(value.value for value in values if isinstance(value, Number))
    if len(key) < len(values):
        return _by_formula(entries, values, machine, asked, made)
    if key in entries.values:
        return Found(made(Number(entries.values[key])))
    if entries.interpolate:
        from roofdsl.analysis.interpolation import between  # most are asked for what they have

        found = between(entries.values, key)
        if found is not None:
            ends = zip(entries.parameters, found.cell, range(len(key)), strict=True)
            cell = " and ".join(
                f"between {name} = {_plain(low, entries, place)} "
                f"and {name} = {_plain(high, entries, place)}"
                for name, (low, high), place in ends
                if low != high
            )
            note = f"{_asked(entries, key)} is interpolated {cell}"
            return Found(made(Number(found.value)), (note, _error(entries)))
    return _missing(entries, key, machine, asked)


def _missing(
    entries: MeasuredTable,
    key: Sequence[Fraction | None],
    machine: MachineDefinition,
    asked: Span,
) -> Diagnostic:
    """Return the problem that arguments are not in a table, whatever those without a value are."""
    near = "; ".join(f"({_shown(entries, other)})" for other in nearest(entries, key))
    how = ", or let the table `interpolate`"
    if entries.interpolate:
        how = "; beyond the entries, or where a corner between them is missing, nothing is told"
    message = f"'{machine.name}' has not measured {_asked(entries, key)}"
    labels = (Label(asked, "asked for here"), Label(entries.span, "the table"))
    return Diagnostic("R0507", message, labels, f"the nearest entries are {near}{how}")


def _by_formula(
    entries: MeasuredTable,
    values: Sequence[Expression],
    machine: MachineDefinition,
    asked: Span,
    made: Callable[[Expression], Expression],
) -> Found | Diagnostic:
    from roofdsl.analysis.table_formula import table_formula  # few machines have a table

    if not all(free_symbols(value) for value in values if not isinstance(value, Number)):
        note = f"measured {entries.name} needs numbers for its arguments: the roof is used"
        return Found(None, (note,))
    found = table_formula(entries, values, made)
    if found is None:
        note = f"measured {entries.name} has too many entries to be a formula: the roof is used"
        return Found(None, (note,))
    if found.where == (truth(False),):
        known = [value.value if isinstance(value, Number) else None for value in values]
        return _missing(entries, known, machine, asked)
    of = f"'{machine.name}' has measured {entries.name}"
    where = {f"{of} {_place(each)}": each for each in found.conditions}
    notes = [f"formulas hold where {of}: {_ends(entries, values, found)}"]
    notes += [_error(entries)] if entries.interpolate else []
    return Found(found.value, tuple(notes), where)


def _ends(entries: MeasuredTable, values: Sequence[Expression], found: TableFormula) -> str:
    """Return in words for what open arguments a table has values."""
    alone = _alone(entries, values)
    if alone:
        return alone
    shown = []
    for argument, ends in found.ends.items():
        low, high = (_plain(each, entries, values.index(argument)) for each in ends)
        shown.append(f"{text(argument)} = {low}" + ("" if low == high else f" .. {high}"))
    places = " and ".join(shown)
    return f"{places}, but not for all of it" if found.where else places


def _alone(entries: MeasuredTable, values: Sequence[Expression]) -> str:
    """Return in words the few values of the one open argument that nothing lies between."""
    at = [place for place, value in enumerate(values) if not isinstance(value, Number)]
    if entries.interpolate or len(at) > 1:
        return ""
    known = sorted(
        key[at[0]]
        for key in entries.values
        if all(Number(key[n]) == value for n, value in enumerate(values) if n != at[0])
    )
    if not 1 < len(known) <= _MOST_SHOWN:
        return ""
    shown = ", ".join(_plain(each, entries, at[0]) for each in known)
    return f"{text(values[at[0]])} = {shown}, and for nothing between"


def _place(condition: Expression) -> str:
    """Return where that is: a long condition, of scattered entries, is not written out."""
    short = weight(condition, _LONGEST) < _LONGEST
    return f"where {text(condition)}" if short else "only at some places"


_errors: dict[int, tuple[MeasuredTable, str]] = {}


def _error(entries: MeasuredTable) -> str:
    """Return how far interpolation is off where one measurement at a time is left out."""
    known = _errors.get(id(entries.values))
    if known is not None and known[0].values is entries.values:
        return known[1]
    from roofdsl.analysis.interpolation import left_out

    checked = left_out(entries.values)
    count = len(entries.values)
    of = f"{checked.tried} of its {count} entries" if checked.tried < count else f"{count} entries"
    if not checked.between:
        said = f"of {of} none lies between others: how far off is not known"
    else:
        said = f"of {of}, left out one by one, {checked.between} "
        most = show_percent(checked.most)
        if checked.between == 1:
            said += f"lies between others, which is off by {most}"
        else:
            median = show_percent(checked.median)
            said += f"lie between others, which are off by up to {most}, in the median {median}"
    if len(_errors) >= _KEPT:
        _errors.clear()
    _errors[id(entries.values)] = entries, f"interpolation of {entries.name}: {said}"
    return _errors[id(entries.values)][1]


def _asked(entries: MeasuredTable, key: Sequence[Fraction | None]) -> str:
    return f"{entries.name}({_shown(entries, key)})"


def _shown(entries: MeasuredTable, key: Sequence[Fraction | None]) -> str:
    pairs = enumerate(zip(entries.parameters, key, strict=True))
    shown = (
        (name, "any" if value is None else _plain(value, entries, n)) for n, (name, value) in pairs
    )
    return ", ".join(f"{name} = {value}" for name, value in shown)


def _plain(value: Fraction, entries: MeasuredTable, place: int) -> str:
    return show_exact(value, entries.unit(place))
