"""Every message there is, shown with what caused it; every code has its page and its title.

`ROOFDSL_UPDATE_MESSAGES=1 pytest tests/messages` writes what is said into the snapshots: read the
difference as its reader would.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import roofdsl
from roofdsl import resources
from roofdsl.codes import CODES
from tests.messages.case import Case, all_cases, outcome, read_cases, shortened

UPDATE = os.environ.get("ROOFDSL_UPDATE_MESSAGES") == "1"
CASES = all_cases()
INSTALLED = Path(roofdsl.__file__).parent
PACKAGE = sorted(INSTALLED.rglob("*.py"))
CODE = re.compile(r"\bR\d{4}\b")


@pytest.mark.skipif(UPDATE, reason="the snapshots are being written")
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_message_is_as_it_was(case: Case) -> None:
    found = outcome(case)
    assert (found.ending, shortened(found.message, case.message)) == (case.ending, case.message)


@pytest.mark.skipif(not UPDATE, reason="only when the snapshots are to be written")
def test_write_the_snapshots() -> None:
    crashed: list[str] = []
    for path in {case.path for case in CASES}:
        texts: list[str] = []
        for case in read_cases(path):
            found = outcome(case)
            if found.ending.startswith("TRACEBACK"):
                crashed.append(f"{case.name}: {found.message}")
                texts.append(case.text())
                continue
            message = shortened(found.message, case.message)
            texts.append(case._replace(ending=found.ending, message=message).text())
        path.write_text("\n".join(texts), encoding="utf-8")
    assert crashed == []


def test_nothing_ends_in_a_traceback() -> None:
    endings = {case.ending for case in CASES}
    assert endings <= {"exit 0", "exit 1", "exit 2", "RoofError"}


def test_every_case_says_something() -> None:
    assert [case.name for case in CASES if not case.message] == []


def test_cases_have_titles_of_their_own() -> None:
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)


def codes_in_the_package() -> set[str]:
    return {
        code
        for path in PACKAGE
        if path.name != "codes.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for code in [node.value]
        if CODE.fullmatch(code)
    }


def test_the_table_names_exactly_the_codes_in_use() -> None:
    assert set(CODES) == codes_in_the_package()
    assert list(CODES) == sorted(CODES)


def test_every_code_has_a_snapshot() -> None:
    shown = {code for case in CASES for code in re.findall(r"\[(R\d{4})\]", case.message)}
    assert set(CODES) - shown == set()


def test_every_code_has_a_page() -> None:
    pages = {path.stem for path in resources.folder("messages").glob("*.md")}
    assert pages == set(CODES)


def makers(path: Path) -> Iterator[ast.Call]:
    """Return the calls in a file that make a diagnostic or a usage error."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else None
            name = node.func.id if isinstance(node.func, ast.Name) else name
            on = ast.unparse(node.func)
            if name in ("Diagnostic", "UsageError") or on.endswith((".refuse", "Diagnostic.at")):
                yield node


# Pieces of the calls that no case can reach.
UNREACHABLE = {
    'f"bundled files use each other': "the library has no circle",
    "notes=(str(error),)": "the library has no errors",
    'the folder "{error.filename}" cannot be read': "tests may run as a user who may read all",
    "the command was stopped {when}": "the last guard: tests/test_guard.py makes work for it",
    "_what, hint=_hint": "tests/files has no settings that are text, in a process of its own",
    "standard output cannot be written": "tests/files closes it, in a process of its own",
    'hint=f"install {_PACKAGES}"': "TeX is at hand, and fails",
    'Diagnostic("R1214", note': "tests/importers makes it, where there is PyTorch",
}


def test_every_place_that_makes_a_message_is_shown() -> None:
    seen = {site for case in CASES for site in outcome(case).sites}
    unseen = [
        f"{path.relative_to(INSTALLED)}:{call.lineno}"
        for path in PACKAGE
        for call in makers(path)
        if not any(piece in ast.unparse(call).replace("'", '"') for piece in UNREACHABLE)
        and not any(
            name == str(path) and call.lineno <= line <= (call.end_lineno or line)
            for name, line in seen
        )
    ]
    assert unseen == []


def test_no_library_speaks_in_a_message() -> None:
    words = re.compile(r"lark|sympy|Traceback|__ANON|\bToken\b|UnexpectedInput|<class|Fraction\(")
    assert [case.name for case in CASES if words.search(case.message)] == []
