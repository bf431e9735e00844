"""The programs of `examples/`: they run, and a count by hand in fractions gives what they give.

What is expected here shares nothing with the language but the numbers of the machines.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
FILES = sorted(path.name for path in FOLDER.glob("*.roof"))
LONGEST = 100
# A process of `cluster`: 64 share a node.
FLOPS, MEMORY, NETWORK = Fraction(40 * 10**9), Fraction(4 * 10**9), Fraction(4 * 10**8)
MESSAGE = Fraction(2, 10**6)


@pytest.fixture(autouse=True)
def here() -> Iterator[None]:
    with chdir(ROOT):
        yield


def evaluate(model: str, machine: str, **values: float | str) -> rd.Result:
    prediction = rd.load_model(f"examples/{model}").on(rd.load_machine(f"examples/{machine}"))
    return prediction.evaluate(**values)


def kernel(flops: int | Fraction = 0, memory: int | Fraction = 0) -> Fraction:
    return max(flops / FLOPS, memory / MEMORY)


def sent(network: int | Fraction, messages: int) -> Fraction:
    return network / NETWORK + messages * MESSAGE


def test_all_programs_pass() -> None:
    found = CliRunner().invoke(cli, ["test", "examples"])
    assert found.exit_code == 0, found.output
    assert " 0 failed" in found.output


def test_none_of_them_is_warned_about() -> None:
    found = CliRunner().invoke(cli, ["check", "examples"])
    assert found.exit_code == 0 and "warning" not in found.output, found.output


@pytest.mark.parametrize("name", FILES)
def test_a_line_is_no_longer_than_a_formula_on_paper(name: str) -> None:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST] == []
    # Prose may be as long as the page; what is computed fits on a line of a paper.
    stated = (line.partition("##")[0].rstrip() for line in lines if not line.startswith("#"))
    assert [line for line in stated if len(line) > 96] == []


@pytest.mark.parametrize("processes", [2**6, 2**12, 2**18])
def test_conjugate_gradients(processes: int) -> None:
    rows = 2**30 // processes
    side = round(rows ** (1 / 3))
    assert side**3 == rows or processes == 2**6  # 2^24 rows are a cube of 256
    face = Fraction(round(rows ** (2 / 3)))
    stages = processes.bit_length() - 1
    reduce = max(sent(8 * stages, stages), Fraction(stages) / FLOPS)
    traffic = {"spmv": 27 * 12 + 24, "dot": 16, "axpys": 72, "norm": 8}
    done = {"spmv": 54, "dot": 2, "axpys": 6, "norm": 2}
    kernels = sum(kernel(rows * done[name], rows * traffic[name]) for name in traffic)
    time = 100 * (sent(6 * 8 * face, 6) + kernels + 2 * reduce)
    result = evaluate("conjugate_gradient.roof:cg", "cluster.roof", N=2**30, P=processes)
    assert result.time == pytest.approx(float(time), rel=1e-12)
    flops = rows * sum(done.values()) + 2 * stages
    network = 6 * 8 * face + 2 * 8 * stages
    work = flops * Fraction(1, 10**11) + rows * sum(traffic.values()) * Fraction(8, 10**11)
    energy = processes * (100 * (work + network * Fraction(25, 10**11)) + 2 * time)
    assert result.spending["energy"] == pytest.approx(float(energy), rel=1e-12)
    cost = processes * time * Fraction(5, 100) / 3600
    assert result.spending["cost"] == pytest.approx(float(cost), rel=1e-12)


@pytest.mark.parametrize(("size", "across", "down"), [(1024, 32, 32), (256, 4, 16)])
def test_a_pencil_fft(size: int, across: int, down: int) -> None:
    points = Fraction(size**3, across * down)
    # The butterflies of a radix-2 transform: 10 flops for each of N/2 in log2 N stages.
    butterflies = sum(10 * (size // 2) for _ in range(size.bit_length() - 1))
    transforms = points / size
    line = kernel(transforms * butterflies, 32 * points)
    packed = 2 * kernel(memory=2 * 16 * points)
    swaps = [packed + sent(16 * points * (n - 1) / n, n - 1) for n in (across, down)]
    result = evaluate("pencil_fft.roof:fft3d", "cluster.roof", N=size, Pr=across, Pc=down)
    assert result.time == pytest.approx(float(3 * line + sum(swaps)), rel=1e-12)
    flops = 3 * size**2 * butterflies
    assert result.totals["flops"] == pytest.approx(flops, rel=1e-12)


def test_particles_in_cells() -> None:
    cells, count = 64**3, 64 * 64**3
    push = kernel(250 * count, 2 * 56 * count + 24 * cells)
    deposit = kernel(60 * count, 32 * count + 16 * cells)
    migrate, order = sent(count * 56 // 64, 26), kernel(memory=2 * 56 * count // 16)
    stages = (cells * 64).bit_length() - 1
    field = max(kernel(10 * cells * stages, 96 * cells), sent(64 * cells, 4 * 8))
    result = evaluate("particle_in_cell.roof:pic", "cluster.roof", cells=64, P=64)
    wanted = push + deposit + max(migrate, order) + field
    assert result.time == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("n", [3, 8, 256])
def test_a_stencil_of_27_points(n: int) -> None:
    halo = halo_points(n) if n < 10 else 6 * n**2 + 12 * n + 8
    inner = (n - 2) ** 3
    away, inside = sent(8 * halo, 26), kernel(30 * inner, 16 * inner)
    rim = kernel(30 * (n**3 - inner), 16 * (n**3 - inner))
    result = evaluate("stencil27.roof:stencil27", "cluster.roof", n=n, P=64)
    assert result.time == pytest.approx(float(max(away, inside) + rim), rel=1e-12)
    waiting = evaluate("stencil27.roof:stencil27_waiting", "cluster.roof", n=n, P=64)
    assert waiting.time == pytest.approx(float(away + kernel(30 * n**3, 16 * n**3)), rel=1e-12)


def halo_points(n: int) -> int:
    """Count the points around a brick that its neighbours have, by looking at each."""
    around = product(range(-1, n + 1), repeat=3)
    return sum(not all(0 <= each < n for each in point) for point in around)


def test_a_mixture_of_experts() -> None:
    for batch in (1, 16, 128):
        weights = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168
        seen = batch * 4096
        times = Fraction(2 * batch * weights, 2 * 10**15) + Fraction(
            2 * seen * 128 * (576 + 512), 10**15
        )
        products = times + Fraction(seen * 128, 16 * 10**12)
        attention = max(products, Fraction(weights + seen * 576 * 2, 48 * 10**11))
        # No token of any rank asks for an expert: each asks for 8 others of 256.
        idle = Fraction(1)
        for _ in range(batch * 32):
            idle *= Fraction(256 - 8, 256)
        expert = 3 * 7168 * 2048
        read = Fraction(expert) * (8 * (1 - idle) + 1) / (48 * 10**11)
        feed = max(Fraction(2 * batch * 9 * expert, 2 * 10**15), read)
        away = [Fraction(batch * 8 * 7168 * size * 31, 32 * 50 * 10**9) for size in (1, 2)]
        messages, launches = 2 * 31 * Fraction(5, 10**7), 4 * Fraction(3, 10**6)
        layer = attention + feed + sum(away) + messages + launches
        result = evaluate(
            "mixture_of_experts.roof:moe_decode", "mixture_of_experts.roof:card", batch=batch
        )
        assert result.time == pytest.approx(float(61 * layer), rel=1e-12)


@pytest.mark.parametrize(("first", "second"), [(1000, 3000), (400, 3200), (5000, 5000)])
@pytest.mark.parametrize(("machine", "rate"), [("box", 12), ("two_drives", 24)])
def test_a_hash_join(first: int, second: int, machine: str, rate: int) -> None:
    both = first + second
    out = both * max(Fraction(0), 1 - Fraction(500, first))  # GB
    hashed = max(Fraction(3 * both, 300), Fraction(20 * both, 64 * 500))
    matched = max(Fraction(2 * both, 300), Fraction(30 * both, 64 * 500))
    begun = Fraction(1, 10**4) if out else 0  # of each kernel that uses the drive, s
    moved = both / Fraction(rate) + Fraction(1, 10**4) + out / rate + begun
    time = max(moved, hashed) + max(out / rate + begun, matched)
    result = evaluate(
        "hash_join.roof:hash_join",
        f"hash_join.roof:{machine}",
        R=f"{first} GB",
        S=f"{second} GB",
    )
    assert result.time == pytest.approx(float(time), rel=1e-12)
    assert result.own_work["nvme"] == pytest.approx(float((both + 2 * out) * 10**9), rel=1e-12)
    flops = Fraction(50 * both, 64)
    assert result.intensity["nvme"] == pytest.approx(float(flops / (both + 2 * out)), rel=1e-12)
