"""Texts of figures broken into lines: the same letters, within the width, without needless work."""

from __future__ import annotations

from itertools import pairwise

import pytest

from roofdsl.figures import lettering
from roofdsl.figures.lettering import MOST_LINES, extent, wrapped

WIDTH = 90.0


def test_a_name_in_several_lines_is_the_name() -> None:
    name = "a_cluster_of_many_nodes_of_the_newest_kind"
    lines = wrapped(name, WIDTH)
    assert "".join(lines) == name
    assert len(lines) > 1
    assert max(extent(line)[0] for line in lines) <= WIDTH
    for short, following in pairwise(lines):
        assert extent(short + following)[0] > WIDTH


def test_of_a_very_long_name_little_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    letters: list[int] = []

    def counted(text: str, *_: object, **__: object) -> tuple[float, float]:
        letters.append(len(text))
        return 5.0 * len(text), 10.0

    monkeypatch.setattr(lettering, "extent", counted)
    lines = wrapped("m" * 10**6, WIDTH)
    assert len(lines) == MOST_LINES + 1
    assert {len(line) for line in lines[:3]} == {int(WIDTH / 5)}
    assert max(letters) < 40
    assert len(letters) < 3000
