"""Random files and calls of every command end in an answer or in diagnostics, soon.

`make fuzz` tries 100,000, by `python -m tests.fuzz.commands`, which also shows one alone.
"""

from __future__ import annotations

import os
import sys

import pytest

from tests.fuzz.commands.pairs import SORTS, pair, shares
from tests.fuzz.commands.verdicts import Verdict, judged

PAIRS = 300
FAILS_YET: dict[str, str] = {}
"""Commands of which a failure is known: nothing may be left here."""

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork") or not sys.platform.startswith("linux"), reason="forks, as Linux does"
)


@pytest.mark.parametrize(
    "sort",
    [
        pytest.param(
            sort, marks=pytest.mark.xfail(reason=FAILS_YET[sort]) if sort in FAILS_YET else ()
        )
        for sort in SORTS
    ],
)
def test_any_pair_ends_well(sort: str) -> None:
    wrong: list[tuple[int, Verdict]] = []
    for number in range(max(3, shares(PAIRS)[sort])):
        verdict = judged(pair(sort, "test", number))
        if verdict.wrong:
            wrong.append((number, verdict))
    assert not wrong, "\n\n".join(
        f"python -m tests.fuzz.commands --seed test --command {sort} --number {number}\n"
        f"{verdict.wrong}\n{verdict.outcome.errors[-2000:]}"
        for number, verdict in wrong[:3]
    )
