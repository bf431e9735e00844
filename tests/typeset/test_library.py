"""The formulas of the bundled models in every notation."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Sum, Symbol
from roofdsl.typeset.latex import latex
from roofdsl.typeset.mathml import mathml
from tests.typeset.library import bundled_formulas
from tests.typeset.node import NODE, Node, function_of
from tests.typeset.test_javascript import assert_same, python
from tests.typeset.test_latex import assert_only_known_commands, assert_well_formed
from tests.typeset.test_mathml import parsed

FORMULAS = bundled_formulas()
SETTINGS = 20


@pytest.mark.parametrize("width", [None, 40])
def test_every_formula_is_well_formed(width: int | None) -> None:
    for tree in FORMULAS:
        shown = latex(tree, width=width)
        assert_well_formed(shown)
        assert_only_known_commands(shown)
        parsed(mathml(tree, width=width))


def settings(tree: Expression) -> Iterator[dict[str, float]]:
    """Choose values for the names of a formula, whole ones for those that are whole."""
    random.seed(1)
    largest = 6 if any(isinstance(node, Sum) for node in bottom_up(tree)) else 20
    for _ in range(SETTINGS):
        yield {symbol.name: _value(symbol, largest) for symbol in free_symbols(tree)}


def _value(symbol: Symbol, largest: int) -> float:
    size = 2 ** random.uniform(0, largest)
    return float(int(size)) if symbol.integer else size


@pytest.mark.skipif(NODE is None, reason="node is missing: no JavaScript is run")
def test_javascript_gives_the_numbers_of_python(node: Node) -> None:
    for tree in FORMULAS:
        names = [symbol.name for symbol in free_symbols(tree)]
        code = function_of([tree], names)
        for values in settings(tree):
            (result,) = node.call(code, list(values.values()))
            assert_same(result, python(tree, values))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is missing")
def test_latex_compiles_the_library(tmp_path: Path) -> None:
    shown = [rf"\[ {latex(tree)} \] \[ {latex(tree, width=40)} \]" for tree in FORMULAS]
    (tmp_path / "library.tex").write_text(
        "\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n"
        + "\n\n".join(shown)
        + "\n\\end{document}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]
    result = subprocess.run(
        [*command, "library.tex"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout[-2000:]
