"""Conditions on a prediction as claims: which of several times or quantities leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.bound_kind import holders_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import charged_to, own_first, rival
from roofdsl.analysis.steps import step_prediction, steps_of
from roofdsl.expression import tree as trees
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Symbol
from roofdsl.model.results import BOUND_KIND

Word: TypeAlias = Literal["or", "and"]
"""What joins conditions, the one that binds most loosely first."""
OPPOSITE: dict[Word, Word] = {"or": "and", "and": "or"}
# Of two that are equal the first leads: which of the sides stands first, and which must lead.
_LEADS = {
    ">=": ("left", "right", "left"),
    "<": ("left", "right", "right"),
    "<=": ("right", "left", "right"),
    ">": ("right", "left", "left"),
}


class Leads(NamedTuple):
    """That one of some quantities, or of what may bind, is the first of the largest, or is not.

    `quantities` are in the names of what a prediction has; None: of what may bind.
    """

    name: str
    wanted: bool
    quantities: Mapping[str, Expression] | None = None


class Joined(NamedTuple):
    """Conditions all of which hold, or one of which does."""

    word: Word
    parts: tuple[Claim, ...]


Claim: TypeAlias = Leads | Joined


def joined(word: Word, *parts: Claim, wanted: bool = True) -> Claim:
    """Return conditions joined by a word; not `wanted`: parts that are each refused already."""
    return Joined(word if wanted else OPPOSITE[word], parts)


def compared(relation: str, left: Expression, right: Expression, wanted: bool) -> Claim:
    """Return a comparison of two quantities as a claim, or that it does not hold."""
    quantities = {"left": left, "right": right}
    if relation in _LEADS:
        first, second, name = _LEADS[relation]
        return Leads(name, wanted, {each: quantities[each] for each in (first, second)})
    # Equal is neither below nor above.
    alike = (relation == "==") == wanted
    both = (compared(each, left, right, alike) for each in ("<=", ">="))
    return Joined("and" if alike else "or", tuple(both))


def bound_claim(
    prediction: Prediction, name: str, wanted: bool, *, of_kind: bool, place: str = ""
) -> Claim:
    """Return that something binds, or is the largest kind on the bound: of a step at a `place`."""
    if of_kind:
        holders = holders_of(prediction, name)
        each = [_bound_claim(prediction, h, name, wanted, place, of_kind=True) for h in holders]
        return each[0] if len(each) == 1 else joined("or", *each, wanted=wanted)
    return _bound_claim(prediction, name, name, wanted, place, of_kind=False)


def _bound_claim(
    prediction: Prediction, holder: str, name: str, wanted: bool, place: str, *, of_kind: bool
) -> Claim:
    kinds = prediction.kinds_within.get(holder, [holder]) if of_kind else [name]
    rivals = [*prediction.charged.rivals] if place else [holder]
    if name not in kinds or holder not in rivals:
        return compared("==", ONE, ZERO, wanted)
    binds: Claim = Leads(holder, wanted)
    if place:
        among = {each: _inside(rival(each), place) for each in rivals}
        first, idle = Leads(holder, wanted, among), compared("<=", among[holder], ZERO, not wanted)
        binds = joined("and", first, idle, wanted=wanted)
    if len(kinds) < 2:
        return binds
    most = Leads(name, wanted, {kind: _inside(charged_to(holder, kind), place) for kind in kinds})
    return joined("and", binds, most, wanted=wanted)


def claim_of(
    tree: Expression, prediction: Prediction, wanted: bool, place: str = ""
) -> Claim | None:
    """Return a condition in the names of metrics as a claim, or that it does not hold.

    `prediction` is of the step at a `place`. None for what hangs on a truth value that is open.
    """
    match tree:
        case Symbol(name=name):
            return _named(name, prediction, wanted, place)
        case trees.Logic("not", (operand,)):
            return claim_of(operand, prediction, not wanted, place)
        case trees.Logic("and" | "or" as word, operands):
            parts = [claim_of(each, prediction, wanted, place) for each in operands]
            known = [each for each in parts if each is not None]
            return joined(word, *known, wanted=wanted) if len(known) == len(parts) else None
        case trees.Comparison(relation, left, right):
            sides = [_asked(side, prediction, place) for side in (left, right)]
            return compared(relation, sides[0], sides[1], wanted)
        case trees.Function("is_integer", (argument,)):
            side = _asked(argument, prediction, place)
            return compared(">=", trees.Function("floor", (side,)), side, wanted)
    return None


def _named(name: str, prediction: Prediction, wanted: bool, place: str) -> Claim | None:
    path, _, resource = name.partition(" is ")
    first, _, rest = path.partition(".")
    if rest and first in (steps := steps_of(prediction)):
        inner = step_prediction(prediction, steps[first].node)
        return _named(name.removeprefix(f"{first}."), inner, wanted, f"{place}{first}.")
    if resource:
        of_kind = path == BOUND_KIND
        return bound_claim(prediction, resource, wanted, of_kind=of_kind, place=place)
    metrics = {metric.name: metric.formula.tree for metric in prediction.model.metrics}
    tree = prediction.binding.trees.get(name, metrics.get(name))
    return None if tree is None else claim_of(tree, prediction, wanted, place)


def _asked(tree: Expression, prediction: Prediction, place: str) -> Expression:
    """Return a formula of a metric in the names of what the whole prediction has."""
    return _inside(own_first(tree, prediction), place)


def _inside(tree: Expression, place: str) -> Expression:
    if not place:
        return tree
    names = [symbol.name for symbol in free_symbols(tree)]
    return substitute(tree, {name: Symbol(place + name, positive=False) for name in names})
