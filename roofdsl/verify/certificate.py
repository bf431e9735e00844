"""A certificate: the question, the formulas, and the boxes that prove the answer.

It is a stranger's file: its size is bounded, each value is looked at before it is used, and a node
is made of nodes before it alone, so that nothing turns in a circle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from json import dumps, loads
from typing import NamedTuple, TypeAlias, TypeVar

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.located_json import read_json
from roofdsl.source import Source

FORMAT = "roofdsl certificate 1"
STATES: Mapping[str, frozenset[int]] = {
    "above": frozenset({1}),
    "not below": frozenset({0, 1}),
    "equal": frozenset({0}),
}
"""The signs that left - right has in a box, by the words for it."""
REASONS = ("values", "slopes", "point", "same")
HINT = "it was changed, or another version of roofdsl wrote it"
KINDS = ("largest", "at least", "tie", "one of", "no value")
_NUMBER = re.compile(r"-?\d{1,700}(?:/\d{1,700}|(?:\.\d{1,40})?(?:e[+-]?\d{1,3})?)")
_OPERANDS = {
    **dict.fromkeys(("x", "index"), range(1)),
    **dict.fromkeys(("+", "*"), range(1, 10_000)),
    **dict.fromkeys(("/", "^"), range(2, 3)),
    **dict.fromkeys(("ln", "exp", "ceil", "floor"), range(1, 2)),
    **dict.fromkeys(("if <", "if <=", "if ==", "sum"), range(4, 5)),
    "pick": range(2, 500, 2),
}
_DEEPEST = 60


_Kind = TypeVar("_Kind")
Shown: TypeAlias = Callable[[Fraction], str]
"""How a value of the unknown is shown to people."""


class Node(NamedTuple):
    """A formula made of others, by their places; the `text` of a number.

    "pick" has values, then as many others: that one which stands for the first of the largest
    values; "if <" left, right, what counts then, and what else; "sum" its index, body and ends.
    """

    kind: str
    operands: tuple[int, ...] = ()
    text: str = ""


class Item(NamedTuple):
    """A box, how the left node lies to the right all over it, why, and by how much at least."""

    first: Fraction
    last: Fraction
    state: str
    reason: str
    margin: Fraction = Fraction(0)


class Comparison(NamedTuple):
    left: int
    right: int
    items: tuple[Item, ...]


class Regime(NamedTuple):
    first: Fraction
    last: Fraction
    kind: str
    labels: tuple[str, ...]


class Certificate(NamedTuple):
    """What a file says; nothing of it is proven."""

    model: str
    machine: str
    parameters: Mapping[str, str]
    unknown: str
    whole: bool
    low: Fraction
    high: Fraction
    digests: Mapping[str, str]
    nodes: tuple[Node, ...]
    rivals: Mapping[str, int]
    comparisons: tuple[Comparison, ...]
    regimes: tuple[Regime, ...]


def read_certificate(source: Source) -> Certificate:
    """Read a certificate; raise RoofError for what is none (R1202, R1203, R1301)."""
    found = read_json(source)
    if isinstance(found, Diagnostic):
        raise RoofError([found])
    try:
        return _certificate(loads(source.text))
    except (ValueError, ZeroDivisionError) as error:
        message = f"'{source.name}' is no certificate that can be checked: {error}"
        raise RoofError([Diagnostic("R1301", message, hint=HINT)]) from None


def _field(of: object, name: str, kind: type[_Kind]) -> _Kind:
    value = of.get(name) if isinstance(of, dict) else None
    if type(value) is not kind:
        raise ValueError(f"its '{name}' is missing, or of another kind")
    return value


def _certificate(found: object) -> Certificate:
    asked, digests = _field(found, "question", dict), _field(found, "sha256", dict)
    low, high = (_number(each) for each in _field(asked, "range", list))
    nodes, rivals = _nodes(_field(found, "nodes", list)), _field(found, "rivals", dict)
    compared, regimes = _field(found, "comparisons", list), _field(found, "regimes", list)
    parameters = _field(asked, "parameters", dict)
    _places(rivals.values(), len(nodes))
    if _field(found, "format", str) != FORMAT or digests.get("certificate") != digest_of(found):
        raise ValueError("its format or its digest is that of another")
    if low <= 0 or not low <= high:
        raise ValueError("its range is none")
    return Certificate(
        model=_field(asked, "model", str),
        machine=_field(asked, "machine", str),
        parameters={name: _field(parameters, name, str) for name in parameters},
        unknown=_field(asked, "unknown", str),
        whole=_field(asked, "whole", bool),
        low=low,
        high=high,
        digests={name: _field(digests, name, str) for name in digests},
        nodes=nodes,
        rivals=rivals,
        comparisons=tuple(_comparison(each, len(nodes)) for each in compared),
        regimes=tuple(_regime(each, rivals) for each in regimes),
    )


def digest_of(found: object) -> str:
    """Return the SHA-256 of all that a certificate says besides it."""
    digests = {**_field(found, "sha256", dict), "certificate": ""}
    said = {**_field({"all": found}, "all", dict), "sha256": digests}
    return sha256(dumps(said, sort_keys=True).encode()).hexdigest()


def _number(text: object) -> Fraction:
    if not isinstance(text, str) or not _NUMBER.fullmatch(text):
        raise ValueError("it has a number that is none")
    return Fraction(text)


def _places(given: Iterable[object], end: int) -> tuple[int, ...]:
    found = tuple(each for each in given if type(each) is int and 0 <= each < end)
    if len(found) < len([*given]):
        raise ValueError("a formula is named that is not there")
    return found


def _nodes(rows: Sequence[object]) -> tuple[Node, ...]:
    found: list[Node] = []
    depths: list[int] = []
    for row in rows:
        match row:
            case ["number", str(text)]:
                _number(text)
                found.append(Node("number", (), text))
            case [str(kind), *operands] if len(operands) in _OPERANDS.get(kind, ()):
                places = _places(operands, len(found))
                if kind == "sum" and found[places[0]].kind != "index":
                    raise ValueError(f"formula {len(found)} is a sum without an index")
                found.append(Node(kind, places))
            case _:
                raise ValueError(f"formula {len(found)} is none")
        depths.append(1 + max((depths[each] for each in found[-1].operands), default=0))
    if max(depths, default=0) > _DEEPEST:
        raise ValueError(f"more than {_DEEPEST} formulas stand inside one another")
    return tuple(found)


def _comparison(row: object, end: int) -> Comparison:
    left, right = _places(_field(row, "of", list), end)
    return Comparison(left, right, tuple(map(_item, _field(row, "boxes", list))))


def _item(row: object) -> Item:
    match row:
        case [first, last, str(state), str(reason), *margin] if (
            state in STATES and reason in REASONS and len(margin) == (reason in REASONS[:2])
        ):
            return Item(_number(first), _number(last), state, reason, *map(_number, margin))
    raise ValueError("a box is none")


def _regime(row: object, rivals: Mapping[str, int]) -> Regime:
    match row:
        case [str(first), str(last), str(kind), *labels] if kind in KINDS:
            own = tuple(each for each in labels if isinstance(each, str) and each in rivals)
            if len({*own}) == len(labels) and bool(own) == (kind != "no value"):
                return Regime(_number(first), _number(last), kind, own)
    raise ValueError("a regime is none")


def span(certificate: Certificate, part: Item | Regime, shown: Shown = str) -> str:
    first, last = map(shown, part[:2])
    ends = f"= {first}" if part[0] == part[1] else f"from {first} to {last}"
    return f"{certificate.unknown} {ends}"
