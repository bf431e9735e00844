"""Random input of every kind ends in an answer or in diagnostics.

A run of the default profile tries 900 inputs, the nine runs of `make fuzz` more than 100,000; each
says at the end how many there were, and what became of them.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofdsl.cli import options, sweep_values
from roofdsl.cli.main import main
from tests.fuzz.command_lines import command_lines
from tests.fuzz.judge import FOREIGN, INPUTS, judge, soon
from tests.fuzz.mutations import mutated, soups, texts
from tests.fuzz.programs import COMPANIONS, programs

Test = Callable[..., None]


def inputs(count: int) -> Callable[[Test], Test]:
    """Try that many inputs in the default profile, and more in proportion in a longer one."""
    return settings(
        max_examples=count * settings().max_examples // 100,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with files to `use`, and things that are no files, to work in."""
    path = tmp_path_factory.mktemp("fuzz")
    for name, text in COMPANIONS.items():
        (path / name).write_text(text, encoding="utf-8")
    (path / "folder.roof").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(path / "fifo.roof")
        (path / "loop.roof").symlink_to("loop.roof")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        yield path


def judged(data: str | bytes, folder: Path, *, formulas: bool = False) -> None:
    path = folder / "fuzzed.roof"
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    judge(path, formulas=formulas)


@inputs(350)
@given(text=programs())
def test_programs(text: str, folder: Path) -> None:
    judged(text, folder)


@inputs(100)
@given(text=programs())
def test_formulas_of_programs(text: str, folder: Path) -> None:
    judged(text, folder, formulas=True)


@inputs(500)
@given(text=programs(slips=True))
def test_programs_with_slips(text: str, folder: Path) -> None:
    judged(text, folder)


@inputs(500)
@given(data=mutated())
def test_bundled_files_with_bytes_changed(data: bytes, folder: Path) -> None:
    judged(data, folder)


@inputs(400)
@given(text=st.one_of(soups(), soups(), texts()))
def test_tokens_in_no_order(text: str, folder: Path) -> None:
    judged(text, folder)


@inputs(400)
@given(line=command_lines())
def test_command_lines(line: list[str]) -> None:
    output, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        for module in (options, sweep_values):
            patch.setattr(module, "MOST_POINTS", 40)
        with soon():
            try:
                main(line)
                code: object = 0
            except SystemExit as end:
                code = end.code or 0
    assert code in (0, 1, 2)
    said = errors.getvalue()
    assert bool(said) or code == 0
    foreign = FOREIGN.search(said)
    assert foreign is None or any(foreign[0] in part for part in line), said
    INPUTS[("evaluated", "refused with diagnostics", "refused as a wrong call")[code]] += 1
