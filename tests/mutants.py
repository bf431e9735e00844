"""Change the code in one place after another: each time some test of the core must fail.

`python -m tests.mutants` changes everything in the files of the law of composition, one after
another: of each, the tests must see nine in ten changes. `python -m tests.mutants --every 20
--tests tests/solver FILE…` changes every twentieth place of other files, for other tests. It prints
the changes that no test saw and a table, and fails if they are more than a tenth of a file's.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from resource import RLIMIT_CPU, RUSAGE_CHILDREN, getrusage, setrlimit
from types import CodeType, ModuleType
from typing import NamedTuple

import pytest

FILES = tuple(
    f"roofdsl/analysis/{name}.py"
    for name in (
        *("composition", "algebras", "placing", "matching", "counting", "margin"),
        *("kinds", "contender", "joints", "bound_kind", "work_rates", "starting", "energy"),
        *("balance", "tariff", "of_jobs", "metrics"),
    )
)
CORE = (
    "tests/analysis/test_matching.py",
    "tests/analysis/test_placing.py",
    "tests/analysis/test_totals.py",
    "tests/messages/test_messages.py",
    "tests/analysis/test_counting.py",
    "tests/analysis/test_margin.py",
    "tests/analysis/test_kinds.py",
    "tests/analysis/test_work_rates.py",
    "tests/analysis/test_energy.py",
    "tests/analysis/test_energy_law.py",
    "tests/language/test_metrics.py",
    "tests/language/test_mixes.py",
    "tests/rules/test_serving.py",
    "tests/rules/test_rules.py",
    "tests/analysis/test_law.py",
)
# Of random programs and of messages, a part.
CHOSEN = (
    "matching or placing or counting or totals or jump or no_margin or corners or limit"
    " or irrational or constant or charged or longest or each_point or law[0] or law[1]"
    " or turns[0] or known_exactly or machines: or steps:"
    " or kinds or work_rates or test_energy.py or test_metrics.py or test_mixes.py"
    " or serving or say[0]"
)
OPTIONS = (
    *("-x", "-q", "--assert=plain", "-o", "addopts=--import-mode=importlib"),
    *("-p", "no:cacheprovider", "-p", "no:unraisableexception"),
)
MOST = 0.1
SECONDS = 120
"""Of the processor; what takes longer goes on for ever, which is a way to fail."""

SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
Change = Callable[[ast.AST], None]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument("--tests", action="append", metavar="PATH")
    asked = parser.parse_args(arguments)
    tests = [asked.tests or _core(file) for file in asked.files]
    # Each file in a process of its own: what the tests of one load, another could not change.
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as fresh:
        rows = [*fresh.map(_tried, asked.files, tests, repeat(asked.every))]
    for row in rows:
        seen = f"{1 - row.survived / row.changes:6.1%} of {row.changes:4} changes were seen"
        print(f"{seen} by {row.seconds:.1f} s of tests: {row.file}")
    return int(any(row.survived > MOST * row.changes for row in rows))


def _core(file: str) -> list[str]:
    """Return the tests of the core, those of this file first, or of the law: they see most."""
    own = [test for test in CORE if Path(file).stem in test] or [CORE[-1]]
    return [*own, *(test for test in CORE if test not in own), "-k", CHOSEN]


class Tried(NamedTuple):
    """How often a file was changed, and not seen by tests that take `seconds` of processor."""

    file: str
    changes: int
    survived: int
    seconds: float


def _tried(file: str, tests: Sequence[str], every: int) -> Tried:
    """Change a file, and print what no test saw."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    _load_below(tree)
    if _module_of(file) in sys.modules:
        sys.exit(f"{file} is loaded before it is changed")
    start = _seconds_of_tests()
    if not all(survived for _, survived in _outcomes(file, [("as it is", tree)], tests)):
        sys.exit(f"the tests fail with {file} as it is: {' '.join(tests)}")
    seconds = _seconds_of_tests() - start
    changes = [*mutants(tree)][::every]
    survivors = 0
    for what, survived in _outcomes(file, changes, tests):
        if survived:
            survivors += 1
            print(f"{file}:{what}", flush=True)
    return Tried(file, len(changes), survivors, seconds)


def _module_of(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".")


