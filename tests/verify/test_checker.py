"""The checker is short, stands by itself, and ends whatever a stranger's file holds."""

from __future__ import annotations

import ast
import io
import json
import math
import re
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError
from roofdsl.verify.certificate import FORMAT, digest_of
from roofdsl.verify.check import check
from roofdsl.verify.text import answer, formulas
from tests.verify.random_certificates import read

FOLDER = Path(__file__).resolve().parents[2] / "roofdsl" / "verify"
MOST_LINES = 800
MAY_IMPORT = ("roofdsl.verify", "roofdsl.diagnostic", "roofdsl.located_json", "roofdsl.source")
_NO_CODE = (
    *(tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
)


def lines_of_code(text: str) -> int:
    """Return how many lines there are, without those that are empty, comments or docstrings."""
    texts: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            texts |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - texts)


def test_lines_are_counted() -> None:
    assert lines_of_code('"""A text."""\n\n# why\nx = (\n    1\n)\n') == 3


def test_the_checker_is_short() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")]
    assert sum(map(lines_of_code, texts)) <= MOST_LINES


def test_the_checker_shares_no_code_with_the_search() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            own = [name for name in names if name.split(".")[0] == "roofdsl"]
            assert all(name.startswith(MAY_IMPORT) for name in own), (path.name, own)


def certificate(
    nodes: list[Any], boxes: list[Any], of: tuple[int, int], *, whole: bool = True
) -> dict[str, Any]:
    """Return a certificate that the first of two formulas is the largest from 1 to 1000."""
    return {
        "format": FORMAT,
        "question": {
            "model": "m", "machine": "box", "parameters": {}, "unknown": "N", "whole": whole,
            "range": ["1", "1000"],
        },
        "sha256": {},
        "nodes": nodes,
        "rivals": {"a": of[0], "b": of[1]},
        "comparisons": [{"of": [*of], "boxes": boxes}],
        "regimes": [["1", "1000", "largest", "a"]],
    }  # fmt: skip


def failure(data: dict[str, Any]) -> str | None:
    """Return what the checker says, with the digest as it should be."""
    data["sha256"]["certificate"] = digest_of(data)
    try:
        return check(read(json.dumps(data)))
    except RoofError as error:
        return error.diagnostics[0].code


ALL = [["1", "1000", "above", "values", "1000000"]]


def _tower(kind: str, depth: int, *more: int) -> list[Any]:
    """Return nodes of which each is made of the one before it."""
    nodes: list[Any] = [["x"], ["number", "12"], ["number", "1"]]
    for _ in range(depth):
        nodes.append([kind, len(nodes) - 1 if len(nodes) > 3 else 0, *more])
    return nodes


def _sums(depth: int) -> list[Any]:
    """Return a formula that holds the one inside it three times, sixty deep, written twice."""
    nodes: list[Any] = [["x"], ["number", "1/2"], ["number", "1/3"], ["number", "1"]]
    for start in (0, 0):
        inside = start
        for _ in range(depth):
            first = len(nodes)
            nodes += [["^", inside, 1], ["^", inside, 2], ["+", first, first + 1, 3]]
            inside = first + 2
    return nodes


def _exponent(text: str) -> list[Any]:
    return [["x"], ["number", text], ["^", 0, 1], ["^", 1, 0], ["exp", 2]]


HOSTILE: dict[str, Callable[[], dict[str, Any]]] = {
    "powers of powers": lambda: certificate(_tower("^", 50, 1), ALL, (52, 0)),
    "powers of sums": lambda: certificate(
        [["x"], ["number", "12"], ["+", 0, 1], ["^", 2, 1], ["+", 3, 0], ["^", 4, 1], ["^", 5, 1]],
        ALL,
        (6, 0),
    ),
    "exponentials of exponentials": lambda: certificate(_tower("exp", 50), ALL, (52, 0)),
    "logarithms of logarithms": lambda: certificate(_tower("ln", 50), ALL, (52, 0)),
    "too deep": lambda: certificate(_tower("ln", 100), ALL, (102, 0)),
    "shared and deep": lambda: certificate(_sums(18), ALL, (57, 111)),
    "a huge exponent": lambda: certificate(_exponent("9" * 300), ALL, (3, 0)),
    "a huge number, rounded": lambda: certificate(
        [*_exponent("1" + "0" * 40), ["ceil", 3]], [["1", "1", "above", "point"]], (5, 0)
    ),
    "an exponent of 10": lambda: certificate(_exponent("1e999"), ALL, (4, 0)),
    "a root of many digits": lambda: certificate(
        [["x"], ["number", "7" * 600], ["number", "1/7919"], ["^", 1, 2]], ALL, (3, 0)
    ),
    "many that are compared": lambda: certificate(
        [
            *[["x"], *[["number", str(n)] for n in range(50)]],
            *[["*", 0, n] for n in range(1, 51)],
            ["pick", *range(51, 101), *range(51, 101)],
        ],
        ALL,
        (101, 0),
    ),
    "boxes beyond number": lambda: certificate(
        [["x"], ["number", "0"]],
        [[str(n), str(n), "above", "point"] for n in range(1, 1000)],
        (0, 1),
    ),
    "from 0 on": lambda: certificate(
        [["x"], ["ln", 0]], [["0", "1000", "above", "values", "1"]], (0, 1), whole=False
    ),
    "one index in two sums": lambda: certificate(
        [
            *[["index"], ["number", "1"], ["x"], ["number", "2"], ["*", 2, 3], ["number", "1/2"]],
            *[["+", 0, 1], ["^", 6, 5], ["sum", 0, 7, 1, 2], ["sum", 0, 7, 1, 4], ["*", 3, 8]],
        ],
        [["1", "1000", "equal", "same"]],
        (9, 10),
    ),
    "one choice in two sums": lambda: certificate(
        [  # Σ f(k) to 2N is 4N - 1, 2·Σ f(k) to N is 4N - 2
            *[["index"], ["number", "1"], ["x"], ["number", "2"], ["*", 2, 3]],
            *[["if <=", 0, 1, 1, 3], ["sum", 0, 5, 1, 2], ["sum", 0, 5, 1, 4], ["*", 3, 6]],
            *[["number", "1/2"], ["+", 8, 9]],
        ],
        [["1", "1000", "above", "values", "1000000"]],
        (10, 7),
    ),
}  # fmt: skip


