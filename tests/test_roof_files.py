"""Which files `roofdsl test` and `roofdsl check` look at, and that nothing tested is no success."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from roofdsl.cli.main import cli

PASSES = 'test "{}" {{ expect 1 == 1 }}\n'
FAILS = 'test "{}" {{ expect 1 == 2 }}\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path) -> Iterator[Path]:
    with chdir(tmp_path):
        yield tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text.format(path), encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def test_the_folder_one_stands_in_is_tested() -> None:
    write("b.roof", PASSES)
    write("a/deep/down/c.roof", FAILS)
    result = run("test")
    assert result.exit_code == 1
    assert result.stdout == (
        "FAIL a/deep/down/c.roof: a/deep/down/c.roof\n1 passed, 1 failed (2 expectations)\n"
    )


def test_files_are_in_order_and_each_once() -> None:
    for name in ("b.roof", "a/z.roof", "a/a.roof", "c/x.roof"):
        write(name, PASSES)
    lines = run("test", "-v", "c", "a/z.roof", ".").stdout.splitlines()
    tested = [line.rpartition(" ")[2] for line in lines[:-1]]
    assert tested == ["c/x.roof", "a/z.roof", "a/a.roof", "b.roof"]
    assert lines[-1] == "4 passed, 0 failed (4 expectations)"


def test_what_is_hidden_built_or_an_environment_is_left_out() -> None:
    write("mine.roof", PASSES)
    for name in (".venv", ".git", "build", "dist", "node_modules", "env", "a/build"):
        write(f"{name}/other.roof", FAILS)
    write("env/pyvenv.cfg", "")
    write(".hidden.roof", FAILS)
    write("mine.roof.txt", FAILS)
    result = run("test")
    assert (result.exit_code, result.stdout) == (0, "1 passed, 0 failed (1 expectations)\n")
    assert run("test", "env").exit_code == 1  # asked for by name


def test_links_are_not_followed_in_a_circle() -> None:
    write("a/mine.roof", PASSES)
    Path("a/up").symlink_to("..")
    assert run("test").stdout == "1 passed, 0 failed (1 expectations)\n"


def test_the_library_is_tested_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    write("mine.roof", FAILS)
    write("bundled.roof", PASSES)
    files = [(Path("bundled.roof").resolve(), "stdlib/bundled.roof")]
    monkeypatch.setattr("roofdsl.cli.test_command.library_files", lambda: files)
    assert run("test", "--library").stdout == "1 passed, 0 failed (1 expectations)\n"
    assert run("test", "--library", "mine.roof").stdout.endswith(
        "1 passed, 1 failed (2 expectations)\n"
    )


@pytest.mark.parametrize(
    ("files", "arguments", "code"),
    [
        ({}, ["test"], "R0007"),
        ({"a/x.txt": ""}, ["test", "a"], "R0007"),
        ({"a/x.txt": "", "mine.roof": PASSES}, ["test", "mine.roof", "a"], "R0007"),
        ({"mine.roof": "model m {{ flops = 1 }}"}, ["test"], "R0608"),
        ({"mine.roof": "model m {{ flops = 1 }}"}, ["test", "mine.roof"], "R0608"),
        ({}, ["check", "."], "R0007"),
        ({}, ["test", "nowhere"], "R0001"),
    ],
)
def test_nothing_to_test_is_no_success(
    files: dict[str, str], arguments: list[str], code: str
) -> None:
    for name, text in files.items():
        write(name, text)
    result = run(*arguments)
    assert result.exit_code == 1
    assert f"[{code}]" in result.stderr


def test_a_named_file_without_tests_is_said() -> None:
    write("tested.roof", PASSES)
    write("copy.roof", "model copy {{ memory = 16 B }}")
    assert "copy.roof: no tests" not in run("test").stdout
    assert "copy.roof: no tests" in run("test", "tested.roof", "copy.roof").stdout


def test_a_folder_that_cannot_be_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    write("mine.roof", PASSES)
    write("closed/mine.roof", FAILS)
    listed = os.scandir

    def refuse(path: Any) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    result = run("test")
    assert result.exit_code == 1
    assert "the folder './closed' cannot be read: permission denied" in result.stderr


def test_folders_are_checked() -> None:
    write("models/right.roof", "model m {{ flops = 1 }}")
    write("models/deep/wrong.roof", "model m {{ flops = 1 B }}")
    result = run("check", "models")
    assert result.exit_code == 1
    assert "models/right.roof: no problems" in result.stdout
    assert "models/deep/wrong.roof" in result.stderr
