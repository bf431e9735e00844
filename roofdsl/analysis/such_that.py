"""A condition on a prediction, as it is asked: `bound = flops`, `time <= 10 s`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from roofdsl.analysis.intensity import QUANTITIES
from roofdsl.analysis.prediction import Prediction
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.model.arguments import read_value
from roofdsl.model.scope import Scope
from roofdsl.source import Source, Span
from roofdsl.units.dimension import DIMENSIONLESS

WrittenRelation: TypeAlias = Literal["<", "<=", ">", ">=", "=", "!="]
_CONDITION = re.compile(r"\s*([\w.]+)\s*(<=|>=|==|!=|<|>|=)\s*(.+?)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """`bound = flops`, or a quantity compared with a value in SI base units."""

    text: str
    relation: WrittenRelation
    resource: str | None
    quantity: str = ""
    limit: Expression = ZERO

    def sides(self, prediction: Prediction) -> tuple[Expression, Expression]:
        """Return what is compared, as formulas of a prediction."""
        return quantity_formula(prediction, self.quantity), self.limit


def read_condition(source: Source, prediction: Prediction) -> Condition:
    """Read `bound != network`, `time <= 10 s`, `attainable >= 15 GFLOP/s`.

    Raises RoofError for what is no condition (R0706), an unknown quantity or resource (R0707), or a
    value of another unit (R0405).
    """
    text, end = source.body, len(source.text)
    match = _CONDITION.fullmatch(source.text, source.begin)
    whole = Label(Span(source, source.begin, end))
    if match is None:
        hint: str | None = 'write "bound = flops", "time <= 10 s" or "attainable >= 15 GFLOP/s"'
        raise RoofError([Diagnostic("R0706", f"'{text}' is not a condition", (whole,), hint)])
    quantity, sign = match[1], "=" if match[2] == "==" else match[2]
    relation: WrittenRelation = sign  # type: ignore[assignment]  # the pattern admits no other
    place = Label(Span(source, match.start(3), match.end(3)))
    if quantity == "bound":
        return _bound_condition(text, relation, match[3], place, prediction)
    if quantity not in QUANTITIES:
        hint = did_you_mean(quantity, ["bound", *QUANTITIES])
        known = hint or f"there are bound, {', '.join(QUANTITIES)}"
        label = Label(Span(source, match.start(1), match.end(1)))
        raise RoofError([Diagnostic("R0707", f"'{quantity}' is no result", (label,), known)])
    problems: list[Diagnostic] = []
    limit = Source(source.name, source.text[: match.end(3)], begin=match.start(3))
    formula = read_value(limit, Scope(problems.append, {}, {}))
    if formula is None:
        raise RoofError(problems)
    wanted = QUANTITIES[quantity]
    if formula.dimension != wanted:
        message = (
            f"{quantity} is compared with {formula.dimension.describe()}, "
            f"but it is {wanted.describe()}"
        )
        hint = "a plain number" if wanted == DIMENSIONLESS else f"write the value in {wanted}"
        raise RoofError([Diagnostic("R0405", message, (place,), hint)])
    return Condition(text, relation, None, quantity, formula.tree)


def quantity_formula(prediction: Prediction, name: str) -> Expression:
    """Return the formula of a quantity by the name it has on results."""
    match name:
        case "time":
            return prediction.time()
        case "attainable":
            return prediction.attainable()
        case "OI" | "CAI" | "MI":
            tree = prediction.intensity(name)
            if tree is None:
                message = f"{name} of '{prediction.model.name}' is infinite: nothing is below it"
                raise RoofError([Diagnostic("R0707", message)])
            return tree
    return prediction.work(name)


def _bound_condition(
    text: str, relation: WrittenRelation, resource: str, place: Label, prediction: Prediction
) -> Condition:
    names = list(prediction.times())
    if relation not in ("=", "!="):
        hint = 'write "bound = flops" or "bound != network"'
        raise RoofError([Diagnostic("R0706", "a bound is or is not a resource", (place,), hint)])
    if resource not in names:
        hint = did_you_mean(resource, names) or f"what takes time: {', '.join(names)}"
        message = f"{resource} takes no time here, so it cannot be the bound"
        raise RoofError([Diagnostic("R0703", message, (place,), hint)])
    return Condition(text, relation, resource)
