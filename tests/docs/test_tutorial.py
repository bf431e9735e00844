"""The tutorial notebook runs from its first cell to its last, and shows what is stored in it.

`ROOFDSL_UPDATE_DOCS=1 pytest tests/docs` writes what the cells show into the notebook.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "tutorial.ipynb"
UPDATE = os.environ.get("ROOFDSL_UPDATE_DOCS") == "1"
KEPT = ("text/html", "image/svg+xml", "text/plain")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return IPython's shell without a kernel, in an empty folder."""
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), "/bin"]))
    running = interactive.InteractiveShell()
    # As in a notebook: every kind of representation is asked for.
    running.display_formatter.active_types = running.display_formatter.format_types
    yield running
    atexit.unregister(running.atexit_operations)
    running.atexit_operations()


def run(shell: Any, source: str, fails: bool, capture: Any) -> list[dict[str, Any]]:
    """Run a cell; return what a notebook would keep of what it shows."""
    capture.readouterr()
    result = shell.run_cell(source, store_history=False)
    error = result.error_in_exec or result.error_before_exec
    assert result.success is not fails, error
    if fails:
        shown = {"ename": type(error).__name__, "evalue": str(error), "output_type": "error"}
        return [{**shown, "traceback": error._render_traceback_()}]
    printed = re.sub(r"^Out\[.*?\]: ?", "", capture.readouterr().out, flags=re.DOTALL | re.M)
    outputs: list[dict[str, Any]] = []
    if result.result is None and printed.strip():
        text = printed.replace("\r\n", "\n")
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(text)})
    if result.result is not None:
        found, _ = shell.display_formatter.format(result.result)
        data = {kind: lines(found[kind]) for kind in KEPT if kind in found}
        if len(data) > 1:
            data.pop("text/plain")
        outputs.append(
            {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def texts_of_figures(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what a cell shows with nothing of its figures but their texts."""
    shown: list[dict[str, Any]] = json.loads(json.dumps(outputs))
    for data in (each["data"] for each in shown if "image/svg+xml" in each.get("data", {})):
        data["image/svg+xml"] = re.findall(r"<text[^>]*>([^<]*)", "".join(data["image/svg+xml"]))
    return shown


def test_the_tutorial_runs(shell: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    drawn_by = version("matplotlib")
    # Another matplotlib draws the same with other bytes.
    same = notebook["metadata"]["matplotlib"] == drawn_by
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            fails = "raises-exception" in cell["metadata"].get("tags", ())
            outputs = run(shell, "".join(cell["source"]), fails, capsys)
            if UPDATE:
                cell["outputs"] = outputs
            else:
                kept = cell["outputs"]
                if not same:
                    outputs, kept = texts_of_figures(outputs), texts_of_figures(kept)
                assert outputs == kept, "".join(cell["source"])
    if UPDATE:
        notebook["metadata"]["matplotlib"] = drawn_by
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        NOTEBOOK.write_text(text, encoding="utf-8")
    assert {"heat.roof", "heat.html", "heat-report.html"} <= {p.name for p in tmp_path.iterdir()}
