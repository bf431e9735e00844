"""Run tests against the installed package, under every Python, with old and with new libraries.

`python -m tests.matrix` builds the wheel once and installs it into fresh environments: for each
Python that can be found, with the lowest versions that pyproject.toml allows and with the highest.
There tests run with no source of the package beside them: `LONG` under the oldest Python with the
lowest versions and under the newest with the highest, `SHORT` under the others. One more
environment belongs to root, nobody may write into it, and `RIGHTS` runs as the user `nobody`,
without a home. In another mypy and pyright read `tests/typing` as code of a user, and what the
package exports.

What cannot be had is left out with a line; what fails is printed, and ends with 1. `--only 3.12`
takes the environments with that in their names; `--keep` leaves all that was made, and says where.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import subprocess
import sys
import tarfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SHORT = (
    "roofdsl",
    "tests/agreement/test_everything.py::test_all_forms_say_the_same",
    "tests/docs/test_tutorial.py",
    "tests/embedding/test_frames.py",
    "tests/expression/test_array.py",
    "tests/expression/test_readers_agree.py",
    "tests/expression/test_sympy.py",
    "tests/figures/test_saving.py",
    "tests/language/test_security.py",
    "tests/test_grammar.py::test_saved_tables_parse_as_fresh_ones",
)
"""Where a Python or a library would differ, in half a minute: the examples in the docstrings of all
modules, a file with all constructs in all forms, trees against SymPy and NumPy, figures, frames."""
LONG = (
    *SHORT,
    "tests/docs/test_documents.py",
    "tests/docs/test_language_reference.py",
    "tests/expression/test_simplify.py",
    "tests/fitting",
    "tests/measure",
    "tests/messages/test_help.py",
    "tests/messages/test_messages.py",
    "tests/notebook",
    "tests/solver/test_array_interval.py",
    "tests/test_grammar.py",
)
"""What is said, too: every message, and every example of a document, and what needs MPI. Three
minutes."""
RIGHTS = (
    "tests/docs/test_tutorial.py",
    "tests/figures/test_saving.py",
    "tests/files/test_faults.py::test_a_target_that_cannot_be_written",
    "tests/files/test_parsed.py::test_a_folder_that_cannot_be_written_is_survived",
    "tests/files/test_writing.py",
    "tests/language/test_security.py",
    "tests/test_grammar.py",
)
"""What root may do, and others may not: here alone nothing of it is skipped."""
CHOSEN = "not resnet50 and not vgg16"
"""Of networks that sweeps are asked of, the small one."""
EXTRAS = ("explore", "fit", "measure", "onnx", "pandas", "verify", "xarray", "yaml")
"""What people add to the package."""
NOBODY = "nobody"
TYPED = ("roofdsl.analysis.result.", "roofdsl.diagnostic.", "roofdsl.embedding.")
"""Where the types of all names must be known, besides those of the names that `roofdsl` exports."""


class Environment(NamedTuple):
    """A Python, what it gets, and who runs which tests in it."""

    name: str
    python: Path
    constraints: tuple[str, ...] = ()
    extra: str = "test"
    tests: tuple[str, ...] = SHORT
    user: str | None = None


class Failed(Exception):
    """A command ended badly: what it said."""


def main(arguments: Sequence[str]) -> int:
    """Build, install, run; print a line for each environment."""
    parser = argparse.ArgumentParser(prog="python -m tests.matrix", description=__doc__)
    parser.add_argument("--only", default="", help="the environments with this in their names")
    parser.add_argument("--keep", action="store_true", help="leave all that was made")
    asked = parser.parse_args(arguments)
    folder = Path(mkdtemp(prefix="roofdsl-matrix-"))
    folder.chmod(0o755)  # others come in too
    try:
        wheel = built(folder)
        chosen = [each for each in planned() if asked.only in each.name]
        with ThreadPoolExecutor(os.cpu_count()) as workers:
            chosen.sort(key=lambda each: -len(each.tests))  # no long one is the last
            passed = list(workers.map(lambda each: tried(each, wheel), chosen))
    finally:
        if asked.keep:
            say(f"all of it is in {folder}")
        else:
            rmtree(folder)
    return 0 if all(passed) and passed else 1


def planned() -> Iterator[Environment]:
    """Yield the environments that can be had here, and say what is left out."""
    pythons = {version: python for version in PYTHONS if (python := found(version))}
    for version in PYTHONS:
        if version not in pythons:
            say(f"left out: Python {version}: not found")
    oldest = min(pythons, key=Version, default=None)
    newest = max(pythons, key=Version, default=None)
    for version, python in pythons.items():
        limits = tuple(f"{name}=={number}" for name, number in lowest(version).items())
        for kind, most, bounds in (("lowest", oldest, limits), ("highest", newest, ())):
            here = Environment(f"Python {version}, {kind}", python, bounds)
            if version == most:
                here = here._replace(extra="test,measure", tests=LONG)
            yield here
    yield Environment("types", Path(sys.executable), extra="types")
    if os.geteuid() != 0:
        say("left out: a user without rights: only root can become one")
        return
    python = next(filter(None, (found(version, NOBODY) for version in PYTHONS)), None)
    if python is None:
        say(f"left out: a user without rights: no Python that {NOBODY} may run")
        return
    yield Environment("installed by root, run by nobody", python, tests=RIGHTS, user=NOBODY)


def found(version: str, user: str | None = None) -> Path | None:
    """Return a Python of that version, such as 3.12, that a user may run, wherever it is kept."""
    for candidate in candidates(version):
        try:
            answer = run(candidate, "-c", "import sys, venv; print(sys.version)", user=user)
        except (Failed, OSError):
            continue
        if answer.startswith(f"{version}."):
            return candidate
    return None


def candidates(version: str) -> Iterator[Path]:
    """Yield where a Python may be: on the path, or where pyenv and uv know of one."""
    for folder in os.get_exec_path():
        yield Path(folder, f"python{version}")
    for asked in (("pyenv", "prefix", version), ("uv", "python", "find", "--offline", version)):
        try:
            place = Path(run(*asked).strip())
        except (Failed, OSError):
            continue
        yield place / "bin" / "python" if place.is_dir() else place


def lowest(python: str) -> dict[str, str]:
    """Return the lowest version of each library that pyproject.toml allows under a Python.

    >>> lowest("3.11")["numpy"], lowest("3.13")["numpy"]
    ('2.0', '2.1')
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bounds: dict[str, Version] = {}
    extras = (project["optional-dependencies"][name] for name in EXTRAS)
    for line in (*project["dependencies"], *chain(*extras)):
        wanted = Requirement(line)
        if not wanted.specifier:
            continue  # another of our extras
        if wanted.marker is None or wanted.marker.evaluate({"python_version": python}):
            bound = max(Version(part.version) for part in wanted.specifier if part.operator == ">=")
            bounds[wanted.name] = max(bound, bounds.get(wanted.name, bound))
    return {name: str(bound) for name, bound in bounds.items()}


