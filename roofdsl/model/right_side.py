"""The right side of a statement, which may say how far its number is off: `22 ± 0.4 GFLOP/s`."""

from __future__ import annotations

from collections.abc import Callable

from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.model.elaborate import elaborate
from roofdsl.model.literal import literal, spread
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, KindName
from roofdsl.model.uncertain import Uncertain
from roofdsl.syntax.expressions import ExpressionSyntax, NumberLiteral

Read = Callable[[ExpressionSyntax, Scope], Formula | None]


def off_by(node: object) -> Number | None:
    """Return how far a number with its `±` may be off, relative to it; None for anything else."""
    off = spread(node) if isinstance(node, NumberLiteral) else None
    return Number(off) if off else None


def right_side(
    what: str,
    node: ExpressionSyntax,
    scope: Scope,
    read: Read = elaborate,
    code: str = "R0414",
    *,
    zero: bool = False,
) -> tuple[Formula, Expression | None] | None:
    """Return the value of a right side, and how far it may be off, relative to it, where `±` says.

    Report what is wrong with it. Its number is more than it may be off or, with `zero`, no less.
    """
    if not isinstance(node, NumberLiteral) or not node.uncertainty:
        formula = read(node, scope)
        return formula and (formula, None)
    formula = literal(node, scope)
    if formula is None:
        return None
    off = spread(node)
    if off > 1 or (off == 1 and not zero):
        least = "below 0" if zero else "0 or less"
        message = f"{what} may be {least}: it is off by up to {node.uncertainty}"
        size = "100 %" if node.uncertainty.endswith("%") else f"the number before it, {node.digits}"
        hint = f"an uncertainty is {'at most' if zero else 'less than'} {size}"
        scope.refuse(code, message, node.span, hint=hint)
        return None
    return formula, off_by(node)


def may_be_off(what: str, kind: KindName, node: ExpressionSyntax, scope: Scope) -> Formula | None:
    """Return a value for a parameter, which may be off where it is a real number."""
    if off_by(node) is None or kind == "real":
        found = right_side(what, node, scope)
        return found and found[0]
    message, hint = f"{what} is a whole number, which is not off by a part of one", None
    if kind in ("boolean", "precision"):
        message = f"{what} is no number, so it is not off"
    elif isinstance(node, NumberLiteral):
        hint = f"write `{node.digits}`"
    scope.refuse("R0211", message, node.span, hint=hint)
    return None


def uncertain_number(
    name: str, value: Expression | None, off: Expression | None, scope: Scope
) -> Uncertain | None:
    """Return the number of a parameter or `let` as one that may be off, where it may be."""
    if not isinstance(off, Number) or not isinstance(value, Number) or not value.value:
        return None
    # No name has a `:`. A step in place may have a `let` of the name of one around it.
    symbol = Symbol(name + ":" * (scope.depth(name) or 1))
    return Uncertain(value, off.value * value.value, symbol)
