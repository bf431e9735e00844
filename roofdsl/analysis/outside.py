"""Messages on ranges to look in that leave what a model allows, and why it does not allow that."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, Label, RoofError, raise_if_any
from roofdsl.expression.construct import number
from roofdsl.units.quantity import show_given


def nothing_allowed(unknown: Unknown, message: str) -> RoofError:
    """Return the problem that there is no value to look at (R0702)."""
    labels = (Label(unknown.parameter.span, "declared here"),) if unknown.parameter else ()
    hint = "evaluate at some value to see what is refused"
    return RoofError([Diagnostic("R0702", message, labels, hint)])


def outside(
    unknown: Unknown,
    ends: tuple[Fraction | None, Fraction | None],
    message: str,
    refusal: Diagnostic | None = None,
) -> RoofError:
    """Return the problem with a range (R0702), at what refuses an end of it if that is known."""
    low, high = ends
    low = Fraction(0) if unknown.parameter is None else low
    limits = ["…" if end is None else show_given(end, unknown.dimension) for end in (low, high)]
    labels = (Label(unknown.parameter.span),) if unknown.parameter else ()
    hint = f"{unknown.name} ranges over {limits[0]} .. {limits[1]}"
    if refusal is None or not refusal.labels or refusal.span == (labels and labels[0].span):
        return RoofError([Diagnostic("R0702", message, labels, hint)])
    notes = (refusal.message, *refusal.notes)
    return RoofError([Diagnostic("R0702", message, refusal.labels, hint, notes)])


def refusal_at(
    value: Fraction, unknown: Unknown, predictions: Iterable[Prediction]
) -> Diagnostic | None:
    """Return why one of some predictions refuses a value, None where that is not known."""
    for prediction in predictions:
        if prediction.free != (unknown.parameter,):
            continue
        trees = {**prediction.binding.trees, unknown.name: number(value)}
        names = [each.name for each in prediction.model.parameters if each.name in trees]
        given = {name: (trees[name], None) for name in names}
        bound, found = predict(prediction.model, prediction.machine, given)
        try:
            raise_if_any(found)
            evaluated(bound)
        except RoofError as error:
            return error.diagnostics[0]
    return None
