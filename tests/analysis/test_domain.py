"""The values an unknown may take: those that `eval` accepts, and no others."""

from __future__ import annotations

import random

import pytest

from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.unknown import unknown_named
from roofdsl.diagnostic import RoofError
from roofdsl.expression.construct import number
from roofdsl.expression.tree import Expression
from roofdsl.model.library import check_text
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source, Span

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


def accepted(model: ModelDefinition, machine: MachineDefinition, **values: int) -> bool:
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


@pytest.mark.parametrize("seed", range(60))
def test_the_domain_is_what_eval_accepts(seed: int) -> None:
    text = Writer(seed).model()
    model, machine = read(text)
    other = 24 if seed % 3 else 7
    unknown = unknown_named("N", model, machine)
    arguments: dict[str, tuple[Expression, Span | None]] = {"M": (number(other), None)}
    prediction, problems = predict(model, machine, arguments, frozenset({"N"}))
    allowed = [n for n in range(1, MOST + 1) if accepted(model, machine, N=n, M=other)]
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
