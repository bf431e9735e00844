"""Crossovers, thresholds and rivals of bundled models, against brute force."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any  # numbers or arrays of them, and JSON

import numpy as np
import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.unknown import unknown_named
from roofdsl.cli.main import cli
from roofdsl.embedding.shown import ShownCrossovers
from roofdsl.model.library import check_text
from roofdsl.source import Source

KARST = {"flops": 22e9, "memory": 13.9e9, "network": 1.2e9}
JETSTREAM = {"flops": 43.4e9, "memory": 13.1e9, "network": 0.34e9}


def ask(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["solve", *arguments, "--format", "json"])
    assert result.exception is None, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def summa(n: Any, p: Any, rates: dict[str, float]) -> dict[str, Any]:
    """Work over rate of Cardwell 2019, Table 2.4, in bytes."""
    root = np.sqrt(p)
    flops = (2.0 * n**3 + 2.0 * n**2) / p / rates["flops"]
    memory = 64 * (1 + n**2 / 8 + n**3 / (8 * math.sqrt(2048))) / p / rates["memory"]
    network = 2 * root * 8 * (n / root) ** 2 * np.log2(root) / rates["network"]
    return {"flops": flops, "memory": memory, "network": network}


def bounds_by_brute_force(times: dict[str, Any]) -> Any:
    names = list(times)
    stacked = np.stack([np.broadcast_to(times[name], times["flops"].shape) for name in names])
    return np.array(names)[stacked.argmax(axis=0)]


def test_summa_on_karst_in_n_against_brute_force() -> None:
    answer = ask("summa", "--crossover", "--for", "N", "--machine", "karst", "-p", "P=121")
    n = np.arange(2.0, 300_001.0)
    bound = bounds_by_brute_force(summa(n, 121.0, KARST))
    for regime in answer["regimes"]:
        part = bound[int(regime["from"]) - 2 : int(regime["to"]) - 1]
        assert set(part.tolist()) <= {regime["bound"]}
    (crossover,) = answer["crossovers"]
    assert (crossover["before"], crossover["after"]) == (["network"], ["flops"])
    assert bound[crossover["first_integer"] - 3] == "network"
    assert bound[crossover["first_integer"] - 2] == "flops"
    low, high = crossover["enclosure"]
    assert low <= crossover["closed_form_value"] <= high
    assert answer["complete"] is True
    assert answer["range"] == [2, 10**18]


def test_first_valid_obeys_require() -> None:
    answer = ask("summa", "--crossover", "--for", "P", "--machine", "karst", "-p", "N=4096")
    (crossover,) = answer["crossovers"]
    p = np.arange(1.0, 300_001.0)
    bound = bounds_by_brute_force(summa(4096.0, p, KARST))
    first = int(np.argmax(bound == "network")) + 1
    assert crossover["first_integer"] == first
    assert crossover["first_valid"] == math.isqrt(first - 1) ** 2 + 2 * math.isqrt(first - 1) + 1


def test_a_machine_rate_can_be_the_unknown() -> None:
    settings = ("-p", "N=4096", "-p", "P=121")
    answer = ask("summa", "--crossover", "--for", "karst.network", "-m", "karst", *settings)
    times = summa(np.float64(4096), np.float64(121), KARST)
    needed = times["network"] * KARST["network"] / times["flops"]
    assert answer["crossovers"][0]["closed_form_value"] == pytest.approx(needed, rel=1e-12)
    same = ask(
        "summa", "--such-that", "bound = flops", "--for", "network", "-m", "karst", *settings
    )
    assert same["holds"][0]["from"] == pytest.approx(needed, rel=1e-12)


def test_time_threshold_against_brute_force() -> None:
    asked = ("--such-that", "time <= 10 s", "--for", "N", "--machine", "karst", "-p", "P=121")
    (interval,) = ask("summa", *asked)["holds"]
    n = np.arange(2.0, 300_001.0)
    times = summa(n, 121.0, KARST)
    within = np.maximum.reduce([times[name] for name in times]) <= 10
    assert interval["from"] == 2
    assert interval["to"] == int(n[within].max())
    assert within[: interval["to"] - 1].all()


UNITS = {"OI": "flop/B", "CAI": "flop/B", "MI": "", "attainable": "flop/s", "time": "s"}


@pytest.mark.parametrize("name", ["flops", "memory", "network", *UNITS])
@pytest.mark.parametrize("relation", ["<", ">="])
def test_conditions_on_every_quantity_against_brute_force(name: str, relation: str) -> None:
    n = np.arange(2.0, 2001.0)
    times = summa(n, 4.0, KARST)
    work = {resource: times[resource] * rate for resource, rate in KARST.items()}
    longest = np.maximum.reduce([*times.values()])
    values = {
        **work,
        "OI": work["flops"] / work["memory"],
        "CAI": work["flops"] / work["network"],
        "MI": work["memory"] / work["network"],
        "time": longest,
        "attainable": work["flops"] / longest,
    }[name]
    limit = float(values[700]) * 1.0001
    unit = UNITS.get(name, "flop" if name == "flops" else "B")
    asked = f"{name} {relation} {limit!r} {unit}".strip()
    settings = ("--for", "N", "-m", "karst", "-p", "P=4", "--range", "2..2000")
    holding = ask("summa", "--such-that", asked, *settings)["holds"]
    found = np.zeros(len(n), dtype=bool)
    for interval in holding:
        found[int(interval["from"]) - 2 : int(interval["to"]) - 1] = True
    assert (found == (values < limit if relation == "<" else values >= limit)).all()


@pytest.mark.parametrize("relation", ["=", "!="])
def test_conditions_on_the_bound_against_brute_force(relation: str) -> None:
    n = np.arange(2.0, 20_001.0)
    bound = bounds_by_brute_force(summa(n, 121.0, KARST))
    settings = ("--for", "N", "-m", "karst", "-p", "P=121", "--range", "2..20000")
    for name in KARST:
        found = np.zeros(len(n), dtype=bool)
        for interval in ask("summa", "--such-that", f"bound {relation} {name}", *settings)["holds"]:
            found[int(interval["from"]) - 2 : int(interval["to"]) - 1] = True
        assert (found == ((bound == name) == (relation == "="))).all()


SOME = {*range(9), *range(51, 70)}
BAND = "param N: integer; flops = ceil(N/10)*10; memory = N + 5"


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ("bound = flops and time <= 60 s", lambda f, m: f >= m and max(f, m) <= 60),
        ("bound is memory and not time < 61 s", lambda f, m: f < m and max(f, m) >= 61),
        ("not (bound = flops or time <= 60 s)", lambda f, m: not (f >= m or max(f, m) <= 60)),
        ("bound = flops or bound = memory", lambda f, m: max(f, m) > 0),
        ("bound = flops and bound != flops", lambda f, m: max(f, m) < 0),
        ("time < 9 s or (50 s < time and time < 70 s)", lambda f, m: max(f, m) in SOME),
        ("time.flops = time.memory and not flops != 30 flop", lambda f, m: f == m == 30),
        ("time = 60 s or time != 60 s", lambda f, m: max(f, m) > 0),
    ],
)  # fmt: skip
def test_conditions_are_joined(
    tmp_path: Path, asked: str, holds: Callable[[int, int], bool]
) -> None:
    """Within a band, where it holds at some, the ends are so, and all that holds lies within."""
    found = ask(*written(tmp_path, BAND), "--such-that", asked, "--range", "1..199")
    true = {n for n in range(1, 200) if holds(-(-n // 10) * 10, n + 5)}
    every: set[int] = set()
    for each in found["holds"]:
        inside = {*range(each["from"], each["to"] + 1)}
        if each["kind"] == "all":
            assert inside <= true
        else:
            assert {each["from"], each["to"]} <= true and not inside <= true
        every |= inside
    assert true <= every
    assert found["complete"]


def test_faster_machine_against_brute_force() -> None:
    machines = ("--machine", "karst", "--machine", "jetstream")
    answer = ask("summa", "--faster", "--for", "N", *machines, "-p", "P=121")
    n = np.arange(2.0, 300_001.0)

    def total(rates: dict[str, float]) -> Any:
        times = summa(n, 121.0, rates)
        return np.maximum.reduce([times[name] for name in times])

    karst_wins = total(KARST) < total(JETSTREAM)
    leads = answer["fastest"]
    assert [lead["fastest"] for lead in leads] == [["karst"], ["jetstream"]]
    assert leads[1]["from"] == int(n[~karst_wins].min())
    (change,) = answer["changes"]
    root = change["closed_form_value"]
    times = [max(map(float, summa(root, 121.0, rates).values())) for rates in (KARST, JETSTREAM)]
    assert times[0] == pytest.approx(times[1], rel=1e-12)
    assert root == pytest.approx(change["enclosure"][0], rel=1e-12)


KARST_IN_N = ("--crossover", "--for", "N", "-m", "karst")


TILED = """
param N: integer[1..]
param tile: integer = 64
let tiles = ceil(N/tile)
let staged = 8 B*tile^2*tiles
flops = 2*N^3
memory = 8 B*(N^2 + 2*N^3/tile)
tally footprint: B = 3*8 B*N^2
"""


def tiled(n: int) -> dict[str, Fraction]:
    """The same in fractions, on a machine of 1 flop and 1 byte in a second."""
    tiles = -(-n // 64)
    flops, memory = Fraction(2 * n**3), 8 * (Fraction(n) ** 2 + Fraction(2 * n**3, 64))
    known = {
        "N": Fraction(n),
        "tiles": Fraction(tiles),
        "staged": Fraction(8 * 64**2 * tiles),
        "flops": flops,
    }
    known |= {"footprint": Fraction(24 * n**2), "memory": memory, "time": max(flops, memory)}
    return known


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ("footprint <= 1 MiB", lambda k: k["footprint"] <= 2**20),
        ("tiles >= 4", lambda k: k["tiles"] >= 4),
        ("2*staged > footprint", lambda k: 2 * k["staged"] > k["footprint"]),
        ("flops/memory >= 3 flop/B", lambda k: k["flops"] >= 3 * k["memory"]),
        ("time*tiles <= 1e9 s", lambda k: k["time"] * k["tiles"] <= 10**9),
        ("time.memory < time", lambda k: k["memory"] < k["time"]),
        ("time <= (if N > 30 then 9e4 s else 9 s)", lambda k: k["time"] <= (9e4, 9)[k["N"] <= 30]),
        ("N = 7*tiles", lambda k: k["N"] == 7 * k["tiles"]),
        ("0 B < staged", lambda k: k["staged"] > 0),
        ("box.flops*time >= flops", lambda k: k["time"] >= k["flops"]),
        ("bound is memory", lambda k: k["memory"] >= k["flops"]),
        ("bound is not memory", lambda k: k["memory"] < k["flops"]),
    ],
)  # fmt: skip
def test_a_condition_may_use_all_that_a_prediction_has(
    asked: str, holds: Callable[[dict[str, Fraction]], bool], tmp_path: Path
) -> None:
    settings = ("--range", "1..2000")
    found = ask(*written(tmp_path, TILED), "--such-that", asked, *settings)
    assert found["complete"]
    told = {n for each in found["holds"] for n in range(each["from"], each["to"] + 1)}
    assert told == {n for n in range(1, 2001) if holds(tiled(n))}


def test_a_closed_form_between_two_whole_numbers_is_of_the_branch_that_is_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.roof"
    path.write_text(
        "model m { param N: integer; flops = 1e6*max(N - 50, 0)\n"
        "  memory = max(N*604, sqrt(N)*6040) + max(N*59.5, sqrt(N)*595) }\n"
        "machine box { flops = 3 flop/s; memory = 2.5 B/s }\n"
        "machine other { flops = 22 GFLOP/s; memory = 1 B/s }",
        encoding="utf-8",
    )
    machines = ("-m", f"{path}:box", "-m", f"{path}:other")
    found = ask(f"{path}:m", "--faster", "--for", "N", *machines, "--range", "2..1000")
    (change,) = found["changes"]
    root = change["closed_form_value"]
    # With N*604 for the larger it would be 50.0997, where the two take 33241 s and 46962 s.
    assert 1e6 * (root - 50) / 3 == pytest.approx(6635 * math.sqrt(root), rel=1e-9)


@pytest.mark.parametrize(("asked", "wanted"), [("fits", True), ("not fits", False)])
def test_what_fits_is_a_condition(asked: str, wanted: bool, tmp_path: Path) -> None:
    settings = ("--set", "box.capacity memory=1 MB", "--range", "1..2000")
    tiles = "param N: integer; tally footprint: B = 8 B*(7*ceil(N/7))^2; memory = 8 B*N^2"
    found = ask(*written(tmp_path, tiles), "--such-that", asked, *settings)
    assert found["complete"]
    told = {n for each in found["holds"] for n in range(each["from"], each["to"] + 1)}
    assert told == {n for n in range(1, 2001) if (8 * (-(-n // 7) * 7) ** 2 <= 10**6) is wanted}


def test_two_quantities_are_compared(tmp_path: Path) -> None:
    settings = ("--crossover", "--between", "footprint", "staged", "--range", "1..2000")
    found = ask(*written(tmp_path, TILED), *settings)
    assert found["complete"]
    for regime in found["regimes"]:
        for n in range(regime["from"], regime["to"] + 1):
            known = tiled(n)
            most = max(known["footprint"], known["staged"])
            assert {name for name in ("footprint", "staged") if known[name] == most} == {
                *regime["ties"]
            }


def test_the_one_open_parameter_is_what_is_solved_for() -> None:
    named = ("summa", "--crossover", "-m", "karst", "-p", "P=121", "--for", "N")
    assert ask(*named[:-2]) == ask(*named)
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    assert prediction.crossovers(P=121).unknown.name == "N"
    assert prediction.where("time <= 10 s", N=4096).unknown.name == "P"
    with pytest.raises(rd.RoofError, match="R0712"):
        prediction.crossovers("N", N=4096, P=121)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "roofdsl solve summa --crossover --for N"),
        (("summa", "--crossover", "--machine", "karst"), 1, "R0713"),
        (("summa", *KARST_IN_N, "-p", "P=4", "-p", "N=9"), 1, "R0712"),
        (("summa", "--for", "N", "--machine", "karst"), 2, "--crossover"),
        (("summa", "--crossover", "--for", "Q", "-m", "karst"), 1, "R0701"),
        (("summa", "--crossover", "--for", "N", "-m", "karst", "--range", "0..9"), 1, "R0702"),
        (("summa", "--crossover", "--for", "N", "-m", "karst", "--range", "9..3"), 1, "R0702"),
        (("linear", "--such-that", "time <= 9 s", "--for", "M", "-m", "karst"), 1, "R0406"),
        (("summa", *KARST_IN_N, "-p", "P=4", "--between", "memory", "disk"), 1, "R0707"),
        (("summa", "--such-that", "time <= 10", "--for", "N", "-m", "karst"), 1, "R0405"),
        (("summa", "--such-that", "tim <= 10 s", "--for", "N", "-m", "karst"), 1, "R0707"),
        (("summa", "--such-that", "nonsense", "--for", "N", "-m", "karst"), 1, "R0706"),
        (
            (
                "dgemv",
                "--such-that",
                "OI <= 1 flop/B",
                "--for",
                "karst.flops",
                "-m",
                "karst",
                "-p",
                "N=4",
                "-p",
                "P=1",
            ),
            1,
            "R0704",
        ),
    ],
)
def test_bad_questions_get_clear_errors(
    arguments: tuple[str, ...], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from roofdsl.cli.main import main

    with pytest.raises(SystemExit) as ended:
        main(["solve", *arguments])
    assert ended.value.code == code
    assert words in capsys.readouterr().err


def test_the_split_that_balances_two_devices_in_closed_form() -> None:
    asked = ("--crossover", "--for", "share", "-m", "i7_gtx750", "-p", "I=0.5 flop/B")
    answer = ask("hetero.perdome:data_partition", *asked)
    assert answer["complete"] is True
    (crossover,) = [c for c in answer["crossovers"] if c["step"] is None]
    assert (crossover["before"], crossover["after"]) == (["cpu.memory"], ["gpu.memory"])
    gpu, cpu = "i7_gtx750.gpu.memory", "i7_gtx750.cpu.memory"
    assert crossover["closed_form"] == f"{gpu}/({cpu} + {gpu})"
    rates = rd.load_machine("gtx_750").rates["memory"], rd.load_machine("i7_2600k").rates["memory"]
    assert crossover["closed_form_value"] == pytest.approx(rates[0] / sum(rates), rel=1e-12)
    # The closed form's own value is rounded, by an ulp or so.
    low, high = crossover["enclosure"]
    assert low * (1 - 1e-15) <= crossover["closed_form_value"] <= high * (1 + 1e-15)


def test_steps_with_joined_resources_have_crossovers(tmp_path: Path) -> None:
    text = """
        machine box { flops = 100 flop/s; memory = 10 B/s; network = 5 B/s; serial memory, network }
        model main {
            param n: integer
            step a { flops = n^2 * 1 flop; memory = n * 3 B; network = 40 B }
            step b { flops = n * 7 flop; memory = n * 2 B }
        }
    """
    (tmp_path / "joined.roof").write_text(text)
    file = str(tmp_path / "joined.roof")
    asked = ("--machine", f"{file}:box", "--crossover", "--for", "n", "--range", "1..1000")
    answer = ask(f"{file}:main", *asked)
    found = [each for each in answer["crossovers"] if each["step"] is not None]
    changes = [(*each["before"], *each["after"], each["first_integer"]) for each in found]
    # 3 n/10 > 40/5 from n = 27; n^2/100 > 3 n/10 + 40/5, which is n (n - 30) > 800, from n = 48
    assert changes == [("network", "memory", 27), ("memory", "flops", 48)]
    assert {each["step"] for each in found} == {"a"}
    assert found[0]["closed_form_value"] == pytest.approx(80 / 3)
    assert answer["complete"]


def test_the_first_number_that_steps_allow(tmp_path: Path) -> None:
    # 64 processes hold cubes of N/4: N must be a multiple of 4.
    path = tmp_path / "cubes.roof"
    path.write_text(
        """
        model cube {
            param n: integer[1..]
            memory = 16 B * n^3
            network = 48 B * n^2
            messages = 6
        }
        model whole {
            param N: integer
            param P: processes
            step inside = cube(n = N / P^(1/3))
        }
        machine node { memory = 200 GB/s; network = 25 GB/s; messages = 1.5 us/message }
        """,
        encoding="utf-8",
    )
    model, machine = rd.load_model(f"{path}:whole"), rd.load_machine(f"{path}:node")
    answer = model.on(machine).crossovers("N", P=64)
    assert isinstance(answer, ShownCrossovers)
    found, *_ = answer.crossovers
    slower = [N for N in range(1, 400) if 16 * (N / 4) ** 3 / 200 > 48 * (N / 4) ** 2 / 25 + 9e3]
    assert found.first_integer == slower[0]
    assert found.first_valid == next(N for N in slower if N % 4 == 0)


def test_what_the_model_allows_first_is_where_it_is_said_to_be(tmp_path: Path) -> None:
    # Network up to N = 25, memory up to 38, then flops.
    path = tmp_path / "m.roof"
    path.write_text(
        """
        model m {
            param N: integer
            require N/20 is integer
            network = 1000 B; memory = 39 B * N; flops = N^2 + 1
        }
        machine c { network = 1 B/s; memory = 1 B/s; flops = 1 flop/s }
        """
    )
    asked = [f"{path}:m", "--for", "N", "-m", f"{path}:c"]
    to_memory, to_flops = ask(*asked, "--crossover")["crossovers"]
    assert (to_memory["first_integer"], to_memory["first_valid"]) == (26, None)
    assert (to_flops["first_integer"], to_flops["first_valid"]) == (39, 40)
    for condition, span in (("network", (1, 25, 20)), ("memory", (26, 38, None))):
        (holds,) = ask(*asked, "--such-that", f"bound = {condition}")["holds"]
        assert (holds["from"], holds["to"], holds["first_valid"]) == span
    result = CliRunner().invoke(cli, ["solve", *asked, "--such-that", "bound = memory"])
    assert "holds for 26 ≤ N ≤ 38\n  no N is allowed there (proven)" in result.output


# 0, though this is not proven.
HIDDEN = "log2(1 + sqrt(2)) + log2(sqrt(2) - 1)"


def written(tmp_path: Path, body: str) -> tuple[str, ...]:
    """Write a model on a machine whose rates are 1; return how to ask of them."""
    path = tmp_path / "m.roof"
    box = "machine box { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }"
    path.write_text(f"model m {{ {body} }} {box}", encoding="utf-8")
    return (f"{path}:m", "-m", f"{path}:box", "--for", "N")


def test_one_whole_number_that_is_undecided_is_no_jump(tmp_path: Path) -> None:
    asked = written(tmp_path, f"param N: integer; flops = N + {HIDDEN}; memory = 10 B")
    found = ask(*asked, "--crossover")
    regimes = [(each["from"], each["to"], each["bound"]) for each in found["regimes"]]
    assert regimes == [(1, 9, "memory"), (10, 10, None), (11, 10**18, "flops")]
    assert (found["complete"], found["proven_up_to"], found["crossovers"]) == (False, 9, [])


@pytest.mark.parametrize(
    ("asked", "holds", "proven", "said"),
    [
        ("flops <= 10 flop", [(1, 9)], 9, "beyond, not everything is decided"),
        ("flops <= 1 flop", [], None, "whether it holds anywhere is undecided"),
        ("flops < 0.5 flop", [], 10**18, "holds nowhere in the range"),
        ("bound = flops", [(11, 10**18)], 9, "proven up to N = 9"),
        ("bound != flops", [(1, 9)], 9, "proven up to N = 9"),
        # Which of the two others it is does not matter here.
        ("bound = network", [], 10**18, "holds nowhere in the range"),
        ("bound != network", [(1, 10**18)], 10**18, "proven over the whole range"),
        ("crossover", None, 9, "a crossover in N lies where it is undecided"),
    ],
)
def test_what_is_undecided_is_not_said(
    tmp_path: Path, asked: str, holds: list[tuple[int, int]] | None, proven: int | None, said: str
) -> None:
    body = f"param N: integer; flops = N + {HIDDEN}; memory = 10 B; network = 1 B"
    wanted = ("--crossover",) if holds is None else ("--such-that", asked)
    question = [*written(tmp_path, body), *wanted]
    found = ask(*question)
    if holds is not None:
        assert [(each["from"], each["to"]) for each in found["holds"]] == holds
    assert (found["complete"], found["proven_up_to"]) == (proven == 10**18, proven)
    assert said in CliRunner().invoke(cli, ["solve", *question]).output


def test_jumps_at_places_that_no_float_is_are_proven(tmp_path: Path) -> None:
    steps = "flops = if N > sqrt(2) then 3 else 1; memory = if N > 10^6*sqrt(3) then 4 B else 2 B"
    found = ask(*written(tmp_path, f"param N; {steps}"), "--crossover")
    assert [each["bound"] for each in found["regimes"]] == ["memory", "flops", "memory"]
    assert (found["complete"], found["proven_up_to"]) == (True, 1e18)
    for crossover, square in zip(found["crossovers"], (2, 3 * 10**12), strict=True):
        low, high = map(Fraction, crossover["enclosure"])
        assert low**2 <= square <= high**2 and high / low < 1 + 1e-14
        assert crossover["kind"] == "jump"


def test_some_resources_are_compared_alone(tmp_path: Path) -> None:
    # Memory takes longer than network for every N, and the longest until N is 100.
    body = "param N: integer; flops = N^2; memory = 100 B * N; network = 50 B * N"
    asked = written(tmp_path, body)
    (found,) = ask(*asked, "--crossover", "--between", "flops", "network")["crossovers"]
    assert (found["before"], found["after"]) == (["network"], ["flops"])
    assert (found["first_integer"], found["closed_form_value"]) == (51, 50)
    assert found["closed_form"] == "50*box.flops/box.network"
    (interval,) = ask(*asked, "--such-that", "flops = 2500 flop")["holds"]
    assert (interval["from"], interval["to"]) == (50, 50)


def test_a_tie_that_ends_the_range_has_its_closed_form(tmp_path: Path) -> None:
    body = "param N: integer; param P: processes[..N]; flops = N^2/P; memory = P"
    model, *machine, _, _ = written(tmp_path, body)
    (change,) = ask(model, "--crossover", *machine, "--for", "P", "-p", "N=100")["crossovers"]
    assert (change["kind"], change["first_integer"]) == ("tie", 100)
    assert change["closed_form"] == "N*sqrt(box.memory/box.flops)"


def test_a_stretch_that_is_undecided_is_no_jump(tmp_path: Path) -> None:
    hidden = f"5 + N*({HIDDEN})"
    body = f"param N; flops = if N > 10 then {hidden} else 1; memory = 5 B"
    found = ask(*written(tmp_path, body), "--crossover")
    assert [each["bound"] for each in found["regimes"]] == ["memory", None]
    assert (found["complete"], found["crossovers"]) == (False, [])
    assert found["proven_up_to"] == pytest.approx(10)


def test_a_touch_at_a_place_that_no_float_is_is_no_jump(tmp_path: Path) -> None:
    body = "param N; flops = (N^2 - 2)^2 + 1; memory = 1 B"
    found = ask(*written(tmp_path, body), "--crossover")
    assert {each["bound"] for each in found["regimes"]} == {"flops"}
    assert [each["kind"] for each in found["crossovers"]] in ([], ["touch"])


@pytest.mark.parametrize("others", [1, 20])  # few, and more than are all tried
def test_a_closed_form_names_what_has_a_value(tmp_path: Path, others: int) -> None:
    # N^2 / flops rate = k / memory rate, where k is the largest.
    smaller = ", ".join(f"N/{part}" for part in range(10, 10 + others))
    body = f"param N; param k = 3; flops = N^2; memory = max(k, {smaller}) * 1 B"
    (found,) = ask(*written(tmp_path, body), "--crossover")["crossovers"]
    assert found["closed_form"] == "sqrt(box.flops*k/box.memory)"
    assert found["closed_form_value"] == pytest.approx(3**0.5)


@pytest.mark.parametrize(("range_", "ends"), [("3/2..21/2", (2, 10)), ("2..10", (2, 10))])
def test_a_whole_number_ranges_within_its_bounds(range_: str, ends: tuple[int, int]) -> None:
    text = f"model m {{ param n: integer[{range_}]; flops = n }} machine k {{ flops = 1 flop/s }}"
    module, problems = check_text(Source("range.roof", text))
    assert not problems
    model, machine = module.models["m"], module.machines["k"]
    prediction, problems = predict(model, machine, {})
    assert not problems
    domain = domain_of(prediction, unknown_named("n", model, machine))
    assert domain.range() == ends
    assert domain.within(Fraction(5, 2), Fraction(19, 2)) == (3, 9)
