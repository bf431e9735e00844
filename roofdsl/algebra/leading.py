"""Leading terms: what a formula amounts to as one of its names grows without bound."""

from __future__ import annotations

from roofdsl.algebra.asymptotic import expansion, series_sign, term_form
from roofdsl.algebra.series import Order, Undecided
from roofdsl.allowance import operations
from roofdsl.expression import tree as trees
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.polynomial import polynomial
from roofdsl.expression.product import NO_POWERS, TooLong
from roofdsl.expression.sign import sign
from roofdsl.expression.substitute import free_symbols, rebuild
from roofdsl.expression.tree import ONE, ZERO, Expression, Symbol

# How many terms of a binomial or logarithmic series to try with: the more of them cancel, the more
# are needed.
LENGTHS = (2, 6, 14)
_READABLE = 3000
"""The parts of a formula, each stored once, that are worked on for nothing: networks have fewer."""
_OPERATIONS = 300
"""What each further part takes, in all its forms."""


def leading(tree: Expression, name: str) -> Expression | None:
    """Return the leading term of `tree` as `name` → ∞: their ratio tends to 1.

    All other names are positive constants. `min`, `max` and `if` become the branch that is taken
    in the end (both, where the other names decide), `ceil(u)` and `floor(u)` of a growing u become
    u. A tree without the name is returned as it is; None: the term cannot be told, as where all
    that is known cancels, or it goes on to oscillate.

    >>> from roofdsl.expression.construct import add, divide, multiply, number, power
    >>> n, p = Symbol("N"), Symbol("P")
    >>> cube, square = power(n, number(3)), power(n, number(2))
    >>> leading(divide(add(multiply(number(2), cube), square), p), "N") == divide(
    ...     multiply(number(2), cube), p
    ... )
    True
    """
    unknown = _symbol(tree, name)
    if unknown is None:
        return tree
    spend_on_forms(tree)
    found = polynomial(tree, name)
    if found is not None:
        if not found.terms:
            return ZERO
        x, log = found.degree
        return _term(Order.of(x, log), found.terms[found.degree], unknown)
    for length in LENGTHS:
        try:
            terms = expansion(tree, name, length)
            return ZERO if terms.is_zero else _term(*terms.lead(), unknown)
        except Undecided:
            continue
    return _by_parts(tree, name)


def growth(tree: Expression, name: str) -> Expression | None:
    """Return how `tree` grows as `name` → ∞: its leading term without the coefficient.

    None where the term cannot be told.

    >>> from roofdsl.expression.construct import add, multiply, number, power
    >>> n = Symbol("N")
    >>> growth(add(multiply(number(3), power(n, number(2))), n), "N") == power(n, number(2))
    True
    """
    unknown = _symbol(tree, name)
    if unknown is None:
        return ONE
    for length in LENGTHS:
        try:
            terms = expansion(tree, name, length)
        except Undecided:
            continue
        return (
            ZERO if terms.is_zero else _term(terms.lead()[0], NormalForm({NO_POWERS: 1}), unknown)
        )
    return None


def eventual_sign(tree: Expression, name: str) -> int | None:
    """Return the sign of `tree` for all large values of a name: -1, 0 or 1; None: not known.

    >>> from roofdsl.expression.construct import multiply, number, subtract
    >>> n = Symbol("N")
    >>> eventual_sign(subtract(multiply(n, n), multiply(number(10**9), n)), "N")
    1
    """
    spend_on_forms(tree)
    found = polynomial(tree, name)
    if found is not None:
        return sign(found.terms[found.degree]) if found.terms else 0
    for length in LENGTHS:
        try:
            return series_sign(expansion(tree, name, length))
        except Undecided:
            continue
    return None


def spend_on_forms(tree: Expression) -> None:
    """Charge the command for bringing a formula to its forms, where it is a long one."""
    operations().spend(_OPERATIONS * max(0, len(bottom_up(tree)) - _READABLE))


def _symbol(tree: Expression, name: str) -> Symbol | None:
    return next((symbol for symbol in free_symbols(tree) if symbol.name == name), None)


def _term(order: Order, coefficient: NormalForm, unknown: Symbol) -> Expression | None:
    try:
        return term_form(order, coefficient, unknown).tree()
    except TooLong:
        return None


def _by_parts(tree: Expression, name: str) -> Expression | None:
    """Return the leading term of a product, quotient, power or choice from those of its parts."""
    match tree:
        case trees.Multiply() | trees.Divide() | trees.Function("min" | "max"):
            pass
        case trees.Power(_, fixed) | trees.Conditional(fixed, _, _) if _symbol(fixed, name) is None:
            pass
        case _:
            return None
    parts = [leading(each, name) for each in operands_of(tree)]
    known = tuple(part for part in parts if part is not None)
    return rebuild(tree, known) if len(known) == len(parts) else None
