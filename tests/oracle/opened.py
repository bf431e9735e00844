"""Whether what binds is so while another parameter is open: at values of it, beside the roots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, zip_longest
from math import ceil, floor
from random import Random
from typing import Any

import mpmath

from tests.oracle.claims import agrees, between
from tests.oracle.closed_forms import closed_value
from tests.oracle.contest import REFUSED, Contest, asked, members
from tests.oracle.model import Case, Group, Kernel
from tests.oracle.numbers import DIGITS
from tests.oracle.sentences import Number, Stretch, UnreadError, number, verdict_of

_VALUES = 4
_POINTS = 25
_BESIDE = Fraction(1, 10**9)
_SAME = {True: Fraction(1, 10**30), False: Fraction(1, 10**12)}
"""Where a root is that is a whole number is told exactly, a real one in floats."""
_SPAN = re.compile(
    r"(?:for (?P<first>\S+(?: \d{3})*) [<≤] \w+ [<≤] (?P<last>\S+(?: \d{3})*)"
    r"|at \w+ = (?P<at>.+))$"
)


def wrong_open(case: Case, text: str, said: Mapping[str, Any], random: Random) -> list[str]:
    """Return what is wrong with an answer over an unknown and one other open parameter."""
    with mpmath.workdps(DIGITS):
        roots = {root["name"]: root["closed_form"] for root in said["roots"]}
        wrong = [*_text(text, said)]
        for answer in said["answers"]:
            own = _of_steps(case, answer["steps"])
            wrong += _proof(answer)
            for stretch in answer["stretches"]:
                wrong += _Part(own, said, stretch, roots).wrong(random)
            for one, other in pairwise(answer["stretches"]):
                wrong += _left_out(case, said["other"], one["to"], other["from"])
        return wrong


def _of_steps(case: Case, steps: Sequence[str]) -> Case:
    """Return the case of one of the steps that an answer is about, which all change alike."""
    if not steps:
        return case
    assert isinstance(case.root, Group)
    kernels = [each for each in case.root.parts if isinstance(each, Kernel)]
    return replace(case, root=next(each for each in kernels if each.name == steps[0]))


def _proof(answer: Mapping[str, Any]) -> Iterator[str]:
    for stretch in answer["stretches"]:
        open_still = any(regime["kind"] == "undecided" for regime in stretch["regimes"])
        up_to = answer["proven_up_to"]
        if open_still and (answer["complete"] or (up_to is not None and up_to > stretch["from"])):
            yield f"proven up to {up_to}, and {stretch}"


def _left_out(case: Case, other: str, end: float, begin: float) -> Iterator[str]:
    """Yield a whole value of the other parameter between two parts that is allowed."""
    if not next(each for each in case.parameters if each.name == other).integer:
        return
    for value in range(floor(end) + 1, min(ceil(begin), floor(end) + 50)):
        closed = _closed(case, other, Fraction(value))
        if any(closed.allows(Fraction(x)) for x in (1, 2, 3, 4, 16, 60, 64, 1024, 10**6)):
            yield f"{other} = {value} is allowed, and left out"


def _closed(case: Case, name: str, value: Fraction) -> Case:
    """Return the case with a value for the other parameter."""
    own = [replace(each, value=value) if each.name == name else each for each in case.parameters]
    return replace(case, parameters=tuple(own))


@dataclass(frozen=True)
class _Part:
    """What is said for a part of what the other parameter may be."""

    case: Case
    said: Mapping[str, Any]
    stretch: Mapping[str, Any]
    roots: Mapping[str, str | None]

    def wrong(self, random: Random) -> Iterator[str]:
        other = self.said["other"]
        first, last = Fraction(self.stretch["from"]), Fraction(self.stretch["to"])
        whole = next(each for each in self.case.parameters if each.name == other).integer
        inner = [between(first, last, random) for _ in range(_VALUES)]
        for value in sorted({first, last, *(Fraction(round(x)) if whole else x for x in inner)}):
            closed = _closed(self.case, other, value)
            for problem in self._at(closed, random):
                yield f"at {other} = {value}: {problem}"
                return

    def _at(self, closed: Case, random: Random) -> Iterator[str]:
        """Yield what is wrong for one value of the other parameter."""
        regimes = self.stretch["regimes"]
        known = [self._end(each[end], closed) for each in regimes for end in ("from", "to")]
        numbers = [each for each in known if each is not None]
        if numbers != sorted(numbers):
            yield f"the parts do not follow each other: {[float(each) for each in numbers]}"
        places = self._places(closed, numbers, random)
        contest = Contest(closed)
        found = asked(closed, contest.winners, places)
        reached, same = 0, _SAME[closed.integer]
        for place, bits in zip(places, found, strict=True):
            binding = {*members(contest.names(), max(0, bits))}
            inside = [
                at
                for at, (low, high) in enumerate(zip(known[::2], known[1::2], strict=True))
                if (low is None or low <= place * (1 + same))
                and (high is None or place * (1 - same) <= high)
            ]
            right = [at for at in inside if at >= reached and _right(regimes[at], binding, bits)]
            if not right:
                told = [regimes[at] for at in inside]
                yield f"{closed.unknown} = {place}: it is {binding}, not {told}"
                return
            reached = right[0] if None in known else 0

    def _end(self, end: float | str, closed: Case) -> Fraction | None:
        """Return an end of a part, None for a root that has no closed form."""
        if not isinstance(end, str):
            return Fraction(end)
        form = self.roots[end]
        return None if form is None else Fraction(mpmath.nstr(closed_value(form, closed), 40))

    def _places(self, closed: Case, ends: Sequence[Fraction], random: Random) -> list[Any]:
        low, high = map(Fraction, self.said["range"])
        found = {low, high, *(between(low, high, random) for _ in range(_POINTS))}
        for end in ends:
            found |= {end * (1 - _BESIDE), end * (1 + _BESIDE)}
            found |= {Fraction(floor(end) + step) for step in range(-1, 3)}
        if closed.integer:
            found = {Fraction(round(each)) for each in found}
        return sorted(int(x) if closed.integer else x for x in found if low <= x <= high)


def _right(regime: Mapping[str, Any], binding: set[str], bits: int) -> bool:
    """Return whether what binds is what is said; between roots also more, where times touch."""
    if isinstance(regime["from"], str) or isinstance(regime["to"], str):
        return {*regime["ties"]} <= binding
    first, last = (Number(Fraction(regime[x]), Fraction(regime[x])) for x in ("from", "to"))
    stretch = Stretch(regime["kind"], tuple(regime["ties"]), first, last)
    if regime["kind"] in ("largest", "tie") and binding:
        return {*regime["ties"]} <= binding
    return agrees(stretch, binding, bits == REFUSED)


def _text(text: str, said: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the text says anything else than the values, which are checked."""
    _, *blocks = text.split("\n\n")
    tables = [
        each for each in blocks if re.search(rf"^  {said['other']} +bound +where$", each, re.M)
    ]
    answers = [each for each in said["answers"] if not each["steps"] or not _is_constant(each)]
    if any(each["stretches"] for each in answers) and len(tables) != len(answers):
        yield f"{len(tables)} tables of {len(answers)} answers"
        return
    for table, answer in zip(tables, answers, strict=False):
        lines = table.splitlines()
        head = next(k for k, line in enumerate(lines) if re.match(r"  \w+ +bound +where$", line))
        rows = [
            (stretch if place == 0 else None, regime)
            for stretch in answer["stretches"]
            for place, regime in enumerate(stretch["regimes"])
        ]
        for line, row in zip_longest(lines[head + 1 :], rows):
            if line is None or row is None or not _is_row(line, *row):
                yield f"'{line}' is printed for {row}"
    for root in said["roots"]:
        match = re.search(rf"^  {re.escape(root['name'])} += (.+?)$", text, re.M)
        told = match[1] if match else None
        if told != root["closed_form"]:
            yield f"'{told}' is printed for {root}"


