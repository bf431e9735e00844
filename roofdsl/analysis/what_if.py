"""What if a machine were different: `karst.network=2x`, `karst.messages=2 us/message`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from roofdsl.diagnostic import Diagnostic, Reporter, did_you_mean, listing
from roofdsl.model.given import exact, held, no_number
from roofdsl.model.layer import Layer, Words
from roofdsl.model.machine import VALUES, MachineBuilder
from roofdsl.model.made_from import changes_of
from roofdsl.model.resource import levels_under, several_levels
from roofdsl.model.stacked import Scaled, stated
from roofdsl.model.types import AROUND, MachineDefinition, Module
from roofdsl.source import Source, Span
from roofdsl.syntax import nodes
from roofdsl.syntax.expressions import Identifier, PathSyntax
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.dimension import DIMENSIONLESS, JOULE, SECOND, Dimension
from roofdsl.units.quantity import show_exact, show_number
from roofdsl.units.unit import Unit, UnknownUnit, read_unit

_FACTOR = re.compile(r"\s*(\d+(?:\.\d+)?(?:[eE][+-]?0*\d{1,2})?|\d+/0*[1-9]\d*)\s*x\s*")
_TOO_FAR = re.compile(r"\s*\d+(?:\.\d+)?[eE][+-]?0*[1-9]\d{2,}\s*x\s*")
_NO_FACTOR = re.compile(r"\s*(-[\d./eE+-]+|\d+/0+)\s*x\s*")
_LIKE_A_FACTOR = re.compile(r"\s*(?:[x*×]\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*([%*×]))\s*")
_HOW = "`2x` is twice what is stated, `0.5x` half of it"
_PRICE = re.compile(r"[^/]*[\d%]\s*([^\W\d]\w*)(?:\s*/.*)?\s*")
_WORD = re.compile(r"(capacity|energy|startup)[ \t.]+(.+)")
_Statement: TypeAlias = (
    Scaled
    | nodes.Assignment
    | nodes.CapacityStatement
    | nodes.EnergyStatement
    | nodes.StartupStatement
)


def changed(
    machine: MachineDefinition,
    key: str,
    text: Source,
    report: Reporter,
    words: Iterable[Module] = (),
    swept: str = "",
) -> MachineDefinition:
    """Return a machine with one thing set that it states, or may state; report what does not fit.

    `key` is a rate (`memory.L2`), a parameter or `let` (`cores`), what a resource holds (`capacity
    memory`), or one of these of a device (`gpu.flops`); `text` is a value with its unit, or a
    factor such as `2x` of what is stated. Resources and units are those of the machine's files, and
    of `words`. `swept` are all values, where it is one of several.
    """
    known: list[Module | Words] = [*words, *(layer.words for layer in machine.layers)]
    units = {name: unit for each in known for name, unit in each.units.items()}
    units |= _money(key, text.body, units)
    resources = {name: item for each in known for name, item in each.resources.items()}
    problems: list[Diagnostic] = []
    statement = _statement(machine, key, text, resources, problems.append)
    found = machine
    if statement is not None:
        known_words = Words(units, resources, {}, Path.cwd())
        layer = Layer(machine.name, (statement,), known_words, {}, asked=True)
        builder = MachineBuilder(machine.name, (*machine.layers, layer), problems.append)
        built = builder.built(machine.span, machine.doc)
        new = [x._replace(swept=swept) for x in changes_of(machine, [layer], asked=True)]
        # A factor is of what was stated last: both are told.
        over = set() if isinstance(statement, Scaled) else {each.key for each in new}
        earlier = (x for x in machine.changes if not x.asked or x.key not in over)
        found = replace(built, base=machine.base, changes=(*earlier, *new))
        sources = tuple(line for line in machine.sources if line != machine.altered)
        found = replace(found, sources=(*sources, found.altered) if sources else ())
    for problem in problems:
        report(problem)
    return machine if problems else found


def _money(key: str, text: str, known: Mapping[str, Unit]) -> dict[str, Unit]:
    """Return the unit of money in `1 euro/h`, which a price alone need not have declared.

    >>> str(_money("price", "1 euro/h", {})["euro"].dimension), _money("price", "1 s/h", {})
    ('euro', {})
    """
    written = _PRICE.fullmatch(text) if key.rpartition(".")[2] == "price" else None
    if written is None or did_you_mean(written[1], known):
        return {}
    if not isinstance(read_unit(written[1], known), UnknownUnit):
        return {}
    return {written[1]: Unit(written[1], Fraction(1), Dimension.base(written[1]))}


def _statement(
    machine: MachineDefinition, key: str, text: Source, resources: Collection[str], report: Reporter
) -> _Statement | None:
    """Return the statement that makes a change; report what is no change."""
    place = Span(text, text.begin, len(text.text))
    if _NO_FACTOR.fullmatch(text.body):
        message = "a rate or parameter is changed by a factor above 0"
        report(Diagnostic.at("R0408", message, place, hint=_HOW))
        return None
    if _TOO_FAR.fullmatch(text.body):
        report(Diagnostic.at("R0109", "the exponent of this factor is beyond ±99", place))
        return None
    factor = _FACTOR.fullmatch(text.body)
    sort, name = sort_of(key)
    path = _path(machine, sort, name, text, resources, report, is_factor=factor is not None)
    if path is None:
        return None
    if factor is not None:
        return Scaled(place, path, Fraction(factor[1]), sort)
    node = parse_expression(text)
    meant = _LIKE_A_FACTOR.fullmatch(text.body)
    if meant and (isinstance(node, Diagnostic) or text.body.strip() not in _stated(machine)):
        number = Fraction(meant[1] or meant[2]) / (100 if meant[3] == "%" else 1)
        hint = f"a factor of what is stated is written `{show_number(number, 6)}x`"
        message = f"'{text.body.strip()}' is neither a value nor a factor"
        report(Diagnostic.at("R0101", message, place, hint=hint))
        return None
    if isinstance(node, Diagnostic):
        report(node)
        return None
    place = Span(text, path.span.start, place.end)
    match sort:
        case "capacity":
            return nodes.CapacityStatement(place, path, node)
        case "energy":
            return nodes.EnergyStatement(place, path, node)
        case "startup":
            return nodes.StartupStatement(place, path, node)
    return nodes.Assignment(place, path, None, node)


def _stated(machine: MachineDefinition) -> list[str]:
    """Return what a machine states, and its parameters."""
    known = [key for layer in machine.layers for key, _ in stated(layer.items)]
    return known + [each.name for each in machine.parameters if not each.name.startswith(AROUND)]


def sort_of(key: str) -> tuple[str, str]:
    """Return the word that a key begins with, if any, and what is set.

    >>> sort_of("capacity memory"), sort_of("energy.flops.bf16"), sort_of("memory.L2")
    (('capacity', 'memory'), ('energy', 'flops.bf16'), ('', 'memory.L2'))
    """
    word = _WORD.fullmatch(key)
    return (word[1], word[2]) if word else ("", key)


def _path(
    machine: MachineDefinition,
    sort: str,
    name: str,
    text: Source,
    resources: Collection[str],
    report: Reporter,
    *,
    is_factor: bool,
) -> PathSyntax | None:
    """Return where a name stands on a machine: a plain resource means its default.

    Report a name of what is neither stated nor can be added.
    """
    first, dot, inner = name.partition(".")
    device = machine.devices.get(first) if dot else None
    owner, own = (machine, name) if device is None else (device, inner)
    known = _stated(owner)
    own = owner.defaults[own] if not sort and own not in known and own in owner.defaults else own
    key = f"{sort} {own}".strip()
    start = max(0, text.text.find(name, 0, text.begin))
    place = Span(text, start, start + len(name))
    levels = [] if sort else levels_under(key, known)
    if levels and key not in known:
        report(several_levels(owner.name, levels, place))
        return None
    can_be_added = own.partition(".")[0] in (*resources, *VALUES)
    if key not in known and (is_factor or not can_be_added):
        names = [*dict.fromkeys(known), *(f"{each}.…" for each in machine.devices)]
        hint = did_you_mean(name, names) or f"it has {listing(names)}"
        called = f"{sort} {name}".strip()
        hint = f"a value can add it: {called}=…" if can_be_added else hint
        message = f"machine '{machine.name}' has nothing named '{called}' to set"
        report(Diagnostic.at("R0502", message, place, hint=hint))
        return None
    shown = own if device is None else f"{first}.{own}"
    return PathSyntax(place, tuple(Identifier(place, part) for part in shown.split(".")))


def given(
    machine: MachineDefinition,
    key: str,
    value: object,
    report: Reporter,
    swept: str = "",
    argument: str = "",
) -> MachineDefinition:
    """Return a machine with one thing set as Python gives it; report what does not fit.

    A number is in SI base units; a text has its unit, or is a factor. `argument` is the name that
    it is given by, where that is not the key.
    """
    text = value if isinstance(value, Source) else written(machine, key, value, argument)
    if isinstance(text, Diagnostic):
        report(text)
        return machine
    if isinstance(text, str):
        lead = f"{machine.name}.{key} = "
        text = Source(f"the value of {key}", lead + text, begin=len(lead))
    return changed(machine, key, text, report, swept=swept)


def written(
    machine: MachineDefinition, key: str, value: object, argument: str = ""
) -> str | Diagnostic:
    """Return a value given for something of a machine as a text of the language.

    A number is in SI base units: it gets the unit of what it is for.
    """
    found = held(value)
    if isinstance(found, str):
        return found
    if isinstance(found, bool):
        return "true" if found else "false"
    number = exact(found)
    if number is None:
        return no_number(argument or key, found)
    unit = unit_of(machine, key)
    return show_exact(number, DIMENSIONLESS if unit is None else unit)


def unit_of(machine: MachineDefinition, key: str) -> Dimension | None:
    """Return the unit of what a machine states, or may state; None where there is none such.

    >>> from roofdsl.model.library import find_machine
    >>> str(unit_of(find_machine("karst")[0], "messages"))
    'message/s'
    """
    first, dot, inner = key.partition(".")
    if dot and first in machine.devices:
        return unit_of(machine.devices[first], inner)
    own = machine.dimensions()
    if key in own:
        return own[key]
    standing = {x.name: x.formula.dimension for x in (machine.power, machine.price) if x}
    if key in standing:
        return standing[key]
    sort, path = sort_of(key)
    resources = {k: x for layer in machine.layers for k, x in layer.words.resources.items()}
    resource = resources.get(path.partition(".")[0])
    if resource is None:
        return SECOND if key == "startup" else None
    unit = resource.dimension
    return {"capacity": unit, "energy": JOULE / unit, "startup": SECOND}.get(sort, unit / SECOND)
