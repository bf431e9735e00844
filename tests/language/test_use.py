"""Files that use files: each is built once, not too deep, and in no circle."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.model import library
from roofdsl.model.build import build
from roofdsl.model.library import DEEPEST_USE, check_module
from tests.language.programs import file_codes, files


def chain(length: int, times: int = 1) -> dict[str, str]:
    """Return files each of which uses the next one, `times` times."""
    texts = {
        f"f{n}.roof": "".join(f'use "./f{n + 1}.roof" as u{copy}\n' for copy in range(times))
        + f"model m{n} {{ step one = u0.m{n + 1}() }}\n"
        for n in range(length)
    }
    return {**texts, f"f{length}.roof": f"model m{length} {{ flops = 1 }}\n"}


def test_a_long_chain_is_refused_and_not_followed(tmp_path: Path) -> None:
    _, problems = check_module(files(tmp_path, chain(400)))
    assert {problem.code for problem in problems} <= {"R0005", "R0209"}
    (deep,) = [problem for problem in problems if problem.code == "R0209"]
    assert "deep" in deep.message


def test_a_chain_of_some_files_is_fine(tmp_path: Path) -> None:
    assert file_codes(files(tmp_path, chain(DEEPEST_USE))) == []


def test_each_file_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []

    def counted(source, *more, **options):
        built.append(source.name)
        return build(source, *more, **options)

    monkeypatch.setattr(library, "build", counted)
    assert file_codes(files(tmp_path, chain(DEEPEST_USE, times=3))) == []
    assert len(built) == DEEPEST_USE + 1


def test_a_wrong_file_used_twice_is_reported_once(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./bad.roof" as one\nuse "./bad.roof" as two\n'
            "model m { step s = one.b() }\n",
            "bad.roof": "model b { flops = nothing }\n",
        },
    )
    assert sorted(file_codes(path)) == ["R0005", "R0005", "R0201"]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_circle_is_refused(tmp_path: Path, length: int) -> None:
    texts = {
        f"f{n}.roof": f'use "./f{(n + 1) % length}.roof" as other\nmodel m {{ flops = 1 }}\n'
        for n in range(length)
    }
    assert "R0209" in file_codes(files(tmp_path, texts))
