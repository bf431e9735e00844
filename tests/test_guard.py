"""What takes too long or too much although it is not counted ends with a message."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
from roofdsl.cli import guard, list_command
from roofdsl.cli.main import main

def endless(**_):
    while True:
        pass

def huge(**_):
    return bytearray(10**15)

list_command.command.callback = {what}
guard.SECONDS = 0.2
main(["list"])
"""


@pytest.mark.parametrize(
    ("what", "why"), [("endless", "seconds of work"), ("huge", "more memory than half")]
)
def test_guard(what: str, why: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(what=what)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error[R0412]: the command was stopped ")
    assert why in ended.stderr
