"""What docs/networks.md says of imported networks: the text that is written, the types known."""

from __future__ import annotations

import re
from pathlib import Path

from roofdsl.importers.formats import read_file
from roofdsl.importers.huggingface.known import ARCHITECTURES

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "networks.md"
SECTION = DOCUMENT.read_text(encoding="utf-8").partition("## Your own network\n")[2]


def block(info: str) -> str:
    found = re.search(rf"^```{re.escape(info)}\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_model_that_is_shown_is_the_first_that_is_written(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(block("text file=config.json"), encoding="utf-8")
    imported, _ = read_file(path, "config.json", name="mistral_7b")
    assert imported is not None
    assert imported.text.startswith(block("roof"))


def test_every_type_and_class_is_named() -> None:
    prose = re.sub(r"^```.*?^```$", "", SECTION, flags=re.MULTILINE | re.DOTALL)
    lines = prose.partition("\n## ")[0].splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| `")]
    named = {
        kind: (set(re.findall(r"`(\S+?)`", heads)), family.strip("` |"))
        for kinds, heads, family in rows
        for kind in re.findall(r"`(\w+)`", kinds)
    }
    assert named.keys() - {"model_type"} == ARCHITECTURES.keys()
    for kind, architecture in ARCHITECTURES.items():
        classes = {re.sub(r"^\w+(?=ForCausalLM$)", "…", head) for head in architecture.heads}
        if "…ForCausalLM" in classes:
            classes = {re.sub(r"^\w+Model$", "…Model", head) for head in classes}
        assert named[kind] == (classes, architecture.family)
