"""Scaling equals brute force: random models, every allowed count up to 2000, exact fractions."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

import roofdsl as rd
from roofdsl.diagnostic import RoofError

MOST = 2000
SEEDS = range(int(os.environ.get("ROOFDSL_SCALING_MODELS", "40")))
Size: TypeAlias = Any  # a fraction, or an array of floats
Amount = Callable[[int, Size], Size]
SIZES = np.arange(1.0, 5001.0)


@dataclass
class Drawn:
    """An amount of work as text and as a function of P and n: exact, or of many n at once."""

    text: str
    value: Amount


def ceil_log2(count: int) -> int:
    return (count - 1).bit_length()


def draw(rng: random.Random, kinds: Sequence[str]) -> Drawn:
    c = rng.choice([1, 2, 3, 7, 20, 106, 1000])
    k = rng.choice([1, 5, 30, 1000, 4096])
    terms: dict[str, Drawn] = {
        "share": Drawn(f"{c}*n/P", lambda P, n: c * n / P),
        "square": Drawn(f"{c}*n^2/P", lambda P, n: c * n * n / P),
        "serial": Drawn(f"{c}", lambda _P, _n: c),
        "linear": Drawn(f"{c}*P", lambda P, _n: c * P),
        "tree": Drawn(f"{c}*ceil(log2(P))", lambda P, _n: c * ceil_log2(P)),
        "rows": Drawn(f"{c}*ceil({k}/P)", lambda P, _n: c * -(-k // P)),
        "each": Drawn(f"{c}*n", lambda _P, n: c * n),
        "alone": Drawn(f"(if P > 1 then {c}*n else 0)", lambda P, n: c * n if P > 1 else 0),
        "few": Drawn(f"{c}*n/min(P, 16)", lambda P, n: c * n / min(P, 16)),
        "cached": Drawn(
            f"(if P > 7 then {c} else {4 * c})*n/P", lambda P, n: (c if P > 7 else 4 * c) * n / P
        ),
        "saw": Drawn(f"{c}*(P/8 - floor(P/8))", lambda P, n: c * (P % 8) * n / (8 * n)),
        "ring": Drawn(f"{c}*n*(P - 1)/P", lambda P, n: c * n * (P - 1) / P),
    }
    chosen = [terms[rng.choice(kinds)] for _ in range(rng.choice([1, 2, 2, 3]))]
    return Drawn(
        " + ".join(term.text for term in chosen),
        lambda P, n: sum((term.value(P, n) for term in chosen), n - n),
    )


CONDITIONS: list[tuple[str, Callable[[int, Size], Any]]] = [
    ("", lambda _P, _n: True),
    ("require sqrt(P) is integer", lambda P, _n: isqrt(P) ** 2 == P),
    ("require log2(P) is integer", lambda P, _n: P & (P - 1) == 0),
    ("require P == 1 or P/3 is integer", lambda P, _n: P == 1 or P % 3 == 0),
    ("require P >= 4 and P/2 is integer", lambda P, _n: P >= 4 and P % 2 == 0),
    ("require P <= n", lambda P, n: n >= P),
    ("require n/P is integer", lambda P, n: n % P == 0),
    ("require 12/P is integer or 60/P is integer", lambda P, _n: 12 % P == 0 or 60 % P == 0),
    ("require P != 7 and n/P >= 2", lambda P, n: (n >= 2 * P) & (P != 7)),
    ("require P < 50 or sqrt(P) is integer", lambda P, _n: P < 50 or isqrt(P) ** 2 == P),
]


class Case:
    """A random model, with its time and what it allows typed a second time."""

    def __init__(self, seed: int, folder: Path) -> None:
        rng = random.Random(seed)
        self.flops = draw(
            rng, ["share", "share", "square", "serial", "rows", "each", "few", "cached"]
        )
        if not rng.randrange(3):
            self.flops = draw(rng, ["share", "each", "serial", "linear"])
        self.network = draw(rng, ["linear", "tree", "alone", "ring", "serial", "saw"])
        self.steps = rng.random() < 0.5
        self.rates = rng.choice([1, 2, 10, 1000]), rng.choice([1, 3, 10])
        text, self.condition = rng.choice(CONDITIONS)
        self.bounded = rng.random() < 0.6
        self.n = rng.choice([12, 60, 144, 1024])
        self.grows = rng.choice([None, None, None, 1, 2])
        bound = f"[..{MOST}]" if self.bounded else ""
        parts = [f"flops = {self.flops.text}", f"network = ({self.network.text}) * 1 B"]
        if self.steps:
            parts = [f"step s{place} {{ {part} }}" for place, part in enumerate(parts)]
        self.text = "\n".join(
            [
                "machine simple {",
                f"flops = {self.rates[0]} flop/s",
                f"network = {self.rates[1]} B/s",
                "}",
                f"model m {{ param P: processes{bound}; param n: integer[..5000]",
                text,
                *parts,
                "}",
            ]
        )
        file = folder / f"{seed}.roof"
        file.write_text(self.text)
        machine = rd.load_machine(f"{file}:simple")
        self.prediction = rd.load_model(f"{file}:m").on(machine)

    def size(self, P: int) -> Fraction:
        return Fraction(self.n if self.grows is None else self.n * P**self.grows)

    def given(self) -> int | str:
        return self.n if self.grows is None else f"{self.n}*P^{self.grows}"

    def allows(self, P: int, n: Size) -> Any:
        return self.condition(P, n) & (n <= 5000) & (P <= MOST or not self.bounded)

    def time(self, P: int, n: Size) -> Any:
        one = self.flops.value(P, n) / self.rates[0]
        other = self.network.value(P, n) / self.rates[1]
        if self.steps:
            return one + other
        return max(one, other) if isinstance(n, Fraction) else np.maximum(one, other)


@pytest.mark.parametrize("seed", SEEDS)
def test_scaling_equals_brute_force(seed: int, tmp_path: Path) -> None:
    case = Case(seed, tmp_path)
    counts = [P for P in range(1, MOST + 1) if case.allows(P, case.size(P))]
    if not counts or case.time(counts[0], case.size(counts[0])) == 0:
        with pytest.raises(RoofError, match=r"R0708|R0711"):
            case.prediction.scaling(n=case.given())
        return
    found = case.prediction.scaling(n=case.given())
    first = counts[0]

    def alone(P: int) -> Any:
        """Return the time of the fewest for the problem of P, times their number."""
        if divided:
            return first * case.time(first, case.size(P))
        return P * case.time(first, case.size(P))

    many = [*counts, *(2**i for i in range(12, 50) if case.allows(2**i, case.size(2**i)))]
    if all(case.flops.value(P, case.size(P)) == 0 for P in counts):
        work = case.network.value
    else:
        work = case.flops.value
    divided = any(work(P, case.size(P)) < work(first, case.size(P)) for P in many)
    constant = all(work(first, case.size(P)) == work(first, case.size(first)) for P in many)
    kind = "strong" if divided and constant else "weak"
    assert found.law.kind == kind, case.text
    for point in found.points:
        P = point.processes
        assert case.allows(P, case.size(P)), case.text
        one = first * case.time(first, case.size(first)) if kind == "strong" else alone(P)
        time = case.time(P, case.size(P))
        wanted = [float(each) for each in (time, one / time, one / time / P)]
        assert [*point[1:4]] == pytest.approx(wanted, rel=1e-12), case.text
    shown = {
        min(counts, key=lambda P: (abs(P - 2**i), -P)) for i in range(11) if 2**i <= counts[-1]
    }
    assert shown <= {point.processes for point in found.points}, case.text
    if kind == "weak":
        assert found.useful is None
        return
    useful = found.useful
    assert useful is not None and useful.complete, case.text

    def time_of(P: int) -> Any:
        return case.time(P, case.size(P))

    best = min(counts, key=lambda P: (time_of(P), P))
    if useful.ends and useful.last <= MOST:
        assert (useful.count, useful.last) == (best, counts[-1]), case.text
    elif useful.count is not None and useful.count <= MOST:
        assert useful.count == best, case.text
    else:  # the best lies beyond all that were counted
        beyond = useful.count or 2**49
        if case.allows(beyond, case.size(beyond)):
            assert time_of(beyond) < time_of(best), case.text


@pytest.mark.parametrize("seed", SEEDS)
def test_least_sizes_equal_brute_force(seed: int, tmp_path: Path) -> None:
    case = Case(seed + 100_000, tmp_path)
    case.grows = None
    kept = Fraction(random.Random(seed).choice([30, 50, 80]), 100)
    try:
        found = case.prediction.scaling(n=case.n, size="n", efficiency=float(kept))
    except RoofError:
        return
    assert found.sizes is not None
    first = found.law.base
    for row in found.sizes.sizes[:8]:
        P = row.processes
        times = 1 if found.law.parts else Fraction(P, first)

        def left(n: Size, P: int = P, times: Fraction | int = times) -> tuple[Any, Any]:
            """Return what is left of the time that the first may take, and that time."""
            most = case.time(first, n)
            share = kept * times if isinstance(n, Fraction) else float(kept * times)
            return most - share * case.time(P, n), most

        rest, most = left(SIZES)
        allowed = case.allows(P, SIZES) & case.allows(first, SIZES)
        likely = SIZES[allowed & (rest >= -1e-9 * most)]
        least = next((n for n in likely if left(Fraction(n))[0] >= 0), None)
        assert (row.size, row.proven) == (least, True), f"P = {P}\n{case.text}"
