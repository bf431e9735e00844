"""Least squares against every choice of what is 0, fractions by hand, and the law of a tree."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.substitute import substitute
from roofdsl.model.arguments import read_arguments
from roofdsl.model.library import check_text, find_machine, find_model
from roofdsl.numeric.linear_terms import NotLinear, Terms, linear_terms
from roofdsl.source import Source
from tests.counts import inputs

pytest.importorskip("scipy", reason="constants are fitted by SciPy")

from roofdsl.numeric.nonnegative import Array, determined, non_negative
from roofdsl.numeric.piecewise_fit import Equations, best_constants, times_at


def by_all_choices(matrix: Array, right: Array) -> float:
    """Return the least misfit of constants of 0 or more, each set of those above 0 tried."""
    wide = matrix.shape[1]
    best = float(right @ right)
    for count in range(1, wide + 1):
        for places in combinations(range(wide), count):
            part = matrix[:, places]
            found = np.linalg.lstsq(part, right, rcond=None)[0]
            if (found >= 0).all():
                best = min(best, float(np.sum((part @ found - right) ** 2)))
    return best


@pytest.mark.parametrize("seed", range(inputs(20, 200)))
def test_constants_of_zero_or_more_have_the_least_misfit(seed: int) -> None:
    generator = np.random.default_rng(seed)
    matrix = generator.uniform(0, 1, (6, 4)) * 10.0 ** generator.integers(-12, 3, 4)
    right = generator.uniform(-0.2, 1, 6)
    found = non_negative(matrix, right)
    assert (found >= 0).all()
    misfit = float(np.sum((matrix @ found - right) ** 2))
    assert misfit == pytest.approx(by_all_choices(matrix, right), rel=1e-9, abs=1e-12)


def test_standard_errors_are_those_of_the_normal_equations() -> None:
    rows = [(Fraction(1), Fraction(n)) for n in range(1, 6)]
    right = [Fraction(each, 10) for each in (31, 49, 72, 88, 113)]
    a = sum(x * x for x, _ in rows)
    b = sum(x * y for x, y in rows)
    d = sum(y * y for _, y in rows)
    e = sum(x * t for (x, _), t in zip(rows, right, strict=True))
    f = sum(y * t for (_, y), t in zip(rows, right, strict=True))
    root = a * d - b * b
    x, y = (d * e - b * f) / root, (a * f - b * e) / root
    rest = sum((x * u + y * v - t) ** 2 for (u, v), t in zip(rows, right, strict=True))
    exact = [(rest / 3 * d / root), (rest / 3 * a / root)]  # the squares
    matrix, measured = np.array(rows, dtype=float), np.array(right, dtype=float)
    found = non_negative(matrix, measured)
    assert found.tolist() == pytest.approx([float(x), float(y)])
    errors = determined(matrix, measured, found).errors
    assert errors == pytest.approx([float(each) ** 0.5 for each in exact])


def test_groups_that_are_alike_are_found_apart_from_one_another() -> None:
    generator = np.random.default_rng(5)
    one, other, third = generator.uniform(1, 2, (3, 9))
    matrix = np.stack([one, other, 3 * one, other * 1e-9, third, np.zeros(9)], axis=1)
    found = determined(matrix, matrix @ np.ones(6), np.ones(6))
    assert found.alike == ((0, 2), (1, 3))
    assert found.unseen == (5,)


@pytest.mark.parametrize("seed", range(inputs(20, 200)))
def test_times_of_random_terms_are_those_of_python(seed: int) -> None:
    generator = np.random.default_rng(seed)
    names = ["a", "b", "c"]

    def linear() -> dict[str, float]:
        return {name: float(generator.uniform(0, 2)) for name in (*names, "")}

    terms = []
    for _ in range(5):
        groups = [
            tuple(linear() for _ in range(int(generator.integers(1, 4))))
            for _ in range(int(generator.integers(0, 3)))
        ]
        terms.append(Terms(linear(), tuple(groups)))
    values = dict(zip((*names, ""), (*generator.uniform(0, 3, 3), 1.0), strict=True))

    def at(piece: dict[str, float]) -> float:
        return float(sum(value * values[name] for name, value in piece.items()))

    by_hand = [
        at(dict(each.base)) + sum(max(at(dict(piece)) for piece in group) for group in each.maxima)
        for each in terms
    ]
    x = np.array([values[name] for name in names])
    assert times_at(terms, names, x.tolist()) == pytest.approx(by_hand)
    active = Equations(terms, names).active(x)
    assert (active[:, :-1] @ x + active[:, -1]).tolist() == pytest.approx(by_hand)


@pytest.mark.parametrize("name", ["summa", "dgemv", "fft", "stencil2d", "ddot"])
def test_terms_at_the_rates_that_are_stated_are_the_predicted_time(name: str) -> None:
    model, machine = find_model(name)[0], find_machine("karst")[0]
    sizes = {"N": "4096", "P": "4"}
    given = {p.name: sizes[p.name] for p in model.parameters if p.name in sizes}
    arguments, problems = read_arguments(model, given)
    prediction, wrong = predict(model, machine, arguments)
    assert [*problems, *wrong] == []
    names = [*prediction.rates]
    terms = linear_terms(prediction.time(), names, ())
    rates = [1 / prediction.rate_values[each] for each in names]
    (time,) = times_at([terms], names, rates)
    assert time == pytest.approx(evaluated(prediction).time)


def test_a_tree_of_steps_becomes_terms() -> None:
    text = """
    model m {
        param n: integer
        overlap {
            step a { flops = 2*n; memory = 8 B*n }
            repeat 3 { step b { memory = 4 B*n; network = n * 1 B } }
        }
        step c { flops = n }
    }
    machine box { flops = 2 GFLOP/s; memory = 3 GB/s; network = 1 GB/s; startup = 5 us }
    """
    module, _ = check_text(Source("made", text))
    model, machine = module.models["m"], module.machines["box"]
    for n in ("10", "1000", "1e6"):
        prediction, _ = predict(model, machine, read_arguments(model, {"n": n})[0])
        names = [*prediction.rates]
        terms = linear_terms(prediction.time(), names, ())
        (time,) = times_at([terms], names, [1 / prediction.rate_values[each] for each in names])
        assert time == pytest.approx(evaluated(prediction).time)


def test_what_is_not_linear_says_why() -> None:
    text = """
    model m { param n: real; param c: real; flops = FORMULA }
    machine box { flops = 2 GFLOP/s }
    """
    reasons = {
        "c^2*n": "a power of 2",
        "2^c": "an exponent",
        "ceil(c)*n": "inside `ceil`",
        "n/c": "divided by it",
        "c*n*c": "multiplied by itself",
        "if c > n then n else 2*n": "a condition",
        "sum(k*c for k in 1..3)": "a sum",
    }
    for formula, reason in reasons.items():
        module, problems = check_text(Source("made", text.replace("FORMULA", formula)))
        assert [each for each in problems if each.severity == "error"] == [], formula
        model, machine = module.models["m"], module.machines["box"]
        given = read_arguments(model, {"n": "10"})[0]
        prediction, _ = predict(model, machine, given, frozenset({"c"}))
        tree = substitute(prediction.time(), prediction.rates)
        with pytest.raises(NotLinear, match=reason):
            linear_terms(tree, (), {"c"})


def test_a_linear_time_in_a_constant_is_found_by_its_terms() -> None:
    twice = [(Terms({"a": float(n), "": 3.0}), 3.0 + 2.5 * n, 1.0) for n in range(1, 5)]
    assert best_constants(twice, ["a"], [None]).values == pytest.approx((2.5,))


def test_a_fit_loads_scipy_and_nothing_else_does() -> None:
    code = "import sys, roofdsl.analysis.prediction; print('scipy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
