"""The answers of the cookbook, worked out by hand: nothing here but the numbers of the page.

That the page shows what the commands print is held by `test_documents.py`. Here each printed number
is counted again, from what the models and machines of the page state.
"""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Iterable
from contextlib import chdir
from math import ceil, floor, isclose, log2, sqrt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PREFIXES = {"": 1, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
Check: TypeAlias = Callable[[str], None]
CHECKS: dict[str, Check] = {}
NUMBER = r"(\d+(?:\.\d+)?(?:e-?\d+)?)"


def answers(question: str) -> Callable[[Check], Check]:
    def enter(check: Check) -> Check:
        CHECKS[question] = check
        return check

    return enter


def read(said: str, unit: str) -> float:
    """Read a number with a prefix before its unit: `70.35 ms`."""
    found = re.fullmatch(rf"{NUMBER} ([{''.join(PREFIXES)}]?){re.escape(unit)}", said.strip())
    assert found, said
    return float(found[1]) * PREFIXES[found[2]]


def row(shown: str, label: str) -> list[str]:
    """Return the cells of the first line that begins with a label."""
    line = next(each for each in shown.splitlines() if each.split("  ")[1:2] == [label])
    return re.split(r" {2,}", line.strip())[1:]


def rows(shown: str, first: Iterable[str]) -> list[list[str]]:
    """Return the cells of the lines of a table whose first cells are these, in order."""
    lines = [re.split(r" {2,}", line.strip()) for line in shown.splitlines()]
    return [next(cells for cells in lines if cells[0] == each) for each in first]


def near(said: float, value: float) -> bool:
    """Whether a number is another one, in the four digits that are printed."""
    return isclose(said, value, rel_tol=6e-4)


def test_every_question_has_one_command_and_is_checked() -> None:
    assert SECTIONS.keys() == CHECKS.keys()
    assert len(CHECKS) >= 15
    for question, text in SECTIONS.items():
        commands = [line for line in text.splitlines() if line.startswith("$ roofdsl ")]
        assert len(commands) == 1, question


@pytest.mark.parametrize("question", SECTIONS)
def test_the_answer_is_the_one_by_hand(question: str) -> None:
    found = CONSOLE.search(SECTIONS[question])
    assert found
    CHECKS[question](found[1])


@answers("Which machine wins on my mix, per euro?")
def _mix(shown: str) -> None:
    cost = {}
    rates = {"a100": (312e12, 2039e9, 1.2), "h100": (989.5e12, 3.35e12, 2.4)}
    rates["mi300"] = (1307.4e12, 5.3e12, 2.2)
    for name, (flops, memory, price) in rates.items():
        product = max(2 * 16384**3 / flops, 2 * 4 * 16384**2 / memory)
        token = max(16e9 * 16 / flops, (16e9 + 16 * 4096 * 131072) / memory)
        cost[name] = (1e7 * product + 2e7 * token) / 3600 * price
    printed = [read(cell, "euro") for cell in row(shown, "cost")]
    assert all(near(*pair) for pair in zip(printed, cost.values(), strict=True))
    assert row(shown, "per euro")[0] == min(cost, key=lambda name: cost[name])


@answers("Up to how many processes does it get faster?")
def _useful(shown: str) -> None:
    def time(processes: int) -> float:
        doublings = floor(log2(processes))
        stages = doublings + (2 if processes > 2**doublings else 0)
        update = max(10e6 / processes / 20e9, 24e6 / processes / 12e9)
        # The sum's additions take less than its messages do.
        return update + stages * (2e-6 + 8 / 1.25e9)

    times = [time(processes) for processes in range(1, 5000)]
    best = times.index(min(times)) + 1
    assert f"more than {best} processes never make it faster" in shown
    for processes in (1, 64, 512, 1024):
        ((_, said, *_),) = rows(shown, [str(processes)])
        assert near(read(said, "s"), time(processes))


def summa(n: int = 4096) -> tuple[float, float, float]:
    """Return the flops, and the bytes of memory and network, for P = 121."""
    p = 121
    memory = 64 * (1 + n**2 / 8 + n**3 / (8 * sqrt(2048))) / p
    return (2 * n**3 + 2 * n**2) / p, memory, 2 * sqrt(p) * 8 * n**2 / p * log2(sqrt(p))


@answers("How fast must a network be, so that it never binds?")
def _network(shown: str) -> None:
    def needed(n: int) -> float:
        flops, memory, network = summa(n)
        return network / max(flops / 22e9, memory / 13.9e9)

    for n in range(2, 20):
        flops, memory, _ = summa(n)
        assert (memory / 13.9e9 > flops / 22e9) is (n <= 7)
    assert "for 2 ≤ N ≤ 7 " in shown and "for 8 ≤ N ≤ 5581216343 " in shown
    # From there on the slowest network of the range does.
    assert needed(5_581_216_343) > 1200 >= needed(5_581_216_344)
    root, log = sqrt(121), log2(121)
    assert "karst.network2* = sqrt(P)*karst.flops*word*log2(P)/(2*(N + 1))" in shown
    assert "sqrt(M)*N^2*sqrt(P)*karst.memory*log2(P)/(N^3 + sqrt(M)*N^2 + B*sqrt(M))" in shown
    for n in (8, 1000, 10**6):
        assert isclose(needed(n), root * 22e9 * 8 * log / (2 * (n + 1)))
    for n in (2, 5, 7):
        lines = n**3 + sqrt(2048) * n**2 + 8 * sqrt(2048)
        assert isclose(needed(n), sqrt(2048) * n**2 * root * 13.9e9 * log / lines)
    assert round(needed(1000) / 1e9, 1) == 6.7


@answers("How many ranks on each node?")
def _ranks(shown: str) -> None:
    def time(ranks: int) -> float:
        processes, memory = 4 * ranks, min(12e9, 96e9 / ranks)
        doublings = floor(log2(processes))
        stages = doublings + (2 if processes > 2**doublings else 0)
        return 24e6 / processes / memory + stages * (2e-6 + 8 / (10e9 / ranks))

    best = min(range(1, 65), key=time)
    ((_, said, bound, _),) = rows(shown, [str(best)])
    assert near(read(said, "s"), time(best)) and bound == "memory"


@answers("Processor or card: from which size?")
def _card(shown: str) -> None:
    def here(n: int) -> float:
        return max(2 * n**3 / 200e9, 16 * n**2 / 40e9)

    def there(n: int) -> float:
        return 12 * n**2 / 12e9 + 20e-6 + max(2 * n**3 / 10e12, 16 * n**2 / 500e9)

    assert all((there(n) < here(n)) is (n >= 172) for n in range(1, 20000))
    assert "product_there from n = 172" in shown


@answers("Cannon or Johnson: from how many processes?")
def _blocks(shown: str) -> None:
    def time(p: int, most: int, moved: float, across: float) -> float:
        rounds, sharing, block = ceil(1000 / min(p, most)), min(p, 8), 4 * 200**2
        inside = moved * block * sharing * (sharing - 1) / 25e9
        outside = moved * block * across / 1.25e9 if p > 8 else 0
        return rounds * (inside + outside)

    for p in range(1, 2000):
        cannon, johnson = time(p, 100, 4.5, 8 / 3), time(p, 1000, 2, 8 / 2)
        # With as many rounds or fewer, of products that take the same.
        assert ceil(1000 / min(p, 1000)) <= ceil(1000 / min(p, 100))
        assert (johnson < cannon) is (p > 1)
    assert "johnson from P = 2" in " ".join(shown.split())
    assert "cannon and johnson equally fast  at P = 1" in shown


@answers("Does it fit, and what is the largest batch that does?")
def _fits(shown: str) -> None:
    capacities = {"h200": 143771 * 2**20, "h100_sxm": 81559 * 2**20, "mi300x": 196592 * 2**20}
    for name, capacity in capacities.items():
        for dtype, word in (("fp8", 1), ("bf16", 2)):

            def fits(batch: int, word: int = word, capacity: float = capacity) -> bool:
                return word * (68_976_648_192 + batch * 2 * 80 * 8 * 128 * 4096) <= capacity

            largest = max((batch for batch in range(1, 1000) if fits(batch)), default=0)
            where = f"for 1 ≤ batch ≤ {largest}" if largest else "nowhere"
            assert re.search(rf"^  {name} +{dtype} +{dtype} +{where}$", shown, re.MULTILINE)


def token(batch: int, context: int) -> tuple[float, float]:
    """Return how long the flops and the memory of a step of decoding take on the card."""
    return 16e9 * batch / 989.5e12, (16e9 + batch * context * 131072) / 3.35e12


@answers("How many tokens a second, by batch?")
def _tokens(shown: str) -> None:
    each_batch = [2**k for k in range(10)]
    for k, cells in enumerate(rows(shown, map(str, each_batch))):
        _, rate, each, price, bound = cells
        flops, memory = token(2**k, 4096)
        time = max(flops, memory)
        assert near(float(rate.split()[0]), 2**k / time)
        assert near(float(each.split()[0]), 1 / time)
        assert near(float(price.split()[0]), 2.4 / 3600 * time / 2**k * 1e6)
        assert bound == ("memory" if memory > flops else "flops")


@answers("From which batch on is it bound by arithmetic?")
def _critical(shown: str) -> None:
    binds = [flops > memory for flops, memory in (token(batch, 1) for batch in range(1, 1000))]
    assert f"flops from batch = {binds.index(True) + 1}\n" in shown
    assert all(binds[binds.index(True) :])
    # With 4096 tokens kept, what each sequence adds to memory takes longer than what it computes.
    assert 16e9 / 989.5e12 < 4096 * 131072 / 3.35e12


@answers("How much energy does a solution take?")
def _energy(shown: str) -> None:
    counts = [64 * 4**k for k in range(4)]
    for processes, cells in zip(counts, rows(shown, map(str, counts)), strict=True):
        _, time, energy, power, cost = cells
        rows_of_each, stages = 2**30 / processes, int(log2(processes))
        flops = 64 * rows_of_each + 2 * stages
        memory = (27 * 12 + 24 + 16 + 72 + 8) * rows_of_each
        network = 6 * 8 * rows_of_each ** (2 / 3) + 2 * 8 * stages
        work = processes * 100 * (10e-12 * flops + 80e-12 * memory + 250e-12 * network)
        taken = read(time, "s")
        assert near(read(energy, "J"), work + 2 * processes * taken)
        assert near(read(power, "W"), work / taken + 2 * processes)
        assert near(read(cost, "euro"), 0.05 / 3600 * processes * taken)


@answers("Does the verdict survive if every rate is off by 10 %?")
def _survives(shown: str) -> None:
    flops, memory, network = summa()
    times = flops / 22e9, memory / 13.9e9, network / 1.2e9
    assert max(times) == times[2] and sorted(times)[1] == times[0]
    ratio = times[2] / times[0]
    assert times[2] / 1.1 > times[0] / 0.9  # the worst machine
    assert f"less than {100 * (ratio - 1) / (ratio + 1):.3g} %" in shown
    assert "network on every machine, proven" in shown


@answers("How sure is the time?")
def _sure(shown: str) -> None:
    flops, memory, network = summa()
    slow = max(flops / 21.6e9, memory / (0.97 * 13.9e9), network / 1.15e9)
    fast = max(flops / 22.4e9, memory / (1.03 * 13.9e9), network / 1.25e9)
    # The network binds on all of these machines.
    assert (slow, fast) == (network / 1.15e9, network / 1.25e9)
    assert network / 1.25e9 > max(flops / 21.6e9, memory / (0.97 * 13.9e9))
    least, most, owed = rows(shown.partition("at least")[2], ["time"])[0][1:]
    assert near(read(least, "s"), fast) and near(read(most, "s"), slow)
    assert owed == "measured_karst.network 100 %"
    (half,) = re.findall(rf"time +{NUMBER} ± {NUMBER} ms", shown)
    assert near(float(half[0]) / 1000, network / 1.2e9)
    assert isclose(float(half[1]) / 1000, network / 1.2e9 * 0.05 / 1.2, rel_tol=2e-2)


@answers("What do I gain from fp32, and from bf16?")
def _precisions(shown: str) -> None:
    rates = {"fp64": (67e12, 8), "fp32": (67e12, 4), "bf16": (989.5e12, 2)}
    for (rate, word), cells in zip(rates.values(), rows(shown, rates), strict=True):
        time = max(2 * 8192**3 / rate, 4 * 8192**2 * word / 3.35e12)
        assert near(read(cells[6], "s"), time)
        assert near(read(cells[3], "flop/B"), 2 * 8192**3 / (4 * 8192**2 * word))


@answers("Where does my profile lie on the roofline?")
def _profile(shown: str) -> None:
    command = shlex.split(shown.splitlines()[0].removeprefix("$ roofdsl "))
    (table,) = re.findall(r"^```text file=kernels.csv\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    with TemporaryDirectory() as folder, chdir(folder):
        Path("kernels.csv").write_text(table, encoding="utf-8")
        found = CliRunner().invoke(cli, command)
        assert found.exit_code == 0, found.output
        drawn = [*csv.DictReader(Path("kernels_drawn.csv").read_text("utf-8").splitlines())]
    points = {each["name"]: each for each in drawn if each["what"] == "point"}
    measured = [line.split(",") for line in table.splitlines()[1:]]
    assert len(points) == len(measured) == 3
    for name, intensity, performance in measured:
        assert float(points[name]["intensity [flop/B]"]) == float(intensity)
        assert float(points[name]["performance [flop/s]"]) == float(performance)
        assert float(performance) < min(22e9, 13.9e9 * float(intensity))  # all lie below the roof
    (roof,) = (each for each in drawn if each["what"] == "bandwidth")
    (peak,) = (each for each in drawn if each["what"] == "ceiling")
    assert (float(roof["bandwidth [B/s]"]), float(peak["performance [flop/s]"])) == (13.9e9, 22e9)


@answers("A table for my paper, with its references")
def _table(shown: str) -> None:
    flops, memory, network = summa()
    n, p = 4096, 121
    dense = (2 * n**2 + 2 * n) / p, 8 * (n**2 + 3 * n) / p, 8 * n / p * (p - 1)
    rates = {"karst": (22e9, 13.9e9, 1.2e9), "jetstream": (43.4e9, 13.1e9, 0.34e9)}
    printed = re.findall(r"^(\w+) & (\w+) & [^&]+& ([\d.]+) & ([\d.]+) & ([\d.]+)", shown, re.M)
    assert len(printed) == 4
    for model, machine, OI, CAI, time in printed:
        work = dense if model == "dgemv" else (flops, memory, network)
        times = [amount / rate for amount, rate in zip(work, rates[machine], strict=True)]
        assert near(float(OI), work[0] / work[1]) and near(float(CAI), work[0] / work[2])
        assert near(float(time) / 1000, max(times))
    assert r"\cite{cardwell2019" in shown
