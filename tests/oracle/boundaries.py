"""Whether a table of crossovers, at several values of another parameter, is so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from random import Random
from typing import Any

from tests.oracle.both_forms import fits, wrong_values
from tests.oracle.claims import wrong_regimes
from tests.oracle.contest import Contest
from tests.oracle.model import Case
from tests.oracle.sentences import Change, Number, Said, Stretch, UnreadError, number, verdict_of

_WHERE = re.compile(
    r"(?P<kind>from|at) \w+ = (?P<one>.+)|between \w+ = (?P<low>.+) and (?P<high>.+)"
    r"|for (?P<first>.+) ≤ \w+ ≤ (?P<last>.+)"
)


def wrong_boundary(case: Case, text: str, said: Mapping[str, Any], random: Random) -> list[str]:
    """Return what is wrong with what is said at each of several points, and with the table."""
    wrong = [*_table(case, text, said)]
    (name,) = said["swept"]
    for point in said["answers"]:
        value = Fraction(point["params"][name])
        own = [replace(x, value=value) if x.name == name else x for x in case.parameters]
        ends = Fraction(point["regimes"][0]["from"]), Fraction(point["regimes"][-1]["to"])
        closed = replace(case, parameters=tuple(own), low=ends[0], high=ends[1])
        contest, found = Contest(closed), said_of(point)
        problems = wrong_regimes(contest, found, random)
        problems += wrong_values(contest, found, point)
        wrong += [f"at {name} = {value}: {problem}" for problem in problems]
    return wrong


def said_of(point: Mapping[str, Any]) -> Said:
    """Return what JSON says of a range, as if it were read."""
    found = Said()
    for each in point["regimes"]:
        ends = _exact(each["from"]), _exact(each["to"])
        told, allowed = _allowed(each, each["from"])
        stretch = Stretch(each["kind"], tuple(each["ties"]), *ends, holes=each["some_refused"])
        if each["kind"] != "refused":
            stretch = replace(stretch, told=told, allowed=allowed)
        found.stretches.append(stretch)
    found.changes = [_change(each) for each in sorted(point["crossovers"], key=_of_a_step)]
    found.proven = point["complete"]
    if point["proven_up_to"] is None:
        found.not_from_the_start = True
    elif not point["complete"]:
        found.up_to = _exact(point["proven_up_to"])
    return found


def _of_a_step(value: Mapping[str, Any]) -> bool:
    return value["step"] is not None


def _change(value: Mapping[str, Any]) -> Change:
    before, after, kind = tuple(value["before"]), tuple(value["after"]), value["kind"]
    found = Change(before, after, value["step"] or "", kind=kind)
    enclosure = _exact(value["enclosure"][0]), _exact(value["enclosure"][1])
    if value["first_integer"] is not None:
        found.first = _exact(value["first_integer"])
        found.told, found.allowed = _allowed(value, value["first_integer"])
    else:
        found.at = enclosure
    if value["closed_form"] is not None and value["closed_form_value"] is not None:
        found.closed = _near(value["closed_form_value"])
    return found


def _allowed(value: Mapping[str, Any], first: float) -> tuple[str, Number | None]:
    """Return what the text would say of the first value that is allowed."""
    valid, proven = value["first_valid"], value["first_valid_proven"]
    if valid is None:
        return ("none" if proven else "unknown"), None
    if valid == first:
        return "", None
    return ("first" if proven else "some"), _exact(valid)


def _exact(value: float) -> Number:
    return Number(Fraction(value), Fraction(value))


def _near(value: float) -> Number:
    """Return a float as far as it is rounded."""
    size = abs(Fraction(value)) / 2**50
    return Number(Fraction(value) - size, Fraction(value) + size)


def _table(case: Case, text: str, said: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the text says anything else than the values."""
    (name,) = said["swept"]
    _, table, *_ = text.split("\n\n")
    head, *lines = table.splitlines()
    whose = [each["step"] for point in said["answers"] for each in _changes(point)]
    of_steps = any(whose)
    complete = all(point["complete"] for point in said["answers"])
    own = [name, *(["of"] if of_steps else []), "from", "to", "at", "kind"]
    if head.split() != [*own, *([] if complete else ["proven"])]:
        raise UnreadError(head)
    rows = [(row, point) for point in said["answers"] for row in _rows(name, point)]
    for line, (row, point), step in zip_longest(lines, rows, whose, fillvalue=(None, None)):
        cells = re.split(r"  +", (line if isinstance(line, str) else "").strip())
        if not complete and not _is_proven(case, cells.pop(), point):
            yield f"'{line}' is not as far proven"
        if of_steps and cells.pop(1) != (step or "the whole"):
            yield f"'{line}' is not of {step or 'the whole'}"
        if row is None or len(cells) != len(row) or not _is_row(case, cells, row):
            yield f"'{line}' is printed for {row}"
    if (re.search(r"^proven$", text, re.MULTILINE) is not None) != complete:
        yield f"{'not ' if not complete else ''}all is proven"


def _is_proven(case: Case, cell: str, point: Mapping[str, Any] | None) -> bool:
    """Whether a cell says how far the answer at a point is proven."""
    if point is None or point["complete"]:
        return cell == "all"
    up_to = point["proven_up_to"]
    if up_to is None:
        return cell == "no"
    told = cell.removeprefix("up to ")
    return told != cell and fits(number(told, case.integer), up_to)


def _changes(point: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the changes at a point, or the stretches of the whole where there are none."""
    return point["crossovers"] or [{"step": None} for _ in point["regimes"]]


def _rows(name: str, point: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    value = point["params"][name]
    for each in point["crossovers"]:
        where = each["enclosure"] if each["first_integer"] is None else [each["first_integer"]]
        yield value, [*each["before"]], [*each["after"]], where, each["kind"]
    if not point["crossovers"]:
        for each in point["regimes"]:
            kind = "none" if each["bound"] is not None else each["kind"]
            yield value, each["ties"], each["ties"], [each["from"], each["to"]], kind


def _is_row(case: Case, cells: Sequence[str], row: Sequence[Any]) -> bool:
    value, before, after, where, kind = row
    match = _WHERE.fullmatch(cells[3])
    if match is None:
        raise UnreadError(cells[3])
    names = [[*verdict_of(cell)[1]] for cell in cells[1:3]]
    one = match["one"]
    ends = [one, one] if one else [match["low"] or match["first"], match["high"] or match["last"]]
    whole = case.integer and (match["kind"] != "at" or isinstance(where[0], int))
    numbers = [number(end, whole) for end in ends]
    fitting = fits(numbers[0], where[0]) and fits(numbers[1], where[-1])
    same = fits(number(cells[0], False), value) and names == [before, after]
    return same and fitting and cells[4] == kind
