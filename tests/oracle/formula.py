"""Formulas as data: their text in the language, and their value in either kind of number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from tests.oracle.numbers import Numbers

Values: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Formula:
    """An operation and its parts: `("+", a, b)`; a name or a number has a text alone."""

    operation: str
    parts: tuple[Formula, ...] = ()
    text_alone: str = ""

    @classmethod
    def of(cls, value: Formula | str | int | Fraction) -> Formula:
        if isinstance(value, Formula):
            return value
        if isinstance(value, str):
            return cls("name", (), value)
        return cls("number", (), str(Fraction(value)))

    def __add__(self, other: Formula | str | int | Fraction) -> Formula:
        return Formula("+", (self, Formula.of(other)))

    def __sub__(self, other: Formula | str | int | Fraction) -> Formula:
        return Formula("-", (self, Formula.of(other)))

    def __mul__(self, other: Formula | str | int | Fraction) -> Formula:
        return Formula("*", (self, Formula.of(other)))

    def __truediv__(self, other: Formula | str | int | Fraction) -> Formula:
        return Formula("/", (self, Formula.of(other)))

    def __pow__(self, other: Formula | str | int | Fraction) -> Formula:
        return Formula("^", (self, Formula.of(other)))

    def text(self) -> str:
        match self.operation, [part.text() for part in self.parts]:
            case "name", _:
                return self.text_alone
            case "number", _:
                value = self.text_alone
                return f"({value})" if "/" in value or "-" in value else value
            case "+" | "-" | "*" | "/" | "^" as sign, [left, right]:
                return f"({left} {sign} {right})"
            case "if<" | "if<=" | "if==" as kind, [left, right, yes, no]:
                return f"(if {left} {kind[2:]} {right} then {yes} else {no})"
            case "sum", [body, last]:
                return f"sum({body} for k in 1..{last})"
            case function, parts:
                return f"{function}({', '.join(parts)})"

    def names(self) -> frozenset[str]:
        own = frozenset({self.text_alone}) if self.operation == "name" else frozenset()
        return own.union(*(part.names() for part in self.parts))

    def operations(self) -> frozenset[str]:
        return frozenset({self.operation}).union(*(part.operations() for part in self.parts))

    def value(self, numbers: Numbers, values: Values) -> Any:
        if self.operation == "name":
            return values[self.text_alone]
        if self.operation == "number":
            return numbers.number(Fraction(self.text_alone))
        if self.operation == "sum":
            return self._sum(numbers, values)
        if self.operation.startswith("if"):
            left, right = (part.value(numbers, values) for part in self.parts[:2])
            mask, first, second = _relation(numbers, self.operation[2:], left, right)
            yes, no = self.parts[2 + first], self.parts[2 + second]
            return numbers.choose(
                mask, lambda: yes.value(numbers, values), lambda: no.value(numbers, values)
            )
        return _applied(numbers, self.operation, [x.value(numbers, values) for x in self.parts])

    def _sum(self, numbers: Numbers, values: Values) -> Any:
        """Return a sum of terms that do not depend on its index, of a whole number of terms."""
        body, last = self.parts
        return numbers.summed(body.value(numbers, values), last.value(numbers, values))


def _relation(numbers: Numbers, relation: str, left: Any, right: Any) -> tuple[Any, int, int]:
    """Return a mask, and which outcome, 0 for `then`, is where it is true and where it is not."""
    match relation:
        case "<":
            return numbers.exceeds(right, left), 0, 1
        case "<=":
            return numbers.exceeds(left, right), 1, 0
    raise ValueError(relation)


def _applied(numbers: Numbers, operation: str, parts: list[Any]) -> Any:
    match operation:
        case "+":
            return parts[0] + parts[1]
        case "-":
            return parts[0] - parts[1]
        case "*":
            return parts[0] * parts[1]
        case "/":
            return numbers.divided(*parts)
        case "^":
            return numbers.power(*parts)
        case "sqrt":
            return numbers.power(parts[0], numbers.number(Fraction(1, 2)))
        case "log2":
            return numbers.logarithm(parts[0])
        case "ceil" | "floor":
            return numbers.rounded(parts[0], operation == "ceil")
        case "max":
            return reduce(lambda one, other: larger(numbers, one, other), parts)
        case "min":
            return reduce(lambda one, other: smaller(numbers, one, other), parts)
    raise ValueError(operation)


def larger(numbers: Numbers, one: Any, other: Any) -> Any:
    return numbers.choose(numbers.exceeds(other, one), lambda: other, lambda: one)


def smaller(numbers: Numbers, one: Any, other: Any) -> Any:
    return numbers.choose(numbers.exceeds(one, other), lambda: other, lambda: one)
