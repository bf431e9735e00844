"""The values an unknown may take: those that `eval` accepts, and no others."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any  # JSON

import numpy as np
import pytest
from click.testing import CliRunner

from roofdsl.allowance import Budget
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.mapping import map_of
from roofdsl.answer.regime_map import OUTSIDE
from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError
from roofdsl.expression.construct import number
from roofdsl.expression.tree import Expression
from roofdsl.model.library import check_text
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source, Span
from tests.counts import inputs

MACHINE = """
machine box {
    param cores = 4
    flops = 2 flop/s * cores
    memory = 1 B/s
    network = 3 B/s / cores
}
"""
MOST = 240


def read(text: str, name: str = "m") -> tuple[ModelDefinition, MachineDefinition]:
    module, problems = check_text(Source("domain.roof", text + MACHINE))
    assert not [problem for problem in problems if problem.code.startswith("R")], problems
    return module.models[name], module.machines["box"]


def accepted(model: ModelDefinition, machine: MachineDefinition, **values: int | Fraction) -> bool:
    """Whether `eval` has an answer."""
    arguments: dict[str, tuple[Expression, Span | None]] = {
        name: (number(value), None) for name, value in values.items()
    }
    prediction, problems = predict(model, machine, arguments)
    if problems:
        return False
    try:
        evaluated(prediction)
    except RoofError:
        return False
    return True


def domain(text: str, name: str, **given: int) -> Domain:
    model, machine = read(text)
    unknown = unknown_named(name, model, machine)
    arguments: dict[str, tuple[Expression, Span | None]] = {
        each: (number(value), None) for each, value in given.items()
    }
    prediction, problems = predict(model, machine, arguments, frozenset(unknown.free))
    assert not problems, problems
    return domain_of(prediction, unknown)


class Writer:
    """Writes a random model in N and M, with all that may make it refuse a value."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    def count(self, most: int) -> int:
        return self.random.randint(1, most)

    def amount(self) -> str:
        """A formula that is mostly a number above 0."""
        return self.pick(
            "N", "M", "N*M", f"N/{self.count(9)}", f"N^2/{self.count(99)}", f"{self.count(300)}/N",
            f"sqrt(N/{self.count(4)})", "log2(N)", f"N - {self.count(9)}", f"{self.count(250)} - N",
            f"ceil(N/{self.count(9)})", "half", "sum(k for k in 1..N)", f"max(N, {self.count(50)})",
            f"sqrt(N - {self.count(40)})", f"log2(N - {self.count(20)})",
            f"1/(N - {self.count(99)})",
            f"(if N > {self.count(99)} then N - {self.count(99)} else 1)",
        )  # fmt: skip

    def condition(self, depth: int = 0) -> str:
        if depth < 2 and self.random.random() < 0.25:
            joined = self.pick(" and ", " or ").join(self.condition(depth + 1) for _ in range(2))
            return self.pick(f"({joined})", f"not ({joined})")
        k = self.count(12)
        return self.pick(
            f"N <= {self.count(250)}", f"N > {self.count(40)}", "N >= M", f"M*{k} <= N",
            f"N/{k} is integer", f"sqrt(N*{k}) is integer", f"sqrt(N/{k}) is integer",
            f"log2(N/{k}) is integer", f"N*M/{k} is integer", f"{self.count(999)}/N is integer",
            f"(N^2 + N)/{k} is integer", f"N - {k}*floor(N/{k}) == {self.count(4) - 1}",
            f"ceil(N/{k})/2 is integer", f"sqrt(N) > log2(N)*{k}/4", f"N != {self.count(20)}",
            f"N^(1/3) is integer or N < {k}", "M/N is integer", f"log(N, {k + 1}) is integer",
            f"N^2 - {self.count(99)}*N + {self.count(400)} >= 0", f"ceil(N/{k})*{k} <= N + 1",
        )  # fmt: skip

    def model(self) -> str:
        bounds = self.pick(
            "", "[2..]", "[..M]", "[M..]", "[1..2*M]", "[3..M^2]", "[0..200]", "[..sqrt(M)*9]"
        )
        follower = self.pick(
            "param B: integer = N/2", "param B: integer[1..N] = 8", "param B: integer[N..M^2] = M",
            "param B: integer[..N] = M", "param B: real[0..N] = sqrt(M)", "param B = N/3",
            "param B: processes = ceil(N/4)", "param B: integer[2..M] = N",
        )  # fmt: skip
        lines = [f"param N: integer{bounds}", "param M: integer = 24", follower]
        lines.append(f"let half = ({self.amount().replace('half', 'N')})/2")
        lines += [f"require {self.condition()}" for _ in range(self.random.randrange(3))]
        work = [f"{name} = {self.amount()}" for name in ("flops", "memory", "network")]
        if self.random.random() < 0.5:
            return "model m { " + "; ".join([*lines, *work[: self.count(3)]]) + " }"
        inner = f"param a: integer{self.pick('', '[1..]', '[..9*b]')}; param b = 30"
        inner += f"; require {self.condition().replace('N', 'a').replace('M', 'b')}"
        step = f"part(a = {self.pick('N', 'N/2', 'M', 'N + M', 'ceil(N/3)')}, b = M)"
        run = f"repeat {self.pick('N/3', '2', 'M - N')} {{ step one = {step} }}"
        body = self.pick(f"step one = {step}", f"step one = {step}; step two = part(a = N)", run)
        part = f"model part {{ {inner}; flops = a; memory = b }}"
        return part + " model m { " + "; ".join([*lines, body]) + " }"