def _is_constant(answer: Mapping[str, Any]) -> bool:
    """Return whether the same binds everywhere: of a step, that is not printed."""
    regimes = [each for stretch in answer["stretches"] for each in stretch["regimes"]]
    return len(regimes) == 1 and regimes[0]["kind"] != "undecided"


def _is_row(line: str, stretch: Mapping[str, Any] | None, regime: Mapping[str, Any]) -> bool:
    cells = re.split(r"  +", line.strip())
    if stretch is not None and not (len(cells) == 3 and _is_span(cells.pop(0), stretch)):
        return False
    if len(cells) != 2:
        return False
    kind, labels = verdict_of(cells[0])
    return (kind, [*labels]) == (regime["kind"], regime["ties"]) and _is_span(cells[1], regime)


def _is_span(text: str, part: Mapping[str, Any]) -> bool:
    match = _SPAN.match(text)
    if match is None:
        raise UnreadError(text)
    for end, key in ((match["first"], "from"), (match["last"], "to")):
        told, value = end or match["at"], part[key]
        if isinstance(value, str):
            if told != value:
                return False
        elif not _fits(number(told, isinstance(value, int)), value):
            return False
    return True


def _fits(printed: Number, value: float) -> bool:
    return printed.low <= Fraction(value) <= printed.high
