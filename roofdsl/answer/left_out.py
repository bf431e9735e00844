"""Combinations of values that a model or a machine refuses: named all together, or left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from roofdsl.analysis.binding import Arguments
from roofdsl.answer.plain import Json
from roofdsl.codes import REFUSALS
from roofdsl.diagnostic import RoofError
from roofdsl.model.types import MachineDefinition

_FEW = 3
_NUMBER = re.compile(r"\d+")
SKIP = "--skip-invalid leaves such combinations out"


class LeftOut(NamedTuple):
    """A combination without an answer, and why; `values` are as they were written, by name."""

    machine: str
    values: dict[str, str]
    error: RoofError

    @property
    def place(self) -> str:
        """Its values in words: `N = 4, P = 3`; its machine where it has no values."""
        shown = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return shown or f"on {self.machine}"

    @property
    def reason(self) -> str:
        """Why it is refused, in the same words for all that are refused alike."""
        return self.error.diagnostics[0].message.partition("; here ")[0]

    def as_json(self) -> dict[str, Json]:
        return {"machine": self.machine, "values": {**self.values}, "reason": self.reason}


def is_refusal(error: RoofError) -> bool:
    """Whether these values alone are refused: another error would be one of all values."""
    return all(each.code in REFUSALS for each in error.diagnostics)


def left_out_at(
    machine: MachineDefinition,
    point: Arguments,
    swept: Sequence[str],
    error: RoofError,
) -> LeftOut:
    """Return a combination of the values of `swept` parameters as one that is left out."""
    changed = {f"{machine.name}.{item.key}": item.written for item in machine.changes if item.swept}
    values = {name: span.text for name in swept if (span := point[name][1]) is not None}
    return LeftOut(machine.name, {**changed, **values}, error)


def left_out_notes(left: Sequence[LeftOut], of: int, what: str = "left out") -> list[str]:
    """Return how many combinations are left out, the first of them, and why; none if none are."""
    if not left:
        return []
    alike: dict[str, list[LeftOut]] = {}
    for each in left:
        alike.setdefault(_NUMBER.sub("", each.reason), []).append(each)
    reasons = [_named(several) for several in alike.values()]
    head = f"{len(left)} of {of} combinations {what}"
    if len(reasons) == 1:
        return [f"{head}: {reasons[0]}"]
    more = f", for {len(reasons)} reasons" if len(reasons) > _FEW else ""
    return [f"{head}{more}", *reasons[:_FEW]]


def _named(left: Sequence[LeftOut]) -> str:
    places = [*dict.fromkeys(each.place for each in left)]
    more = f" and {len(places) - _FEW} more" if places[_FEW:] else ""
    return f"{'; '.join(places[:_FEW])}{more}: {left[0].reason}"


def check_left_out(left: Sequence[LeftOut], of: int, *, skip: bool, how: str = SKIP) -> None:
    """Raise the first refusal, and how many there are, unless they are to be left out.

    Where all are refused there is nothing else to answer.
    """
    if not left or (skip and len(left) < of):
        return
    first = left[0].error
    if of == 1:
        raise first
    hint = [] if len(left) == of else [how]
    verb = "has" if len(left) == 1 else "have"
    told = [*left_out_notes(left, of, f"{verb} no answer"), *hint]
    problem, *others = first.diagnostics
    raise RoofError([replace(problem, notes=(*problem.notes, *told)), *others])


Refused = Callable[[Arguments, RoofError], None]
"""What takes a combination that is refused, and why."""
