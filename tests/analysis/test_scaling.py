"""Scaling: what is said of all counts of processes, against each of them; one law for figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any  # JSON

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli
from tests.figures.test_python import rows

MANY = 400


def study(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["study", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


def written(folder: Path, body: str) -> str:
    file = folder / "m.roof"
    file.write_text(
        "machine simple {\nflops = 1 flop/s\nmemory = 1 B/s\nnetwork = 1 B/s\n}\n"
        f"model m {{ param P: processes\n{body}\n}}\n"
    )
    return f"{file}:m"


def scaled(model: str, *values: str) -> dict[str, Any]:
    path = model.removesuffix(":m")
    asked = [model, "--scaling", "--for", "P", "-m", f"{path}:simple", *values]
    answer: dict[str, Any] = json.loads(study(*asked, "--format", "json"))
    return answer


def said(model: str, *values: str) -> str:
    path = model.removesuffix(":m")
    return study(model, "--scaling", "--for", "P", "-m", f"{path}:simple", *values)


def square(P: int) -> bool:
    return isqrt(P) ** 2 == P


# The work of a model, the counts it allows, and the same time, typed by hand.
CASES = [
    ("flops = 1000/P + P", range(1, MANY), lambda P: Fraction(1000, P) + P),
    ("flops = 1000/P + 7*P\nrequire P <= 60", range(1, 61), lambda P: Fraction(1000, P) + 7 * P),
    ("flops = 9000/P\nrequire P <= 60", range(1, 61), lambda P: Fraction(9000, P)),
    ("flops = P\nrequire P <= 60", range(1, 61), lambda P: Fraction(P)),
    # The real minimum, 38.7, lies between two squares, nearer to one and better at the other.
    (
        "flops = 1500/P + P\nrequire sqrt(P) is integer",
        filter(square, range(1, MANY)),
        lambda P: Fraction(1500, P) + P,
    ),
    # Not the last that could be, 60, is the last that is allowed.
    (
        "flops = 1500/P + P\nrequire sqrt(P) is integer\nrequire P <= 60",
        filter(square, range(1, 61)),
        lambda P: Fraction(1500, P) + P,
    ),
    (
        "param n: integer\nflops = 100*n + P",
        filter(lambda P: 60 % P == 0, range(1, 61)),
        lambda P: Fraction(6000, P) + P,
    ),
    ("flops = ceil(100/P)", range(1, MANY), lambda P: Fraction(-(-100 // P))),
    ("flops = 100\nnetwork = if P > 1 then 300 B else 0 B", range(1, MANY),
     lambda P: Fraction(300 if P > 1 else 100)),
    ("flops = if P > 7 then 5 else 9 - P/2\nrequire P <= 60", range(1, 61),
     lambda P: Fraction(5) if P > 7 else 9 - Fraction(P, 2)),
    # Two valleys: the second is deeper, and then the first.
    ("flops = if P < 50 then 20 + (P - 10)^2 else 15 + (P - 100)^2", range(1, MANY),
     lambda P: Fraction(20 + (P - 10) ** 2 if P < 50 else 15 + (P - 100) ** 2)),
    ("flops = if P < 50 then 15 + (P - 10)^2 else 20 + (P - 100)^2", range(1, MANY),
     lambda P: Fraction(15 + (P - 10) ** 2 if P < 50 else 20 + (P - 100) ** 2)),
    # The best lies far from 512, the best of those that double.
    ("flops = 230000/P + P\nrequire P <= 900", range(1, 901), lambda P: Fraction(230000, P) + P),
    # A default that follows the count is no larger problem that was given.
    ("param n: integer = 10*P\nflops = n^2/P", range(1, MANY), lambda P: Fraction(100 * P)),
    ("flops = 1000/P\nmemory = 2 B * P", range(1, MANY), lambda P: max(Fraction(1000, P), 2 * P)),
]  # fmt: skip


def nearest(counts: list[int], power: int) -> int:
    return min(counts, key=lambda count: (abs(count - power), -count))


@pytest.mark.parametrize(("body", "counts", "time"), CASES)
def test_the_most_useful_count_is_the_fastest_of_all(tmp_path, body, counts, time) -> None:
    counts = list(counts)
    shared = "n: integer\n" in body
    values = ("-p", "n=60/P", "--strong") if shared else ("--strong",)
    model = written(tmp_path, body)
    best = min(counts, key=lambda P: (time(P), P))
    found = scaled(model, *values)
    assert (found["kind"], found["complete"], found["most_useful"]) == ("strong", True, best)
    sentence = " ".join(said(model, *values).strip().splitlines()[-1].split())
    bounded = shared or "require P <=" in body
    shown = {best, *(nearest(counts, 2**i) for i in range(counts[-1].bit_length()))}
    shown |= {counts[-1]} if bounded else set()
    assert [tuple(point.values())[:4] for point in found["points"]][: len(shown)] == [
        pytest.approx((P, float(time(P)), time(1) / time(P), time(1) / time(P) / P))
        for P in sorted(shown)
    ]
    assert found["proven_up_to"] == (counts[-1] if bounded else 10**15)
    if best == counts[-1]:
        assert sentence == f"no count is faster than {best}, the most the model allows (proven)"
    else:
        end = f"{counts[-1]}, the most the model allows" if bounded else "10^15"
        more = "process never makes" if best == 1 else "processes never make"
        assert sentence == f"more than {best} {more} it faster (proven up to {end})"


@pytest.mark.parametrize("body", ["flops = 9000/P", "flops = 10^9/P\nrequire sqrt(P) is integer"])
def test_a_time_that_always_falls_is_said_to(tmp_path, body) -> None:
    model = written(tmp_path, body)
    found = scaled(model)
    assert (found["most_useful"], found["complete"], found["proven_up_to"]) == (None, True, 10**15)
    assert "more processes still make it faster at 10^15 (proven)" in said(model)


def test_fifty_valleys_each_deeper_than_the_one_before(tmp_path) -> None:
    body = "flops = 2000 - P/1000 + 50*(P/200 - floor(P/200))\nrequire P <= 10050"
    found = scaled(written(tmp_path, body))
    assert (found["most_useful"], found["complete"], found["proven_up_to"]) == (10000, True, 10050)


def test_what_takes_too_long_to_prove_is_said_to_be_undecided(tmp_path) -> None:
    # Of floor(P*sqrt(2)) no period is known, and the drops are many.
    body = "flops = 10^9 - P/1000 + 50*(P*sqrt(2) - floor(P*sqrt(2)))"
    model = written(tmp_path, body)
    text = said(model, "--strong")
    assert "undecided" in text and "never" not in text


@pytest.mark.parametrize("param", ["n: integer", "n"])
@pytest.mark.parametrize(
    ("body", "factor"),
    [
        # n^2 >= E * P * max(n^2/P, 10*n), for E = 4/5, where n >= 8*P.
        ("flops = n^2/P\nnetwork = if P > 1 then 10 B * n else 0 B", 8),
        # 2*n^2 >= E * P * (n^2/P + n^2) for no two processes or more.
        ("flops = n^2/P + n^2", None),
    ],
)
def test_the_least_size_that_keeps_an_efficiency(tmp_path, param, body, factor) -> None:
    model = written(tmp_path, f"param {param}\n{body}")
    found = scaled(model, "-p", "n=100", "--size", "n", "--efficiency", "0.8")["sizes"]
    assert {2**i for i in range(1, 20)} <= {row["processes"] for row in found}
    for row in found:
        size = factor and pytest.approx(factor * row["processes"], rel=1e-12 * (param == "n"))
        assert (row["size"], row["proven"]) == (size, True)


@pytest.mark.parametrize("most", [10**6, 20])
def test_the_least_size_is_one_that_the_model_allows(tmp_path, most) -> None:
    body = f"param n: integer[..{most}]\nrequire n/P is integer and n/6 is integer\nflops = n^2/P"
    model = written(tmp_path, f"{body}\nnetwork = if P > 1 then 10 B * n else 0 B")
    values = ("-p", "n=12", "--size", "n", "--efficiency", "0.8")
    found = {row["processes"]: row["size"] for row in scaled(model, *values)["sizes"]}
    # n >= 8*P, as above.
    for P, size in found.items():
        assert size == next((n for n in range(8 * P, most + 1) if n % P == n % 6 == 0), None)
    assert set(found) == {2, 4, 6, 12}
    assert (f"none up to {most}" in said(model, *values)) == (most == 20)


WEAK = ["summa", "-m", "karst", "-p", "N=1000*sqrt(P)"]


def test_study_and_figure_have_one_law() -> None:
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    for size, kind in (("1000*sqrt(P)", "weak"), ("4096", "strong"), ("4096 + 0*P", "strong")):
        asked = ["summa", "-m", "karst", "-p", f"N={size}", "--scaling", "--for", "P"]
        told = json.loads(study(*asked, "--format", "json"))
        assert told["kind"] == kind
        assert f"{kind} scaling" in study(*asked)
        assert f"{kind.capitalize()} scaling of summa" in study(*asked, "--format", "latex")
        points = told["points"][:6]
        counts = [point["processes"] for point in points]
        drawn = rows(rd.plot.scaling(summa, at={"N": size, "P": counts}), kind)
        assert [row["speed-up"] for row in drawn] == [
            pytest.approx(point["speedup"]) for point in points
        ]
        assert [row["efficiency"] for row in drawn] == [
            pytest.approx(point["efficiency"]) for point in points
        ]


def test_weak_scaling_is_of_more_work_and_says_nothing_of_more_processes() -> None:
    text = study(*WEAK, "--scaling", "--for", "P")
    (line,) = (line.split() for line in text.splitlines() if line.split()[:1] == ["4"])
    # Twice the order is eight times the work, on four times the processes; the time doubles.
    assert line[-3:] == ["4", "100", "%"]
    assert "faster" not in text and "undecided" not in text
    told = json.loads(study(*WEAK, "--scaling", "--for", "P", "--format", "json"))
    assert (told["most_useful"], told["complete"], told["proven_up_to"]) == (None, None, None)


@pytest.mark.parametrize("name", ["N", "karst.network"])
def test_scaling_is_over_processes(name: str) -> None:
    values: Sequence[str] = ["-p", "P=4"] + (["-p", "N=4096"] if name != "N" else [])
    asked = ["study", "summa", "--scaling", "--for", name, "-m", "karst", *values]
    result = CliRunner().invoke(cli, asked)
    assert result.exit_code == 1
    error = result.output if not result.exception else str(result.exception) + result.output
    assert "R0711" in error and "ask for P" in error
    assert ("linalg/summa.roof" in error) == (name == "N")


def test_a_saw_that_falls_is_decided_where_few_counts_are_allowed(tmp_path) -> None:
    # Of the multiples of 3, those of 24 wait for nothing, and the last of them shares the most.
    body = "require P == 1 or P/3 is integer\nstep a { flops = 432/P + 432 }\n"
    body += "step b { network = 40 B * (P/8 - floor(P/8)) }"
    found = scaled(written(tmp_path, body), "--strong")
    most = 10**15 - 10**15 % 24
    assert (found["most_useful"], found["complete"], found["proven_up_to"]) == (most, True, 10**15)


FLAT = """param n = 10^6
require P/5 is integer
step a { flops = 9600*(n + sqrt(n))/P }
step b { network = 203.25 B * log2(P); memory = 0.1 B * n*log2(P)/sqrt(P) }"""
TOOTHED = """param n = 10^6
require P/2 is integer
step a { flops = 9*ceil(n/P) }
step b { network = 3 B * (P - 1)/10 }"""


@pytest.mark.parametrize(("body", "step"), [(FLAT, 5), (TOOTHED, 2)])
def test_the_least_of_a_valley_is_found_and_proven(tmp_path, body, step) -> None:
    model = written(tmp_path, body)
    found = scaled(model, "--strong")
    assert (found["complete"], found["proven_up_to"]) == (True, 10**15)
    best = found["most_useful"]
    prediction = rd.load_model(model).on(rd.load_machine(model.replace(":m", ":simple")))
    near = [best + step * each for each in range(-400, 400) if best + step * each > 0]
    far = [step * round(2 ** (each / 8) / step + 1) for each in range(300)]
    assert prediction.evaluate(P=best).time == prediction.sweep(P=[*near, *far]).time.min()


@pytest.mark.parametrize(
    ("size", "kind"),
    [
        ("4096/P", "strong"),
        ("4096/sqrt(P)", "strong"),
        ("4096/P^2", "weak"),  # all together have less than one alone
        ("if P < 4 then 4096/P else 5000", "weak"),  # more than one alone
        ("4096", "weak"),
    ],
)
def test_what_falls_with_the_processes_is_a_share_if_all_have_the_whole(
    tmp_path, size, kind
) -> None:
    model = written(tmp_path, "param n = 1000\nflops = 10*n + 3\nnetwork = P * 1 B")
    assert scaled(model, "-p", f"n={size}")["kind"] == kind
