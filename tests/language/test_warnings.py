"""What is legal and yet suspicious is said once, wherever the file is used."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.model.library import check_module
from tests.language.programs import checked, codes, files

BYTES = (
    "model m { param N: integer\n param word = 8 B\n memory = 2*N\n flops = N*word * 1 flop/B }\n"
)


def told(*arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stderr


@pytest.mark.parametrize(
    ("statements", "names"),
    [
        ("param s\n let b = 64 B/s", ["s"]),
        ("let b = 64 B/s\n param s", ["s"]),
        ("let s = 3\n let b = 64 GB/s", ["s"]),
        ("param s\n let b = 3 s^2", ["s"]),
        ("param B\n let b = 3 flop/B^2", ["B"]),
        ("param message\n param s\n let b = 8 B/s/message", ["s", "message"]),
        ("let b = sum(64 B/s * s for s in 1..3)", ["s"]),
        ("function f(s) = 64 B/s * s", ["s"]),
        ("step one { let s = 3\n memory = 64 B/s * 1 s }", ["s"]),
    ],
)
def test_a_name_in_a_denominator_or_a_power_is_suspicious(
    statements: str, names: list[str]
) -> None:
    _, problems = checked(f"model m {{ {statements}\n }}")
    assert [problem.code for problem in problems] == ["R0311"] * len(names)
    assert [problem.severity for problem in problems] == ["warning"] * len(names)
    assert [problem.span.text for problem in problems if problem.span] == names


@pytest.mark.parametrize(
    "statements",
    [
        "param B\n let b = 64 B",
        "param s\n let b = 64 s",
        "param B\n let b = 64 B / B",
        "param B\n let b = 64 B/s",
        "param N\n let b = 64 B/s",
        "param s\n let b = 2*s^2",
        "param s: s",
        "param b: B/s = 64 GB / 1 s\n param s",
        "function f(s) = 2*s\n let b = 64 B/s",
        "function f(x) = 64 B/s * x\n param s",
    ],
)
def test_other_units_are_not(statements: str) -> None:
    assert codes(f"model m {{ {statements}\n flops = 1 }}") == []


def test_every_command_that_uses_a_file_warns_once(tmp_path: Path) -> None:
    path = str(
        files(
            tmp_path,
            {
                "main.roof": f"{BYTES}machine box {{ memory = 1 GB/s; flops = 1 GFLOP/s }}\n"
                'test "t" { expect 1 == 1 }\n'
            },
        )
    )
    commands = [
        ["eval", path, "--machine", path, "-p", "N=4"],
        ["eval", path, "--machine", path, "--machine", "karst", "-p", "N=4"],
        ["eval", path, "--machine", path],
        ["show", path],
        ["show", f"{path}:box"],
        ["check", path],
        ["test", path],
        ["solve", path, "--crossover", "--for", "N", "--machine", path],
    ]
    for command in commands:
        assert told(*command).count("warning[R0310]") == 1, command
        assert told(*command).count("warning[R0310]") == 1, command


def test_json_stays_json(tmp_path: Path) -> None:
    path = str(files(tmp_path, {"main.roof": BYTES}))
    command = ["eval", path, "--machine", "karst", "-p", "N=4", "--format", "json"]
    result = CliRunner().invoke(cli, command)
    assert result.stdout.startswith("{") and "R0310" not in result.stdout


def test_warnings_of_files_that_are_used_come_too(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./a.roof" as a\nuse "./b.roof" as b\nuse "./other.roof" as o\n'
            "model m { step one = o.m(N = 3) }\n",
            "a.roof": 'use "./other.roof" as o\n',
            "b.roof": 'use "./other.roof" as o\n',
            "other.roof": BYTES,
        },
    )
    _, problems = check_module(path)
    assert [problem.code for problem in problems] == ["R0310"]
    assert told("eval", str(path), "--machine", "karst").count("warning") == 1


def test_python_keeps_them_and_is_silent(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = str(files(tmp_path, {"main.roof": f"{BYTES}machine box {{ memory = 1 GB/s }}\n"}))
    reference = os.fspath(path)
    (warning,) = rd.load_model(reference).warnings
    assert (warning.code, warning.severity) == ("R0310", "warning")
    assert [str(told) for told in rd.load_machine(reference).warnings] == [str(warning)]
    assert rd.load_model("summa").warnings == ()
    written = rd.model_from_expressions(
        "m", parameters={"word": "= 8 B"}, memory="2*N", network="word*N"
    )
    assert [warning.code for warning in written.warnings] == ["R0310"]
    assert capfd.readouterr() == ("", "")
