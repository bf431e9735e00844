"""Certificates of random models are accepted; changed ones are refused, or say something else."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from roofdsl.verify.check import check
from tests.counts import inputs
from tests.verify.evaluated import order_at
from tests.verify.random_certificates import (
    CHANGES,
    Found,
    changed,
    outcome,
    random_certificates,
    read,
    said,
)

COUNT = inputs(30, 500)


@cache
def certificates() -> list[Found]:
    with TemporaryDirectory(prefix="roofdsl-verify-") as folder:
        return [*random_certificates("verify", COUNT, Path(folder))]


def test_certificates_of_random_models_are_accepted() -> None:
    none = [(found.none, found.case.text()) for found in certificates() if found.none]
    assert len(none) <= COUNT / 50, none[:3]
    failed = [check(read(found.text)) for found in certificates() if found.text]
    assert [each for each in failed if each] == []


def test_what_is_accepted_holds_by_plain_arithmetic() -> None:
    """At places of each regime the formulas are computed by themselves, as the file has them."""
    random = Random("places")
    for found in certificates():
        if not found.text:
            continue
        certificate = read(found.text)
        for regime in certificate.regimes:
            first, last = regime.first, regime.last
            places = {
                first,
                last,
                *(first + (last - first) * Fraction(random.random()) for _ in range(3)),
            }
            if certificate.whole:
                places = {Fraction(round(place)) for place in places}
            for place in places:
                order = order_at(certificate, place)
                if not order:
                    assert "/" in {node.kind for node in certificate.nodes}
                elif regime.kind in ("largest", "tie"):
                    assert set(order[0]) == set(regime.labels), (found.case.text(), place)
                elif regime.kind == "at least":
                    assert regime.labels[0] in order[0], (found.case.text(), place)
                elif regime.kind == "one of":
                    assert {*order[0]} & {*regime.labels}, (found.case.text(), place)


def test_changed_certificates_are_refused_or_say_something_else() -> None:
    random = Random("changed")
    texts = [found.text for found in certificates() if found.text]
    found: Counter[str] = Counter()
    for number in range(COUNT):
        text = texts[number % len(texts)]
        change = CHANGES[number % len(CHANGES)]
        if change.__name__ == "_swapped" and len(json.loads(text)["nodes"]) < 2:
            continue
        result = outcome(changed(text, random, change), said(read(text)))
        found[result] += 1
    # Most of what the rest says, and prints, is of other boxes than those that were found, and its
    # digest is another: what proves the same is no deceit. None says what it said.
    assert found["as it was"] == 0, found
    assert found["refused"] >= 0.7 * COUNT, found
    assert found["another proof"] <= 0.06 * COUNT, found
