"""What was counted as a text in the language: one kernel, and the same step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import gcd, lcm
from textwrap import wrap
from typing import NamedTuple

from roofdsl.importers.written import as_comment, as_text
from roofdsl.inert import in_a_line
from roofdsl.source import Source
from roofdsl.tracing.counting import Found, Size
from roofdsl.tracing.interpolation import Formula, Power
from roofdsl.tracing.running import WHOLE, Channel
from roofdsl.tracing.tally import Place

_DOC_AT = 45
_WIDTH = 96


class Written(NamedTuple):
    """What the text is made of: `called` are the arguments, `fixed` sizes of one value."""

    name: str
    function: str
    sources: tuple[str, ...]
    called: Mapping[str, str]
    fixed: Mapping[str, int]
    found: Found
    script: Source | None


def text_of(of: Written) -> str:
    """Return the file: a model of the whole, one of its steps, and a test of both."""
    names = [size.name for size in of.found.sizes]
    steps = _places(of.found)
    lines = [*_heading(of), f"model {of.name} {{", *_stated(of)]
    whole = _summed(of.found.formulas, names)
    lines += [f"    {each}" for each in _work(whole, of.found.formulas.get(WHOLE, {}), names)]
    lines += ["}", ""]
    lines += _comments(
        "The same, one operation after another: each reads the elements of its operands once, and"
        " writes its result."
    )
    lines += [f"model {of.name}_steps {{", *_stated(of)]
    line = 0
    for place in steps:
        step = [*_step(of, place, names)]
        if step and place.line != line and of.script is not None and place.line:
            line = place.line
            lines.append(f"    # {line}: {in_a_line(of.script.line(line).strip())}")
        lines += [f"    {each}" for each in step]
    lines += ["}", "", *_test(of)]
    return "\n".join(lines) + "\n"


def _heading(of: Written) -> Iterator[str]:
    arguments = ", ".join(f"{name} = {spec}" for name, spec in of.called.items())
    yield from _comments(
        f"{of.function}({arguments}), as one kernel: each element that it is given is read once,"
        " each element of its result written once."
    )
    yield "##"
    fixed = ", ".join(f"{name} = {value}" for name, value in of.fixed.items())
    yield from _comments(f"With {fixed}. {_checked(of.found)}" if fixed else _checked(of.found))


def _comments(text: str) -> Iterator[str]:
    """Yield a text as lines of a doc comment."""
    yield from (as_comment(line) for line in wrap(text, _WIDTH - 3, break_on_hyphens=False))


def _checked(found: Found) -> str:
    """Return at which sizes the formulas were found, and at which they held."""
    if not found.sizes:
        return f"Counted in {found.runs} runs, with different data."
    made = "; ".join(
        f"{size.name} = {_listed(size.points[: len(size.basis)])}" for size in found.sizes
    )
    held = _listed(
        [f"({_listed(point)})" if len(point) > 1 else str(*point) for point in found.checked]
    )
    names = _listed([size.name for size in found.sizes])
    names = f"({names})" if len(found.sizes) > 1 else names
    return f"Counted in {found.runs} runs. Made of {made}; held at {names} = {held} too."


def _listed(points: Sequence[object]) -> str:
    return ", ".join(map(str, points))


def _stated(of: Written) -> Iterator[str]:
    for source in of.sources:
        yield f"    source {as_text(source)}"
    yield ""
    for size in of.found.sizes:
        bound = f"[{size.low}..]" if size.low > 1 else ""
        where = ", ".join(name for name, spec in of.called.items() if _names(spec, size.name))
        stated = f"    param {size.name}: integer{bound}"
        yield f"{stated.ljust(_DOC_AT - 1)} {as_comment(f'of {where}')}"
    for size in of.found.sizes:
        yield from _required(size)
    if of.found.sizes:
        yield ""


def _names(spec: str, name: str) -> bool:
    return name in re.findall(r"[^\W\d]\w*", spec)


def _required(size: Size) -> Iterator[str]:
    if size.doubling:
        yield f"    require log2({size.name}) is integer"
    elif size.modulus > 1:
        shifted = f"({size.name} - {size.rest})" if size.rest else size.name
        yield f"    require {shifted}/{size.modulus} is integer"


def _places(found: Found) -> list[Place]:
    """Return the places in the order in which they came."""
    channels = (*found.example[1], *found.formulas)
    return [*dict.fromkeys(each.place for each in channels if each.place is not None)]


class Worked(NamedTuple):
    """Flops by unit and precision: of polynomials, and of transforms `factor`·log2(`length`)."""

    flops: dict[tuple[str, str], dict[tuple[Power, ...], Fraction]]
    transforms: dict[str, dict[str, dict[tuple[Power, ...], Fraction]]]


def _summed(
    formulas: Mapping[Channel, Formula], names: Sequence[str], place: Place | None = None
) -> Worked:
    """Return the flops of a place, or of all together."""
    flops: dict[tuple[str, str], dict[tuple[Power, ...], Fraction]] = {}
    transforms: dict[str, dict[str, dict[tuple[Power, ...], Fraction]]] = {}
    for channel, formula in formulas.items():
        if channel.place is None or (place is not None and channel.place != place):
            continue
        if channel.kind == "flops":
            unit, precision = channel.of
            _add(flops.setdefault((unit, precision), {}), formula)
        elif channel.kind == "factor":
            length = formulas[channel._replace(kind="length")]
            by_length = transforms.setdefault(channel.of[0], {})
            _add(by_length.setdefault(_sum(length, names), {}), formula)
    return Worked(flops, transforms)


def _add(total: dict[tuple[Power, ...], Fraction], formula: Formula) -> None:
    for key, value in formula.items():
        total[key] = total.get(key, Fraction(0)) + value
        if not total[key]:
            del total[key]


def _work(worked: Worked, memory: Formula, names: Sequence[str]) -> Iterator[str]:
    """Yield the statements of flops and memory."""
    terms: dict[tuple[str, str], list[str]] = {
        key: [_sum(formula, names)] for key, formula in worked.flops.items() if formula
    }
    for precision, by_length in worked.transforms.items():
        for length, factor in by_length.items():
            shown = _sum(factor, names)
            shown = f"({shown})" if " " in shown else shown
            terms.setdefault(("vector", precision), []).append(f"{shown}*log2({length})")
    for unit, precision in sorted(
        terms, key=lambda key: ("matrix vector special".index(key[0]), key)
    ):
        statement = f"flops.{unit}[{precision}] = {' + '.join(terms[unit, precision])}"
        yield from _broken(statement)
    if memory:
        yield from _broken(f"memory = {_bytes(memory, names)}")


def _bytes(memory: Formula, names: Sequence[str]) -> str:
    """Return a number of bytes with the largest factor that all its terms have."""
    whole = all(value.denominator == 1 for value in memory.values())
    factor = gcd(*(int(value) for value in memory.values())) if whole else 1
    rest = {key: value / factor for key, value in memory.items()}
    shown = _sum(rest, names)
    if shown == "1":
        return f"{factor} B"
    return f"{factor} B*({shown})" if " " in shown else f"{factor} B*{shown}"


def _sum(formula: Formula, names: Sequence[str]) -> str:
    """Return a sum of products of powers in the language, over one denominator.

    >>> _sum({(Power(2),): Fraction(2, 3), (Power(0),): Fraction(-1)}, ["N"])
    '(2*N^2 - 3)/3'
    """
    below = lcm(*(value.denominator for value in formula.values())) if formula else 1
    shown = ""
    order = sorted(
        formula, key=lambda key: (-sum(p.degree for p in key), [(-p.degree, -p.logs) for p in key])
    )
    for key in order:
        value = formula[key] * below
        factors = [
            factor
            for power, name in zip(key, names, strict=True)
            for factor in _factors(power, name)
        ]
        size = abs(value)
        parts = [str(size), *factors] if size != 1 or not factors else factors
        sign = "-" if value < 0 else "+"
        term = "*".join(parts)
        shown = f"{shown} {sign} {term}" if shown else f"{'-' if value < 0 else ''}{term}"
    shown = shown or "0"
    if below == 1:
        return shown
    return f"({shown})/{below}" if " " in shown else f"{shown}/{below}"


def _factors(power: Power, name: str) -> Iterator[str]:
    if power.degree:
        yield name if power.degree == 1 else f"{name}^{power.degree}"
    if power.logs:
        yield f"log2({name})" if power.logs == 1 else f"log2({name})^{power.logs}"


def _broken(statement: str) -> Iterator[str]:
    """Yield a statement on lines of at most so many characters; it goes on behind an operator."""
    line = ""
    for word in statement.split(" "):
        operator = line.endswith(("+", "-"))
        if operator and len(line) + len(word) > _WIDTH - 8:
            yield line
            line = f"    {word}"
        else:
            line = f"{line} {word}" if line else word
    yield line


def _step(of: Written, place: Place, names: Sequence[str]) -> Iterator[str]:
    worked = _summed(of.found.formulas, names, place)
    memory = of.found.formulas.get(Channel(place, "memory"), {})
    body = [*_work(worked, memory, names)]
    if not body:
        return
    name = f"{place.operation}_{place.line}" if place.operation else f"line_{place.line}"
    yield f"step {name} {{"
    yield from (f"    {each}" for each in body)
    yield "}"


def _test(of: Written) -> Iterator[str]:
    """Yield a test that expects of both models what was counted at sizes of no formula."""
    point, counted = of.found.example
    names = [size.name for size in of.found.sizes]
    given = ", ".join(f"{name} = {x}" for name, x in zip(names, point, strict=True))
    flops = sum((v for c, v in counted.items() if c.kind == "flops"), Fraction(0))
    logs = any(channel.kind == "factor" for channel in counted)
    steps = sum((v for c, v in counted.items() if c.kind == "memory" and c.place), Fraction(0))
    at = f", at {given}" if given else ""
    yield f"test {as_text(f'{of.name}: as counted{at}')} {{"
    yield f"    let whole = {of.name}({given}) on karst"
    yield f"    let steps = {of.name}_steps({given}) on karst"
    if not logs:
        yield f"    expect whole.flops == {flops} flop"
    yield (
        "    expect steps.flops == whole.flops"
        if not logs
        else ("    expect steps.flops ~ whole.flops within 1e-9%")
    )
    yield f"    expect whole.memory == {counted.get(WHOLE, Fraction(0))} B"
    yield f"    expect steps.memory == {steps} B"
    yield "}"
