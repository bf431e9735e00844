"""The solver against SymPy, side by side in one process: `python -m benchmarks.solver`.

Processor time is compared, so that other work on the machine does not count.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from statistics import median
from time import process_time
from types import FrameType
from typing import NamedTuple

import sympy

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


def limited(call: Callable[[], object]) -> None:
    """Call SymPy, which may hang or fail on some of these; either costs it its time."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LONGEST)
    with suppress(TooLongError, NotImplementedError, TypeError, ValueError):
        call()
    signal.alarm(0)


def seconds(call: Callable[[Case], None], every: list[Case], warm: bool) -> list[float]:
    spent = []
    for case in every:
        if warm:
            call(case)
        start = process_time()
        call(case)
        spent.append(process_time() - start)
    return spent


def main() -> None:
    every = cases()
    ours, theirs = seconds(certified, every, True), seconds(by_sympy, every, False)
    limits, theirs_limits = seconds(asymptotic, every, True), seconds(limit_by_sympy, every, False)
    jumps = seconds(certified, jumping_cases(), True)
    rows = [
        ("certified crossover, median", 1000 * median(ours), 2.0, "ms at most"),
        ("certified crossover with jumps, median", 1000 * median(jumps), 15.0, "ms at most"),
        ("SymPy solve / ours, in total", sum(theirs) / sum(ours), 20.0, "at least"),
        (
            "SymPy limit / asymptotic bound, in total",
            sum(theirs_limits) / sum(limits),
            20.0,
            "at least",
        ),
    ]
    failed = False
    for name, value, bar, sense in rows:
        over = value < bar if sense == "at least" else value > bar
        failed = failed or over
        print(f"{name:<42} {value:8.2f}   bar {bar:g} {sense}   {'OVER' if over else 'ok'}")
    print(f"{len(every)} cases")
    sys.exit(failed)


if __name__ == "__main__":
    main()