def built(folder: Path) -> Path:
    """Build what is published, and unpack the sources beside it, without the package's modules."""
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    run(*build, folder=folder)
    (sources,) = folder.glob("*.tar.gz")
    with tarfile.open(sources) as archive:
        archive.extractall(folder, filter="data")
    unpacked = (folder / sources.name.removesuffix(".tar.gz")).rename(folder / "sources")
    for module in (unpacked / "roofdsl").rglob("*.py"):
        module.unlink()
    (wheel,) = folder.glob("*.whl")
    return wheel


def tried(environment: Environment, wheel: Path) -> bool:
    """Install and test in an environment; say how it went, and return whether it went well."""
    started = time.monotonic()
    try:
        closing = checked(environment, wheel)
    except Failed as failure:
        say(f"{failure}\nFAILED: {environment.name}")
        return False
    say(f"{environment.name}: {closing} ({time.monotonic() - started:.0f} s with installing)")
    return True


def checked(environment: Environment, wheel: Path) -> str:
    """Install the wheel with what checks it; check it; return what that says in the end."""
    place = wheel.parent / environment.name.replace(", ", "-").replace(" ", "-")
    run(environment.python, "-m", "venv", "--without-pip", place)
    python = place / "bin" / "python"
    limits = place / "constraints.txt"
    limits.write_text("\n".join(environment.constraints), encoding="utf-8")
    sources, user = wheel.parent / "sources", environment.user
    # To compile all modules takes half a minute. Python compiles those that are imported, and keeps
    # them, but not where the user may not write.
    compiling = () if user else ("--no-compile",)
    run(
        *(sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"),
        *("install", "--quiet", "--only-binary", ":all:", "--constraint", limits, *compiling),
        f"{wheel}[{environment.extra}]",
    )
    where = run(python, "-c", "import roofdsl; print(roofdsl.__file__)", folder=sources, user=user)
    if not Path(where.strip()).is_relative_to(place):
        raise Failed(f"not what is installed: {where}")
    if environment.extra == "types":
        return typed(python, sources / "tests" / "typing")
    if environment.tests == LONG:
        run(place / "bin" / "roofdsl", "test", "--library", folder=sources)
    return outcome_of_tests(python, environment.tests, sources, user)


def outcome_of_tests(python: Path, tests: Sequence[str], sources: Path, user: str | None) -> str:
    """Run tests; without root's rights nothing may be skipped for having them."""
    options = ("-q", "-rs", "-p", "no:cacheprovider", "-k", CHOSEN, "--pyargs")
    said = run(python, "-m", "pytest", *options, *tests, folder=sources, user=user).splitlines()
    if user and any(line.startswith("SKIPPED") and "root may" in line for line in said):
        raise Failed("\n".join(said))
    return said[-1]


def typed(python: Path, uses: Path) -> str:
    """Check code of users in strict mode, and that the types of all public names are known."""
    strict = {"typeCheckingMode": "strict", "reportUnnecessaryTypeIgnoreComment": "error"}
    settings = uses / "pyrightconfig.json"
    settings.write_text(json.dumps(strict), encoding="utf-8")
    pyright = python.parent / "basedpyright"
    run(python, "-m", "mypy", "--strict", "--cache-dir", uses / "cache", uses, folder=uses)
    run(pyright, "--project", settings, folder=uses)
    asked = (pyright, "--verifytypes", "roofdsl", "--ignoreexternal", "--outputjson")
    found = json.loads(run(*asked, folder=uses, whatever=True))["typeCompleteness"]
    public = [name for name in found["symbols"] if name["isExported"] and is_public(name["name"])]
    # A type is known, or inferred from what is known, or not known.
    unknown = [name for name in public if not name["isTypeKnown"] and not name["isTypeAmbiguous"]]
    if unknown or not public:
        raise Failed("\n".join(f"{name['name']}: {name['diagnostics']}" for name in unknown))
    stated = sum(name["isTypeKnown"] for name in public)
    return f"mypy and pyright agree; {len(public)} public names have types, {stated} state them"


def is_public(name: str) -> bool:
    return name.count(".") == 1 or name.startswith(TYPED)


def run(
    *command: str | Path, folder: Path = ROOT, user: str | None = None, whatever: bool = False
) -> str:
    """Return what a command prints; raise Failed, with all it said, where it ends badly.

    What is installed beside the command comes first on its path. Another user has no groups, no
    home and no settings.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PATH"] = os.pathsep.join((str(Path(command[0]).parent), environment["PATH"]))
    group, groups = None, None
    if user:
        environment = {"PATH": environment["PATH"], "LANG": "C.UTF-8"}
        group, groups = pwd.getpwnam(user).pw_gid, ()
    ended = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=environment,
        user=user,
        group=group,
        extra_groups=groups,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if ended.returncode and not whatever:
        raise Failed(f"{' '.join(map(str, command))}\n{ended.stdout}")
    return ended.stdout


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
