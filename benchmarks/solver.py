"""The solver against SymPy, side by side in one process."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import combinations
from statistics import median
from time import process_time
from types import FrameType
from typing import NamedTuple

import sympy

from benchmarks.ratios import Figure, import_sympy, ratio, seconds
from roofdsl.algebra.closed_form import closed_form
from roofdsl.algebra.leading import eventual_sign
from roofdsl.algebra.to_sympy import to_sympy
from roofdsl.analysis.prediction import predict
from roofdsl.expression.construct import subtract
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.model.arguments import read_arguments
from roofdsl.model.library import check_text, find_machine, find_model
from roofdsl.numeric.crossover import crossovers
from roofdsl.source import Source

# Each model with its unknown and the values of its other parameters.
CASES = {
    "summa": ("N", {"P": "121"}),
    "dgemv": ("N", {"P": "128"}),
    "ddot": ("N", {"P": "128"}),
    "fft": ("N", {"P": "128"}),
    "stencil2d": ("N", {"P": "128"}),
    "mst": ("V", {"P": "128", "E": "16*V"}),
    "dijkstra": ("V", {"P": "128", "E": "16*V"}),
}
MACHINES = ("big_red_ii", "karst", "jetstream")
# Kernels with jumps: blocks rounded up, a cache that holds small problems, a busiest process.
JUMPS = """
model blocks { param N: integer; flops = 2*(64*ceil(N/64))^3/100; memory = 24*N^2 }
model cache {
    param N: integer
    flops = 2*N^3
    memory = if N < 5000 then 24*N^2 else 24*N^2*ceil(N/5000)
}
model busiest {
    param N: integer
    flops = 2*N^2*ceil(N/120)
    network = max(8*N^2/11, 16*N*floor(sqrt(N)))
}
"""
HIGH = 10**18
ROUNDS = 5
LONGEST = 10  # seconds one call of SymPy may take


class Case(NamedTuple):
    name: str
    unknown: str
    left: Expression
    right: Expression


class TooLongError(Exception):
    """SymPy did not come back."""


def cases() -> list[Case]:
    """Return every pair of resources of the seven models of thesis ch. 2 on three machines."""
    found = []
    for model_name, (unknown, texts) in CASES.items():
        model = find_model(model_name)[0]
        for machine_name in MACHINES:
            arguments, problems = read_arguments(model, texts)
            assert not problems, problems
            machine = find_machine(machine_name)[0]
            prediction, wrong = predict(model, machine, arguments, frozenset({unknown}))
            assert not wrong, wrong
            times = {n: substitute(t, prediction.rates) for n, t in prediction.times().items()}
            for left, right in combinations(times, 2):
                name = f"{model_name} on {machine_name}: {left}, {right}"
                found.append(Case(name, unknown, times[left], times[right]))
    return found


def jumping_cases() -> list[Case]:
    """Return kernels with `ceil`, `floor`, `if` and `max` on the three machines."""
    found = []
    module, problems = check_text(Source("jumps", JUMPS))
    assert not problems, problems
    for model in module.models.values():
        for machine_name in MACHINES:
            machine = find_machine(machine_name)[0]
            prediction, wrong = predict(model, machine, {}, frozenset({"N"}))
            assert not wrong, wrong
            left, right = (substitute(t, prediction.rates) for t in prediction.times().values())
            found.append(Case(f"{model.name} on {machine_name}", "N", left, right))
    return found


def certified(case: Case) -> None:
    crossovers([("l", case.left), ("r", case.right)], case.unknown, 2, HIGH, integer=True)
    closed_form(case.left, case.right, case.unknown)


def by_sympy(case: Case) -> None:
    difference = to_sympy(case.left) - to_sympy(case.right)
    symbol = next(s for s in difference.free_symbols if s.name == case.unknown)
    limited(lambda: sympy.solve(difference, symbol))


def asymptotic(case: Case) -> None:
    eventual_sign(subtract(case.left, case.right), case.unknown)


def limit_by_sympy(case: Case) -> None:
    left, right = to_sympy(case.left), to_sympy(case.right)
    symbol = next(s for s in left.free_symbols | right.free_symbols if s.name == case.unknown)
    limited(lambda: sympy.limit(left / right, symbol, sympy.oo))


def limited(call: Callable[[], object], longest: int = LONGEST) -> bool:
    """Call SymPy, which may hang or fail on some of these; either costs it its time.

    Returns whether it came back with something.
    """

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(longest)
    found = None
    with suppress(TooLongError, NotImplementedError, TypeError, ValueError):
        found = call()
    signal.alarm(0)
    return bool(found)


def answered_by_sympy(case: Case) -> float | None:
    """Return how long SymPy takes to solve a case, None where it finds nothing in a second."""
    difference = to_sympy(case.left) - to_sympy(case.right)
    symbol = next(s for s in difference.free_symbols if s.name == case.unknown)
    start = process_time()
    found = limited(lambda: sympy.solve(difference, symbol), 1)
    return process_time() - start if found else None


def spent(call: Callable[[Case], None], every: list[Case], warm: bool) -> list[float]:
    if warm:
        for case in every:
            call(case)
    return [seconds(partial(call, case)) for case in every]


def _median(every: list[Case]) -> float:
    return median(spent(certified, every, False))


def figures() -> Iterator[Figure]:
    every, jumping = cases(), jumping_cases()
    # 2 ms and 15 ms where SymPy takes 0.31 s to import.
    for title, found, bar in (
        ("certified crossover", every, 2 / 310),
        ("certified crossover with jumps", jumping, 15 / 310),
    ):
        middle = ratio(partial(_median, found), import_sympy, ROUNDS)
        yield Figure(f"{title}, median / import sympy", middle, bar)
    solved = sum(spent(by_sympy, every, False)) / sum(spent(certified, every, True))
    yield Figure("SymPy's solve / ours, in total", solved, 20, at_least=True)
    limits = sum(spent(limit_by_sympy, every, False)) / sum(spent(asymptotic, every, True))
    yield Figure("SymPy's limit / the asymptotic bound, in total", limits, 20, at_least=True)
