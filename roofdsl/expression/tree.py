"""The expression tree: what a formula is once names and units are resolved.

Every number is in SI base units (flop, B, s, …), every name is a `Symbol`. Nodes are frozen and
compare by value. The readers (numbers, proofs, SymPy, notations) each live in a file of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

Relation = Literal["==", "!=", "<", "<=", ">", ">="]
Operator = Literal["and", "or", "not"]


@dataclass(frozen=True, slots=True)
class Number:
    """An exact rational number."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """A parameter or a machine rate, with what is known of it.

    `integer`: takes whole values only; `positive`: is > 0 (else ≥ 0 or of any sign).
    A rate's name is dotted: `karst.network`.
    """

    name: str
    integer: bool = False
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Add:
    """The sum of its terms; a difference holds a term `Multiply((Number(-1), …))`."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Multiply:
    """The product of its factors."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Divide:
    """A quotient."""

    numerator: Expression
    denominator: Expression


@dataclass(frozen=True, slots=True)
class Power:
    """`base ^ exponent`; a square root is the power 1/2."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True)
class Function:
    """A function applied to its arguments: a logarithm, `exp`, `min`, `ceil`, `is_integer`, …

    `log` takes the base as its second argument, `lambertw` the branch (0 or -1).
    """

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left relation right`: a truth value."""

    relation: Relation
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Logic:
    """`and`, `or` of its operands, or `not` of its only one."""

    operator: Operator
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if condition then consequence else alternative`."""

    condition: Expression
    consequence: Expression
    alternative: Expression


@dataclass(frozen=True, slots=True)
class Sum:
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
