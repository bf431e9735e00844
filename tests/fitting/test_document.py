"""What docs/fitting.md shows of a file is what is written, in all digits of its formats."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli

pytest.importorskip("scipy", reason="constants are fitted by SciPy")
ROOT = Path(__file__).resolve().parents[2]
RUNS = str(ROOT / "examples" / "made_up_runs.csv")


def said(*more: str) -> str:
    words = ["fit", RUNS, "--machine", "karst", "--constant", "startup", *more]
    found = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


def test_the_file_that_is_shown_is_the_one_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "fitting.md").read_text(encoding="utf-8")
    heading = "\n## The file\n"
    shown = re.search(r"^```roof\n(.*?)^```", page[page.index(heading) :], re.MULTILINE | re.DOTALL)
    assert shown is not None
    said("--as", "efficiency", "-o", "fitted.roof")
    written = Path("fitted.roof").read_text(encoding="utf-8")
    without, sources = re.subn(r"^    source .*\n", "", written, flags=re.MULTILINE)
    assert sources == 1
    assert without == shown[1]


def test_a_table_has_the_constants_of_json_each_with_its_unit() -> None:
    head, *lines = csv.reader(StringIO(said("--format", "csv")))
    assert head == "name value uncertainty unit stated efficiency standing".split()
    found = json.loads(said("--format", "json"))
    assert [line[0] for line in lines] == ["flops", "memory", "network", "startup"]
    assert [line[3] for line in lines] == ["flop/s", "B/s", "B/s", "s"]
    for name, *numbers, standing in lines:
        unit = numbers.pop(2)
        constant = found["constants"][name]
        assert unit == found["units"]["constants"][name]
        assert standing == constant.pop("standing")
        assert [float(each) if each else None for each in numbers] == [*constant.values()]