@pytest.mark.parametrize("seed", range(0, 80, inputs(2, 1)))
def test_the_domain_is_what_eval_accepts(seed: int) -> None:
    text = Writer(seed).model()
    model, machine = read(text)
    asked, given, other = ("N", "M", 24 if seed % 3 else 7) if seed < 60 else ("M", "N", seed - 50)
    unknown = unknown_named(asked, model, machine)
    arguments: dict[str, tuple[Expression, Span | None]] = {given: (number(other), None)}
    prediction, problems = predict(model, machine, arguments, frozenset({asked}))
    numbers = range(1, MOST + 1)
    allowed = [n for n in numbers if accepted(model, machine, **{asked: n, given: other})]
    if problems:
        assert not allowed, text
        return
    found = domain_of(prediction, unknown)
    assert [n for n in range(1, MOST + 1) if found.allows(n)] == allowed, text
    chance = random.Random(seed)
    for _ in range(6):
        first, last = sorted((chance.randint(1, MOST), chance.randint(1, MOST)))
        inside = [n for n in allowed if first <= n <= last]
        ends = (inside[0], inside[-1]) if inside else (None, None)
        answers = found.first(first, last), found.last(first, last)
        for answer, end in zip(answers, ends, strict=True):
            if answer.proven:
                assert answer.value == end, text
            else:
                assert answer.value is None or answer.value in inside, text


@pytest.mark.parametrize("seed", range(20))
def test_the_domain_of_a_real_unknown_is_what_eval_accepts(seed: int) -> None:
    writer = Writer(seed)
    text = writer.model().replace("param N: integer", "param N: real")
    model, machine = read(text)
    arguments: dict[str, tuple[Expression, Span | None]] = {"M": (number(24), None)}
    prediction, problems = predict(model, machine, arguments, frozenset({"N"}))
    chance = writer.random
    grid = [Fraction(chance.randint(1, 4000), chance.choice((1, 2, 4, 7, 16))) for _ in range(60)]
    allowed = sorted(value for value in grid if accepted(model, machine, N=value, M=24))
    if problems:
        assert not allowed, text
        return
    found = domain_of(prediction, unknown_named("N", model, machine))
    assert sorted(value for value in grid if found.allows(value)) == allowed, text
    for _ in range(4):
        first, last = sorted((chance.uniform(0.01, 200), chance.uniform(0.01, 200)))
        answer = found.first_of(first, last)
        inside = [value for value in allowed if first <= value <= last]
        if answer.value is None:
            assert not (answer.proven and inside), text
        else:
            assert accepted(model, machine, N=Fraction(answer.value), M=24), text
            assert not (answer.proven and inside and inside[0] < answer.value), text


