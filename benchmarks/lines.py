"""Count the product's lines by layer: `python -m benchmarks.lines [REVISION]`.

All lines, and those of code: without comments, docstrings and empty lines.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ENDINGS = (".py", ".js", ".html", ".css")
# Of scripts and styles: comments in a line of their own, or in several.
COMMENTS = re.compile(r"/\*.*?\*/|<!--.*?-->|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def main() -> None:
    files = _committed(sys.argv[1]) if sys.argv[1:] else _present()
    every, code = Counter[str](), Counter[str]()
    for path, text in files:
        parts = Path(path).parts
        layer = parts[1] if len(parts) > 2 else "(top)"
        for name in (layer, "in all"):
            every[name] += text.count("\n")
            code[name] += lines_of_code(text, path.endswith(".py"))
    print(f"{'':<12}{'lines':>8}{'code':>8}")
    for name in [*sorted(every.keys() - {"in all"}), "in all"]:
        print(f"{name:<12}{every[name]:>8}{code[name]:>8}")


def _present() -> Iterator[tuple[str, str]]:
    for path in sorted(Path("roofdsl").rglob("*")):
        if path.suffix in ENDINGS:
            yield str(path), path.read_text(encoding="utf-8")


def _committed(revision: str) -> Iterator[tuple[str, str]]:
    for path in _git("ls-tree", "-r", "--name-only", revision, "roofdsl").splitlines():
        if path.endswith(ENDINGS):
            yield path, _git("show", f"{revision}:{path}")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE).stdout.decode()


def lines_of_code(text: str, python: bool) -> int:
    """Return how many lines of a file hold code.

    >>> lines_of_code('"Doc."\\n\\n# Why.\\nx = (1,\\n  2)  # two\\n', python=True)
    2
    >>> lines_of_code("/* Why,\\nand how. */\\nlet x = 1;\\n// So.\\n", python=False)
    1
    """
    if not python:
        return sum(bool(line.strip()) for line in COMMENTS.sub("", text).splitlines())
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _SILENT:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):  # documents what is around it or above
                held.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(held)


if __name__ == "__main__":
    main()
