"""What is legal and yet suspicious: passes over a module that was built without an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.substitute import free_symbols
from roofdsl.model.results import RESULTS
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.source import Span
from roofdsl.syntax import nodes
from roofdsl.syntax.expressions import NameUse, NumberLiteral, SumOver
from roofdsl.syntax.names import walk
from roofdsl.units.dimension import BYTE
from roofdsl.units.unit import unit_names

# What a unit with a denominator or a power looks like: most declarations have none.
_COMPOUND = re.compile(r"\d[ \t]*[^\W\d]\w*[/^]")
_Holder = nodes.ModelDeclaration | nodes.MachineDeclaration | nodes.FunctionDeclaration


def adopted_bytes(module: Module, _declarations: Sequence[nodes.Declaration]) -> list[Diagnostic]:
    """Warn of a plain number taken as bytes in a model that knows bytes elsewhere.

    Such a number often counts elements: the slip of Cardwell 2019, Table 2.4 (SUMMA).
    """
    found: list[Diagnostic] = []
    own = (model for model in module.models.values() if not model.base)  # what has work of its own
    for model in own:
        elsewhere = _bytes_in(model)
        named = [("", work) for work in model.work] + [("total ", work) for work in model.totals]
        for total, work in named:
            if work.adopted and work.resource.dimension == BYTE and elsewhere is not None:
                found.append(_byte_warning(f"{total}{work.key}", work.span, elsewhere, model))
    return found


def _bytes_in(model: ModelDefinition) -> str | None:
    """Return what in a model is measured in bytes, other than by adoption."""
    for name, dimension in model.dimensions().items():
        if any(base == "B" for base, _ in dimension.powers):
            return f"'{name}' is {dimension.describe()}"
    for work in model.work:
        if work.resource.dimension == BYTE and not work.adopted and free_symbols(work.value):
            return f"{work.key} is given in bytes (B)"
    return None


def _byte_warning(key: str, place: Span, elsewhere: str, model: ModelDefinition) -> Diagnostic:
    sizes = [n for n, dimension in model.dimensions().items() if dimension == BYTE]
    size = f"`{sizes[0]}`" if sizes else "the bytes of one element"
    message = f"{key} of '{model.name}' is a plain number taken as bytes, while {elsewhere}"
    hint = f"if it counts elements, multiply by {size}; if it counts bytes already, by `1 B`"
    label = Label(place, "does this count elements?")
    return Diagnostic("R0310", message, (label,), hint, severity="warning")


def names_as_units(_module: Module, declarations: Sequence[nodes.Declaration]) -> list[Diagnostic]:
    """Warn of a name in scope that stands in the denominator or in a power of a unit.

    A unit alone, such as the `B` of `64 B`, is read as one; `64 B/s` can be meant as a quotient.
    """
    found: list[Diagnostic] = []
    for declaration in declarations:
        if isinstance(declaration, _Holder) and _COMPOUND.search(declaration.span.text):
            found += _units_taken_in(declaration)
    return found


def _units_taken_in(holder: _Holder) -> Iterator[Diagnostic]:
    """Return the warnings for one scope; the functions in it are scopes of their own."""
    if isinstance(holder, nodes.FunctionDeclaration):
        items: tuple[object, ...] = (holder.body,)
        places = list(holder.parameters)
    else:
        items = tuple(
            item for item in holder.items if not isinstance(item, nodes.FunctionDeclaration)
        )
        places = [item.name for item in walk(items, nodes.ParameterStatement)]
        places += [item.name for item in walk(items, nodes.LetStatement)]
        for function in walk(holder.items, nodes.FunctionDeclaration):
            yield from _units_taken_in(function)
    places += [item.variable for item in walk(items, SumOver)]
    names = {place.name: place.span for place in reversed(places)}
    for literal in walk(items, NumberLiteral):
        parts = unit_names(literal.unit)
        for name, start in parts:
            if name in names and (start > 0 or literal.unit[len(name) :].startswith("^")):
                yield _unit_warning(literal, name, start, names[name])


def _unit_warning(literal: NumberLiteral, name: str, start: int, declared: Span) -> Diagnostic:
    at = literal.unit_span.start + start
    place = Span(literal.span.source, at, at + len(name))
    number = literal.span.text[: len(literal.span.text) - len(literal.unit)].strip()
    before, after = literal.unit[:start].rstrip("/"), literal.unit[start:]
    formula = f"{number} {before} / {after}" if before else f"{number}*{after}"
    message = f"the `{name}` of `{literal.span.text}` is a unit, though '{name}' is a name here too"
    labels = (Label(place, "taken as a unit"), Label(declared, "the name"))
    hint = f"if the name is meant, write `{formula}`; if not, rename one of them"
    return Diagnostic("R0311", message, labels, hint, severity="warning")


def results_of_that_name(
    module: Module, declarations: Sequence[nodes.Declaration]
) -> list[Diagnostic]:
    """Warn of a metric that uses a model's own name where a result has the same."""
    found: list[Diagnostic] = []
    models = (item for item in declarations if isinstance(item, nodes.ModelDeclaration))
    for declaration in models:
        model = module.models.get(declaration.name.name)
        if model is None or not model.metrics:
            continue
        own = {item.name: item.span for item in model.parameters if item.name in RESULTS}
        lets = (*model.intermediates, *model.tallies)
        own |= {item.name: item.span for item in lets if item.name in RESULTS}
        for metric in model.metrics:
            here = metric.statement in declaration.items  # or of what it is made from
            for use in walk(metric.statement.value, NameUse) if here else ():
                if use.name in own:
                    found.append(_result_warning(use, own[use.name]))
    return found


def _result_warning(use: NameUse, declared: Span) -> Diagnostic:
    message = f"'{use.name}' is the model's own here, though it is a result of predictions too"
    labels = (Label(use.span, "not the result"), Label(declared, "the model's own"))
    hint = "if the result is meant, rename the model's own"
    return Diagnostic("R0228", message, labels, hint, severity="warning")


def more_work_in_less_time(
    module: Module, _declarations: Sequence[nodes.Declaration]
) -> list[Diagnostic]:
    """Warn of a rate at which more work provably takes less time."""
    machines = [each for each in module.machines.values() if each.tables or _vary(each)]
    if not machines:
        return []
    from roofdsl.model.less_time import more_in_less  # few machines have such rates

    return [found for machine in machines for found in more_in_less(machine)]


def _vary(machine: MachineDefinition) -> bool:
    return any(rate.parameters for rate in machine.rates)


Check = Callable[[Module, Sequence[nodes.Declaration]], list[Diagnostic]]
CHECKS: tuple[Check, ...] = (
    *(adopted_bytes, names_as_units, results_of_that_name),
    more_work_in_less_time,
)
