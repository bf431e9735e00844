"""What documents show of imported graphs is what comes of them, where the packages are there."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from roofdsl.importers.formats import read_file

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_file_of_onnx_begins_as_it_is_shown() -> None:
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    path = Path(onnx.__file__).parent / "backend/test/data/light/light_squeezenet.onnx"
    imported, _ = read_file(path, path.name, name="squeezenet")
    text = (DOCS / "networks.md").read_text(encoding="utf-8").partition("### Files of ONNX\n")[2]
    found = re.search(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert imported is not None and found is not None
    assert imported.text.startswith(found[1])


def test_the_example_of_pytorch_prints_what_it_says() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    text = text.partition("## Modules of PyTorch\n")[2]
    code, printed = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[:2]
    with redirect_stdout(io.StringIO()) as told:
        exec(code, {})  # noqa: S102 - our own document
    assert told.getvalue().replace(torch.__version__, "2.13.0") == printed
