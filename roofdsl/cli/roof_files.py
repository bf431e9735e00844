"""The `.roof` files that a command is given by name, by folder, or as the bundled library."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from roofdsl.cli.formats import say_lines, say_problems
from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import SUFFIX, bundled, bundled_path, near_bundled, shown_path
from roofdsl.reading import near_file, real_path
from roofdsl.roles import Bad

# Folders that hold copies of files, or other people's.
_LEFT_OUT = {"build", "dist", "node_modules", "site-packages"}
_ENVIRONMENT = {"pyvenv.cfg", "conda-meta"}

File = tuple[Path, str]
"""Where a file is, and what it is called in messages."""


def named_files(names: Iterable[str], hint: str) -> tuple[list[File], list[Diagnostic]]:
    """Return the files that names of files and folders mean, each once, in the order given.

    A name that is no path may be that of a bundled file. A folder gives the `.roof` files in it and
    in its folders, sorted; those that are hidden, a virtual environment's, or built are left out.
    One without any is a problem, with `hint`.
    """
    found: dict[Path, File] = {}
    problems: list[Diagnostic] = []
    for name in names:
        if not os.path.isdir(name):  # noqa: PTH112 - Path.is_dir raises where a name is too long
            files = _named(name, problems)
        else:
            files = [(file, str(file)) for file in sorted(_within(Path(name), problems))]
            if not files:
                message = f"there is no `{SUFFIX}` file in the folder '{name}'"
                problems.append(Diagnostic("R0007", message, (), hint))
        for file in files:
            found.setdefault(real_path(file[0]), file)
    return list(found.values()), problems


def library_files() -> list[File]:
    """Return the bundled models and machines."""
    paths = [*bundled("model").values(), *bundled("machine").values()]
    return [(path, shown_path(path)) for path in paths]


def _named(name: str, problems: list[Diagnostic]) -> list[File]:
    path = Path(name)
    if not os.path.lexists(path):
        dotted = name.removesuffix(SUFFIX)
        found = bundled_path(dotted, "model") or bundled_path(dotted, "machine")
        if found is not None:
            return [(found, shown_path(found))]
        near = None if name.endswith(SUFFIX) or near_file(name) else near_bundled(name)
        if near is not None:
            problems.append(Diagnostic("R0001", f"there is no file '{name}'", (), near))
            return []
    return [(path, name)]


def _within(folder: Path, problems: list[Diagnostic]) -> Iterator[Path]:
    def unreadable(error: OSError) -> None:
        reason = error.strerror or "unknown reason"
        problems.append(
            Diagnostic("R0002", f"the folder '{error.filename}' cannot be read: {reason.lower()}")
        )

    for path, folders, files in os.walk(folder, onerror=unreadable):
        here = Path(path)
        if here != folder and _ENVIRONMENT.intersection([*folders, *files]):
            folders.clear()
            continue
        folders[:] = [name for name in folders if name[0] != "." and name not in _LEFT_OUT]
        yield from (here / name for name in files if name.endswith(SUFFIX) and name[0] != ".")


def report(diagnostics: Iterable[Diagnostic]) -> bool:
    """Print diagnostics to stderr; return whether one of them is an error."""
    problems = tuple(diagnostics)
    say_problems(problems)
    errors = sum(problem.severity == "error" for problem in problems)
    if errors > 1:
        say_lines([(Bad(f"{errors} errors"),)], err=True)
    return errors > 0
