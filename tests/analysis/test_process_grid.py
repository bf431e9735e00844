"""Scaling over grids of processes: of each count the fastest that is allowed, by brute force."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from math import prod
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.analysis.process_grid import factorisations
from roofdsl.diagnostic import RoofError
from tests.analysis.test_scaling import study
from tests.figures.test_python import rows

MACHINE = "machine simple { flops = 1 flop/s; network = 1 B/s }"
CONDITIONS: list[tuple[str, Callable[[int, int], bool]]] = [
    ("", lambda _p, _q: True),
    ("require Pr >= Pc", lambda p, q: p >= q),
    ("require Pr/Pc is integer", lambda p, q: p % q == 0),
    ("require log2(Pr) is integer", lambda p, _q: p & (p - 1) == 0),
]


def prediction_of(folder: Path, body: str) -> rd.Prediction:
    file = folder / "m.roof"
    file.write_text(f"{MACHINE}\nmodel m {{\n{body}\n}}\n")
    return rd.load_model(f"{file}:m").on(rd.load_machine(f"{file}:simple"))


@pytest.mark.parametrize("seed", range(30))
def test_of_each_count_the_fastest_grid_that_is_allowed(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    ends = rng.choice([5, 12, 30]), rng.choice([4, 16, 25])
    text, allows = rng.choice(CONDITIONS)
    a, b, c, d = (rng.choice([0, 1, 3, 10, 64]) for _ in range(4))
    work = rng.choice([100, 1000, 4096])
    tied = rng.random() < 0.3
    prediction = prediction_of(
        tmp_path,
        f"param Pr: processes[..{ends[0]}]\nparam Pc: processes[..{ends[1]}]\nparam n = {work}\n"
        f"{text}\nflops = n/(Pr*Pc) + {d}\n"
        f"network = ({a}*Pr + {b}*Pc + (if Pr*Pc > 1 then {c}*n/Pr else 0)) * 1 B",
    )

    def size(p: int, q: int) -> int:
        return work * p * q if tied else work

    def time(p: int, q: int, n: int) -> Fraction:
        network = a * p + b * q + (Fraction(c * n, p) if p * q > 1 else 0)
        return max(Fraction(n, p * q) + d, Fraction(network))

    grids = [(p, q) for p in range(1, ends[0] + 1) for q in range(1, ends[1] + 1) if allows(p, q)]
    best: dict[int, Fraction] = {}
    for p, q in grids:
        spent = time(p, q, size(p, q))
        best[p * q] = min(spent, best.get(p * q, spent))
    found = prediction.scaling(n=f"{work}*Pr*Pc") if tied else prediction.scaling()
    one = time(1, 1, work)
    assert (found.law.kind, [*found.law.sides]) == ("weak" if tied else "strong", ["Pr", "Pc"])
    for point in found.points:
        p, q = point.grid
        count = p * q
        assert (point.processes, allows(p, q)) == (count, True)
        alone = time(1, 1, work * count) if tied else one
        wanted = [float(each) for each in (best[count], alone / best[count] / count)]
        assert [point.time, point.efficiency] == pytest.approx(wanted, rel=1e-12)
    powers = {2**i for i in range(11)} & {*best}
    assert powers <= {point.processes for point in found.points}
    if tied:
        assert found.useful is None
        return
    useful = found.useful
    assert useful is not None and useful.complete and useful.ends
    least = min(best, key=lambda count: (best[count], count))
    assert (useful.count, prod(useful.grid), useful.last) == (least, least, prod(ends))


def test_a_grid_by_a_requirement_is_chosen_too(tmp_path: Path) -> None:
    prediction = prediction_of(
        tmp_path,
        "param P: processes[..64]\nparam p: integer\nparam q: integer\nrequire p*q == P\n"
        "flops = 1000/P\nnetwork = if P > 1 then 8 B * p + 2 B * q else 0 B",
    )
    found = prediction.scaling("P")
    times = {
        P: min(max(1000 / P, 8 * p + 2 * q if P > 1 else 0) for p, q in factorisations(P, 2))
        for P in range(1, 65)
    }
    for point in found.points:
        assert point.time == pytest.approx(times[point.processes])
        assert prod(point.grid) == point.processes
    useful = found.useful
    assert useful is not None
    assert (useful.count, useful.complete) == (min(times, key=lambda P: (times[P], P)), True)
    assert found.to_dict() == prediction.scaling().to_dict()


TWO = "param Pr: processes\nparam Pc: processes\n"
OPEN = [
    # 8*(Pr + Pc) is least for a given product where the sides are equal: with a sum of 793 they
    # have at most 157,212 places, where the work takes longer than 8*794 s; of 794 the first that
    # have 10^9/(8*794), rounded up, are 384 × 410.
    ("flops = 10^9/(Pr*Pc)\nnetwork = 8 B * Pr + 8 B * Pc", (384, 410)),
    ("require Pr/Pc is integer\nstep a { flops = 10^9/(Pr*Pc) }\nstep b { network = 8 B*(Pr+Pc) }",
     (500, 500)),
    ("require log2(Pr) is integer\nflops = 10^9/(Pr*Pc)\nnetwork = 8 B * (Pr + Pc)", (512, 301)),
    ("flops = max(10^6/(Pr*Pc), 3)", (1, 333_334)),
    ("flops = 10^9/(Pr*Pc)\nnetwork = if Pr*Pc > 1 then 8 B * Pr else 0 B", (1, 125_000_000)),
    # Twelve stages are too few, 13 of Pr take 208 s, one of them of Pc more; 2^20/208, rounded up.
    ("flops = 2^20/(Pr*Pc)\nnetwork = 16 B * ceil(log2(Pr)) + 17 B * ceil(log2(Pc))", (5042, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("body", "best"), OPEN)
def test_open_grids_are_all_compared(tmp_path: Path, body: str, best: tuple[int, int]) -> None:
    prediction = prediction_of(tmp_path, TWO + body)
    useful = prediction.scaling().useful
    assert useful is not None and useful.complete and not useful.ends
    time = prediction.evaluate(Pr=useful.grid[0], Pc=useful.grid[1]).time
    assert time == prediction.evaluate(Pr=best[0], Pc=best[1]).time
    assert useful.count == prod(best) == prod(useful.grid)
    assert (useful.proven_up_to, useful.last) == (10**15, 10**15)
    rng = random.Random(body)
    for _ in range(300):
        sides = [round(2 ** rng.uniform(0, 14)) for _ in best]
        try:
            assert prediction.evaluate(Pr=sides[0], Pc=sides[1]).time >= time
        except RoofError:
            continue  # it is not allowed


def test_what_is_not_compared_is_undecided(tmp_path: Path) -> None:
    body = "network = 64 B * Pr + 8 B * Pc + 1 B * abs(Pr - 2*Pc)"
    prediction = prediction_of(tmp_path, f"{TWO}flops = 10^9/(Pr*Pc)\n{body}")
    useful = prediction.scaling().useful
    assert useful is not None and not useful.complete and not useful.ends
    up_to = useful.proven_up_to
    assert up_to is not None and 50 < up_to < 10**6
    model, machine = (f"{tmp_path}/m.roof:{name}" for name in ("m", "simple"))
    text = study(model, "--scaling", "-m", machine)
    assert f"up to {up_to} processes none are faster than" in text
    assert "beyond is undecided" in text and "Pr × Pc" in text
    assert useful.grid
    best = prediction.evaluate(Pr=useful.grid[0], Pc=useful.grid[1]).time
    grids = [sides for count in range(1, int(up_to) + 1) for sides in factorisations(count, 2)]
    times = prediction.sweep(Pr=[p for p, _ in grids], Pc=[q for _, q in grids]).time
    assert times.min() >= best


def test_a_grid_in_a_figure(tmp_path: Path) -> None:
    body = "param Pr: processes[..8]\nparam Pc: processes[..8]\nparam n = 1000\nflops = n/(Pr*Pc)"
    prediction = prediction_of(tmp_path, f"{body}\nnetwork = 8 B * Pr")
    found = prediction.scaling(n=500)
    drawn = rows(rd.plot.scaling(prediction, at={"n": 500}), "strong")
    assert [(row["processes"], row["efficiency"]) for row in drawn] == [
        (point.processes, pytest.approx(point.efficiency)) for point in found.points
    ]


def test_one_side_follows_the_other(tmp_path: Path) -> None:
    body = "param Pr: processes\nparam Pc: processes\nparam n = 1000\nflops = n^3/(Pr*Pc)"
    prediction = prediction_of(tmp_path, f"{body}\nnetwork = 8 B * n^2/Pr + 8 B * Pc")
    for given, kind in (("1000", "strong"), ("1000*Pr", "weak")):
        found = prediction.scaling("Pr", Pc="Pr", n=given)
        assert (found.law.kind, [*found.law.sides]) == (kind, ["Pr", "Pc"])
        for point in found.points[:6]:
            (side,) = point.at.values()
            size = 1000 * side if kind == "weak" else 1000
            alone = prediction.evaluate(Pr=1, Pc=1, n=size).time
            many = prediction.evaluate(Pr=side, Pc=side, n=size).time
            assert (point.processes, point.grid) == (side**2, (side, side))
            assert point.efficiency == pytest.approx(alone / many / side**2)
    model, machine = (f"{tmp_path}/m.roof:{name}" for name in ("m", "simple"))
    text = study(model, "--scaling", "--for", "Pr", "-p", "Pc=Pr", "-m", machine)
    found = prediction.scaling("Pr", Pc="Pr")
    best = found.useful
    assert best is not None and best.count is not None
    told = found.to_dict()
    assert isinstance(told, dict)
    assert (told["most_useful"], told["proven_up_to"]) == (best.count**2, 10**30)
    assert f"beyond Pr = {best.count} it is never faster (proven up to Pr = 10^15)" in text


def test_processes_that_are_no_product_of_the_open_sides(tmp_path: Path) -> None:
    body = "param Pr: processes\nparam Pc: processes\nparam Pz: processes\nflops = 1/(Pr*Pc*Pz)"
    prediction = prediction_of(tmp_path, body)
    with pytest.raises(RoofError, match="are not Pr × Pc"):
        prediction.scaling(Pz="Pr")
    assert prediction.scaling(Pz=2).law.base == 2
