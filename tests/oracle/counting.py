"""What comes of many questions, counted by family and question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from tests.oracle.asking import files_read_once
from tests.oracle.families import case
from tests.oracle.questions import Verdict, asked_of

LONG = 2.0
"""Seconds of the processor that no question should take."""


@dataclass
class Counts:
    """Verdicts of one family, and those that are wrong with the number of their model."""

    HEAD: ClassVar[str] = (
        "family           question         asked  wrong  undecided (small)  long   most [s]"
    )
    every: list[Verdict] = field(default_factory=list)
    wrong: list[tuple[int, Verdict]] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        for question in dict.fromkeys(each.question for each in self.every):
            own = [each for each in self.every if each.question == question]
            undecided = [each for each in own if each.undecided]
            long = sum(each.seconds > LONG for each in own)
            most = max(each.seconds for each in own)
            small = f"({sum(each.small for each in undecided)})"
            wrong = sum(bool(each.wrong) for each in own)
            row = f"{len(own):9} {wrong:6} {len(undecided):10} {small:<7} {long:4} {most:10.2f}"
            yield question, row


def counted(family: str, seed: str, numbers: Iterable[int], folder: Path) -> Counts:
    """Ask about models of a family, and return what comes of it."""
    found = Counts()
    for number in numbers:
        with files_read_once():
            verdicts = [*asked_of(case(family, seed, number), number, folder)]
        found.every += verdicts
        found.wrong += [(number, verdict) for verdict in verdicts if verdict.wrong]
    return found
