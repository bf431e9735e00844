"""All forms of an answer say the same, for every bundled model.

By default one point of each model; `make fuzz` takes three machines each, and all precisions.
"""

from __future__ import annotations

import os

import pytest

from tests.agreement.points import files, points, sample
from tests.agreement.readers import differences

ALL = os.environ.get("ROOFDSL_AGREEMENT") == "all"
MOST_SHOWN = 20


@pytest.mark.parametrize("file", files())
def test_all_forms_say_the_same(file: str) -> None:
    found: list[str] = []
    for point in points(file) if ALL else sample(file, 0):
        found += differences(point)
    assert not found, f"{len(found)} differences:\n" + "\n".join(found[:MOST_SHOWN])
