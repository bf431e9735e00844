"""What is said of parts that run so many times: repeats, iterations, waits, jobs, choices."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, TypeAlias

LoopWord: TypeAlias = Literal["repeat", "iterate", "wait", "job", "recompute", "if", "else"]
NAMED: dict[str, str] = {
    "repeat": "a repeat",
    "iterate": "an `iterate`",
    "wait": "a wait",
    "job": "the weight of a job",
    "recompute": "a `recompute`",
    "if": "an `if`",
    "else": "an `else`",
}
CHOICES = ("if", "else")
"""What runs once or not at all, as a condition says."""
TAKES: dict[str, str] = {
    "repeat": "takes a whole number of times",
    "iterate": "takes a whole number of times",
    "wait": "takes any number of times from 0",
    "job": "is any number from 0",
}
"""What number is asked for."""
KEPT = "the number of rounds that are kept at once"
KEEPS = "keeps from 1 to all of its rounds"
"""What number of rounds may be kept at once."""


def count_of(word: str) -> str:
    """Return what messages call the number of runs.

    >>> count_of("repeat"), count_of("job")
    ('the count of a repeat', 'the weight of a job')
    """
    return NAMED[word] if word == "job" else f"the count of {NAMED[word]}"


def is_whole(word: str) -> bool:
    """Whether what runs under this word runs a whole number of times."""
    return word in ("repeat", "iterate")


def can_keep(rounds: Fraction, of: Fraction | None) -> bool:
    """Whether so many rounds can be kept at once, of so many or of a number that is not known.

    >>> can_keep(Fraction(5, 2), Fraction(3)), can_keep(Fraction(4), Fraction(3))
    (True, False)
    """
    return of == 0 or (rounds >= 1 and (of is None or rounds <= of))


def more_or_fewer(*, few: bool) -> str:
    """Return what to do about a number of rounds that cannot be kept at once."""
    if few:
        return "1 or more: the round that runs is one of them"
    return "no more than there are: `iterate n keeping min(n, p)`"