def asked(tmp_path: Path, text: str, *options: str) -> tuple[dict[str, Any], str]:
    """Return what `solve` answers, as data and as text."""
    path = tmp_path / "domain.roof"
    path.write_text(text + MACHINE)
    call = ["solve", f"{path}:m", "-m", f"{path}:box", *options]
    answer = CliRunner().invoke(cli, [*call, "--format", "json"])
    assert answer.exception is None, answer.output
    found: dict[str, Any] = json.loads(answer.stdout)
    return found, CliRunner().invoke(cli, call).output


# flops = 8 N^2, memory = N·k: they meet where 8 N = k·8, as flops run at 8 flop/s.
SQUARE = "model m {{ param N: integer{bounds}; {require} flops = 8*N^2; memory = {k} B*N }}"


def test_a_bound_that_is_a_formula_ends_the_range(tmp_path: Path) -> None:
    text = (
        "model m { param N: integer; param P: processes[..N]; flops = 800/P; memory = P/90 * 1 B }"
    )
    found, said = asked(tmp_path, text, "--crossover", "--for", "P", "-p", "N=80")
    assert (found["range"], found["crossovers"]) == ([1, 80], [])
    assert "no crossover in P over 1 .. 80" in said


def test_bounds_of_other_parameters_are_bounds_too(tmp_path: Path) -> None:
    text = "model m { param B: integer[1..N]; param N: integer; flops = N^2; memory = N + B }"
    found, _ = asked(tmp_path, text, "--crossover", "--for", "N", "-p", "B=8")
    assert found["range"] == [8, 10**18]


def test_a_bound_may_be_irrational(tmp_path: Path) -> None:
    text = "model m { param N: integer; param P: processes[..sqrt(N)]; flops = N/P; memory = P }"
    found, _ = asked(tmp_path, text, "--crossover", "--for", "P", "-p", "N=1000")
    assert found["range"] == [1, 31]


def test_a_rate_that_is_a_formula_is_sought_about_its_value(tmp_path: Path) -> None:
    text = "model m { param N: integer = 9; flops = 30*N; network = N * 1 B }"
    options = ("--such-that", "bound = network", "--for", "box.network")
    found, _ = asked(tmp_path, text, *options)
    assert found["range"] == [0.75e-6, 0.75e6]
    (holds,) = found["holds"]
    assert holds["to"] == pytest.approx(8 / 30)


TOGETHER = next(n for n in range(8192, 10**7, 4096) if n % 625 == 1)


@pytest.mark.parametrize(
    ("require", "first"),
    [
        ("(N/1000000) is integer", 1_000_000),
        ("N > 100000", 100_001),
        ("log2(N) is integer", 8192),
        ("sqrt(N/2) is integer", 6050),
        ("N - 4096*floor(N/4096) == 5", 8197),
        (
            "N/4096 is integer; require (N - 1)/625 is integer",
            next(n for n in range(8192, 10**7, 4096) if n % 625 == 1),
        ),
        ("N^(1/3) is integer; require N/343 is integer", 9261),
        ("360360/N is integer", 6006),
        ("sqrt(N) + sqrt(N)/3 is integer; require N/5 is integer", 8100),
    ],
)
def test_the_first_value_is_solved_for(tmp_path: Path, require: str, first: int) -> None:
    text = SQUARE.format(bounds="", require=f"require {require};", k=6000)
    found, _ = asked(tmp_path, text, "--such-that", "bound = flops", "--for", "N")
    (holds,) = found["holds"]
    assert holds["first_valid"] == first and holds["first_valid_proven"]


def test_the_first_value_lies_in_its_own_regime(tmp_path: Path) -> None:
    # Flops from 6001 to 7999, network from there on; the powers beside are 4096 and 8192.
    text = SQUARE.format(bounds="", require="require log2(N) is integer;", k=6000)
    text = text.replace(" }", "; network = N^3/8000 * (3/4) * 1 B }")
    found, said = asked(tmp_path, text, "--crossover", "--for", "N")
    regime = found["regimes"][2]
    assert regime["bound"] == "flops"
    assert (regime["from"], regime["to"]) == (6001, 7999)
    assert (regime["first_valid"], regime["first_valid_proven"]) == (None, True)
    assert "for 6001 ≤ N ≤ 7999: no N is allowed there (proven)" in said


