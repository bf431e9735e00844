"""Every command's help shows what a person would type, a line each."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import COMMANDS, cli


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_stand_on_lines_of_their_own(command: str) -> None:
    run = CliRunner().invoke(cli, [command, "--help"])
    assert run.exit_code == 0
    assert "\\b" not in run.output
    lines = run.output.splitlines()
    assert any(line.startswith(f"    roofdsl {command} ") for line in lines), run.output
