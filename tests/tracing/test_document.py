"""What docs/tracing.md shows of a file is what is written."""

from __future__ import annotations

import re
from pathlib import Path

import roofdsl as rd

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tracing.md"


def test_the_file_that_is_shown_is_the_one_that_is_written(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    script = re.search(r"^```text file=kernels\.py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    shown = re.search(r"^```roof file=softmax\.roof\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert script is not None and shown is not None
    path = tmp_path / "kernels.py"
    path.write_text(script[1], encoding="utf-8")
    written = rd.trace(f"{path}:softmax").text
    sources = re.compile(r"^    source .*\n(?:    source .*\n)*\n", re.MULTILINE)
    assert len(sources.findall(written)) == 2
    assert sources.sub("", written) == shown[1]
