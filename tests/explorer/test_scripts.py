"""The page's scripts: strict, parsed one by one, each name declared once, everything used."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from roofdsl.explorer.page import SCRIPTS, script
from tests.explorer.conftest import Write

NODE = shutil.which("node")
FOLDER = Path(__file__).resolve().parents[2] / "roofdsl" / "explorer" / "page"
DECLARED = re.compile(r"^(?:async )?(?:function|const|let) (\w+)", re.MULTILINE)
LONGEST = 45  # lines of a function
SOURCES = {name: (FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS}


def test_the_page_has_all_the_scripts_there_are() -> None:
    assert sorted(SCRIPTS) == sorted(path.stem for path in FOLDER.glob("*.js"))


def test_each_name_is_declared_once_and_used() -> None:
    everything = "\n".join(SOURCES.values())
    declared = [name for source in SOURCES.values() for name in DECLARED.findall(source)]
    assert [name for name, count in Counter(declared).items() if count > 1] == []
    unused = [n for n in declared if len(re.findall(rf"\b{re.escape(n)}\b", everything)) < 2]
    assert unused == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_easy_to_read(name: str) -> None:
    lines = SOURCES[name].splitlines()
    assert lines[0].startswith("// "), "it says what it is"
    assert len(lines) < 400
    assert [line for line in lines if len(line) > 100] == []
    start = 0
    for number, line in enumerate(lines):
        if re.match(r"(async )?function ", line):
            start = number
        if line == "}":
            assert number - start <= LONGEST, lines[start]


@pytest.mark.parametrize("name", SCRIPTS)
def test_texts_go_in_as_text(name: str) -> None:
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\("
    assert not re.search(ways, SOURCES[name])
    assert not re.search(r"\bvar\b|[^=!]==[^=]|!=[^=]", re.sub(r'"[^"]*"|//.*', "", SOURCES[name]))


@pytest.mark.skipif(NODE is None, reason="node is missing: the scripts are not parsed")
def test_node_parses_the_whole(write: Write, tmp_path: Path) -> None:
    assert NODE is not None
    path = tmp_path / "explore.js"
    path.write_text(script(write(["summa"], ["karst"]).built), encoding="utf-8")
    subprocess.run([NODE, "--check", path], check=True)
