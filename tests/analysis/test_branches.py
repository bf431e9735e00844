"""Pieces of a range follow the law of composition, and so do the verdicts over it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
import sympy

from roofdsl.analysis.branches import Branched
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.unknown import Unknown
from roofdsl.embedding.machine import load_machine
from roofdsl.embedding.model import load_model
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Number, Symbol
from roofdsl.numeric.exact import exact
from roofdsl.units.dimension import DIMENSIONLESS
from tests.analysis.law import Spent, spent
from tests.analysis.programs import Program, programs
from tests.analysis.test_law import COMPOSE, built
from tests.analysis.test_proofs import told, written
from tests.counts import ALL, inputs

LAST = 10**6
PARTS = 5
EACH = 40


def opened(program: Program) -> tuple[Prediction, Unknown]:
    prediction, problems = predict(*built(program), {}, frozenset({"n"}))
    assert not problems
    (parameter,) = prediction.model.parameters
    return prediction, Unknown(Symbol("n", integer=True), DIMENSIONLESS, True, parameter)


def at(value: Branched, n: int) -> Fraction:
    (tree,) = [branch.tree for branch in value if branch.first <= n <= branch.last]
    found = exact(substitute(tree, {"n": Number(Fraction(n))}), {})
    assert found is not None
    return Fraction(found)


def differences(whole: Composed[Branched], law: Spent, n: int) -> Iterator[str]:
    tables = ((whole.charged, law.charged), (whole.busy, law.busy))
    for found, expected in (({"time": whole.time}, {"time": law.time}), *tables):
        for name in {**found, **expected}:
            is_there = at(found[name], n) if name in found else Fraction()
            if is_there != expected.get(name, 0):
                yield f"{name} at n = {n} is {is_there}, not {expected.get(name, 0)}"


def points(first: int, last: int, random: Random) -> set[int]:
    return {first, last, random.randint(first, last), random.randint(first, last)}


@pytest.mark.parametrize("part", range(inputs(2, PARTS)))
def test_pieces_and_regimes_follow_the_law(part: int) -> None:
    random = Random(part)
    for number, program in enumerate(programs(f"branches {part}", EACH)):
        prediction, unknown = opened(program)
        for compose in COMPOSE if ALL else (COMPOSE[number % len(COMPOSE)],):
            over = RegimesOver(prediction, unknown, 1, LAST, composing=compose)
            whole = over.whole
            for value in (whole.time, *whole.charged.values(), *whole.busy.values()):
                assert [branch.first for branch in value] == [
                    1,
                    *(int(branch.last) + 1 for branch in value[:-1]),
                ]
                assert value[-1].last == LAST
                for branch in value:
                    for n in points(int(branch.first), int(branch.last), random):
                        found = [*differences(whole, spent(program.at(n), compose), n)]
                        assert found == [], f"program {number}, {compose}:\n{program.text()}"
            if not prediction.rivals:
                continue  # no work at all
            regimes = over.regimes(over.parts())
            assert regimes.complete, f"program {number}, {compose}:\n{program.text()}"
            for regime in regimes.regimes:
                for n in points(int(regime.first), int(regime.last), random):
                    law = spent(program.at(n), compose)
                    said = f"program {number}, {compose}, n = {n}:\n{program.text()}"
                    assert regime.kind in ("largest", "tie", "idle"), said
                    assert regime.labels == law.ties, said


def test_long_sums_and_sums_up_to_a_rounded_number_are_summed(tmp_path: Path) -> None:
    sums = "flops = sum(2*N for k in 1..1000); memory = sum(1000 B for k in 1..ceil(N/3))"
    body = f"param N: integer; step a {{ {sums} }} step b {{ network = 600 B * N }}"
    asked = written(tmp_path, f"model m {{ {body} }}")
    found = told(*asked, "--crossover", "--for", "N")
    assert [(each["from"], each["bound"]) for each in found["regimes"]] == [(1, "flops")]
    assert found["complete"]


def test_a_cut_of_a_real_unknown_is_one_change_and_nothing_undecided(tmp_path: Path) -> None:
    # Where s1 changes from network to flops, so does the whole: among the floats of its enclosure
    # nothing else is told.
    steps = (
        "step s1 { flops = 1000*N*log2(N + 1); network = log2(N + 1) * 11 B } "
        "step s2 { flops = 50; memory = N * 7 B }"
    )
    path = tmp_path / "m.roof"
    machine = "machine box { flops = 3 flop/s; memory = 1e9 B/s; network = 1 B/s }"
    path.write_text(f"model m {{ param N: integer = 10; {steps} }} {machine}", encoding="utf-8")
    asked = (f"{path}:m", "-m", f"{path}:box", "--for", "box.network")
    found = told(*asked, "--crossover")
    assert [each["bound"] for each in found["regimes"]] == ["network", "flops"]
    (whole,) = [each for each in found["crossovers"] if each["step"] is None]
    low, high = map(Fraction, whole["enclosure"])
    assert found["complete"] and low <= Fraction(11 * 3, 10_000) <= high


def test_the_time_of_a_network_is_a_plain_formula_in_each_piece() -> None:
    prediction = load_model("resnet50").on(load_machine("h100_sxm"))
    time = prediction.time_expression("batch")
    (batch,) = time.free_symbols
    *pieces, (outside, _) = time.args
    assert len(pieces) == 2 and outside is sympy.nan
    for formula, _ in pieces:
        assert not formula.has(sympy.Max, sympy.Piecewise)
    for size in (1, 42, 43, 10**6):
        assert float(time.subs(batch, size)) == pytest.approx(
            prediction.evaluate(batch=size).time, rel=1e-12
        )


def test_the_time_has_no_formula_where_eval_refuses_it(tmp_path: Path) -> None:
    path = tmp_path / "m.roof"
    path.write_text("model m { param N: integer; flops = (N - 10)*(N - 20) }", encoding="utf-8")
    time = load_model(f"{path}:m").on(load_machine("karst")).time_expression("N")
    (size,) = time.free_symbols
    assert time.subs(size, 15) is sympy.nan and time.subs(size, 21) > 0


KINDS = {
    # Flops are declared first, and win where both take equally long.
    "overlap { step a { flops = N^2 } step b { network = 50 B * N } } step c { memory = 9 B }": [
        ("network", "flops", 50, "jump", 50)
    ],
    "step a { flops = 10*N; memory = N^2 * 1 B } step b { network = 1 B }": [
        ("flops", "memory", 11, "jump", 10)
    ],
    "step a { flops = N^2 } step b { memory = 20 B * N }": [("memory", "flops", 21, "tie", 20)],
    "step a { flops = N^2 } step b { memory = 20.5 B * N }": [
        ("memory", "flops", 21, "switch", 20.5)
    ],
    "step a { flops = (N - 20)^2 + 100 } step b { memory = 100 B }": [
        ("flops", "flops", 20, "touch", None)
    ],
    # A tie where a piece ends: at 10 step a is bound by flops, which tie with b; from 11 on memory.
    "step a { flops = 10*N; memory = N^2 * 1 B } step b { network = 100 B }": [
        ("network", "memory", 11, "tie", 10)
    ],
}


@pytest.mark.parametrize("steps", KINDS)
def test_changes_of_compositions_have_their_kinds(tmp_path: Path, steps: str) -> None:
    asked = written(tmp_path, f"model m {{ param N: integer; {steps} }}")
    found = told(*asked, "--crossover", "--for", "N")
    whole = [
        (*each["before"], *each["after"], each["first_integer"], each["kind"], value)
        for each in found["crossovers"]
        if each["step"] is None
        for value in (each["closed_form_value"],)
    ]
    assert found["complete"] and whole == KINDS[steps]
