"""How much a command may work: a factor that the user sets, and one count for all of a command."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.allowance import OPERATIONS, WORK, Budget, Exhausted, counting, operations
from roofdsl.analysis.crossover import Crossovers
from roofdsl.cli.main import _LOOKING, BUDGET, COMMANDS, Commands, cli
from roofdsl.contract import as_given, public


@pytest.mark.parametrize(
    ("factor", "times"),
    [
        (10, 10),
        (0.5, 0.5),
        (Fraction(1, 2), 0.5),
        (Decimal("2.5"), 2.5),
        (np.int64(3), 3),
        (np.float32(2), 2),
        ("10x", 10),
        (" 0.1 x ", 0.1),
        ("1e3", 1000),
        (".5×", 0.5),
    ],
)
def test_a_factor_raises_what_may_be_used(factor: float | str, times: float) -> None:
    with rd.budget(factor):
        assert Budget().left == WORK * times
        assert Budget().share(1 / 2).left == WORK * times / 2
        assert Budget().limited(8).left == 8
        assert operations().left == OPERATIONS * times
    assert Budget().left == WORK and operations().left == OPERATIONS


@pytest.mark.parametrize(
    "factor",
    [0, -1, -0.5, 10**400, Fraction(1, 10**400), "", "x"],
)
def test_what_is_no_factor_is_refused(factor: float | str) -> None:
    refused(factor)


@pytest.mark.parametrize("text", ["ten", "10xx", "-1", "1e999", "٣", "1_0", "9" * 5000])
def test_a_text_that_is_no_factor_is_refused(text: str) -> None:
    refused(text)


def refused(factor: float | str) -> None:
    with pytest.raises(rd.RoofError, match="R0717") as told, rd.budget(factor):
        pass
    assert "roofdsl.budget(10)" in str(told.value) and len(str(told.value)) < 300


def test_a_budget_is_used_again_inside_itself_and_by_threads() -> None:
    raised = rd.budget(10)

    def left() -> float:
        with raised:
            return operations().left

    assert [left(), left()] == [10 * OPERATIONS] * 2
    with raised, rd.budget(2), raised:
        assert Budget().left == 10 * WORK
        with ThreadPoolExecutor(4) as pool:
            assert {*pool.map(lambda _: left(), range(20))} == {10 * OPERATIONS}
    with counting():
        operations().spend(5)
        with pytest.raises(ZeroDivisionError), raised:
            raise ZeroDivisionError
        assert operations().left == OPERATIONS - 5
    assert raised(left)() == 10 * OPERATIONS
    assert operations().left == OPERATIONS


def test_the_limits_of_a_factor_are_named() -> None:
    for factor in ("1e-6", 1e300):
        with rd.budget(factor):
            assert Budget().left == WORK * float(factor)
    for factor, said in (
        ("1e400", "'1e400'"),
        ("1.1e300x", "'1.1e300x'"),
        ("1e-7", "'1e-7'"),
        (10**400, f"'1{'0' * 39}…'"),
    ):
        with pytest.raises(rd.RoofError) as told:
            rd.budget(factor)
        assert f"a factor from 1e-6 to 1e300, not by {said}" in str(told.value)


def test_all_of_a_call_shares_one_count() -> None:
    @public(inner=as_given)
    def call(inner: Callable[[], object]) -> float:
        operations().spend(100)
        inner()
        return operations().left

    assert call(lambda: call(lambda: None)) == OPERATIONS - 200
    assert call(lambda: None) == OPERATIONS - 100  # the next call has its own

    def apart() -> None:
        with counting(afresh=True):
            assert operations().left == OPERATIONS
            operations().spend(OPERATIONS)

    assert call(apart) == OPERATIONS - 100


def test_calls_inside_a_budget_have_each_their_own_count() -> None:
    with rd.budget(2):
        for _ in range(2):
            with counting():
                operations().spend(2 * OPERATIONS)
                with pytest.raises(Exhausted):
                    operations().spend(1)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_computes_takes_a_budget(name: str) -> None:
    assert isinstance(cli, Commands)
    context = click.Context(cli)
    for _ in range(2):  # asked twice, it is there once
        command = cli.get_command(context, name)
    assert command is not None
    assert command.params.count(BUDGET) == (name not in _LOOKING)


HARD = """
model m {
    param N: integer
    # Three saws, of which now one is the highest, now another.
    flops = ceil(N/7)*7*1.000000000007
    memory = ceil(N/11)*11*1.0000000000011 * 1 B
    network = ceil(N/13)*13*1.0000000000013 * 1 B
}
machine box { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }
"""


def test_with_ten_times_the_work_a_verdict_is_proven_further(tmp_path: Path) -> None:
    path = tmp_path / "m.roof"
    path.write_text(HARD, encoding="utf-8")
    question = ["solve", f"{path}:m", "-m", f"{path}:box", "--for", "N", "--crossover"]
    answers = [
        CliRunner().invoke(cli, [*question, *budget]).output
        for budget in ((), ("--budget", "0.1x"), ("--budget", "1x"), ("--budget", "0.1x"))
    ]
    assert "proven over the whole range" in answers[0]
    assert re.search(
        r"proven up to N = \d+; beyond, .*; more work may decide it: --budget 10x$",
        answers[1].strip(),
    )
    assert answers[2:] == answers[:2]  # whatever was asked before
    asked = rd.load_model(f"{path}:m").on(rd.load_machine(f"{path}:box"))
    for factor, complete in ((0.1, False), (1, True)):
        with rd.budget(factor):
            found = asked.crossovers("N")
            assert isinstance(found, Crossovers) and found.complete == complete


POINTS = {
    "rows": ("-p", "N=1000..1999", "--format", "csv"),
    "a table": ("-p", "N=1000..1999"),
    "all of each": ("-p", "N=1000..1999", "--format", "json"),
}


@pytest.mark.parametrize("form", POINTS)
def test_rows_are_charged(form: str) -> None:
    question = ["eval", "summa", "-m", "karst", "-p", "P=4", *POINTS[form]]
    assert CliRunner().invoke(cli, question).exit_code == 0
    refused = CliRunner().invoke(cli, [*question, "--budget", "0.001x"])
    assert isinstance(refused.exception, rd.RoofError)
    assert "the 10,000 operations of a command are used up before 'summa'" in str(refused.exception)


def test_rows_of_a_table_are_charged_as_those_of_a_range() -> None:
    words = "table dgemv --machine karst -p N=2..4000 -p P=1 --budget 0.1x".split()
    ended = CliRunner().invoke(cli, words)
    assert isinstance(ended.exception, rd.RoofError)
    assert [found.code for found in ended.exception.diagnostics] == ["R0412"]


def test_points_of_arrays_are_charged() -> None:
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    points = np.arange(2, 100_002)
    with counting(afresh=True):
        prediction.sweep(N=points, P=4)
        assert 10_000 < OPERATIONS - operations().left < 1_000_000
    network = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
    with rd.budget(0.005), pytest.raises(rd.RoofError, match="before 'resnet50' is computed"):
        network.sweep(batch=np.arange(1, 2001))


def test_what_arrays_take_does_not_grow_with_the_square_of_a_formula(tmp_path: Path) -> None:
    lets = "\n".join(f"let a{n} = ln(N + {n})" for n in range(2000))
    total = " + ".join(f"a{n}*a{n * 7 % 2000}" for n in range(2000))
    path = tmp_path / "m.roof"
    path.write_text(f"model m {{ param N: integer[2..]\n{lets}\nflops = {total} }}", "utf-8")
    prediction = rd.load_model(f"{path}").on(rd.load_machine("karst"))
    tracemalloc.start()
    found = prediction.sweep(N=np.arange(2, 5000))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Where each partial sum noted all that it hangs on, it took 327 MB.
    assert found.flops[8] == pytest.approx(prediction.evaluate(N=10).flops, rel=1e-14)
    assert most < 200_000_000


def file_of(count: int, term: str, terms: str = "10^6") -> str:
    """Return a model and tests of it, each of so many terms."""
    blocks = [
        f'test "{n}" {{\n    let r = m(N = {n}) on karst\n    expect r.flops > 0 flop\n}}\n'
        for n in range(1, count + 1)
    ]
    return (
        f"model m {{\n    param N: integer\n    flops = sum({term} for k in 1..{terms})\n}}\n"
        + "".join(blocks)
    )


@pytest.mark.parametrize("term", ["k*N", "1/(k + N)", "2^(-k)*N", "ln(k + N)", "k^2 + N*k + 3"])
def test_a_hundred_tests_of_a_million_terms_each(term: str, tmp_path: Path) -> None:
    path = tmp_path / "m.roof"
    path.write_text(file_of(100, term), encoding="utf-8")
    assert CliRunner().invoke(cli, ["test", str(path)]).output.startswith("100 passed, 0 failed (")


def test_tests_that_are_not_run_have_not_passed(tmp_path: Path) -> None:
    path, other = tmp_path / "m.roof", tmp_path / "n.roof"
    path.write_text(file_of(3, "1/(k^2 + N)", "10^5"), encoding="utf-8")  # 4 operations a term
    other.write_text(file_of(1, "1/(k^2 + N)", "10^5"), encoding="utf-8")
    ran = CliRunner().invoke(cli, ["test", str(path), "--budget", "0.1x"])
    assert ran.exit_code == 1
    assert "2 passed, 0 failed, 1 not run (2 expectations)\n" in ran.output
    assert ran.output.count("error[R0412]") == 1
    ran = CliRunner().invoke(cli, ["test", str(path)])
    assert (ran.exit_code, ran.output) == (0, "3 passed, 0 failed (3 expectations)\n")
    # Each file has its own count.
    ran = CliRunner().invoke(cli, ["test", str(path), str(other), "--budget", "0.1x"])
    assert "3 passed, 0 failed, 1 not run" in ran.output


def test_formulas_of_many_unlike_steps_are_charged(tmp_path: Path) -> None:
    levels = ["model a0 {\n param N: integer[1..]\n flops = N\n memory = N*1 B\n}\n"]
    for level in range(1, 10):
        below = f"a{level - 1}"
        steps = f" step x = {below}(N=N+{3**level})\n step y = {below}(N=N+{2**level})\n"
        levels.append(f"model a{level} {{\n param N: integer[1..]\n{steps}}}\n")
    path = tmp_path / "levels.roof"
    path.write_text("".join(levels), encoding="utf-8")
    call = ["solve", f"{path}:a9", "-m", "karst", "--crossover", "--budget", "0.3x"]
    ended = CliRunner().invoke(cli, call)
    assert isinstance(ended.exception, rd.RoofError)
    assert [found.code for found in ended.exception.diagnostics] == ["R0412"]


def unlike(steps: int) -> str:
    """Return a model of steps of which no two are alike."""
    lines = [
        f" step s{k} {{ flops = N^2 + {k}*N; memory = 8 B*(N + {k})^2 }}\n" for k in range(steps)
    ]
    return "".join(["model m {\n param N: integer\n", *lines, "}\n"])


@pytest.mark.parametrize("call", ["eval {} -m karst", "study {} -m karst --asymptotic --for N"])
def test_formulas_that_nobody_can_read_are_charged(call: str, tmp_path: Path) -> None:
    few, many = tmp_path / "few.roof", tmp_path / "many.roof"
    few.write_text(unlike(100), encoding="utf-8")
    many.write_text(unlike(600), encoding="utf-8")
    assert CliRunner().invoke(cli, call.format(few).split()).exit_code == 0
    ended = CliRunner().invoke(cli, [*call.format(many).split(), "--budget", "0.2x"])
    assert isinstance(ended.exception, rd.RoofError)
    (problem,) = ended.exception.diagnostics
    assert problem.code == "R0412" and "'m'" in problem.message and problem.hint is not None


def test_what_each_level_uses_twice_is_worked_out_once(tmp_path: Path) -> None:
    levels = ["model a0 {\n param a: real\n flops = a^2\n memory = 8 B*a\n}\n"]
    for level in range(1, 32):
        step = f" step x = a{level - 1}(a = a + ln(a + {level}))\n"
        levels.append(f"model a{level} {{\n param a: real\n{step}}}\n")
    path = tmp_path / "levels.roof"
    path.write_text("".join(levels), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["eval", f"{path}:a31", "-m", "karst"])
    assert ended.exit_code == 0 and "for any a" in ended.output


def test_steps_compared_are_charged(tmp_path: Path) -> None:
    layer = "model layer {\n param n: integer\n flops = n^2\n memory = 8 B*n*ln(n + 1)\n}\n"
    paths = [tmp_path / "old.roof", tmp_path / "new.roof"]
    for first, path in enumerate(paths, 1):
        steps = "".join(f" step s{k} = layer(n = N*{k + first})\n" for k in range(400))
        path.write_text(f"{layer}model m {{\n param N: integer\n{steps}}}\n", encoding="utf-8")
    ended = CliRunner().invoke(cli, ["diff", *map(str, paths), "--budget", "0.2x"])
    assert isinstance(ended.exception, rd.RoofError)
    (problem,) = ended.exception.diagnostics
    assert problem.code == "R0412" and "before what differs in 's" in problem.message


LEVELS = "".join(f" L{k} = {k + 1} GB/s\n" for k in range(300))
TRAFFIC = "".join(f" L{k} = 8 B*N*{k + 1}\n" for k in range(300))
MANY_LEVELS = f"""
model m {{
 param N: integer
 flops = N^2
 memory {{
{TRAFFIC} }}
}}
machine box {{
 flops = 22 GFLOP/s
 memory {{
{LEVELS} default L0
 }}
}}
"""


def test_a_machine_of_many_levels_is_charged(tmp_path: Path) -> None:
    path, picture = tmp_path / "m.roof", tmp_path / "a.svg"
    path.write_text(MANY_LEVELS, encoding="utf-8")
    model_on_machine = [f"{path}:m", "-m", f"{path}:box"]
    assert CliRunner().invoke(cli, ["eval", *model_on_machine]).exit_code == 0
    for before, after in (
        ("solve", "--crossover --for N"),
        ("study", "-p N=4096 --sensitivity"),
        ("plot roofline", f"-p N=4096 -o {picture}"),
    ):
        words = [*before.split(), *model_on_machine, *after.split(), "--budget", "0.1x"]
        ended = CliRunner().invoke(cli, words)
        assert isinstance(ended.exception, rd.RoofError)
        assert [found.code for found in ended.exception.diagnostics] == ["R0412"]


def test_of_many_problems_of_one_kind_the_first_are_told(tmp_path: Path) -> None:
    lets = "".join(f" let a{k} = 10^(N*{k + 1})\n" for k in range(3000))
    model = f"model m {{\n param N: integer\n{lets} flops = N*a0\n memory = 8 B*N\n}}\n"
    path = tmp_path / "m.roof"
    path.write_text(model, encoding="utf-8")
    ended = CliRunner().invoke(cli, ["eval", str(path), "-m", "karst", "-p", "N=1000"])
    assert isinstance(ended.exception, rd.RoofError)
    assert len(ended.exception.diagnostics) == 3000
    said = str(ended.exception)
    assert said.count("error[R0407]") == 20 and said.endswith("\n\nand 2,980 more of R0407")
    tests = "".join(f'test "t{k}" {{ expect 1 > 2 }}\n' for k in range(30))
    path.write_text(tests, encoding="utf-8")
    ran = CliRunner().invoke(cli, ["test", str(path)])
    assert ran.output.count("error[R0601]") == 20 and "\nand 10 more of R0601\n" in ran.output
    assert ran.output.count("FAIL ") == 30 and "0 passed, 30 failed" in ran.output
