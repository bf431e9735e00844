"""A path that exists comes first, whatever is in it: models, machines, `use`, `check`, `diff`."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

import pytest

from roofdsl.cli.main import main
from tests.messages.case import run_command

MODEL = """
model m {
    flops = 2 flop
    memory = 1 B
}
machine c {
    flops = 1 GFLOP/s
    memory = 1 GB/s
}
test "one is one" {
    expect 1 == 1
}
"""
NAMES = {
    "a colon": "a:b.roof",
    "of another system": "C:\\models\\x.roof",
    "a space": "a b.roof",
    "a newline": "a\nb.roof",
    "no text": os.fsdecode(b"\xff\xfe.roof"),
    "a terminal's code": "x\x1b[31m.roof",
    "from right to left": "\u202eabc.roof",
    "quoted": "'quoted' \".roof",
    "long": "é" * 100 + ".roof",
    "a dash": "-",
    "a tilde": "~",
    "a colon and no ending": "a:b",
    "a name behind a colon": "a:m",
    "a bundled file's": "summa.roof",
    "a bundled model's": "summa",
}
COMMANDS = {
    "eval": ["eval", "--machine", "{}", "--", "{}"],
    "eval of names": ["eval", "--machine", "{}:c", "--", "{}:m"],
    "json": ["eval", "--format", "json", "--machine", "{}", "--", "{}"],
    "show": ["show", "--", "{}:m"],
    "check": ["check", "--", "{}"],
    "test": ["test", "--", "{}"],
    "diff": ["diff", "--", "{}", "{}"],
    "table": ["table", "--machine", "{}", "-o", "{}.csv", "--", "{}"],
    "explore": ["explore", "--machine", "{}", "-o", "{}.html", "--", "{}"],
    "report": ["report", "--no-figures", "--machine", "{}", "-o", "{}.html", "--", "{}"],
    "LaTeX": ["report", "--no-figures", "--machine", "{}", "-o", "{}.tex", "--", "{}"],
    "plot": ["plot", "roofline", "--machine", "{}", "-o", "{}.svg", "--", "{}"],
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", NAMES)
def test_a_path_that_exists_comes_first(name: str, command: str) -> None:
    path = Path(NAMES[name])
    path.write_text(MODEL, encoding="utf-8")
    arguments = [part.replace("{}", NAMES[name]) for part in COMMANDS[command]]
    assert run_command(arguments) == ("exit 0", "")


@pytest.mark.parametrize("name", ["a:b.roof", "C:\\models\\x.roof", "./a:b.roof", "C:/x.roof"])
@pytest.mark.parametrize("command", ["eval", "check", "test", "diff", "show"])
def test_a_path_that_does_not_exist_is_named_whole(name: str, command: str) -> None:
    ending, message = run_command([part.format(name, name) for part in COMMANDS[command]])
    assert ending == "exit 1"
    assert message.startswith(f"error[R0001]: there is no file '{name}'")


@pytest.mark.parametrize("name", ["x" * 5000, "x/" * 3000 + "m.roof", "a" * 300 + ".roof", ""])
@pytest.mark.parametrize("command", ["eval", "check", "test", "diff", "show"])
def test_a_path_that_cannot_be_is_said(name: str, command: str) -> None:
    ending, message = run_command([part.format(name, name) for part in COMMANDS[command]])
    assert ending == "exit 1"
    assert message.startswith("error[R0")


@pytest.mark.parametrize("name", ["a:b.roof", "a b.roof", "C:x.roof"])
def test_a_file_that_is_used_may_have_a_colon_in_its_name(name: str) -> None:
    Path(name).write_text("function f(x) = 2*x\n", encoding="utf-8")
    text = f'use "./{name}" as other\nmodel m {{ flops = other.f(1) }}\n'
    Path("case.roof").write_text(text, encoding="utf-8")
    assert run_command(["check", "case.roof"]) == ("exit 0", "")


@pytest.mark.parametrize("command", ["eval", "show", "diff"])
def test_a_folder_beside_a_bundled_name_is_not_meant(command: str, here: Path) -> None:
    (here / "karst").mkdir()
    (here / "summa").mkdir()
    arguments = {
        "eval": ["eval", "summa", "--machine", "karst", "-p", "N=64", "-p", "P=4"],
        "show": ["show", "karst"],
        "diff": ["diff", "karst", "jetstream"],
    }
    assert run_command(arguments[command]) == ("exit 0", "")


FORGED = "x.roof\nerror[R9999]: all is fine\t.roof"
WAYS = [
    ["check", FORGED],
    ["check", FORGED.replace("fine", "fin")],
    ["check", "there"],
    ["eval", FORGED],
    ["eval", f"{FORGED}:m"],
    ["eval", "summa", "--machine", FORGED],
    ["eval", "summa", FORGED],
    [FORGED],
    ["test", FORGED],
    ["test", "-v", FORGED],
    ["report", "dgemv", "--machine", "karst", "--no-figures", "-o", f"{FORGED}.md"],
    ["plot", "pair", "summa", "--machine", "karst", "-p", "N=4", "-p", "P=4", "-o", FORGED],
]


@pytest.mark.parametrize("text", [None, "q", "model m { flops = q }", MODEL])
@pytest.mark.parametrize("arguments", WAYS, ids=map(str, range(len(WAYS))))
def test_a_name_makes_no_lines_of_a_message(
    arguments: list[str], text: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is not None:
        Path(FORGED).write_text(text, encoding="utf-8")
        Path("there").write_text(f"use {FORGED!r}\n", encoding="utf-8")
    with suppress(SystemExit):
        main(arguments)
    message = "".join(capsys.readouterr())
    assert message
    assert not re.search(r"^\s*error\[R9999", message, re.MULTILINE)
    assert "\t" not in message
