"""Every example in README.md and docs/ is run, and every link leads somewhere.

A fenced block says what it is in its info string:

    ```roof                 a file: it checks without a word, and its tests pass
    ```roof in=model        statements of a model, a machine or a test
    ```roof error=R0301     exactly this code comes of it, or these: R0301,R0302
    ```roof file=copy.roof  kept under that name for the `use` and the commands further down
    ```console              `$ roofdsl …` is run and prints exactly this; `\\` goes on the next line
    ```console exit=1       the command leaves with 1
    ```python               a doctest, which pytest runs by itself
    ```sh, text, json       shown only

`ROOFDSL_UPDATE_DOCS=1 pytest tests/docs` writes what the commands print into the documents.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from roofdsl.analysis.testing import run_tests
from roofdsl.cli.main import main
from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import check_module

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
UPDATE = os.environ.get("ROOFDSL_UPDATE_DOCS") == "1"
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
SETTINGS = {
    "roof": {"in", "error", "file"},
    "console": {"exit"},
    "python": set[str](),
    "sh": set[str](),
    "text": {"file"},
    "json": set[str](),
}
WRAPPED = {"model": "model example", "machine": "machine example", "test": 'test "example"'}


class Block(NamedTuple):
    """A fenced block; `number` counts those of its document from 0."""

    document: Path
    number: int
    language: str
    settings: dict[str, str]
    text: str
    start: int
    line: int

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT).as_posix()}:{self.line}"


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text(encoding="utf-8")
    found = []
    for number, match in enumerate(FENCE.finditer(text)):
        language, *words = match["info"].split() or [""]
        settings = dict(word.partition("=")[::2] for word in words)
        start = match.start("text")
        line = text.count("\n", 0, start)
        found.append(Block(document, number, language, settings, match["text"], start, line))
    return found


BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]


def folder_for(block: Block, folder: Path) -> Path:
    """Fill a folder with the files of the blocks above, and the data folders of the checkout."""
    for name in ("examples", "machines", "stdlib"):
        (folder / name).symlink_to(ROOT / name)
    for earlier in BLOCKS:
        if earlier.document == block.document and earlier.number < block.number:
            kept_as = earlier.settings.get("file")
            if kept_as:
                (folder / kept_as).write_text(earlier.text, encoding="utf-8")
    return folder


# Roof


def problems_of(block: Block, folder: Path) -> list[Diagnostic]:
    text = block.text
    if "in" in block.settings:
        text = f"{WRAPPED[block.settings['in']]} {{\n{text}}}\n"
    path = folder / block.settings.get("file", "example.roof")
    path.write_text(text, encoding="utf-8")
    module, diagnostics = check_module(path, str(block))
    problems = list(diagnostics)
    if module is not None and not any(problem.severity == "error" for problem in problems):
        problems += [found for outcome in run_tests(module) for found in outcome.problems]
    return problems


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == "roof"], ids=str)
def test_a_roof_example_gives_what_it_says(block: Block, tmp_path: Path) -> None:
    problems = problems_of(block, folder_for(block, tmp_path))
    expected = block.settings.get("error", "").split(",") if "error" in block.settings else []
    shown = "\n\n".join(str(problem) for problem in problems)
    assert sorted(problem.code for problem in problems) == sorted(expected), shown


# Console


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return each command of a block, continued lines joined, and what is printed below it."""
    found: list[tuple[str, str]] = []
    going_on = False
    for line in block.text.splitlines(keepends=True):
        if going_on:
            command, output = found[-1]
            found[-1] = command.rstrip("\\\n") + line.removeprefix(">"), output
        elif line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            assert found, f"{block} prints before it runs a command"
            found[-1] = found[-1][0], found[-1][1] + line
        going_on = (going_on or line.startswith("$ ")) and line.endswith("\\\n")
    return found