TRUE = ("a huge exponent", "many that are compared")


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_comes_to_an_end(name: str) -> None:
    assert (failure(HOSTILE[name]()) is None) == (name in TRUE)


def test_what_holds_is_accepted() -> None:
    nodes = [["x"], ["number", "2"], ["^", 0, 1], ["number", "1/2"], ["*", 0, 3]]
    assert failure(certificate(nodes, [["1", "1000", "above", "values", "1"]], (2, 4))) is None


def test_values_that_are_not_known_prove_nothing() -> None:
    """ln(N - 5) has no value up to 5: nothing is above it, nor below."""
    nodes = [["x"], ["number", "-5"], ["+", 0, 1], ["ln", 2]]
    for state in ("above", "not below"):
        for of in ((0, 3), (3, 0)):
            box = ["1", "1000", state, "values", "1000000"]
            assert failure(certificate(nodes, [box], of))


def test_formulas_are_printed_as_they_are_compared() -> None:
    nodes: list[Any] = [["x"], ["number", "2.5"], ["+", 0, 1], ["^", 2, 1], ["ceil", 3]]
    nodes += [["pick", 2, 4, 2, 4], ["pick", 2, 4, 1, 0], ["if <", 0, 1, 2, 1], ["/", 6, 5]]
    data = certificate(nodes, ALL, (7, 8))
    data["sha256"]["certificate"] = digest_of(data)
    assert [*formulas(read(json.dumps(data)))] == [
        "f2 = N + 2.5",
        "f4 = ceil(f2^2.5)",
        "a: if(N < 2.5: f2, else 2.5)",
        "b: by_largest(f2: 2.5, f4: N)/max(f2, f4)",
    ]


def test_the_gap_between_real_ends_is_said() -> None:
    data = certificate([["x"], ["number", "2"]], [], (0, 1), whole=False)
    data["regimes"] = [["1", "1.5", "largest", "b"], ["1.75", "1000", "largest", "a"]]
    data["sha256"]["certificate"] = digest_of(data)
    assert [*answer(read(json.dumps(data)), lambda value: f"{float(value)} B/s")][:-1] == [
        "N from 1.0 B/s to 1.5 B/s: b is the largest",
        "N between 1.5 B/s and 1.75 B/s: not proven",
        "N from 1.75 B/s to 1000.0 B/s: a is the largest",
    ]


def test_ends_are_in_the_units_that_solve_prints(tmp_path: Path) -> None:
    path = str(tmp_path / "summa.certificate.json")
    asked = ("summa", "--crossover", "--for", "karst.network", "-m", "karst")
    given = ("-p", "N=4096", "-p", "P=121", "--certificate", path)
    solved = CliRunner().invoke(cli, ["solve", *asked, *given])
    verified = CliRunner().invoke(cli, ["verify", path])
    assert (solved.exit_code, verified.exit_code) == (0, 0), verified.output
    assert "karst.network in 1.2 kB/s .. 1.2 PB/s" in solved.output
    assert "  karst.network from 1.2 kB/s to 1.2 PB/s\n" in verified.output
    # 11·22e9·8·log2(121)/(2·4097) B/s lies between the ends, which are neighbours among floats.
    change = 11 * 22e9 * 8 * math.log2(121) / (2 * 4097) / 1e9
    gap = re.search(r"between (\S+) GB/s and (\S+) GB/s: not proven", verified.output)
    assert gap is not None and [float(end) for end in gap.groups()] == pytest.approx([change] * 2)
    assert float(gap[1]) < float(gap[2])
