"""A call that is wrong ends with 2, and says what is wrong with it; `click` finds the words."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.messages.case import run_command


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("eval summa --machine karst -p", "-p"),
        ("eval summa --machine", "--machine"),
        ("eval summa --machine karst --fromat json", "--format"),
        ("eval summa --machine karst --format toml", "toml"),
        ("eval summa extra --machine karst", "extra"),
        ("eval --machine karst", "MODEL"),
        ("check", "FILE"),
        ("show", "NAME"),
        ("explain", "CODE"),
        ("--bogus", "--bogus"),
        ("evall summa", "did you mean 'eval'?"),
        ("plot", "KIND"),
        ("plot nothing summa --machine karst -o a.svg", "nothing"),
        ("plot pair summa --machine karst --width wide -o a.svg", "wide"),
    ],
)
def test_a_wrong_call_ends_with_2(command: str, word: str) -> None:
    ending, message = run_command(shlex.split(command))
    assert ending == "exit 2"
    assert word in message
    assert message.startswith("error[R1401]: ")
    assert re.search(
        r"^  = hint: `roofdsl( \w+)? --help` says what it takes$", message, re.MULTILINE
    )


@pytest.mark.parametrize("command", ["--help", "eval --help", "check -h", "--version"])
def test_asking_for_help_is_right(command: str) -> None:
    assert run_command(shlex.split(command)) == ("exit 0", "")


def test_a_call_of_nothing_shows_the_help() -> None:
    ending, message = run_command([])
    assert ending == "exit 2"
    assert message.startswith("Usage: roofdsl ")
    assert "\n  eval " in message  # in lines of its own
