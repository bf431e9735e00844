"""Values of an unknown in words, and what all answers of the solver have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.blocks import Finding, Form, Text, in_a_row
from roofdsl.answer.cells import Quantity
from roofdsl.answer.head import answered
from roofdsl.answer.plain import Json, as_json, fields_of, number
from roofdsl.answer.titles import on, parameters_text
from roofdsl.expression.tree import Number
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.place import Place
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.regime import Crossing, Regime, RegimeKind
from roofdsl.roles import Binding, Good, Open, Role
from roofdsl.units.quantity import show_number, show_quantity

if TYPE_CHECKING:
    from roofdsl.analysis.crossover import Crossover, Crossovers
    from roofdsl.analysis.open_contest import OpenStretch
    from roofdsl.analysis.open_regimes import OpenRegions
    from roofdsl.analysis.over_rates import OverRates, RatesRegime
    from roofdsl.analysis.threshold import HoldingRange, Thresholds

DIGITS = 7
_MORE = "; more work may decide it: --budget 10x"
_NO_LABEL: dict[RegimeKind, str] = {"refused": "no value", "idle": "nothing"}
_Found: TypeAlias = "Crossovers | Thresholds | OverRates | OpenRegions"
_Part: TypeAlias = "Regime | HoldingRange | OpenStretch | RatesRegime"


def heading(what: str, prediction: Prediction) -> Text:
    """Return the title of an answer: what of, what was asked, at what."""
    return Text(f"{on(prediction)}: {what}   {parameters_text(prediction)}".rstrip())


def title(
    what: str, found: _Found, prediction: Prediction, *others: tuple[Unknown, Place, Place]
) -> Text:
    """Return the title of an answer over a range, or over the ranges of others as well."""
    where = ", ".join(
        f"{unknown.name} in {shown(low, unknown)} .. {shown(high, unknown)}"
        for unknown, low, high in ((found.unknown, found.low, found.high), *others)
    )
    return heading(f"{what}, {where}", prediction)


def values(
    answer: str, found: _Found, prediction: Prediction, own: dict[str, Json]
) -> dict[str, Json]:
    """Return an answer over a range in plain values, its own among those that all have."""
    unknown = found.unknown
    sections = {"unknown": {unknown.name: unknown.dimension}}
    return answered(
        answer, prediction, {"unknown": unknown.name, **own, **proof_values(found)}, sections
    )


def proof_values(found: Proven) -> dict[str, Json]:
    """Return how far an answer over a range is proven, in plain values."""
    return fields_of(found, "complete", "proven_up_to")


def finding(
    sentence: str, item: Crossover | HoldingRange, unknown: Unknown, details: tuple[str, ...] = ()
) -> Finding:
    """Return a sentence on a value of the unknown, with its closed form and the number, if any."""
    root, value = item.closed_form, item.closed_form_value
    if root is None or value is None:
        return Finding(sentence, details)
    all_digits = float(show_number(value, DIGITS)) == value
    number = Form("=" if all_digits else "≈", Quantity(value, unknown.dimension, DIGITS))
    forms = (number,) if isinstance(root, Number) else (Form("=", root), number)
    return Finding(sentence, details, unknown.symbol, forms)


def first_valid(allowed: Allowed[Place], first: Place | None, unknown: Unknown) -> tuple[str, ...]:
    """Return the first value that the model allows, too, if it is another one than the first."""
    name, value = unknown.name, allowed.value
    if first is None or value == first:
        return ()
    if value is None:
        return (_none_allowed(allowed, unknown),)
    if allowed.proven:
        return (f"first {name} that the model allows: {shown(value, unknown)}",)
    return (f"the model allows {name} = {shown(value, unknown)}, perhaps others before it",)


def _none_allowed(allowed: Allowed[Place], unknown: Unknown) -> str:
    """Return that no value is allowed somewhere, as far as that is proven."""
    name = unknown.name
    if allowed.proven:
        return f"no {name} is allowed there (proven)"
    far = (
        ""
        if allowed.looked is None
        else f" (looked up to {name} = {shown(allowed.looked, unknown)})"
    )
    return f"no {name} that the model allows was found there{far}"


FIRST_VALID = "first_valid", "first_valid_proven"


def first_valid_values(allowed: Sequence[Allowed[Place]], place: int) -> dict[str, Json]:
    """Return the first value that is allowed in one of several parts of a range, plainly."""
    return dict(zip(FIRST_VALID, map(as_json, allowed[place][:2]), strict=True))


def where(change: Crossing, unknown: Unknown) -> str:
    """Return where a change is: the first whole number after it, or its root, as far as known."""
    if change.first_integer is not None:
        return f"from {unknown.name} = {shown(change.first_integer, unknown)}"
    return root_of(change, unknown)


def root_of(change: Crossing, unknown: Unknown) -> str:
    """Return where the root of a change is, as far as it is known."""
    low, high = change.enclosure
    ends = _real(low, unknown), _real(high, unknown)
    if high - low > 1e-9 * abs(high) or (unknown.integer and ends[0] != ends[1]):
        return f"between {unknown.name} = {ends[0]} and {ends[1]}"
    return f"at {unknown.name} = {_real(low, unknown)}"


def span(part: _Part, unknown: Unknown) -> str:
    """Return a part of a range in words: `for 2 ≤ N ≤ 5580`."""
    low, high = shown(part.first, unknown), shown(part.last, unknown)
    if low == high:
        return f"at {unknown.name} = {low}"
    return f"for {low} ≤ {unknown.name} ≤ {high}"


def but_refused(part: Regime | HoldingRange | RatesRegime) -> str:
    """Return that a prediction has no value at some places of a part, where that is so."""
    return ", but no value at some" if part.some_refused else ""


def holding(part: HoldingRange, unknown: Unknown) -> str:
    """Return where a condition holds: for all of a range, or for some and from where to where."""
    if part.kind == "all":
        return span(part, unknown) + but_refused(part)
    low, high = shown(part.first, unknown), shown(part.last, unknown)
    ends = []
    if part.first_holding is not None:
        ends.append(f"first at {unknown.name} = {shown(part.first_holding, unknown)}")
    if part.last_holding is not None:
        ends.append(f"last at {unknown.name} = {shown(part.last_holding, unknown)}")
    told = f", {' and '.join(ends)}" if ends else ""
    return f"at some of {low} ≤ {unknown.name} ≤ {high}{told}"


def span_allowed(
    part: Regime, allowed: Allowed[Place], unknown: Unknown, changes: Sequence[Crossover]
) -> str:
    """Return a part of a range in words, and its first allowed value if it begins with another.

    That is left out where one of the changes says it.
    """
    where = span(part, unknown) + but_refused(part)
    told = {change.allowed.value for change in changes} - {None}
    if part.kind == "refused" or allowed.value in told:
        return where
    return ": ".join([where, *first_valid(allowed, part.first, unknown)])


def span_values(part: _Part) -> dict[str, Json]:
    """Return a part of a range in plain values."""
    return {"from": number(part.first), "to": number(part.last)}


def proof(proven: Proof, unknown: Unknown) -> Text:
    """Return how far an answer over a range is proven."""
    if proven.complete:
        return Text(Good("proven over the whole range"))
    if proven.up_to is None:
        return Text(Open(f"not proven: how the range begins is not decided{more(proven)}"))
    end = shown(proven.up_to, unknown)
    beyond = f"beyond, not everything is decided{more(proven)}"
    return Text(Open(f"proven up to {unknown.name} = {end}; {beyond}"))


def more(proven: Proof) -> str:
    """Return how what is undecided may be decided: by a larger budget, where it did not do."""
    return _MORE if proven.ran_out else ""


def all_proven(proofs: Sequence[Proof]) -> Role:
    """Return in a word or two whether several answers, or one, are proven over their ranges."""
    return Good("proven") if all(each.complete for each in proofs) else Open("not all proven")


def none(
    sentence: str, whether: str, proven: Proof, unknown: Unknown, where: str = "in the range"
) -> str:
    """Return that there is none, as far as that is proven: none was found where it is decided.

    `sentence`: "holds nowhere"; `whether`: "it holds anywhere".
    """
    if proven.complete:
        return f"{sentence} {where}"
    if proven.up_to is None:
        return f"whether {whether} is undecided"
    return f"{sentence} up to {unknown.name} = {shown(proven.up_to, unknown)}, beyond is undecided"


def without_crossover(found: Crossovers) -> Iterator[str]:
    """Yield what is known where no crossover was found."""
    unknown = found.unknown
    kinds = {regime.kind for regime in found.regimes}
    if found.has_one_bound:
        span = f"over {shown(found.low, unknown)} .. {shown(found.high, unknown)}"
        no, whether = (f"{words} crossover in {unknown.name}" for words in ("no", "there is a"))
        yield none(no, whether, found.proof_of_whole, unknown, span)
    elif "undecided" in kinds and not kinds & {"band", "refused", "idle"}:
        # What binds on its two sides is not the same.
        yield f"a crossover in {unknown.name} lies where it is undecided"


def verdict(labels: Sequence[str], kind: RegimeKind, together: str = "") -> str:
    """Return what is the largest, or the fastest, in a part of a range, as far as it is decided.

    `together`: what is said besides of several that are equal.
    """
    if kind == "band":
        return Binding(f"now {', now '.join(labels)}")
    if kind in _NO_LABEL:
        return _NO_LABEL[kind]
    if kind == "shared":
        return Binding(f"{labels[0]}, equal to {' or '.join(labels[1:])} at some")
    if kind == "undecided":
        return Open(f"undecided: {' or '.join(labels)}")
    return Binding(in_a_row(labels) + (together if len(labels) > 1 else ""))


def shown(value: Place, unknown: Unknown) -> str:
    """Return a value of the unknown: a whole number to its last digit, another with its unit."""
    if isinstance(value, int) and unknown.integer:
        exponent = len(str(value)) - 1
        if exponent >= 15 and value == 10**exponent:
            return f"10^{exponent}"
        return str(value)
    return _real(float(value), unknown)


def _real(value: float, unknown: Unknown) -> str:
    if unknown.integer:
        return show_number(value, DIGITS)
    return show_quantity(value, unknown.dimension, DIGITS)
