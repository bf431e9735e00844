"""A condition on a prediction, as it is asked: `bound = flops`, `time <= 10 s`, `2*memory > M`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import QuantityScope, put_in, read_quantity
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.model.elaborate import fits, is_zero
from roofdsl.source import Source, Span
from roofdsl.units.dimension import DIMENSIONLESS

WrittenRelation: TypeAlias = Literal["<", "<=", ">", ">=", "=", "!="]
_BOUND = re.compile(r"\s*bound\s*(<=|>=|==|!=|<|>|=|\bis\s+not\b|\bis\b)\s*(.*?)\s*")
_PART = re.compile(r"<=|>=|==|!=|[<>=()]")
_MEANING = {"==": "=", "is": "=", "is not": "!="}
_HOW = 'write "bound = flops", "time <= 10 s" or "memory/network >= 3"'


@dataclass(frozen=True, slots=True)
class Condition:
    """`bound = flops`, or two formulas compared, in the names of what a prediction has."""

    text: str
    relation: WrittenRelation
    resource: str | None
    left: Expression = ZERO
    right: Expression = ZERO

    def sides(self, prediction: Prediction) -> tuple[Expression, Expression]:
        """Return what is compared, as formulas of a prediction."""
        return put_in(self.left, prediction), put_in(self.right, prediction)


class _Relation(NamedTuple):
    sign: str
    start: int
    end: int


def read_condition(source: Source, prediction: Prediction) -> Condition:
    """Read `bound != network`, `time <= 10 s`, `footprint <= 16 GiB`, `memory/network >= 3`.

    Raises RoofError for what is no condition (R0706), an unknown quantity (R0707) or resource
    (R0703), two sides of different units (R0405), and for what the language refuses.
    """
    bound = _BOUND.fullmatch(source.text, source.begin)
    if bound is not None:
        sign = " ".join(bound[1].split())
        place = Label(Span(source, bound.start(2), bound.end(2)))
        return _bound_condition(source.body, _MEANING.get(sign, sign), bound[2], place, prediction)
    found = [*_relations(source)]
    whole = Label(Span(source, source.begin, len(source.text)))
    if not found:
        message = f"'{source.body}' is not a condition"
        raise RoofError([Diagnostic("R0706", message, (whole,), _HOW)])
    if len(found) > 1:
        places = tuple(Label(Span(source, each.start, each.end)) for each in found)
        message = f"'{source.body}' compares more than once"
        hint = "ask one comparison at a time; an `if` goes in parentheses"
        raise RoofError([Diagnostic("R0706", message, places, hint)])
    ((sign, start, end),) = found
    scope = QuantityScope(prediction)
    left = read_quantity(source, scope, start)
    right = read_quantity(Source(source.name, source.text, begin=end), scope)
    if left is None or right is None:
        raise RoofError(scope.problems)
    if not (fits(right, left.dimension) or is_zero(left)):
        written = " ".join(source.text[source.begin : start].split())
        message = (
            f"{written} is compared with {right.dimension.describe()}, "
            f"but it is {left.dimension.describe()}"
        )
        plain = left.dimension == DIMENSIONLESS
        hint = "a plain number" if plain else f"write the value in {left.dimension}"
        label = Label(Span(source, end + _spaces(source.text[end:]), len(source.text.rstrip())))
        raise RoofError([Diagnostic("R0405", message, (label,), hint)])
    relation = cast(WrittenRelation, _MEANING.get(sign, sign))
    return Condition(source.body, relation, None, left.tree, right.tree)


def _relations(source: Source) -> Iterator[_Relation]:
    """Yield the signs that compare, those in parentheses left out."""
    depth = 0
    for match in _PART.finditer(source.text, source.begin):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if match[0] not in "()" and depth == 0:
            yield _Relation(match[0], match.start(), match.end())


def _spaces(text: str) -> int:
    return len(text) - len(text.lstrip())


def _bound_condition(
    text: str, relation: str, resource: str, place: Label, prediction: Prediction
) -> Condition:
    names = list(prediction.times())
    if relation not in ("=", "!="):
        hint = 'write "bound = flops" or "bound != network"'
        raise RoofError([Diagnostic("R0706", "a bound is or is not a resource", (place,), hint)])
    if resource not in names:
        hint = did_you_mean(resource, names) or f"what takes time: {', '.join(names)}"
        message = f"{resource or 'nothing'} takes no time here, so it cannot be the bound"
        raise RoofError([Diagnostic("R0703", message, (place,), hint)])
    return Condition(text, cast(WrittenRelation, relation), resource)
