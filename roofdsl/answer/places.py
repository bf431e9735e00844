"""Values of an unknown in words, and what all answers of the solver have in common."""

from __future__ import annotations

from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.faster import Lead
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.threshold import Interval, Thresholds
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.blocks import Finding, Line, Quantity
from roofdsl.answer.head import head, tail
from roofdsl.answer.plain import Json, number
from roofdsl.answer.point import on, parameters_text
from roofdsl.expression.tree import Expression
from roofdsl.numeric.crossover import Regime
from roofdsl.numeric.search import Place
from roofdsl.units.quantity import show_number, show_quantity

DIGITS = 7


def solved_title(what: str, found: Crossovers | Thresholds, prediction: Prediction) -> str:
    """Return the title of an answer over a range: what of, what was asked, where, at what."""
    unknown = found.unknown
    low, high = place_text(found.low, unknown), place_text(found.high, unknown)
    others = [name for name in prediction.binding.values if name != unknown.name]
    settings = parameters_text(prediction, others)
    return f"{on(prediction)}: {what}, {unknown.name} in {low} .. {high}   {settings}".rstrip()


def solved_head(answer: str, unknown: Unknown, prediction: Prediction) -> dict[str, Json]:
    """Return what the answer in plain values begins with."""
    return {**head(answer, prediction), "unknown": unknown.name}


def solved_tail(unknown: Unknown, prediction: Prediction) -> dict[str, Json]:
    """Return what the answer in plain values ends with."""
    return tail(prediction, {"unknown": {unknown.name: unknown.dimension}})


def finding(
    sentence: str,
    root: Expression | None,
    value: float | None,
    unknown: Unknown,
    details: tuple[str, ...] = (),
) -> Finding:
    """Return a sentence on a value of the unknown, with its closed form and the number, if any."""
    if root is None or value is None:
        return Finding(sentence, details)
    number = Quantity(value, unknown.dimension, DIGITS)
    return Finding(sentence, details, unknown.symbol, (Line("=", root), Line("=", number)))


def first_valid_text(value: int, unknown: Unknown) -> str:
    """Return the first whole number that bounds and requirements allow as well."""
    return f"first {unknown.name} that the model allows: {place_text(value, unknown)}"


def where_text(enclosure: tuple[float, float], first: int | None, unknown: Unknown) -> str:
    """Return where a change is: the first whole number after it, or its root, as far as known."""
    low, high = enclosure
    if first is not None:
        return f"from {unknown.name} = {place_text(first, unknown)}"
    if high - low > 1e-9 * abs(high):
        return f"between {unknown.name} = {_real(low, unknown)} and {_real(high, unknown)}"
    return f"at {unknown.name} = {_real(low, unknown)}"


def span_text(first: Place, last: Place, unknown: Unknown) -> str:
    """Return a part of a range in words: `for 2 ≤ N ≤ 5580`."""
    low, high = place_text(first, unknown), place_text(last, unknown)
    return f"at {unknown.name} = {low}" if first == last else f"for {low} ≤ {unknown.name} ≤ {high}"


def span_values(part: Regime | Interval | Lead) -> dict[str, Json]:
    """Return a part of a range in plain values."""
    return {"from": number(part.first), "to": number(part.last)}


def proof_text(complete: bool, proven_up_to: Place | None, unknown: Unknown) -> str:
    """Return how far an answer over a range is proven."""
    if complete:
        return "proven over the whole range"
    if proven_up_to is None:
        return "not proven: the search stopped at its limit of work"
    shown = place_text(proven_up_to, unknown)
    return f"proven up to {unknown.name} = {shown}; the search stopped there"


def place_text(value: Place, unknown: Unknown) -> str:
    """Return a value of the unknown: a whole number to its last digit, another with its unit."""
    if isinstance(value, int) and unknown.integer:
        exponent = len(str(value)) - 1
        if exponent >= 15 and value == 10**exponent:
            return f"10^{exponent}"
        return f"{value:,}".replace(",", " ") if value >= 10_000 else str(value)
    return _real(float(value), unknown)


def _real(value: float, unknown: Unknown) -> str:
    if unknown.integer:
        return show_number(value, DIGITS)
    return show_quantity(value, unknown.dimension, DIGITS)
