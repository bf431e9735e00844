"""What is said of parts that run so many times: repeats, iterations, waits, jobs, choices."""

from __future__ import annotations

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


def count_of(word: str) -> str:
    """Return what messages call the number of runs.

    >>> count_of("repeat"), count_of("job")
    ('the count of a repeat', 'the weight of a job')
    """
    return NAMED[word] if word == "job" else f"the count of {NAMED[word]}"


def is_whole(word: str) -> bool:
    """Whether what runs under this word runs a whole number of times."""
    return word in ("repeat", "iterate")
