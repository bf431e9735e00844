"""A `.roof` file is data: it runs nothing, and reads nothing but what `use` and `from` name."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

import roofdsl as rd
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.testing import run_tests
from roofdsl.answer.definition import DefinitionPage
from roofdsl.answer.formulas import FormulaAnswer
from roofdsl.answer.point import PointAnswer
from roofdsl.cli.main import main
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.arguments import read_arguments
from roofdsl.model.library import check_module, check_text, find_machine
from roofdsl.report import json
from roofdsl.report.text import written
from roofdsl.source import Source

SECRET = "hunter2-do-not-print"


def check(path: Path) -> tuple[Diagnostic, ...]:
    return check_module(path, path.name)[1]


def shown(diagnostics: tuple[Diagnostic, ...]) -> str:
    return "\n".join(str(diagnostic) for diagnostic in diagnostics)


# Nothing runs

ATTACKS = (
    "__import__('os').system('touch {file}')",
    '__import__(\\"os\\").system(\\"touch {file}\\")',
    "().__class__.__base__.__subclasses__()",
    "open('{file}', 'w')",
    "exec(open)",
    "lambda: open('{file}','w')",
    "$(touch {file})",
    "`touch {file}`",
    "; touch {file}",
    "{{{{ cycler.__init__.__globals__.os.popen('touch {file}') }}}}",
    "${{open('{file}','w')}}",
    "%(x)s {{0.__class__}} {{x!r}}",
    "\\\\input{{{file}}} \\\\write18{{touch {file}}}",
    "<script>fetch('file://{file}')</script>",
    "cos__builtins__",
    "E",
    "S(1).__class__",
    "os",
    "__builtins__",
    "Symbol",
    "N.func",
)

# Everywhere a name, a text, a formula, a unit, a comment or a path can stand.
PLACES = (
    "{attack}",
    "model {attack} {{ flops = 1 }}",
    "machine {attack} {{ flops = 1 flop/s }}",
    "model m {{ param {attack}; flops = 1 }}",
    "model m {{ param N: {attack}; flops = 1 }}",
    "model m {{ param N: integer[{attack}..]; flops = 1 }}",
    "model m {{ param N = {attack}; flops = N }}",
    "model m {{ let x = {attack}; flops = x }}",
    "model m {{ flops = {attack} }}",
    "model m {{ flops = 2*{attack} + 1 }}",
    "model m {{ flops = 4 {attack} }}",
    "model m {{ flops = sqrt({attack}) }}",
    "model m {{ flops = {attack}(2) }}",
    "model m {{ flops = sum({attack} for k in 1..3) }}",
    "model m {{ flops = sum(k for {attack} in 1..3) }}",
    "model m {{ memory.{attack} = 1 }}",
    "model m {{ memory {{ {attack} = 1; default {attack} }} }}",
    "model m {{ flops[{attack}] = 1 }}",
    "model m {{ tally {attack}: B = 1 }}",
    "model m {{ tally x: {attack} = 1 }}",
    "model m {{ require {attack} > 1; flops = 1 }}",
    'model m {{ source "{attack}"; flops = 1 }}',
    "## {attack}\nmodel m {{ flops = 1 ## {attack}\n }}",
    "model m {{ flops = 1 # {attack}\n }}",
    "model m {{ step {attack} {{ flops = 1 }} }}",
    "model m {{ step s on {attack} {{ flops = 1 }} }}",
    "model m {{ step s = {attack}() }}",
    "model m {{ repeat {attack} {{ step s {{ flops = 1 }} }} }}",
    "model m {{ as {attack}(n = 1); flops = 1 }}",
    "model m {{ as gemm({attack} = 1); flops = 1 }}",
    "machine m {{ flops = {attack} }}",
    "machine m {{ flops = 1 flop/s; capacity memory = {attack} }}",
    "machine m {{ flops = 1 flop/s; device {attack} = karst }}",
    'machine m {{ measured {attack}(n) from "{attack}.csv" }}',
    "unit {attack}",
    "resource {attack}: B",
    "resource x: {attack} shares {attack}",
    "function {attack}(x) = x\nmodel m {{ flops = 1 }}",
    "function f({attack}) = 1\nmodel m {{ flops = f(1) }}",
    "function f(x) = {attack}\nmodel m {{ flops = f(1) }}",
    'use "{attack}" as x',
    'use "./{attack}.roof" as x',
    'use "{attack}.roof" as {attack}',
    "use {attack}",
    'test "{attack}" {{ expect 1 < 2 }}',
    'test "t" {{ expect {attack} }}',
    'test "t" {{ expect summa(N = {attack}, P = 4) on karst fails "{attack}" }}',
    'test "t" {{ let r = summa(N = 4, P = 4) on {attack}; expect r.{attack} > 1 }}',
    'test "t" {{ let r = summa(N = 4, P = 4) on karst; expect r.{attack} > 1 }}',
)


WATCHED = (
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "subprocess.Popen",
    "compile",
    "open",
)


Watch = Callable[[str, tuple[object, ...]], None]
_watches: list[Watch] = []


def _tell(event: str, arguments: tuple[object, ...]) -> None:
    if _watches and event in WATCHED:
        for watch in _watches:
            watch(event, arguments)


@cache
def _hook() -> None:
    """Let Python tell of what it does: once, as a hook is never taken away.

    All that the tests of this process do from here on waits for it; `id` is told of too.
    """
    sys.addaudithook(_tell)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Tell a function of every event of those that are `WATCHED`."""
    _hook()
    _watches.append(watch)
    try:
        yield
    finally:
        _watches.remove(watch)


