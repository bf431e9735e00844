"""Whether JSON says of a range what the text says, and whether what JSON alone says is so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import mpmath

from tests.oracle.claims import first_allowed, wrong_root
from tests.oracle.closed_forms import closed_value
from tests.oracle.contest import Contest
from tests.oracle.model import Case
from tests.oracle.numbers import DIGITS
from tests.oracle.sentences import Change, Number, Said, Stretch

_CERTAIN = ("largest", "tie", "shared")
_NEAR = Fraction(1, 10**12)


def wrong_values(contest: Contest, said: Said, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with what JSON says of stretches and of their changes."""
    yield from _proof(said, values)
    stretches = values["fastest" if contest.faster else "regimes"]
    changes = sorted(values["changes" if contest.faster else "crossovers"], key=_is_of_a_step)
    below = {value["first_valid"] for value in changes if not _is_of_a_step(value)} - {None}
    for stretch, value in zip_longest(said.stretches, stretches):
        if not _is_stretch(stretch, value, contest.faster, below):
            yield f"{stretch} is printed for {value}"
            return
        yield from _allowed(contest.case, value)
    begun = [value["first_valid"] for value in stretches]
    for change, value in zip_longest(said.changes, changes):
        if not _is_change(change, value):
            yield f"{change} is printed for {value}"
            return
        valid = value["first_valid"]
        if change.first is None and valid is not None and not change.step and valid not in begun:
            yield f"no part of the range has its first value allowed at {valid}: {value}"
        if change.kind in ("switch", "tie", "touch") and not change.step:
            yield from wrong_root(contest, change, _ends(value["enclosure"]), "enclosure", 1e-9)
        if value["closed_form"] is not None:
            yield from _closed_form(contest.case, value)


def wrong_holding(case: Case, said: Said, values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with what JSON says of where a condition holds."""
    yield from _proof(said, values)
    for holds, value in zip_longest(said.holds, values["holds"]):
        if not _is_holding(holds, value):
            yield f"{holds} is printed for {value}"
            return
        yield from _allowed(case, value)
        if value["closed_form"] is not None:
            yield from _closed_form(case, value)


def _proof(said: Said, values: Mapping[str, Any]) -> Iterator[str]:
    up_to = values["proven_up_to"]
    if said.proven != values["complete"] or said.not_from_the_start != (up_to is None):
        yield f"{said} is printed for what is proven up to {up_to}"
    elif said.proven and up_to != values["range"][1]:
        yield f"proven over {values['range']}, and up to {up_to}"
    elif said.up_to is not None and not fits(said.up_to, up_to):
        yield f"{said.up_to} is printed for {up_to}"


def _is_stretch(
    stretch: Stretch | None, value: Mapping[str, Any] | None, faster: bool, below: Set[float]
) -> bool:
    """Return whether JSON says what the text does; first values `below` are said of changes."""
    if stretch is None or value is None:
        return False
    labels, kind = value["fastest" if faster else "ties"], value["kind"]
    if faster and value["proven"] != (kind != "undecided"):
        return False
    if not faster and value["bound"] != (labels[0] if kind in _CERTAIN else None):
        return False
    elsewhere = kind == "refused" or value["first_valid"] in below
    if not (elsewhere and not stretch.told) and not _is_allowed(stretch, stretch.first, value):
        return False
    if stretch.holes != value["some_refused"]:
        return False
    ends = fits(stretch.first, value["from"]) and fits(stretch.last, value["to"])
    return ends and (stretch.kind, [*stretch.labels]) == (kind, labels)


def _is_change(change: Change | None, value: Mapping[str, Any] | None) -> bool:
    if change is None or value is None:
        return False
    kind = "tie" if change.kind == "to a tie" else change.kind
    if kind != value["kind"] or change.step != (value.get("step") or ""):
        return False
    if [*change.before] != value["before"] or [*change.after] != value["after"]:
        return False
    where = change.at or change.equal
    if where is not None and not change.after:
        return fits(where[0], value["enclosure"][0])
    if where is not None and not all(map(fits, where, value["enclosure"])):
        return False
    if not _is_optional(change.first, value["first_integer"]):
        return False
    if change.first is not None and not _is_allowed(change, change.first, value):
        return False
    return _is_optional(change.closed, value["closed_form_value"])


def _is_holding(holds: Change | None, value: Mapping[str, Any] | None) -> bool:
    if holds is None or value is None:
        return False
    assert holds.at is not None
    if not (fits(holds.at[0], value["from"]) and fits(holds.at[1], value["to"])):
        return False
    if value["kind"] != ("all" if holds.inside is None else "some"):
        return False
    if holds.holes != value["some_refused"]:
        return False
    for place, name in enumerate(("first", "last")):
        told = holds.at[place] if holds.inside is None else None
        if holds.inside is not None and name in holds.kind:
            told = holds.inside[place]
        if not _is_optional(told, value[f"{name}_holding"]):
            return False
    allowed = _is_allowed(holds, holds.at[0], value)
    return allowed and _is_optional(holds.closed, value["closed_form_value"])


def _is_allowed(said: Change | Stretch, first: Number, value: Mapping[str, Any]) -> bool:
    """Return whether the text says of the first value allowed what JSON says."""
    valid, proven = value["first_valid"], value["first_valid_proven"]
    if said.told in ("none", "unknown"):
        return bool(valid is None and proven == (said.told == "none"))
    if said.told:
        return _is_optional(said.allowed, valid) and bool(proven == (said.told == "first"))
    return _is_optional(first, valid)


def _is_optional(printed: Number | None, value: float | None) -> bool:
    if printed is None or value is None:
        return printed is None and value is None
    return fits(printed, value)


def fits(printed: Number, value: float) -> bool:
    """Return whether a printed number is a value: a whole one to the last digit."""
    slack = 0 if isinstance(value, int) else _NEAR * abs(Fraction(value))
    return printed.low - slack <= Fraction(value) <= printed.high + slack


def _is_of_a_step(value: Mapping[str, Any]) -> bool:
    """Return whether a change is one of a step: the text has those at the end."""
    return value.get("step") is not None


def _ends(enclosure: Sequence[float]) -> tuple[Number, Number]:
    low, high = map(Fraction, enclosure)
    return Number(low, low), Number(high, high)


def _allowed(case: Case, value: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the first value that is said to be allowed in a part."""
    first, last, valid = Fraction(value["from"]), Fraction(value["to"]), value["first_valid"]
    if valid is not None:
        if not (first <= valid <= last and case.allows(Fraction(valid))):
            yield f"{valid} is not allowed: {value}"
        last = Fraction(valid) - 1
    if not case.integer:
        found: Fraction | int | None = first if valid != first and case.allows(first) else None
    else:
        found = first_allowed(case, first, last)
    if found is not None and value["first_valid_proven"]:
        yield f"{found} is allowed: {value}"


def _closed_form(case: Case, value: Mapping[str, Any]) -> Iterator[str]:
    """Yield that a closed form does not have the value that is said."""
    with mpmath.workdps(DIGITS):
        found, said = closed_value(value["closed_form"], case), value["closed_form_value"]
        if abs(found - said) > mpmath.mpf(10) ** -9 * abs(found):
            yield f"{value['closed_form']} is {mpmath.nstr(found, 12)}, not {said}"
