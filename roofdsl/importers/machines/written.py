"""Machines as the text of a `.roof` file: rates from a file, levels renamed or left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, closest, listing
from roofdsl.importers.given import Given, Import, Imported
from roofdsl.importers.machines.amounts import decimal
from roofdsl.importers.written import as_comment, as_name, as_text
from roofdsl.inert import in_a_line
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import NameUse
from roofdsl.syntax.parse import parse_expression

MOST_MACHINES = 200
_MAIN = {"DRAM", "HBM", "MEM", "MEMORY"}
"""What files call the memory that plain `memory` means, in capitals."""
_LONGEST_LEVEL = 60


class Rate(NamedTuple):
    """A rate as a file states it: of `flops`, the kind or level as the file calls it, "" for none.

    `off` is how far it may be off, in its unit; `comment` what is said beside it. Where there is a
    `formula`, it is written in the place of the value, which it has.
    """

    resource: str
    level: str
    value: Fraction
    unit: str
    span: Span
    comment: str = ""
    off: Fraction | None = None
    formula: str = ""


class Machine(NamedTuple):
    """A machine: `about` are lines that say what its numbers mean, `sources` where they are from.

    `first` are statements in the language that stand above the rates, `last` below them.
    """

    called: str
    about: Sequence[str]
    sources: Sequence[str]
    rates: Sequence[Rate]
    first: Sequence[str] = ()
    last: Sequence[str] = ()
    defaults: Sequence[str] = ()
    """Of the kinds of `flops`, the one that plain ones mean; of units, one for each precision."""


def imported(given: Given, machines: Sequence[Machine], notes: Iterable[str]) -> Import:
    """Return machines as a text; or what is wrong with their levels.

    A level that is renamed or dropped is one of the file (R1224), two have no name in common
    (R1223), and something is left (R1225).
    """
    problems = [*_unknown_levels(given, machines)]
    said = [*notes]
    texts: list[str] = []
    names = _names(given, machines)
    for name, machine in zip(names, machines, strict=True):
        rates = [*_renamed(given, machine.rates, said)]
        problems += _twice(rates)
        if not rates:
            message = f"'{given.shown}' states no rate of a machine that is left"
            hint = "is it whole, and was it measured?"
            problems.append(Diagnostic("R1225", message, hint=hint))
        texts.append("\n".join(_lines(name, machine, rates, said)))
    if problems:
        return None, tuple(problems)
    notes = dict.fromkeys(in_a_line(note) for note in said)
    return Imported("\n\n".join(texts) + "\n", tuple(notes)), ()


def default_kind(rates: Iterable[Rate]) -> list[str]:
    """Return which kind plain `flops` mean where a file has several: fp64, or the first.

    >>> from roofdsl.source import Source
    >>> place = Span(Source("demo", "1"), 0, 1)
    >>> default_kind(Rate("flops", kind, Fraction(1), "flop/s", place) for kind in ("fp32", "fp64"))
    ['fp64']
    """
    kinds = [rate.level for rate in rates if rate.resource == "flops" and rate.level]
    return ["fp64"] if "fp64" in kinds else kinds[:1]


def _names(given: Given, machines: Sequence[Machine]) -> list[str]:
    """Return names of machines, each its own."""
    found: list[str] = []
    for machine in machines:
        wanted = as_name(machine.called, "machine")
        if given.name:
            wanted = given.name if len(machines) == 1 else f"{given.name}_{wanted}"
        name, count = wanted, 1
        while name in found:
            count += 1
            name = f"{wanted}_{count}"
        found.append(name)
    return found


def _unknown_levels(given: Given, machines: Sequence[Machine]) -> Iterator[Diagnostic]:
    known = list(dict.fromkeys(rate.level for each in machines for rate in each.rates))
    known = [level for level in known if level]
    for option, levels in (("--rename", given.renamed), ("--drop", given.dropped)):
        for level in levels:
            if level not in known:
                message = f"'{given.shown}' has no level '{in_a_line(level)}' ({option})"
                near = closest(level, known)
                hint = f"its levels are {listing(known)}"
                hint = f"did you mean '{in_a_line(near)}'? {hint}" if near else hint
                yield Diagnostic("R1224", message, hint=in_a_line(hint))


def _renamed(given: Given, rates: Iterable[Rate], notes: list[str]) -> Iterator[Rate]:
    """Yield what is not dropped, its levels by names of the language."""
    for rate in rates:
        if rate.level in given.dropped:
            continue
        level = given.renamed.get(rate.level, as_level(rate.level))
        if level != rate.level and rate.level not in given.renamed:
            notes.append(f"the level '{in_a_line(rate.level)}' is called {level}")
        yield rate._replace(level=level)


def as_level(text: str) -> str:
    """Return the name of a level as a file has it, or the closest that the language knows.

    >>> [as_level(text) for text in ("L1", "fp64", "matrix.bf16", "L1 cache", "step", "")]
    ['L1', 'fp64', 'matrix.bf16', 'L1_cache', 'level_step', '']
    """
    if all(_is_name(part) for part in text.split(".")) or not text:
        return text
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:_LONGEST_LEVEL].rstrip("_")
    return name if _is_name(name) else f"level_{name}".rstrip("_")


def _is_name(text: str) -> bool:
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text):
        return False
    node = parse_expression(Source("name", text))
    return isinstance(node, NameUse) and node.name == text


def _twice(rates: Iterable[Rate]) -> Iterator[Diagnostic]:
    seen: dict[str, Rate] = {}
    for rate in rates:
        path = _path(rate)
        first = seen.setdefault(path, rate)
        if first is not rate:
            message = f"{path} stands twice"
            hint = "--drop leaves one out, --rename gives one another name, of names that differ"
            places = (Label(rate.span), Label(first.span, "first here"))
            yield Diagnostic("R1223", message, places, hint)


def _path(rate: Rate) -> str:
    return f"{rate.resource}.{rate.level}" if rate.level else rate.resource


def _lines(name: str, machine: Machine, rates: Sequence[Rate], notes: list[str]) -> Iterator[str]:
    yield from (as_comment(line).rstrip() for line in machine.about)
    yield f"machine {name} {{"
    yield from (f"    source {as_text(source)}" for source in machine.sources)
    yield ""
    yield from (f"    {line}" for line in machine.first)
    yield from _block("flops", machine, rates, notes)
    yield from _block("memory", machine, rates, notes)
    others = [rate for rate in rates if rate.resource not in ("flops", "memory")]
    yield from (f"    {_stated(_path(rate), rate)}" for rate in others)
    yield from (f"    {line}" for line in machine.last)
    yield "}"


def _block(
    resource: str, machine: Machine, rates: Iterable[Rate], notes: list[str]
) -> Iterator[str]:
    own = [rate for rate in rates if rate.resource == resource]
    if len(own) == 1 and not own[0].level:
        yield f"    {_stated(resource, own[0])}"
    elif own:
        yield f"    {resource} {{"
        for rate in own:
            assert rate.level  # only the plain one has none, and it stands alone
            yield f"        {_stated(rate.level, rate)}"
        for level in _defaults(resource, machine, own, notes):
            yield f"        default {level}"
        yield "    }"


def _stated(name: str, rate: Rate) -> str:
    digits = decimal(rate.value)
    if rate.formula:
        value = rate.formula
    elif digits is None:
        value = f"{rate.value.numerator} {rate.unit} / {rate.value.denominator}"
    elif rate.off:
        value = f"{digits} ± {decimal(rate.off)} {rate.unit}"
    else:
        value = f"{digits} {rate.unit}"
    line = f"{name} = {value}"
    return f"{line:<44}{as_comment(rate.comment)}" if rate.comment else line


def _defaults(
    resource: str, machine: Machine, own: Sequence[Rate], notes: list[str]
) -> Sequence[str]:
    """Return which levels the plain name means; note where none is known."""
    levels = [rate.level for rate in own]
    if resource == "flops":
        return [level for level in machine.defaults if level in levels]
    main = [level for level in levels if level.upper() in _MAIN]
    if len(main) == 1 and len(levels) > 1:
        return main
    if len(levels) > 1:
        notes.append(
            f"which level plain `memory` means is not known: {listing(levels)}; "
            "`--rename LEVEL=DRAM` says it"
        )
    return []