def _seconds_of_tests() -> float:
    spent = getrusage(RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _load_below(tree: ast.Module) -> None:
    """Load once, before any fork, what all tests need and no change of the file changes."""
    below = [node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
    for name in ("hypothesis", "lark", "numpy", *below):
        import_module(name)
    gc.freeze()


def mutants(tree: ast.Module) -> Iterator[tuple[str, ast.Module]]:
    """Yield what each change is, and a changed copy of the file."""
    idle = set(_idle(tree))
    for place, node in enumerate(ast.walk(tree)):
        for change in [] if id(node) in idle else _changes(node):
            copy = deepcopy(tree)
            changed = [*ast.walk(copy)][place]
            change(changed)
            texts = (" ".join(ast.unparse(each).split())[:90] for each in (node, changed))
            yield (
                f"{getattr(node, 'lineno', '')}: {' → '.join(texts)}",
                ast.fix_missing_locations(copy),
            )


def _idle(tree: ast.Module) -> Iterator[int]:
    """Yield what does nothing: documentation, annotations, aliases of types."""
    for node in ast.walk(tree):
        found: list[ast.AST | None] = []
        match node:
            case ast.Expr(value=ast.Constant()):
                found = [node]
            case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
                found = [node]
            case ast.Call(func=ast.Name(id="TypeVar")):
                found = [node]
            case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=annotation):
                found = [annotation]
            case ast.FunctionDef(returns=returns, decorator_list=decorators):
                found = [returns, *decorators]
            case ast.ClassDef(decorator_list=decorators):
                found = [*decorators]
        for each in found:
            yield from (id(inner) for inner in ast.walk(each)) if each is not None else ()


def _changes(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=ops):
            for place, operator in enumerate(ops):
                yield _set_in("ops", place, SWAPPED[type(operator)]())
        case ast.BinOp(op=operator) | ast.BoolOp(op=operator) if type(operator) in SWAPPED:
            yield _set("op", SWAPPED[type(operator)]())
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield _set("test", ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=[_, *_]):
            yield _set("ifs", [])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _set("operand", ast.UnaryOp(ast.Not(), operand))
        case ast.UnaryOp(op=ast.USub()):
            yield _set("op", ast.UAdd())
        case ast.Constant(value=bool(value)):
            yield _set("value", not value)
        case ast.Constant(value=int(number) | float(number)):
            yield _set("value", number + 1)
        case ast.Constant(value=str(text)):
            yield _set("value", f"{text}x")
        case ast.Name(id="max" | "min" | "any" | "all" as name):
            yield _set("id", {"max": "min", "min": "max", "any": "all", "all": "any"}[name])
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield _set("value", ast.Constant(None))
    body = getattr(node, "body", None)
    for place, statement in enumerate(body if isinstance(body, list) else []):
        alone = isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant)
        if alone or isinstance(statement, ast.AugAssign | ast.Continue | ast.Break):
            yield _set_in("body", place, ast.Pass())


def _set(name: str, value: object) -> Change:
    return lambda node: setattr(node, name, value)


def _set_in(name: str, place: int, value: object) -> Change:
    return lambda node: getattr(node, name).__setitem__(place, value)


def _outcomes(
    file: str, changes: Iterable[tuple[str, ast.Module]], tests: Sequence[str]
) -> Iterator[tuple[str, bool]]:
    """Yield what each change is, and whether tests pass with it: as many at once as processors."""
    running: dict[int, str] = {}
    for what, changed in changes:
        running[_started(file, compile(changed, file, "exec"), tests)] = what
        if len(running) == os.cpu_count():
            yield _ended(running)
    while running:
        yield _ended(running)


def _ended(running: dict[int, str]) -> tuple[str, bool]:
    process, status = os.wait()
    return running.pop(process), status == 0


def _started(file: str, code: CodeType, tests: Sequence[str]) -> int:
    """Start tests with the code of a file replaced; return the process."""
    child = os.fork()
    if child:
        return child
    setrlimit(RLIMIT_CPU, (SECONDS, SECONDS))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    sys.meta_path.insert(0, _Replaced(file, code))
    os._exit(pytest.main([*OPTIONS, *tests]))


class _Replaced(MetaPathFinder):
    """Finds a module as usual, with other code in it."""

    def __init__(self, file: str, code: CodeType) -> None:
        self.name, self.path = _module_of(file), Path(file).resolve()
        self.code = code

    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.name:
            return None
        loader = _Loader(name, str(self.path))
        loader.code = self.code
        return spec_from_file_location(name, self.path, loader=loader)


class _Loader(SourceFileLoader):
    code: CodeType

    def get_code(self, _fullname: str) -> CodeType:
        return self.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