@contextmanager
def nothing_runs() -> Iterator[list[str]]:
    """Note every attempt to start a program, import or evaluate text, or write a file."""
    attempts: list[str] = []

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        reading = event == "open" and not set(str(arguments[1])) & set("wax+")
        # SymPy makes itself functions for polynomials in so many names.
        its_own = event == "compile" and "def monomial_" in str(arguments[0])
        if not reading and not its_own and not _importing():
            attempts.append(f"{event} {arguments}")

    # The grammar is ours; Lark compiles its strings where it could not be kept in a file.
    check_text(Source("first.roof", ""))
    with watched(watch):
        yield attempts


def _importing() -> bool:
    """Whether a module is being imported, late: what it compiles is its own."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def use_everything(text: str, name: str) -> None:
    """Do with a text all that the program does with a file."""
    module, diagnostics = check_text(Source(name, text))
    shown(diagnostics)
    run_tests(module)
    karst, _ = find_machine("karst")
    for model in module.models.values():
        written(DefinitionPage(model, name))
        for machine in (*module.machines.values(), karst):
            try:
                written(DefinitionPage(machine, name))
                prediction, problems = predict(model, machine, {})
                shown(problems)
                if problems:
                    continue
                written(FormulaAnswer(prediction))
                json.written(FormulaAnswer(prediction))
                embedded = rd.Model(model).on(rd.Machine(machine))
                str((embedded.time, embedded.model.flops, embedded.model.OI))
                numbers, problems = read_arguments(model, {p.name: "2" for p in model.parameters})
                shown(problems)
                prediction, _ = predict(model, machine, numbers)
                result = evaluated(prediction)
                written(PointAnswer(result, prediction))
                json.written(PointAnswer(result, prediction))
            except RoofError as error:
                str(error)


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_of_a_file_is_run(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    victim = tmp_path / "touched"
    with nothing_runs() as attempts:
        for place in PLACES:
            text = place.format(attack=attack.format(file=victim))
            use_everything(text, "attack.roof")
    assert not attempts
    assert not victim.exists()
    assert list(tmp_path.iterdir()) == []


def test_the_watch_sees_an_attack(tmp_path: Path) -> None:
    with nothing_runs() as attempts:
        os.system("true")  # to be seen
        eval("1 + 1")  # noqa: S307 # to be seen
        (tmp_path / "written").write_text("x")
    assert len(attempts) == 3


@pytest.mark.parametrize("attack", [attack.format(file="touched") for attack in ATTACKS])
def test_no_value_on_the_command_line_is_run(
    attack: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with nothing_runs() as attempts:
        for line in (
            ["eval", "summa", "--machine", "karst", "-p", f"N={attack}", "-p", "P=4"],
            ["eval", "summa", "--machine", "karst", "-p", f"{attack}=4"],
            ["eval", attack, "--machine", "karst"],
            ["eval", "summa", "--machine", attack],
            ["eval", "summa", "--machine", "karst", "--set", f"karst.flops={attack}"],
            ["show", attack],
            ["explain", attack],
        ):
            with pytest.raises(SystemExit):
                main(line)
    assert "Traceback" not in capsys.readouterr().err
    assert not attempts
    assert list(tmp_path.iterdir()) == []


def test_names_that_mean_something_to_sympy_are_only_names() -> None:
    names = ("E", "I", "S", "N", "Q", "pi", "oo", "zoo", "beta", "gamma", "lambda", "None", "self")
    parameters = "; ".join(f"param {name}" for name in names)
    text = f"model m {{ {parameters}; flops = {' + '.join(names)}; memory = 8 B }}"
    module, diagnostics = check_text(Source("names.roof", text))
    assert not diagnostics
    model = rd.Model(module.models["m"])
    assert {str(symbol) for symbol in model.flops.free_symbols} == set(names)
    values = dict.fromkeys(names, 2)
    assert model.on(rd.load_machine("karst")).evaluate(**values).flops == 2 * len(names)


# What is read


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a program in it, beside one with files that are none of its business."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(f"{SECRET}\n")
    (outside / "secret.csv").write_text(f"m, time [s]\n{SECRET}, 1\n")
    (outside / ".roof").write_text(f"{SECRET}\n")
    (outside / "secret.roof.txt").write_text(f"{SECRET}\n")
    (outside / "good.roof").write_text("model good { flops = 1 }\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    return inside


def used(folder: Path, path: str) -> tuple[Diagnostic, ...]:
    program = folder / "program.roof"
    program.write_text(f'use "{path}" as other\nmodel m {{ flops = 1 }}\n', encoding="utf-8")
    return check(program)


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret.txt",
        "../outside/secret.roof.txt",
        "../outside/.roof",
        "../outside/secret.csv",
        "/etc/passwd",
        "/proc/self/environ",
        "/dev/stdin",
        "file:///etc/passwd",
        "~/.ssh/id_rsa",
        "",
        ".",
        "..",
        "/",
        "secret.ROOF",
        "secret.roof/",
        "secret.roof\\n",
        "secret.roof ",
        "*.txt",
        "../outside/secret.txt#.roof ",
    ],
)
def test_use_reads_only_roof_files(path: str, folder: Path) -> None:
    opened: list[object] = []
    with watched(lambda event, args: opened.append(args[0]) if event == "open" else None):
        diagnostics = used(folder, path)
    assert [diagnostic.code for diagnostic in diagnostics] in (["R0004"], ["R0001"])
    assert str(folder / "program.roof") in map(str, opened)
    assert SECRET not in shown(diagnostics)
    assert not [name for name in opened if "outside" in str(name) or "passwd" in str(name)]


@pytest.mark.parametrize("name", ["secret.txt", "secret.csv", "secret.roof.txt"])
def test_a_link_is_what_it_points_to(name: str, folder: Path) -> None:
    (folder / "link.roof").symlink_to(folder.parent / "outside" / name)
    (folder / "twice.roof").symlink_to("link.roof")
    for path in ("link.roof", "./twice.roof"):
        diagnostics = used(folder, path)
        assert [diagnostic.code for diagnostic in diagnostics] == ["R0004"]
        assert SECRET not in shown(diagnostics)
    (folder / "good.roof").symlink_to(folder.parent / "outside" / "good.roof")
    assert not used(folder, "good.roof")


def test_a_table_is_a_csv_file_too(folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder.parent / "outside" / "secret.txt")
    program = folder / "program.roof"
    for path in ("link.csv", "../outside/secret.txt", "../outside/good.roof", "/etc/passwd"):
        program.write_text(f'machine m {{ measured f(m) from "{path}" }}\n')
        diagnostics = check(program)
        assert [diagnostic.code for diagnostic in diagnostics] == ["R0004"]
        assert SECRET not in shown(diagnostics)


@pytest.mark.parametrize("path", ["../../x.roof", "/x/y.roof", "a\\\\b.roof", "∅.roof", "x" * 5000])
def test_files_that_are_not_there(path: str, folder: Path) -> None:
    path = path if path.endswith(".roof") else f"{path}.roof"
    (diagnostic,) = used(folder, path)
    assert diagnostic.code in ("R0001", "R0002")


def test_a_path_with_a_null_character() -> None:
    _, diagnostics = check_text(Source("null.roof", 'use "a\0.roof" as x\nuse "b\0" as y'))
    assert [diagnostic.code for diagnostic in diagnostics] == ["R0002", "R0004"]
    _, diagnostics = check_text(Source("null.roof", 'machine m { measured f(m) from "a\0.csv" }'))
    assert [diagnostic.code for diagnostic in diagnostics] == ["R0002"]


def test_things_that_are_no_files(folder: Path) -> None:
    (folder / "folder.roof").mkdir()
    os.mkfifo(folder / "fifo.roof")
    (folder / "zero.roof").symlink_to("/dev/zero")
    (folder / "loop.roof").symlink_to("loop.roof")
    (folder / "there.roof").symlink_to("back.roof")
    (folder / "back.roof").symlink_to("there.roof")
    (folder / "dangling.roof").symlink_to("nowhere.roof")
    start = time.monotonic()
    for name in ("folder", "fifo", "zero", "loop", "there", "dangling"):
        (diagnostic,) = used(folder, f"./{name}.roof")
        assert diagnostic.code in ("R0001", "R0002", "R0004"), name
        assert diagnostic.labels
        assert check(folder / f"{name}.roof")[0].code in ("R0001", "R0002"), name
    assert time.monotonic() - start < 5


def test_contents_that_are_no_text_are_not_shown(folder: Path) -> None:
    secret = SECRET.encode()
    for data in (b"\xff\xfe" + secret, secret + b"\0", secret + b"\xff", secret * 300_000):
        (folder / "other.roof").write_bytes(data)
        diagnostics = used(folder, "other.roof")
        assert [diagnostic.code for diagnostic in diagnostics] == ["R0002"]
        assert SECRET not in shown(diagnostics)


def test_a_file_that_cannot_be_read(folder: Path) -> None:
    (folder / "other.roof").write_text(SECRET)
    (folder / "other.roof").chmod(0)
    if os.access(folder / "other.roof", os.R_OK):
        pytest.skip("root may read everything")
    (diagnostic,) = used(folder, "other.roof")
    assert diagnostic.code == "R0002"


# Files that use files


def write_chain(folder: Path, length: int) -> Path:
    for number in range(length):
        line = f'use "./f{number + 1}.roof" as next\n' if number < length - 1 else ""
        text = f"{line}function f{number}(x) = x\nmodel m{number} {{ flops = f{number}(2) }}\n"
        (folder / f"f{number}.roof").write_text(text)
    return folder / "f0.roof"


def test_a_short_chain_of_files_works(folder: Path) -> None:
    assert not check(write_chain(folder, 15))


def test_a_chain_of_two_thousand_files_is_refused(folder: Path) -> None:
    diagnostics = check(write_chain(folder, 2000))
    assert {diagnostic.code for diagnostic in diagnostics} == {"R0005", "R0209"}
    assert len(diagnostics) < 5


@pytest.mark.parametrize("length", [1, 2, 3, 10])
def test_a_circle_of_files_is_refused(length: int, folder: Path) -> None:
    for number in range(length):
        following = (number + 1) % length
        text = f'use "./f{following}.roof" as next\nmodel m{number} {{ flops = 1 }}\n'
        (folder / f"f{number}.roof").write_text(text)
    diagnostics = check(folder / "f0.roof")
    assert diagnostics[-1].code == "R0209"
    assert "circle" in diagnostics[-1].message


def test_a_circle_is_seen_through_links_and_detours(folder: Path) -> None:
    (folder / "link.roof").symlink_to("program.roof")
    for path in ("link.roof", "./././program.roof", "../inside/program.roof", "x/../program.roof"):
        (folder / "x").mkdir(exist_ok=True)
        assert [diagnostic.code for diagnostic in used(folder, path)] == ["R0209"], path


def test_files_used_over_and_over_are_built_once(folder: Path) -> None:
    # Two files a level, each of which uses both of the next: 2^18 ways down.
    levels = 18
    for level in range(levels):
        uses = "".join(f'use "./{side}{level + 1}.roof" as {side}\n' for side in "ab")
        for side in "ab":
            text = (uses if level < levels - 1 else "") + "model m { flops = 1 }\n"
            (folder / f"{side}{level}.roof").write_text(text)
    start = time.monotonic()
    assert not check(folder / "a0.roof")
    assert time.monotonic() - start < 10


def test_nothing_of_the_surroundings_can_be_read(folder: Path) -> None:
    """The environment, the home folder and variables in paths mean nothing."""
    program = folder / "program.roof"
    program.write_text('use "$HOME/x.roof" as x\nuse "${PATH}.roof" as y\nuse "%PATH%.roof" as z\n')
    assert {diagnostic.code for diagnostic in check(program)} == {"R0001"}
    environment = {**os.environ, "HOME": str(folder), "SECRET": SECRET}
    command = [sys.executable, "-m", "roofdsl", "check", str(program)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert SECRET not in result.stdout + result.stderr
    assert str(folder / "x.roof") not in result.stderr
