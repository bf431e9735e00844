"""Counts what has been tried, and says so at the end."""

from __future__ import annotations

import pytest

from tests.fuzz.judge import INPUTS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if INPUTS:
        ends = ", ".join(f"{count:,} {end}" for end, count in sorted(INPUTS.items()))
        terminalreporter.write_line(f"fuzz: {INPUTS.total():,} inputs: {ends}")