def run(command: str, folder: Path, status: int) -> str:
    program, *arguments = shlex.split(command)
    assert program == "roofdsl", "only `roofdsl` is run here; other commands belong in ```sh"
    said = io.StringIO()  # what goes to stdout and to stderr keeps its order
    surroundings = {"NO_COLOR": "1", "COLUMNS": "100"}
    code: object = 0
    with (
        chdir(folder),
        patch.dict(os.environ, surroundings),
        redirect_stdout(said),
        redirect_stderr(said),
    ):
        try:
            main(arguments)
        except SystemExit as leaving:
            code = leaving.code or 0
    assert code == status, f"{command}left with {code}:\n{said.getvalue()}"
    lines = [line.rstrip() for line in said.getvalue().strip("\n").split("\n")]
    return "\n".join(lines) + "\n" if any(lines) else ""


def with_outputs(block: Block, folder: Path) -> str:
    """Return the text of a block with what its commands really print."""
    status = int(block.settings.get("exit", "0"))
    parts: list[str] = []
    commands = commands_of(block)
    assert commands, f"{block} runs no command"
    for index, (command, printed) in enumerate(commands):
        parts.append(f"$ {written(block, index)}")
        parts.append(run(command, folder, status))
        # An empty line before the next command is for the eye.
        if printed.endswith("\n\n") or printed == "\n":
            parts.append("\n")
    return "".join(parts)


def written(block: Block, index: int) -> str:
    """Return a command as it stands in the document, over several lines where it does."""
    commands = re.findall(r"^\$ ((?:[^\n]*\\\n)*[^\n]*\n)", block.text, re.MULTILINE)
    command = commands[index]
    assert isinstance(command, str)
    return command


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.language == "console"], ids=str
)
def test_a_command_prints_what_is_shown(block: Block, tmp_path: Path) -> None:
    text = with_outputs(block, folder_for(block, tmp_path))
    if UPDATE:
        replace(block, text)
    else:
        assert text == block.text


def replace(block: Block, text: str) -> None:
    # Blocks before it may have changed their length, so it is found again by its number.
    there = blocks_of(block.document)[block.number]
    document = block.document.read_text(encoding="utf-8")
    before, after = document[: there.start], document[there.start + len(there.text) :]
    block.document.write_text(before + text + after, encoding="utf-8")


# The documents themselves


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_says_what_it_is(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    blocks = blocks_of(document)
    assert len(re.findall(r"^```", text, re.MULTILINE)) == 2 * len(blocks)
    for block in blocks:
        assert block.language in SETTINGS, f"{block}: what is '{block.language}'?"
        assert block.settings.keys() <= SETTINGS[block.language], f"{block}: {block.settings}"
        if block.language == "python":
            assert ">>>" in block.text, f"{block}: not a doctest, so it is not run"


def anchors(text: str) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (document.parent / file).resolve() if file else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


# The runner notices what is wrong


def example(tmp_path: Path, info: str, text: str) -> Block:
    document = tmp_path / "example.md"
    document.write_text(f"```{info}\n{text}```\n", encoding="utf-8")
    (block,) = blocks_of(document)
    return block


@pytest.mark.parametrize(
    ("info", "text", "codes"),
    [
        ("roof", "model copy { memory = 16 B }\n", []),
        ("roof", "model copy { memory = 16 s }\n", ["R0302"]),
        ("roof in=model", "let x = 3 B + y\n", ["R0201"]),
        ("roof in=test", "expect 1 == 2\n", ["R0601"]),
    ],
)
def test_codes_of_an_example(tmp_path: Path, info: str, text: str, codes: list[str]) -> None:
    block = example(tmp_path, info, text)._replace(document=ROOT / "example.md")
    assert [problem.code for problem in problems_of(block, tmp_path)] == codes


def test_a_wrong_output_is_noticed_and_put_right(tmp_path: Path) -> None:
    block = example(tmp_path, "console", "$ roofdsl \\\n>   --version\nroofdsl 99\n")
    text = with_outputs(block, tmp_path)
    assert text.startswith("$ roofdsl \\\n>   --version\nroofdsl, version ")
    assert text != block.text
    replace(block, text)
    assert blocks_of(block.document)[0].text == text


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    block = example(tmp_path, "console", "$ roofdsl check nothing.roof\n")
    with pytest.raises(AssertionError, match="left with 1"):
        with_outputs(block, tmp_path)


def test_what_the_explorer_needs_is_said_where_one_installs() -> None:
    _, _, install = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Install")
    assert "pip install 'roofdsl[explore]'" in install.partition("\n## ")[0]