@pytest.mark.parametrize("question", ["--crossover", "--faster"])
def test_the_first_value_allowed_is_said_where_the_range_begins(
    tmp_path: Path, question: str
) -> None:
    text = SQUARE.format(
        bounds="", require="require N > 100000; require sqrt(N) is integer;", k=6000
    )
    text += MACHINE.replace("box", "slow").replace("2 flop/s", "1 flop/s")
    more = ("-m", f"{tmp_path / 'domain.roof'}:slow") if question == "--faster" else ()
    found, said = asked(tmp_path, text, question, "--for", "N", *more)
    (regime,) = found["fastest" if more else "regimes"]
    assert (regime["from"], regime["first_valid"], regime["first_valid_proven"]) == (
        100_001,
        317**2,
        True,
    )
    assert "for 100001 ≤ N ≤ 10^18: first N that the model allows: 100489" in said


def test_the_first_value_allowed_is_said_once(tmp_path: Path) -> None:
    text = SQUARE.format(bounds="[6..]", require="require sqrt(N) is integer;", k=6000)
    _, said = asked(tmp_path, text, "--crossover", "--for", "N")
    assert "memory            for 6 ≤ N ≤ 5999: first N that the model allows: 9\n" in said
    assert "for 6001 ≤ N ≤ 10^18\n" in said
    assert "from N = 6001, after an exact tie\n  first N that the model allows: 6084\n" in said


def test_what_is_not_solved_for_is_said_to_be_so(tmp_path: Path) -> None:
    # When is N a square, and the next multiple of 3 over 10 as well? Nobody knows soon.
    require = "require sqrt(N/10) is integer; require sqrt(ceil(N/3)/10) is integer;"
    text = SQUARE.format(bounds="", require=require, k=6000)
    found, said = asked(tmp_path, text, "--such-that", "bound = flops", "--for", "N")
    (holds,) = found["holds"]
    assert (holds["first_valid"], holds["first_valid_proven"]) == (None, False)
    assert "no N that the model allows was found there (looked up to N = " in said


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("param N: integer; flops = N - 50; memory = N", 50),
        ("param N: integer; let x = sqrt(N - 9999); flops = x; memory = N", 9999),
        ("param N: integer; flops = log2(N - 70000); memory = N", 70_001),
        ("param N: processes; flops = 9; total flops = 80; memory = N", 9),
    ],
)
def test_what_has_no_value_is_not_allowed(text: str, first: int) -> None:
    found = domain(f"model m {{ {text} }}", "N").first(1, 10**18)
    assert found[:2] == (first, True)
    model, machine = read(f"model m {{ {text} }}")
    assert not any(
        accepted(model, machine, N=n) for n in range(max(1, (first or 99) - 9), first or 99)
    )


def test_a_jump_far_out_is_told_as_eval_tells_it() -> None:
    """Floats said of all these numbers that flops are below 0 there."""
    text = "model m { param N: integer; flops = ceil(N/7)*7 - N - 1; memory = N }"
    found = domain(text, "N")
    model, machine = read(text)
    for value in range(10**18 - 9, 10**18 + 1):
        assert found.allows(value) == accepted(model, machine, N=value) == (value % 7 != 0)
    assert found.last(1, 10**18)[:2] == (10**18, True)


@pytest.mark.parametrize(
    ("bounds", "require", "first", "proven"),
    [
        ("[1/2..9]", "", 0.5, True),
        ("[0..9]", "require x^2 >= 2;", 2**0.5, True),
        ("[0..9]", "require x > 3;", 3 * (1 + 1e-6), False),
        ("[0..9]", "require x > 3; require x < 2;", None, True),
    ],
)
def test_a_real_unknown_begins_at_its_end_if_that_is_allowed(
    bounds: str, require: str, first: float | None, proven: bool
) -> None:
    text = f"model m {{ param x: real{bounds}; {require} flops = x; memory = 1 }}"
    found = domain(text, "x").first_of(1e-6, 9.0)
    assert found.value == (first if first is None else pytest.approx(first, rel=1e-12))
    assert found.proven is proven


