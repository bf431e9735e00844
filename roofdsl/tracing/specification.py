"""What a function is called with: `f64[N,2*K]`, `torch.f32[B,N]`, `steps`, `0.1`, `true`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import (
    Chain,
    ExpressionSyntax,
    Grouped,
    NameUse,
    NumberLiteral,
    Prefix,
    Raised,
    TruthLiteral,
)
from roofdsl.syntax.parse import parse_expression

_SHORT = {"f": "float", "fp": "float", "c": "complex", "i": "int"}
TYPES = (
    "float64", "float32", "float16", "complex128", "complex64", "int64", "int32", "int8", "bool",
)  # fmt: skip
_OF_TORCH = (*TYPES, "bfloat16")
_ARRAY = re.compile(r"\s*(?P<torch>torch\.)?(?P<type>\w*)\s*\[(?P<shape>[^\[\]]*)\]\s*")
_LARGEST = 10**9


class ArraySpec(NamedTuple):
    """An array: its numbers, its sides, and how it was written."""

    dtype: str
    sides: tuple[ExpressionSyntax, ...]
    written: str
    of_torch: bool = False


class ValueSpec(NamedTuple):
    """A plain number, or true or false."""

    value: ExpressionSyntax
    written: str


Spec: TypeAlias = ArraySpec | ValueSpec


def read_spec(source: Source) -> Spec | Diagnostic:
    """Read what an argument is to be.

    >>> spec = read_spec(Source("demo", "torch.f32[B, 2*N]"))
    >>> spec.dtype, len(spec.sides), spec.of_torch
    ('float32', 2, True)
    """
    written = source.body.strip()
    match = _ARRAY.fullmatch(source.body)
    if match is None:
        node = parse_expression(source)
        if isinstance(node, Diagnostic):
            return node
        return _plain(node) or ValueSpec(node, written)
    of_torch = match["torch"] is not None
    dtype = _type(match["type"], of_torch=of_torch)
    if dtype is None:
        known = ", ".join(_OF_TORCH if of_torch else TYPES)
        place = Span(source, *(source.begin + at for at in match.span("type")))
        hint = did_you_mean(match["type"], TYPES) or f"types: {known}; short: f64, c128, i64"
        message = f"'{match['type']}' is no type of numbers that is counted"
        return Diagnostic("R1541", message, (Label(place),), hint)
    sides: list[ExpressionSyntax] = []
    start = source.begin + match.start("shape")
    for text in match["shape"].split(",") if match["shape"].strip() else ():
        side = parse_expression(Source(source.name, source.text, begin=start), start + len(text))
        start += len(text) + 1
        problem = side if isinstance(side, Diagnostic) else _plain(side)
        if problem is not None:
            return problem
        assert not isinstance(side, Diagnostic)  # else it is a problem
        sides.append(side)
    return ArraySpec(dtype, tuple(sides), written, of_torch)


def looks_like_array(text: str) -> bool:
    """Whether the annotation of a parameter says which array it takes.

    >>> looks_like_array("f64[N, N]"), looks_like_array("list[int]")
    (True, False)
    """
    match = _ARRAY.fullmatch(text)
    return match is not None and _type(match["type"], of_torch=bool(match["torch"])) is not None


def _type(word: str, *, of_torch: bool) -> str | None:
    if not word:
        return "float32" if of_torch else "float64"
    short = re.fullmatch(r"(fp|f|c|i)(\d+)", word)
    name = f"{_SHORT[short[1]]}{short[2]}" if short else word
    name = {"bf16": "bfloat16"}.get(name, name)
    return name if name in (_OF_TORCH if of_torch else TYPES) else None


def _plain(node: ExpressionSyntax) -> Diagnostic | None:
    """Return what is wrong with a formula of sizes, None where nothing is."""
    for part in _parts(node):
        if isinstance(part, NumberLiteral) and not (part.unit or part.uncertainty):
            continue
        if not isinstance(part, (Chain, Prefix, Raised, Grouped, NameUse, TruthLiteral)) or (
            isinstance(part, (Chain, Prefix)) and not set(_operators(part)) <= {*"+-*/"}
        ):
            hint = "sizes are names and whole numbers with + - * / ^ and parentheses"
            message = f"'{part.span.text}' is no size and no number"
            return Diagnostic("R1541", message, (Label(part.span),), hint)
    return None


def _operators(node: Chain | Prefix) -> tuple[str, ...]:
    return node.operators if isinstance(node, Chain) else (node.operator,)


def _parts(node: ExpressionSyntax) -> Iterator[ExpressionSyntax]:
    yield node
    match node:
        case Chain():
            for each in node.operands:
                yield from _parts(each)
        case Prefix():
            yield from _parts(node.operand)
        case Grouped():
            yield from _parts(node.inner)
        case Raised():
            yield from _parts(node.base)
            yield from _parts(node.exponent)
        case _:
            pass


def names_of(spec: Spec) -> list[str]:
    """Return the sizes that a specification names, in its order."""
    nodes = spec.sides if isinstance(spec, ArraySpec) else (spec.value,)
    found = (part.name for node in nodes for part in _parts(node) if isinstance(part, NameUse))
    return [*dict.fromkeys(found)]


class NoSize(Exception):
    """Raised for a side that is no whole number of elements, or a number without a value."""


def side(node: ExpressionSyntax, sizes: Mapping[str, int]) -> int:
    """Return a side of an array at these sizes; raise NoSize for one that cannot be."""
    value = _value(node, sizes)
    if value.denominator != 1 or not 0 <= value <= _LARGEST:
        raise NoSize(f"the side {node.span.text} is {value}, no whole number of elements")
    return int(value)


def plain_value(spec: ValueSpec, sizes: Mapping[str, int]) -> bool | int | float:
    """Return a plain value at these sizes: whole where all in it is written as whole numbers."""
    if isinstance(spec.value, TruthLiteral):
        return spec.value.value
    value = _value(spec.value, sizes)
    whole = all(
        part.digits.replace("_", "").isdigit()
        for part in _parts(spec.value)
        if isinstance(part, NumberLiteral)
    )
    return int(value) if whole and value.denominator == 1 else float(value)


def _value(node: ExpressionSyntax, sizes: Mapping[str, int]) -> Fraction:
    match node:
        case NumberLiteral():
            return Fraction(node.digits.replace("_", ""))
        case NameUse():
            return Fraction(sizes[node.name])
        case Grouped():
            return _value(node.inner, sizes)
        case Prefix():
            value = _value(node.operand, sizes)
            return -value if node.operator == "-" else value
        case Raised():
            base, exponent = _value(node.base, sizes), _value(node.exponent, sizes)
            if exponent.denominator != 1 or abs(exponent) > 64 or (not base and exponent < 0):
                raise NoSize(f"{node.span.text} has no whole number as its value")
            return Fraction(base ** int(exponent))
        case Chain():
            return _chained(node, sizes)
        case _:
            raise NoSize(f"{node.span.text} is no number")


def _chained(node: Chain, sizes: Mapping[str, int]) -> Fraction:
    result = _value(node.operands[0], sizes)
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        value = _value(operand, sizes)
        if operator == "/" and not value:
            raise NoSize(f"{node.span.text} divides by 0")
        match operator:
            case "+":
                result += value
            case "-":
                result -= value
            case "*":
                result *= value
            case _:
                result /= value
    return result
