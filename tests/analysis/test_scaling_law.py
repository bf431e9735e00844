"""What speed-up and efficiency are measured by: the same problem on one process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.diagnostic import RoofError
from tests.analysis.test_scaling import said, scaled, study, written
from tests.figures.test_python import rows


def efficiencies(model: str, *values: str) -> dict[int, float]:
    return {point["processes"]: point["efficiency"] for point in scaled(model, *values)["points"]}


def line_of(text: str, start: str) -> str:
    (line,) = (line for line in text.splitlines() if line.startswith(start))
    return line


def test_larger_matrices_on_more_processes_by_the_work_that_is_done() -> None:
    # Four processes do eight times the flops of one in twice the time.
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    found = summa.scaling(N="1000*sqrt(P)")
    told = {point.processes: point for point in found.points}
    drawn = {
        row["processes"]: row
        for row in rows(rd.plot.scaling(summa, at={"N": "1000*sqrt(P)", "P": [1, 4, 9]}), "weak")
    }
    for count in (1, 4, 9):
        one, all_of_them = (summa.evaluate(N=1000 * int(count**0.5), P=p) for p in (1, count))
        assert told[count].speedup == pytest.approx(one.time / all_of_them.time)
        assert told[count].efficiency == pytest.approx(1, abs=1e-9)
        assert drawn[count]["efficiency"] == pytest.approx(told[count].efficiency)
        assert drawn[count]["speed-up"] == pytest.approx(told[count].speedup)
    assert max(point.efficiency for point in found.points) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("size", "stays"),
    [
        ("1000*sqrt(P)", "N^2/P stays the same while all flops grow as P^1.5"),
        ("1000*P^(1/3)", "N^3/P stays the same while all flops grow as P"),
        ("1000*P", "N/P stays the same while all flops grow as P^3"),
    ],
)
def test_the_answer_names_what_stays_the_same(size: str, stays: str) -> None:
    text = study("summa", "-m", "karst", "-p", f"N={size}", "--scaling", "--for", "P")
    assert line_of(text, "weak: ").startswith(f"weak: {stays}; efficiency is T(1) / (P*T(P))")


def test_a_batch_for_each_rank_is_weak_scaling() -> None:
    asked = ["resnet50_training", "-m", "h100_sxm", "--scaling", "--for", "ranks"]
    text = study(*asked, "-p", "batch=32")
    # The ring is hidden: the time stays as it is, and every rank is as useful as one alone.
    assert line_of(text, "  32  ").split()[-2:] == ["100", "%"]
    assert line_of(text, "weak: ") == (
        "weak: memory and footprint of a process stay the same; efficiency is T(1) / T(P)"
    )
    shared = study(*asked, "-p", "batch=1024/ranks")
    assert line_of(shared, "strong: ") == (
        "strong: the problem stays the same; efficiency is T(1) / (P*T(P))"
    )
    training = rd.load_model("resnet50_training").on(rd.load_machine("h100_sxm"))
    alone, many = (training.evaluate(batch=1024 // ranks, ranks=ranks).time for ranks in (1, 32))
    assert line_of(shared, "  32  ").split()[-2] == f"{100 * alone / many / 32:.3g}"
    same = study(*asked, "-p", "batch=32", "--strong")
    assert line_of(same, "  32  ").split()[-2:] == ["3.12", "%"]


def test_efficiency_on_a_grid_counts_all_its_processes(tmp_path: Path) -> None:
    model = written(
        tmp_path, "param Q: processes\nparam N = 1000\nflops = N^3/(P*Q)\nnetwork = 8 B*N^2/P"
    )
    for tied in ("Q=P", "Q=4", "Q=2*P"):
        found = efficiencies(model, "-p", tied)
        ratio = {"Q=P": 1, "Q=4": 4, "Q=2*P": 2}[tied]
        counts = [ratio * P * (1 if tied == "Q=4" else P) for P in (1, 2, 4)]
        assert [*found][:3] == counts
        assert [found[count] for count in counts] == pytest.approx([1, 1, 1])
        assert max(found.values()) <= 1 + 1e-12


def test_work_that_is_not_divided_grows_unless_it_is_said_to_be_the_same(tmp_path: Path) -> None:
    model = written(tmp_path, "flops = 100 + P")
    assert efficiencies(model)[4] == pytest.approx(101 / 104)
    assert efficiencies(model, "--strong")[4] == pytest.approx(101 / 104 / 4)
    never = "weak: a process never has less work on flops than one alone (proven up to 10^15)"
    assert line_of(said(model), "weak: ").startswith(never)


def test_a_serial_part_counts_once(tmp_path: Path) -> None:
    # Amdahl: a tenth of the work is done by each. Gustafson: the rest grows with the processes.
    model = written(tmp_path, "param n = 900\nflops = 100 + n/P")
    assert efficiencies(model)[10 - 2] == pytest.approx(1000 / (100 + 900 / 8) / 8)
    grown = efficiencies(model, "-p", "n=900*P")
    assert grown[8] == pytest.approx((100 + 900 * 8) / 1000 / 8)


def test_a_stated_time_says_nothing_of_work_that_grows(tmp_path: Path) -> None:
    model = written(tmp_path, "time = 3 s + 1 s*log2(P)")
    assert scaled(model)["kind"] == "strong"
    assert efficiencies(model)[4] == pytest.approx(3 / 5 / 4)


def test_the_fewest_processes_allowed_stand_for_one(tmp_path: Path) -> None:
    model = written(tmp_path, "flops = 1000/P + 10\nrequire P >= 4")
    found = scaled(model)
    assert (found["base"], found["points"][0]["speedup"]) == (4, 4)
    assert efficiencies(model)[8] == pytest.approx(4 * 260 / (8 * 135))
    assert "the fewest processes allowed, 4, have by definition 100 %" in said(model)


def test_more_than_a_hundred_per_cent_has_a_reason(tmp_path: Path) -> None:
    # What four processes hold stays in their caches.
    body = "flops = 100/P\nmemory = (if P < 4 then 8000 B else 1000 B)/P"
    model = written(tmp_path, body)
    assert efficiencies(model)[4] == pytest.approx(8)
    reason = "all together have less work on memory than one alone"
    assert f"with 4 processes it is more than 100 %: {reason}" in said(model)


# Each was undecided, or another count was named.
MOST_USEFUL = [
    ("flops = 106/P + P", 10, range(1, 200)),
    ("flops = 1000/P + P\nrequire sqrt(P) is integer", 36, [n * n for n in range(1, 20)]),
    ("flops = 1000/P + P\nrequire log2(P) is integer", 32, [2**n for n in range(12)]),
    ("flops = 1000/P + P\nrequire sqrt(P) is integer and P >= 2", 36, range(4, 37, 32)),
    ("flops = 1000/P + 7*ceil(log2(P))", 128, range(1, 300)),
    ("flops = 1000/P\nnetwork = 60 B * ceil(log2(P))", 6, range(1, 300)),
    ("flops = max(ceil(30/P), 3)", 10, range(1, 300)),
]


@pytest.mark.parametrize(("body", "best", "counts"), MOST_USEFUL)
def test_the_most_useful_count_is_an_allowed_one(tmp_path: Path, body, best, counts) -> None:
    model = written(tmp_path, body)
    found = scaled(model)
    assert (found["most_useful"], found["complete"]) == (best, True)
    evaluated = rd.load_model(model).on(rd.load_machine(model.replace(":m", ":simple")))
    times = {count: evaluated.evaluate(P=count).time for count in counts}
    assert min(times, key=lambda count: (times[count], count)) == best


def test_sizes_that_the_model_refuses_keep_no_efficiency(tmp_path: Path) -> None:
    model = written(
        tmp_path,
        "param n: integer[P..90*P]\nrequire n/(3*P) is integer\nflops = n^2/P\n"
        "network = if P > 1 then 10 B * n else 0 B",
    )
    path = model.replace(":m", ":simple")
    prediction = rd.load_model(model).on(rd.load_machine(path))
    found = scaled(model, "-p", "n=9*P", "--size", "n", "--efficiency", "0.8")["sizes"]
    for row in found:
        count = row["processes"]
        # n >= 8*P, n <= 90 for one process, n a multiple of 3 and of 3*P.
        wanted = next((n for n in range(3 * count, 91, 3 * count) if n >= 8 * count), None)
        assert (row["size"], row["proven"]) == (wanted, True)
        if wanted is not None:
            prediction.evaluate(n=wanted, P=count)
    assert found[0]["size"] == 18


def test_scaling_in_python_says_what_the_command_says() -> None:
    summa = rd.load_model("summa").on(rd.load_machine("karst"))
    found = summa.scaling(N=4096, size="N", efficiency=0.8)
    asked = ["summa", "--scaling", "--for", "P", "-m", "karst", "-p", "N=4096", "--size", "N"]
    assert found.to_dict() == json.loads(study(*asked, "--efficiency", "0.8", "--format", "json"))
    with pytest.raises(RoofError, match="R0711"):
        summa.scaling("N", P=4)


def test_a_choice_that_follows_the_processes_is_no_larger_problem(tmp_path: Path) -> None:
    body = "param n = 100\nparam many = false\nflops = if many then 5 + n/(2*P) else n/P"
    model = written(tmp_path, body)
    for size, alone in (("100", 100), ("100*P", 100 * 8)):
        found = efficiencies(model, "-p", "many=P > 4", "-p", f"n={size}")
        work = 100 if size == "100" else 800
        assert found[8] == pytest.approx(alone / (5 + work / 16) / 8)


def test_an_all_reduce_in_stages_is_decided(tmp_path: Path) -> None:
    # In the library's all-reduces the stages are ceil(log2(ranks)).
    file = tmp_path / "cg.roof"
    file.write_text(
        "use collectives.mpi\nmodel cg {\nparam N: integer = 10000\nparam P: processes\n"
        "step multiply { flops = 2*N^2/P }\n"
        "step dot = mpi.all_reduce_tree(bytes = 8 B * N, ranks = P)\n"
        "step norm = mpi.all_reduce_recursive_doubling(bytes = 8 B, ranks = P)\n}\n"
    )
    prediction = rd.load_model(f"{file}:cg").on(rd.load_machine("h100_sxm"))
    useful = prediction.scaling().useful
    assert useful is not None and useful.complete and useful.proven_up_to == 10**15
    # Between powers of two the stages stay the same: the best is at an end, or nowhere.
    ends = {2**k + d for k in range(1, 12) for d in (0, 1)}
    counts = sorted({*range(1, 100), *ends})
    times = prediction.sweep(P=counts).time
    assert useful.count == counts[times.argmin()]


def test_a_number_that_follows_by_default_is_no_larger_problem_until_it_is_given(
    tmp_path: Path,
) -> None:
    model = written(tmp_path, "param n = 10*P\nflops = n^2/P")
    # By default one process has n = 10, and each of P does P times its work.
    assert efficiencies(model)[8] == pytest.approx(1 / 8)
    assert scaled(model)["defaults"] == ["n"]
    by_default = (
        "n = 10*P by default: one process has n = 10; for a problem that grows so, give it: "
    )
    assert line_of(said(model), "n = 10*P") == by_default + '-p "n=10*P"'
    # Given, one process would do all of n^2: together they lose nothing.
    assert efficiencies(model, "-p", "n=10*P")[8] == pytest.approx(1)
    assert "by default" not in said(model, "-p", "n=10*P")
    prediction = rd.load_model(model).on(rd.load_machine(model.replace(":m", ":simple")))
    for found, efficiency in ((prediction.scaling(), 1 / 8), (prediction.scaling(n="10*P"), 1)):
        point = next(each for each in found.points if each.processes == 8)
        assert point.efficiency == pytest.approx(efficiency)


def test_an_efficiency_alone_asks_for_the_size_that_keeps_it() -> None:
    asked = ["summa", "-m", "karst", "-p", "N=8000"]
    whole = study(*asked, "--scaling", "--size", "N", "--efficiency", "0.5")
    for efficiency in ("50%", "50 %", ".5"):
        assert study(*asked, "--efficiency", efficiency) == whole
    assert study(*asked, "--strong") == study(*asked, "--scaling", "--strong")


@pytest.mark.parametrize(
    ("count", "tie"), [("processes = q^3", ""), ("processes", "require q^3 == P")]
)
def test_how_many_processes_are_along_an_edge_divides_one_problem(
    tmp_path: Path, count: str, tie: str
) -> None:
    model = written(
        tmp_path, f"param q: integer\n{tie}\nflops = (512/q)^3\nmemory = 6000*(512/q)^2"
    )
    file = tmp_path / "m.roof"
    file.write_text(file.read_text().replace("param P: processes", f"param P: {count}"))
    found = efficiencies(model, "-p", "q=P^(1/3)")
    assert "strong scaling" in said(model, "-p", "q=P^(1/3)")
    # The time of a cube of points and of its six faces, by hand: all rates are 1.
    for edge in (2, 4, 8, 16):
        one, each = (max((512 / q) ** 3, 6000 * (512 / q) ** 2) for q in (1, edge))
        assert found[edge**3] == pytest.approx(one / each / edge**3)
