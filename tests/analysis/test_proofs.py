"""What is said of an answer over a range carries its proof, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roofdsl.analysis.crossover import Crossover
from roofdsl.analysis.domain import NOT_ASKED
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.crossovers import change
from roofdsl.cli.main import cli
from roofdsl.expression.tree import Symbol
from roofdsl.numeric.proof import Proof
from roofdsl.units.dimension import DIMENSIONLESS

# 0, though this is not proven.
HIDDEN = "log2(1 + sqrt(2)) + log2(sqrt(2) - 1)"
BOX = "machine box { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }"


def written(tmp_path: Path, text: str) -> tuple[str, ...]:
    """Write a model m on a machine whose rates are 1; return how to ask of them."""
    path = tmp_path / "m.roof"
    path.write_text(f"{text} {BOX}", encoding="utf-8")
    return (f"{path}:m", "-m", f"{path}:box")


def said(*question: str) -> str:
    result = CliRunner().invoke(cli, ["solve", *question])
    assert not result.exit_code, result.output
    return result.output


def told(*question: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(said(*question, "--format", "json"))
    return answer


def test_of_two_proofs_both_must_hold() -> None:
    whole, part, none = Proof(True, 100), Proof(False, 9), Proof(False, None)
    assert whole.joined(whole) == whole
    assert whole.joined(part) == part.joined(whole) == part
    assert part.joined(none) == none.joined(whole) == none


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_where_all_is_undecided_nothing_is_said_to_be_absent(tmp_path: Path, form: str) -> None:
    body = f"param N: integer; flops = N*(1 + {HIDDEN}); memory = 1 B * N"
    asked = (*written(tmp_path, f"model m {{ {body} }}"), "--for", "N")
    text = said(*asked, "--crossover", "--format", form)
    assert "whether there is a crossover in N is undecided" in text
    assert "no crossover" not in text
    text = said(*asked, "--such-that", "bound = memory", "--format", form)
    assert "whether it holds anywhere is undecided" in text and "nowhere" not in text


def test_a_boundary_is_proven_where_all_of_its_points_are(tmp_path: Path) -> None:
    body = f"param N: integer; param k: integer; flops = N + (k - 1)*{HIDDEN}; memory = 10 B"
    asked = (*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--crossover")
    found = told(*asked, "-p", "k=1..2")
    assert [each["complete"] for each in found["answers"]] == [True, False]
    assert [each["proven_up_to"] for each in found["answers"]] == [10**18, 9]
    assert "not all proven" in said(*asked, "-p", "k=1..2")


def test_steps_that_are_undecided_count(tmp_path: Path) -> None:
    step = f"step s {{ flops = N + {HIDDEN}; memory = 10 B }}"
    body = f"param N: integer; {step} step t {{ network = 1e20 B }}"
    found = told(*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--crossover")
    assert [each["bound"] for each in found["regimes"]] == ["network"]
    assert (found["complete"], found["proven_up_to"]) == (False, 9)
    # It is the step that is undecided, not the whole.
    text = said(*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--crossover")
    assert "no crossover in N over 1 .. 10^18" in text and "proven up to N = 9" in text


BAND = "model c { param N: integer; flops = 10*ceil(N/10) }"
LINE = "model d { param N: integer; flops = N + 5 }"


def faster(tmp_path: Path, models: str, *question: str) -> dict[str, Any]:
    """Ask which of the models, c and d, is faster over N in 1..100."""
    path = tmp_path / "m.roof"
    path.write_text(f"{models} {BOX}", encoding="utf-8")
    asked = ("--faster", "--for", "N", "-m", f"{path}:box", "--range", "1..100", *question)
    return told(f"{path}:c", f"{path}:d", *asked)


def test_where_two_take_turns_in_being_faster_is_said(tmp_path: Path) -> None:
    found = faster(tmp_path, f"{BAND} {LINE}")
    assert [(each["from"], each["to"], each["kind"]) for each in found["fastest"]] == [
        (1, 4, "largest"),
        (5, 95, "band"),
        (96, 100, "largest"),
    ]
    assert found["complete"] and [each["kind"] for each in found["changes"]] == ["band"]
    path = tmp_path / "m.roof"
    text = said(
        *(f"{path}:c", f"{path}:d", "-m", f"{path}:box"),
        *("--faster", "--for", "N", "--range", "1..100"),
    )
    assert "now c, now d" in text and "undecided" not in text


def test_real_unknowns_with_jumps_are_no_error(tmp_path: Path) -> None:
    flat = "model c { param N; flops = max(0, N - 10) }"
    found = faster(tmp_path, f"{flat} model d {{ param N; flops = 3*ceil(N/3) }}")
    assert [each["fastest"] for each in found["fastest"]] == [["c"]] and found["complete"]


def test_what_has_no_value_is_no_verdict(tmp_path: Path) -> None:
    # Between 11 and 19 there is less than no work, and eval refuses that.
    work = "flops = (N - 10)*(N - 20)"
    found = faster(tmp_path, f"model c {{ param N: integer; {work} }} {LINE}")
    holes = [(each["from"], each["to"]) for each in found["fastest"] if each["kind"] == "refused"]
    assert holes == [(11, 19)] and found["complete"]
    body = f"model m {{ param N: integer; {work}; memory = 30 B }}"
    asked = (*written(tmp_path, body), "--for", "N", "--range", "1..100")
    regimes = told(*asked, "--crossover")["regimes"]
    assert [(each["from"], each["bound"]) for each in regimes] == [
        (1, "flops"),
        (8, "memory"),
        (11, None),
        (20, "memory"),
        (23, "flops"),
    ]
    for condition in ("bound = memory", "time <= 30 s"):
        holds = told(*asked, "--such-that", condition)["holds"]
        assert [(each["from"], each["to"]) for each in holds] == [(8, 10), (20, 22)]


def test_compositions_are_compared_by_their_pieces(tmp_path: Path) -> None:
    steps = "step {0} {{ flops = {1}*N^2; memory = 1000 B * N }}"
    one = " ".join(steps.format(f"s{size}", size) for size in (1, 2, 5))
    two = f"overlap {{ {steps.format('a', 6)}; {steps.format('b', 3)} }}"
    found = faster(
        tmp_path, f"model c {{ param N: integer; {one} }} model d {{ param N: integer; {two} }}"
    )
    for n in range(1, 101):
        first = sum(max(size * n**2, 1000 * n) for size in (1, 2, 5))
        second = max(max(6 * n**2, 1000 * n), max(3 * n**2, 1000 * n), 9 * n**2, 2000 * n)
        said_of_it = next(each for each in found["fastest"] if each["from"] <= n <= each["to"])
        fastest = [
            name for name, time in (("c", first), ("d", second)) if time <= min(first, second)
        ]
        assert said_of_it["fastest"] == fastest


def test_what_binds_on_both_sides_of_an_irrational_change_binds_there(tmp_path: Path) -> None:
    """5 s and sqrt(2)/r s one after another take as long as all 6 s of network at r = sqrt(2)."""
    steps = "repeat 1 { step a { network = 5 B }; step b { flops = sqrt(2) } }"
    model = f"model m {{ overlap {{ {steps}; step c {{ network = 1 B }} }} }}"
    asked = ("--for", "box.flops", "--range", "0.5 flop/s..10 flop/s")
    found = told(*written(tmp_path, model), "--crossover", *asked)
    assert [(x["from"], x["to"], x["bound"]) for x in found["regimes"]] == [(0.5, 10, "network")]
    assert found["complete"]


def test_where_no_time_is_taken_nothing_binds(tmp_path: Path) -> None:
    body = "param N: integer; flops = max(0, N - 10); memory = 2 B * max(0, N - 10)"
    asked = (*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--range", "1..100")
    regimes = told(*asked, "--crossover")["regimes"]
    assert [(each["to"], each["kind"], each["bound"]) for each in regimes] == [
        (10, "idle", None),
        (100, "largest", "memory"),
    ]
    assert told(*asked, "--such-that", "bound = flops")["holds"] == []


def test_where_no_time_is_taken_now_and_then_nothing_is_said_to_bind(tmp_path: Path) -> None:
    for work in ("flops = W", "flops = W; memory = 2 B * W"):
        body = f"model m {{ param N: integer; {work.replace('W', '(ceil(N/7)*7 - N)')} }}"
        asked = (*written(tmp_path, body), "--for", "N", "--range", "1..1000", "--crossover")
        bound = "memory" if "memory" in work else "flops"
        bands = [each["ties"] for each in told(*asked)["regimes"] if each["kind"] == "band"]
        assert bands == [["nothing", bound]]
        assert f"now nothing, now {bound}" in said(*asked)


@pytest.mark.parametrize("last", [2000, 10**9])
def test_what_binds_between_values_that_are_refused_is_proven(tmp_path: Path, last: int) -> None:
    # At every 7th N the flops are -1, which eval refuses.
    body = """model m {
        param N: integer[1..]
        step a { flops = ceil(N/7)*7 - N - 1; memory = 24 B * N }
        step b { network = 3 B * N + 7 B * N^3 }
    }"""
    asked = (*written(tmp_path, body), "--for", "N", "--range", f"100..{last}")
    found = told(*asked, "--crossover")
    (regime,) = found["regimes"]
    assert (regime["from"], regime["to"], regime["bound"]) == (100, last, "network")
    assert regime["some_refused"] and found["complete"]
    assert "but no value at some" in said(*asked, "--crossover")
    (holds,) = told(*asked, "--such-that", "bound = network and time > 1 s")["holds"]
    assert holds["kind"] == "all" and holds["some_refused"]
    (holds,) = told(*asked, "--such-that", "N <= 104")["holds"]
    assert holds["to"] == 104 and not holds["some_refused"]


def test_who_takes_turns_between_values_that_are_refused(tmp_path: Path) -> None:
    """At all numbers that have a value what binds is one of those that are said to."""
    body = "model m { param N: integer; flops = 100*(ceil(N/7)*7 - N - 1); memory = 2 B*N }"
    found = told(*written(tmp_path, body), "--for", "N", "--range", "1..2000", "--crossover")
    assert found["complete"]
    bands = []
    for each in found["regimes"]:
        numbers = range(each["from"], each["to"] + 1)
        amounts = [(100 * (-n % 7 - 1), 2 * n) for n in numbers]
        valued = [(flops, memory) for flops, memory in amounts if flops >= 0]
        bound = {
            name
            for f, m in valued
            for name, own in (("flops", f), ("memory", m))
            if own == max(f, m)
        }
        assert {*each["ties"]} == bound
        assert each["kind"] == "refused" or each["some_refused"] == (len(valued) < len(amounts))
        bands += [each] if each["kind"] == "band" else []
    assert len(bands) == 1


def test_beside_jumps_with_nothing_decided_behind_them_a_change_has_one_side() -> None:
    n = Unknown(Symbol("N", integer=True), DIMENSIONLESS, True, None)
    one, none = ("a",), ()
    told = [
        change(Crossover(before, after, (4.0, 96.0), 96, "band", NOT_ASKED, None, None), n).text
        for before, after in ((one, none), (none, one))
    ]
    assert told[0] == "a up to N = 4, then jumps too dense to list"
    assert told[1] == "a from N = 96, after jumps too dense to list"


def test_what_is_equal_at_some_is_not_said_so_of_a_part_where_it_is_not(tmp_path: Path) -> None:
    # From 8 to 9 both times of step a are above 0, and not equal; at every 7th N they are 0.
    body = """model m {
        param N: integer
        step a { flops = (ceil(N/7)*7 - N)*2; memory = (ceil(N/7)*7 - N)*1 B }
        step b { network = (1 + N)*1 B }
    }"""
    asked = (*written(tmp_path, body), "--for", "N", "--range", "1..1000000", "--crossover")
    assert "shared" not in [each["kind"] for each in told(*asked)["regimes"]]
