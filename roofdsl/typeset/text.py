"""Expressions in the language's own notation, so that they can be read back."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from fractions import Fraction
from typing import NamedTuple

from roofdsl.expression.order import bottom_up
from roofdsl.expression.tree import (
    HALF,
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Function,
    Logic,
    Multiply,
    Number,
    Power,
    Sum,
    Symbol,
)

LONGEST = 100_000
ELLIPSIS = "…"
_LONGEST_NUMBER = 8192  # bits


class Binding(IntEnum):
    """How tightly a notation holds together, loosest first."""

    CONDITIONAL = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    PRODUCT = 6
    POWER = 7
    ATOM = 8


class Written(NamedTuple):
    """A text and how tightly it binds; `negative`: it begins with a minus sign."""

    text: str
    binding: Binding
    negative: bool = False

    def within(self, binding: Binding) -> str:
        """Return the text as an operand that must bind at least so tightly."""
        return self.text if self.binding >= binding else f"({self.text})"


def text(tree: Expression) -> str:
    """Return `tree` as it would be written in a `.roof` file, with as few parentheses as can be.

    Read back, it has the same value. What would be longer than `LONGEST` characters is left out: a
    formula that uses its own parts over and over can be too long to write.

    >>> n, p = Symbol("N"), Symbol("P")
    >>> text(Divide(Add((Power(n, Number(Fraction(2))), n)), Power(p, HALF)))
    '(N^2 + N)/sqrt(P)'
    """
    written: dict[int, Written] = {}
    for node in bottom_up(tree):
        result = _write(node, lambda part: written[id(part)])
        if len(result.text) > LONGEST:
            result = Written(ELLIPSIS, Binding.ATOM)
        written[id(node)] = result
    return written[id(tree)].text


def _write(node: Expression, of: Callable[[Expression], Written]) -> Written:
    """Return the notation of a node; `of` gives that of its operands."""
    match node:
        case Number(value):
            return number_text(value)
        case Symbol(name):
            return Written(name, Binding.ATOM)
        case Add(terms):
            return _sum(terms, of)
        case Multiply(factors):
            return _product([of(factor) for factor in factors])
        case Divide(numerator, denominator):
            above, below = of(numerator), of(denominator).within(Binding.POWER)
            shown = f"{above.within(Binding.PRODUCT)}/{below}"
            return Written(shown, Binding.PRODUCT, above.negative)
        case Power(base, exponent):
            return _power(of(base), of(exponent), root=exponent == HALF)
        case Function("is_integer", (argument,)):
            return Written(f"{of(argument).within(Binding.SUM)} is integer", Binding.COMPARISON)
        case Function(name, arguments):
            inside = ", ".join(of(argument).text for argument in arguments)
            return Written(f"{name}({inside})", Binding.ATOM)
        case Comparison("==", Number(left), Number(right)) if left == 1 and right in (0, 1):
            return Written("true" if right else "false", Binding.ATOM)
        case Comparison(relation, left, right):
            sides = of(left).within(Binding.SUM), of(right).within(Binding.SUM)
            return Written(f" {relation} ".join(sides), Binding.COMPARISON)
        case Logic("not", (operand,)):
            return Written(f"not {of(operand).within(Binding.NOT)}", Binding.NOT)
        case Logic(operator, operands):
            binding = Binding.AND if operator == "and" else Binding.OR
            parts = [of(operand).within(Binding(binding + 1)) for operand in operands]
            inside = f" {operator} ".join(parts)
            return Written(inside, binding)
        case Conditional(condition, consequence, alternative):
            shown = f"if {of(condition).text} then {of(consequence).within(Binding.OR)}"
            return Written(f"{shown} else {of(alternative).text}", Binding.CONDITIONAL)
        case Sum(body, index, low, high):
            bounds = f"{of(low).within(Binding.OR)}..{of(high).within(Binding.OR)}"
            return Written(f"sum({of(body).text} for {index.name} in {bounds})", Binding.ATOM)
    raise TypeError(node)


def _sum(terms: tuple[Expression, ...], of: Callable[[Expression], Written]) -> Written:
    first = of(terms[0])
    parts = [first.within(Binding.SUM)]
    for term in terms[1:]:
        written = of(term)
        if written.negative:
            parts.append(f" - {written.text[1:]}")
        elif written.text.startswith("-"):
            parts.append(f" + ({written.text})")
        else:
            parts.append(f" + {written.within(Binding.SUM)}")
    return Written("".join(parts), Binding.SUM)


def _product(factors: list[Written]) -> Written:
    first, *others = factors
    if not others:
        return first
    rest = "*".join(factor.within(Binding.POWER) for factor in others)
    if first.text == "-1":
        # The first of the others stands where a quotient needs no parentheses.
        tail = "".join(f"*{factor.within(Binding.POWER)}" for factor in others[1:])
        return Written(f"-{_unsigned(others[0])}{tail}", Binding.PRODUCT, negative=True)
    return Written(f"{first.within(Binding.PRODUCT)}*{rest}", Binding.PRODUCT, first.negative)


def _unsigned(factor: Written) -> str:
    return f"({factor.text})" if factor.negative else factor.within(Binding.PRODUCT)


def _power(base: Written, exponent: Written, *, root: bool) -> Written:
    if root:
        return Written(f"sqrt({base.text})", Binding.ATOM)
    raised = f"({exponent.text})" if exponent.negative else exponent.within(Binding.POWER)
    foot = f"({base.text})" if base.negative else base.within(Binding.ATOM)
    return Written(f"{foot}^{raised}", Binding.POWER)


def number_text(value: Fraction) -> Written:
    """Write a number exactly: 13.9, 1.39e10 or 1/3.

    >>> number_text(Fraction(13_900_000_000)).text, number_text(Fraction(-1, 3)).text
    ('1.39e10', '-1/3')
    """
    sign = "-" if value < 0 else ""
    value = abs(value)
    if value.numerator.bit_length() + value.denominator.bit_length() > _LONGEST_NUMBER:
        return Written(ELLIPSIS, Binding.ATOM)
    decimal = _decimal(value)
    fraction = f"{value.numerator}/{value.denominator}"
    if decimal is not None and (len(decimal) <= len(fraction) or len(decimal) <= 8):
        return Written(sign + decimal, Binding.PRODUCT if sign else Binding.ATOM, bool(sign))
    return Written(sign + fraction, Binding.PRODUCT, bool(sign))


def _decimal(value: Fraction) -> str | None:
    """Return a number ≥ 0 as a decimal, with an exponent if that is clearly shorter, or None."""
    rest = value.denominator
    places = 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        places = max(places, count)
    if rest != 1:
        return None
    digits = str(value.numerator * (10**places // value.denominator))
    if digits == "0":
        return "0"
    exponent = -places
    short = digits.rstrip("0")
    exponent += len(digits) - len(short)
    point = len(short) + exponent  # digits in front of the decimal point
    if exponent >= 0:
        plain = short + "0" * exponent
    elif point > 0:
        plain = f"{short[:point]}.{short[point:]}"
    else:
        plain = f"0.{'0' * -point}{short}"
    scientific = f"{short[0]}.{short[1:]}".rstrip(".") + f"e{point - 1}"
    shorter = len(plain) - len(scientific)
    return scientific if shorter >= 3 or (shorter > 0 and point < -3) else plain