def test_a_far_value_takes_no_longer() -> None:
    """By ones it took 1.7 s and found nothing."""
    budget = Budget()
    found = domain(SQUARE.format(bounds="", require="require N/10^12 is integer;", k=1), "N")
    assert found.first(10**15 + 1, 10**18, budget)[:2] == (10**15 + 10**12, True)
    assert found.last(1, 10**15 - 1, budget)[:2] == (10**15 - 10**12, True)
    assert budget.spent < 10


def test_a_map_is_drawn_where_its_bounds_admit() -> None:
    text = "model m { param B: integer[1..N]; param N: integer; flops = N^2; memory = 20*N*B }"
    model, machine = read(text)
    found = map_of(ModelOnMachine(model, machine), ("B", 1, 1000), ("N", 1, 500), {})
    regions = [region for region in found.regions if region.bound != OUTSIDE]
    assert {region.bound for region in regions} == {"flops", "memory"}
    for region in regions:
        # Runs of columns meet halfway, a thousandth of the width apart.
        assert np.all(region.low >= region.x * 0.98) and region.x.max() <= 500 * 1.02


def test_what_depends_on_an_open_parameter_is_said_not_to_be_checked(tmp_path: Path) -> None:
    text = "model m { param M: integer; param N: integer[..M]; flops = N^2; memory = N }"
    found, said = asked(tmp_path, text, "--such-that", "bound = flops", "--for", "N")
    (note,) = found["notes"]
    assert note == "it is not checked that N <= M, as 'M' has no value" and note in said


def test_who_is_faster_is_asked_where_both_are_allowed(tmp_path: Path) -> None:
    path = tmp_path / "two.roof"
    path.write_text(
        """
        model one { param N: integer[3..]; require N/3 is integer; flops = N^2 }
        model other { param N: integer[..99]; require N/5 is integer; flops = 40*N }
        """
        + MACHINE
    )
    call = ["solve", f"{path}:one", f"{path}:other", "--faster", "-m", f"{path}:box", "--for", "N"]
    answer = CliRunner().invoke(cli, [*call, "--format", "json"])
    assert answer.exception is None, answer.output
    found = json.loads(answer.stdout)
    assert found["range"] == [3, 99]
    firsts = [(each["from"], each["first_valid"]) for each in found["fastest"]]
    assert firsts == [(3, 15), (40, None), (41, 45)]
    assert all(each["first_valid_proven"] for each in found["fastest"])
    assert [each["first_valid"] for each in found["changes"]] == [45]
    assert "at N = 40: no N is allowed there (proven)" in CliRunner().invoke(cli, call).output


@pytest.mark.parametrize("require", ["", "require sqrt(N) is integer;"])
def test_what_is_beyond_a_float_is_not_allowed(require: str) -> None:
    budget = Budget()
    found = domain(f"model m {{ param N: integer; {require} flops = N^20; memory = N }}", "N")
    assert found.first(10**16, 10**18, budget)[:2] == (None, True)
    assert found.last(1, 10**18, budget).value == found.last(1, 10**16, budget).value
    assert found.last(1, 10**18, budget).proven and budget.spent < 1000


def test_a_hard_question_leaves_work_for_the_next() -> None:
    hard = "require N < 5 or sqrt(N/10) is integer; require sqrt(ceil(N/3)/10) is integer or N < 5;"
    found = domain(SQUARE.format(bounds="", require=hard, k=1), "N")
    for _ in range(9):
        assert found.first(9, 10**18)[:2] == (None, False)
    assert found.first(1, 10**18)[:2] == (1, True)


def test_a_real_unknown_may_be_asked_to_be_on_a_grid() -> None:
    text = "model m { param x: real; param n: integer = x/2; require n/3 is integer; flops = x }"
    found = domain(text, "x")
    assert found.first_of(20.0, 1e6)[:2] == (24.0, True)
    assert found.first_of(25.0, 29.0)[:2] == (None, True)
