"""The expression tree: what a formula is once names and units are resolved.

Every number is in SI base units (flop, B, s, …), every name is a `Symbol`. Nodes are frozen and
compare by value. The readers (numbers, proofs, SymPy, notations) each live in a file of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, TypeAlias

Relation = Literal["==", "!=", "<", "<=", ">", ">="]
Operator = Literal["and", "or", "not"]


class _Compared:
    """A node that compares by value, in as many steps as it has parts that are stored.

    What is used twice is stored once: sixty doublings are a small tree, but 2^60 parts written out.
    So a hash is worked out once for each node, and no two nodes are compared twice.
    """

    __slots__ = ("_hash",)
    __match_args__: ClassVar[tuple[str, ...]]
    _hash: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            found = hash((type(self), *_fields(self)))
            object.__setattr__(self, "_hash", found)
            return found

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or hash(self) != hash(other):
            return False
        compared: set[tuple[int, int]] = set()
        waiting: list[tuple[object, object]] = [(self, other)]
        while waiting:
            one, another = waiting.pop()
            if one is another or (id(one), id(another)) in compared:
                continue
            if isinstance(one, tuple) and isinstance(another, tuple):
                if len(one) != len(another):
                    return False
                waiting += zip(one, another, strict=True)
            elif isinstance(one, _Compared) and not isinstance(one, Number):
                if type(one) is not type(another) or hash(one) != hash(another):
                    return False
                compared.add((id(one), id(another)))
                waiting.append((_fields(one), _fields(another)))
            elif one != another:
                return False
        return True


def _fields(node: _Compared) -> tuple[object, ...]:
    return tuple([getattr(node, name) for name in node.__match_args__])


@dataclass(frozen=True, slots=True)
class Number(_Compared):
    """An exact rational number."""

    value: Fraction
    __hash__ = _Compared.__hash__


@dataclass(frozen=True, slots=True)
class Symbol:
    """A parameter or a machine rate, with what is known of it.

    `integer`: takes whole values only; `positive`: is > 0 (else ≥ 0 or of any sign).
    A rate's name is dotted: `karst.network`.
    """

    name: str
    integer: bool = False
    positive: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Add(_Compared):
    """The sum of its terms; a difference holds a term `Multiply((Number(-1), …))`."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Multiply(_Compared):
    """The product of its factors."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Divide(_Compared):
    """A quotient."""

    numerator: Expression
    denominator: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Power(_Compared):
    """`base ^ exponent`; a square root is the power 1/2."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Function(_Compared):
    """A function applied to its arguments: a logarithm, `exp`, `min`, `ceil`, `is_integer`, …

    `log` takes the base as its second argument, `lambertw` the branch (0 or -1).
    """

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(_Compared):
    """`left relation right`: a truth value."""

    relation: Relation
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Logic(_Compared):
    """`and`, `or` of its operands, or `not` of its only one."""

    operator: Operator
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(_Compared):
    """`if condition then consequence else alternative`."""

    condition: Expression
    consequence: Expression
    alternative: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Sum(_Compared):
    """The sum of `body` for the whole numbers `index` from `low` to `high`, both included."""

    body: Expression
    index: Symbol
    low: Expression
    high: Expression


Expression: TypeAlias = (
    Number
    | Symbol
    | Add
    | Multiply
    | Divide
    | Power
    | Function
    | Comparison
    | Logic
    | Conditional
    | Sum
)

ZERO = Number(Fraction(0))
ONE = Number(Fraction(1))
HALF = Number(Fraction(1, 2))
MINUS_ONE = Number(Fraction(-1))
INFINITY = Symbol("∞")
