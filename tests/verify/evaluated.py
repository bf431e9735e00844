"""The formulas of a certificate, computed by plain arithmetic: 60 digits, and exact jumps."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, DivisionByZero, localcontext
from fractions import Fraction

from roofdsl.verify.certificate import Certificate, Node

_DIGITS = 60
_EQUAL = Decimal("1e-40")


def order_at(certificate: Certificate, place: Fraction) -> list[list[str]]:
    """Return the labels of the formulas at a place, the largest first, equal ones together.

    There are none where a formula has no value: nothing is claimed there.
    """
    with localcontext() as context:
        context.prec = _DIGITS
        try:
            values = {
                label: _value(certificate.nodes, node, _decimal(place), {})
                for label, node in certificate.rivals.items()
            }
        except DivisionByZero:
            return []
        order: list[list[str]] = []
        for label in sorted(values, key=values.__getitem__, reverse=True):
            if order and _close(values[order[-1][0]], values[label]):
                order[-1].append(label)
            else:
                order.append([label])
    return order


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _close(one: Decimal, other: Decimal) -> bool:
    return abs(one - other) <= _EQUAL * max(abs(one), abs(other), Decimal("1e-30"))


def _value(
    nodes: tuple[Node, ...], place: int, x: Decimal, indices: Mapping[int, Decimal]
) -> Decimal:
    kind, of, text = nodes[place]

    def at(operand: int) -> Decimal:
        return _value(nodes, operand, x, indices)

    match kind:
        case "number":
            return _decimal(Fraction(text))
        case "x":
            return x
        case "index":
            return indices[place]
        case "+":
            return sum((at(each) for each in of), Decimal(0))
        case "*":
            found = Decimal(1)
            for each in of:
                found *= at(each)
            return found
        case "/":
            return at(of[0]) / at(of[1])
        case "^":
            base, exponent = at(of[0]), at(of[1])
            return Decimal(0) if base == 0 and exponent > 0 else base**exponent
        case "ln":
            return at(of[0]).ln()
        case "exp":
            return at(of[0]).exp()
        case "ceil" | "floor":
            return _rounded(at(of[0]), kind)
        case "pick":
            half = len(of) // 2
            best = 0
            for each in range(1, half):
                one, other = at(of[each]), at(of[best])
                best = each if one > other and not _close(one, other) else best
            return at(of[half + best])
        case "sum":
            low, high = int(at(of[2])), int(at(of[3]))
            body = (
                _value(nodes, of[1], x, {**indices, of[0]: Decimal(k)})
                for k in range(low, high + 1)
            )
            return sum(body, Decimal(0))
    left, right = at(of[0]), at(of[1])
    close = _close(left, right)
    holds = {"if <": left < right and not close, "if <=": left < right or close, "if ==": close}
    return at(of[2] if holds[kind] else of[3])


def _rounded(value: Decimal, kind: str) -> Decimal:
    nearest = value.to_integral_value()
    if _close(value, nearest):
        return nearest
    return value.__ceil__() + Decimal(0) if kind == "ceil" else value.__floor__() + Decimal(0)
