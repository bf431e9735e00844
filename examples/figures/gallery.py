"""Print the commands of docs/figures.md, one a line, for `make figures`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def commands(page: Path) -> Iterator[str]:
    """Yield the `roofdsl plot` commands of a page, those shown and those run."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    for fence in re.findall(r"^```(?:console|sh)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in fence.splitlines():
            command = line.removeprefix("$ ")
            if command.startswith("roofdsl plot "):
                yield command.replace("examples/", f"{ROOT}/examples/")


if __name__ == "__main__":
    sys.stdout.writelines(f"{command}\n" for command in commands(ROOT / "docs" / "figures.md"))
