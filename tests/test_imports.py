"""Imports go down only, heavy libraries stay behind their doors, and start-up stays cheap."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]

# From the bottom up. A folder or file may import from itself and from the rows below it in rank,
# never from a neighbour in its own row.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("source", "codes", "resources", "inert", "roles", "unchanging"),
    ("diagnostic", "lines"),
    ("allowance", "excerpt", "located_csv", "located_json", "read_only", "reading", "writing"),
    ("syntax", "verify"),
    ("units", "expression"),
    ("model",),
    ("contract",),
    ("numeric", "algebra", "typeset"),
    ("analysis",),
    ("answer",),
    ("figures", "report", "explorer", "importers"),
    ("measure", "tracing"),
    ("plots",),
    ("embedding",),
    ("__init__",),
    ("cli", "notebook"),
    ("__main__",),
)
RANK = {layer: rank for rank, row in enumerate(LAYERS) for layer in row}

# The one exception: a diagnostic shows itself, with its source line, when it is printed. The import
# must stay inside a function.
LAZY_EXCEPTIONS = {("roofdsl.diagnostic", "roofdsl.excerpt")}

# Which layers may import which library; any other library is refused.
HOMES: dict[str, set[str]] = {
    "IPython": {"notebook"},
    "click": {"cli"},
    "cupy": {"measure"},
    "flint": {"verify", "analysis"},
    "jinja2": {"report"},
    "lark": {"syntax"},
    "markupsafe": {"report"},
    "matplotlib": {"figures"},
    "mpi4py": {"measure"},
    "mpmath": {"expression"},
    "numba": {"measure"},
    "numpy": {"numeric", "answer", "figures", "plots", "embedding", "measure", "tracing"},
    "onnx": {"importers"},
    "pandas": {"embedding"},
    "scipy": {"numeric", "measure", "tracing"},
    "sympy": {"algebra", "embedding"},
    "threadpoolctl": {"measure"},
    "torch": {"importers", "measure", "tracing"},
    "xarray": {"embedding"},
    "yaml": {"importers"},
}

# Where a module may be named by a variable: the tables of names that are imported on first use.
MAY_IMPORT_BY_NAME = {"__init__", "cli"}


class Import(NamedTuple):
    target: str
    line: int
    inside_function: bool


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_name(path): path for path in sorted((ROOT / "roofdsl").rglob("*.py"))}


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def imports(module: str, text: str, *, is_package: bool) -> Iterator[Import]:
    """Find every import of a module, wherever it stands; `?` is a name only known at run time."""
    package = module.split(".") if is_package else module.split(".")[:-1]

    def visit(node: ast.AST, inside: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield Import(alias.name, node.lineno, inside)
            case ast.ImportFrom(module=name, names=names, level=level):
                base = package[: len(package) - level + 1] if level else []
                origin = ".".join([*base, *([name] if name else [])])
                for alias in names:
                    submodule = f"{origin}.{alias.name}"
                    yield Import(submodule if submodule in FILES else origin, node.lineno, inside)
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=args) if (
                called in {"import_module", "__import__"}
            ):
                literal = isinstance(args[0], ast.Constant) if args else False
                yield Import(ast.literal_eval(args[0]) if literal else "?", node.lineno, inside)
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    yield from visit(ast.parse(text), False)


def broken_rules(module: str, text: str, *, is_package: bool = False) -> list[str]:
    layer = layer_of(module)
    if layer not in RANK:
        return [f"{module} has no place in LAYERS"]
    broken = []
    for target, line, inside_function in imports(module, text, is_package=is_package):
        where = f"{module}:{line}"
        library = target.split(".")[0]
        if target == "?":
            if layer not in MAY_IMPORT_BY_NAME:
                broken.append(f"{where} imports a module named at run time")
        elif library == "roofdsl":
            other = layer_of(target)
            if other == layer:
                continue
            if RANK.get(other, len(RANK)) < RANK[layer]:
                continue
            if (module, target) in LAZY_EXCEPTIONS and inside_function:
                continue
            broken.append(f"{where} imports {target}, which does not stand below it")
        elif library in HOMES:
            if layer not in HOMES[library]:
                broken.append(f"{where} imports {library}, which only {HOMES[library]} may")
        elif library not in sys.stdlib_module_names:
            broken.append(f"{where} imports {library}, which no layer may")
    return broken


@pytest.mark.parametrize("module", FILES)
def test_imports_go_down_only(module: str) -> None:
    path = FILES[module]
    text = path.read_text(encoding="utf-8")
    assert broken_rules(module, text, is_package=path.name == "__init__.py") == []


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("roofdsl.syntax.parse", "from roofdsl.model import build", "below"),
        ("roofdsl.syntax.parse", "import roofdsl.model.build", "below"),
        ("roofdsl.syntax.parse", "from ..model import build", "below"),
        ("roofdsl.syntax.parse", "def f():\n    from roofdsl import load_model", "below"),
        ("roofdsl.syntax.parse", "if TYPE_CHECKING:\n    import roofdsl.cli.main", "below"),
        ("roofdsl.syntax.parse", "import_module('roofdsl.cli.main')", "below"),
        ("roofdsl.syntax.parse", "importlib.import_module(name)", "named at run time"),
        ("roofdsl.numeric.scalar", "from roofdsl.algebra.simplify import shorter", "below"),
        ("roofdsl.typeset.text", "import roofdsl.numeric.scalar", "below"),
        ("roofdsl.expression.tree", "from roofdsl.units.unit import parse", "below"),
        ("roofdsl.diagnostic", "import roofdsl.excerpt", "below"),
        ("roofdsl.source", "from roofdsl.diagnostic import Diagnostic", "below"),
        ("roofdsl.model.build", "import lark", "only {'syntax'} may"),
        ("roofdsl.analysis.regime", "def f():\n    from sympy import limit", "imports sympy"),
        ("roofdsl.report.terminal", "import matplotlib.figure", "only {'figures'} may"),
        ("roofdsl.embedding.load", "import click", "only {'cli'} may"),
        ("roofdsl.numeric.array", "import statsmodels.api", "no layer may"),
        ("roofdsl.utils", "", "no place"),
    ],
)
def test_a_wrong_import_is_noticed(module: str, text: str, complaint: str) -> None:
    (broken,) = broken_rules(module, text)
    assert complaint in broken


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("roofdsl.syntax.parse", "import lark\nfrom . import nodes\nfrom ..source import Span"),
        ("roofdsl.analysis.regime", "from roofdsl.numeric import scalar\nimport math"),
        ("roofdsl.diagnostic", "def f():\n    from roofdsl.excerpt import render"),
        ("roofdsl.cli.main", "import click\nimport roofdsl\nimport_module(name)"),
    ],
)
def test_a_right_import_is_let_through(module: str, text: str) -> None:
    assert broken_rules(module, text) == []


HEAVY = (
    "sympy", "numpy", "lark", "matplotlib", "jinja2", "click", "pandas", "xarray", "onnx", "torch",
)  # fmt: skip


def libraries_loaded_by(code: str, folder: Path) -> set[str]:
    """Run code in a fresh process and return which of HEAVY it has imported at its end."""
    report = f"import sys; print('loaded', *[name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stderr
    marker, *loaded = result.stdout.splitlines()[-1].split()
    assert marker == "loaded"
    return set(loaded)


def libraries_loaded_by_command(arguments: list[str], folder: Path) -> set[str]:
    call = f"cli.main({arguments!r}, standalone_mode=False)"
    code = f"from roofdsl.cli.main import cli\nif code := {call}: raise SystemExit(code)"
    loaded = libraries_loaded_by(code, folder)
    assert "click" in loaded  # the command ran in the process that was looked at
    return loaded


def test_importing_the_package_loads_no_library(tmp_path: Path) -> None:
    assert libraries_loaded_by("import roofdsl", tmp_path) == set()


def test_a_loaded_library_is_noticed(tmp_path: Path) -> None:
    assert libraries_loaded_by("import lark", tmp_path) == {"lark"}


def test_help_loads_only_click(tmp_path: Path) -> None:
    assert libraries_loaded_by_command(["--help"], tmp_path) == {"click"}


def test_check_needs_neither_sympy_nor_numpy(tmp_path: Path) -> None:
    summa = str(ROOT / "stdlib" / "linalg" / "summa.roof")
    assert libraries_loaded_by_command(["check", summa], tmp_path).isdisjoint({"sympy", "numpy"})


@pytest.mark.parametrize("values", [[], ["-p", "N=4096", "-p", "P=121"]])
@pytest.mark.parametrize("output", ["text", "json"])
def test_an_answer_needs_neither_sympy_nor_numpy(
    values: list[str], output: str, tmp_path: Path
) -> None:
    arguments = ["eval", "summa.roof", "--machine", "karst", *values]
    loaded = libraries_loaded_by_command([*arguments, "--format", output], tmp_path)
    assert loaded.isdisjoint({"sympy", "numpy", "jinja2"})


@pytest.mark.parametrize("answer", [["eval"], ["solve", "--crossover", "--for", "N"]])
def test_an_answer_of_the_library_needs_no_parser_again(answer: list[str], tmp_path: Path) -> None:
    arguments = [*answer, "summa", "--machine", "karst", "-p", "P=121"]
    assert "lark" in libraries_loaded_by_command(arguments, tmp_path)
    assert "lark" not in libraries_loaded_by_command(arguments, tmp_path)


def test_completion_offers_the_public_names_before_they_are_loaded(tmp_path: Path) -> None:
    code = "import roofdsl; assert dir(roofdsl) == sorted(roofdsl.__all__), dir(roofdsl)"
    assert libraries_loaded_by(code, tmp_path) == set()
