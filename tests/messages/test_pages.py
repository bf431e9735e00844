"""Each page of docs/messages shows what causes its message, and a way out that works.

```roof error=R0301     a file that causes it, when checked or when its tests are run
```roof                 the same, mended: not a word is said
```roof file=other.roof a file that the others need
```sh, ```python        commands, and lines after `import roofdsl as rd`, in the same two ways
"""

from __future__ import annotations

import re
import shlex
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import pytest

from roofdsl import resources
from roofdsl.codes import CODES
from tests.messages.case import run_command, run_python

PAGES = sorted(resources.folder("messages").glob("*.md"))
_BLOCK = re.compile(r"^```(\w+)(?: (\w+)=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    option: str
    value: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(page.read_text(encoding="utf-8"))]


def told(block: Block) -> list[tuple[str, str]]:
    """Run a block in the current folder; return how each part of it ended, and what was said."""
    if block.language == "python":
        return [run_python(block.text)]
    if block.language == "sh":
        return [run_command(shlex.split(line)[1:]) for line in block.text.splitlines()]
    Path("case.roof").write_text(block.text, encoding="utf-8")
    commands = ["check", "test"] if re.search(r"^test\b", block.text, re.MULTILINE) else ["check"]
    return [run_command([command, "case.roof"]) for command in commands]


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_shows_its_message_and_the_way_out(page: Path, tmp_path: Path) -> None:
    with chdir(tmp_path):
        found = blocks(page)
        for block in found:
            if block.option == "file":
                Path(block.value).write_text(block.text, encoding="utf-8")
        causing = [block for block in found if block.option == "error"]
        mended = [block for block in found if not block.option]
        assert causing, "no block causes the message"
        assert mended, "no block is mended"
        for block in causing:
            assert block.value == page.stem
            assert f"[{page.stem}]" in "".join(message for _, message in told(block))
        for block in mended:
            for ending, message in told(block):
                assert (ending, message) in (("exit 0", ""), ("no error", ""))


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_begins_with_its_code_and_title(page: Path) -> None:
    first = page.read_text(encoding="utf-8").partition("\n")[0]
    assert first == f"# {page.stem}: {CODES[page.stem]}"
