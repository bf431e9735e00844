"""What the matrix installs as lowest is what pyproject.toml declares."""

from __future__ import annotations

import tomllib

import pytest
from packaging.requirements import Requirement

from tests.matrix import EXTRAS, LONG, PYTHONS, RIGHTS, ROOT, found, lowest

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = [
    wanted
    for line in (
        *PROJECT["dependencies"],
        *(line for name in EXTRAS for line in PROJECT["optional-dependencies"][name]),
    )
    if (wanted := Requirement(line)).specifier  # else it is another of our extras
]


def test_the_first_python_is_the_lowest_allowed() -> None:
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lowest_is_allowed_and_declared_as_a_bound(python: str) -> None:
    asked = lowest(python)
    assert set(asked) == {wanted.name for wanted in DECLARED}
    for wanted in DECLARED:
        if wanted.marker is None or wanted.marker.evaluate({"python_version": python}):
            assert wanted.specifier.contains(asked[wanted.name]), wanted
    bounds = {(wanted.name, part.version) for wanted in DECLARED for part in wanted.specifier}
    assert set(asked.items()) <= bounds


def test_every_library_is_bounded_on_both_sides_under_every_python() -> None:
    always = {w.name: w for w in DECLARED if "python_version" not in str(w.marker)}
    assert set(always) == {wanted.name for wanted in DECLARED}
    for wanted in always.values():
        assert sorted(part.operator for part in wanted.specifier) == ["<", ">="], wanted


def test_the_parts_that_are_run_are_there() -> None:
    for part in (*LONG, *RIGHTS):
        path, _, test = part.partition("::")
        assert (ROOT / path).exists(), part
        assert not test or f"def {test}(" in (ROOT / path).read_text(encoding="utf-8"), part


def test_a_python_that_is_nowhere_is_not_found() -> None:
    assert found("3.99") is None
